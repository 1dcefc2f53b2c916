"""Names of goroutine groups without what changes from build to build."""

import re

_CLOSURE = re.compile(r"(\.func)\d+(?:\.\d+)*")
_WRAPPED = re.compile(r"\.(?:gowrap|deferwrap)\d+")
_MAJOR = re.compile(r"/v\d+(?=[./])")


def normalised(name: str) -> str:
    """A group's name without what changes from build to build: closure numbers, vendoring, the major version."""
    name = name.rpartition("/vendor/")[2]
    return _MAJOR.sub("", _CLOSURE.sub(r"\1", _WRAPPED.sub("", name)))
