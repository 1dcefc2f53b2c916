"""Statistics that several kinds share."""
