"""Services of example data."""
