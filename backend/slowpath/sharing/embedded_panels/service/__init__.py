"""Services of embedded panels."""
