"""Decoded pprof profiles: their headers, and the blob keys of their columns."""
