"""Normalize names of goroutine groups across builds."""

import re

_CLOSURE = re.compile(r"(\.func)\d+(?:\.\d+)*")
_WRAPPED = re.compile(r"\.(?:gowrap|deferwrap)\d+")
_MAJOR = re.compile(r"/v\d+(?=[./])")


def normalised(name: str) -> str:
    """Return a group's name without closure numbers, vendoring and the major version, which differ between builds."""
    name = name.rpartition("/vendor/")[2]
    return _MAJOR.sub("", _CLOSURE.sub(r"\1", _WRAPPED.sub("", name)))
