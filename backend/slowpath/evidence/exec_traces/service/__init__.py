"""Services of execution traces: decoded data and excerpts."""
