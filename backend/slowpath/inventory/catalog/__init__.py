"""Services, environments and builds: what runs where, and what it was made from."""
