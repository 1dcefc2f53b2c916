"""Decoded Go execution traces: their headers, pages, longest waits and excerpts."""
