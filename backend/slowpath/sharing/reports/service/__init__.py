"""The verbs on reports: writing, freezing, publishing, sharing, packing."""
