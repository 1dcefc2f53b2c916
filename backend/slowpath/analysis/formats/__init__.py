"""File formats that several kinds share."""
