"""Arguments of tools, and what tools read from responses of the API."""
