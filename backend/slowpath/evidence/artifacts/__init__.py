"""Uploaded artifacts: size limits, content-addressed blobs, detected kind, decode state."""
