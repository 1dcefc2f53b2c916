"""Metrics that others keep: Prometheus-compatible APIs from which history is imported."""
