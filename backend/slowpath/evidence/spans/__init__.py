"""Distributed traces: span sets from uploaded files or OTLP pushes, their pages, single traces."""
