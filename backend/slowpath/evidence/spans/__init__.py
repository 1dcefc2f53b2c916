"""Distributed traces: sets of spans as files or as they are pushed, what is read from them, single traces."""
