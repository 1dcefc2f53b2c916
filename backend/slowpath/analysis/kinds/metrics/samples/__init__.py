"""Samples of series: in memory, as stored chunks, and merged."""
