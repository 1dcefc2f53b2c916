"""Analyze performance data without I/O, clock or framework; random generators are passed in."""
