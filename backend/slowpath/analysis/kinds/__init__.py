"""One package for each artifact kind, and the registry of them."""
