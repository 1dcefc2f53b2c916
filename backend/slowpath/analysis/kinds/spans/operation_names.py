"""Normalize operation names: omit addresses and ids, which differ from run to run."""

import re

_PATTERNS = (
    # `Push 10.0.0.1:9000` is `Push`, whatever its target; within a name an address becomes a star.
    (re.compile(r"[ @](?:\d{1,3}\.){3}\d{1,3}(?::\d+)?$|[ @]\[[0-9a-fA-F:]+\](?::\d+)?$|[ @][\w.-]+:\d{2,5}$"), ""),
    (re.compile(r"(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?"), "*"),
    (re.compile(r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b|\b(?=[a-f]*\d)[0-9a-f]{16,}\b"), "*"),
    (re.compile(r"(?<=/)\d+(?=/|$)"), "*"),
)
_REPLICA = re.compile(r"^(.*[^\d-])-\d{1,3}$")


def operation(name: str) -> str:
    """Return the name of an operation without addresses and ids."""
    for pattern, instead in _PATTERNS:
        name = pattern.sub(instead, name) or name
    return name


def replicated(service: str) -> str:
    """Remove a replica number: `ingester` of `ingester-2`; other names are unchanged."""
    matched = _REPLICA.match(service)
    return matched.group(1) if matched else service
