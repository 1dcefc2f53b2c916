"""Builds as points of series: what the artifacts of one build measure, and many builds laid beside each other."""
