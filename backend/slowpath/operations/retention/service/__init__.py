"""Services of retention and usage."""
