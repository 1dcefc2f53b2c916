"""Metric sources: Prometheus-compatible APIs for history imports and federated services."""
