"""Kinds of profiles, in the order in which comparisons list them."""

KIND_ORDER = (
    "cpu",
    "allocs",
    "heap",
    "mutex",
    "block",
    "goroutine",
    "threadcreate",
    "other",
    "growth",
    "trace-cpu",
    "trace-delay",
    "critical-path",
)
SHOWN_KINDS = frozenset({"growth", "trace-cpu", "trace-delay", "critical-path"})
"""Drawn like profiles, but tested in their own kinds' packages (`growth_logs`, `exec_traces`, `spans`)."""
