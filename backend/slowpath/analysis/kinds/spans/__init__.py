"""Distributed traces: what the time between spans went into, who calls whom how often, and what changed."""
