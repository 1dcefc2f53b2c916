"""Reports: recorded API responses and text, published as versions, shared by links, exported as files."""
