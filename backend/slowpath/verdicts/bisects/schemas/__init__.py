"""Bisects, probes and runners on the wire."""
