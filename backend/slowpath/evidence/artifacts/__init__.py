"""Received files: limits, content-addressed blobs, type by content, decode state."""
