"""Limits of request bodies: 16 KiB, unless the route declares more.

A route declares its limit in its description (`openapi_extra=body_up_to(...)`), so that clients can read it and the
guard can apply it before FastAPI reads a byte. Routes that stream a body to disk apply their own limit meanwhile.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts

KIB: Final = 1024
BYTES_MARK: Final = "x-max-body-bytes"
MEMBERS_MARK: Final = "x-max-body-members"
ANONYMOUS_MARK: Final = "x-max-body-anonymous"


@dataclass(frozen=True)
class BodyLimit:
    """The limits of a route: bytes, and members of its JSON (values of objects and arrays together)."""

    size_bytes: int
    members: int
    anonymous: bool = False
    """Whether it is also that of callers without credentials; otherwise theirs is at most the default."""


DEFAULT: Final = BodyLimit(16 * KIB, 1_000)


def body_up_to(size_bytes: int, *, members: int = DEFAULT.members, anonymous: bool = False) -> dict[str, Any]:
    """Return the `openapi_extra` of a route whose body may exceed the default, with `anonymous` also without credentials."""
    return {BYTES_MARK: size_bytes, MEMBERS_MARK: members, ANONYMOUS_MARK: anonymous}


class BodyLimits:
    """The limits of an app's routes, by method and path."""

    def __init__(self, declared: Mapping[str, Mapping[str, BodyLimit]]) -> None:
        """Take the declared limits by method and path template."""
        self._declared = {
            method: [(_pattern_of(path), limit) for path, limit in paths.items()] for method, paths in declared.items()
        }

    def of(self, method: str, path: str) -> BodyLimit:
        """Return the limit of a request."""
        for pattern, limit in self._declared.get(method, ()):
            if pattern.fullmatch(path):
                return limit
        return DEFAULT


def body_limits_of(app: FastAPI) -> BodyLimits:
    """Return the limits that the routes of an app declare."""
    declared: dict[str, dict[str, BodyLimit]] = {}
    for route in iter_route_contexts(app.routes):
        extra: Mapping[str, Any] = getattr(route, "openapi_extra", None) or {}
        if BYTES_MARK in extra:
            limit = BodyLimit(extra[BYTES_MARK], extra[MEMBERS_MARK], extra[ANONYMOUS_MARK])
            for method in route.methods or ():
                declared.setdefault(method, {})[str(getattr(route, "path_format", ""))] = limit
    return BodyLimits(declared)


def _pattern_of(path: str) -> re.Pattern[str]:
    return re.compile("[^/]+".join(re.escape(piece) for piece in re.split(r"\{[^}]*\}", path)))
