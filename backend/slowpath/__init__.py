"""Slowpath finds out why a Go service got slower."""
