"""One module per feature; each handler reads its inputs, analyzes them and records the result."""
