"""Services of function sources."""
