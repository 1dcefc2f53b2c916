"""Kubernetes: access to a cluster, its pods and its API."""
