"""Compare two sides over all artifact kinds."""
