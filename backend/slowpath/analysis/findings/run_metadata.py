"""Facts: what is known of the run in which an artifact was captured (load, machine, Go version).

The same object arrives as an upload field, as a sidecar file and in the webhook. Everything is optional; what is
absent is `None`, never zero.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from math import isfinite
from typing import Any

from slowpath.analysis.findings.route_requests import RouteRequests, parse_requests_by_route
from slowpath.units import Nanoseconds

# What a hostile or mistaken sender could reach without making arithmetic lose meaning: 2^53 is exact in a double.
LARGEST_COUNT = 2**53
LONGEST_TEXT = 4_096
SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class RunMetadata:
    """What is known of one run. Durations in nanoseconds, `requests` and `gomaxprocs` are counts."""

    run: str | None = None
    requests: int | None = None
    wall_ns: Nanoseconds | None = None
    cpu_ns: Nanoseconds | None = None
    go_version: str | None = None
    goos: str | None = None
    goarch: str | None = None
    gomaxprocs: int | None = None
    cpu_model: str | None = None
    cpu_flags: tuple[str, ...] | None = None
    commit: str | None = None
    build_id: str | None = None
    started_at_ms: int | None = None
    """When the capture began, Unix time in milliseconds."""
    ended_at_ms: int | None = None
    """When the capture ended, Unix time in milliseconds; of a snapshot, when it was taken."""
    process_age_ms: int | None = None
    """Age of the process when the capture began, in milliseconds."""
    requests_by_route: tuple[RouteRequests, ...] | None = None
    """The requests during the capture by route, method and status class."""
    pgo_sha256: str | None = None
    """SHA-256 of the PGO profile that an executable was built with, in hex."""

    @classmethod
    def from_json(cls, value: object) -> "RunMetadata":
        """Facts from decoded JSON; unknown fields are ignored, wrong ones raise `ValueError` naming the field."""
        if not isinstance(value, Mapping):
            raise ValueError(f"facts must be a JSON object, not {_word_for(value)}")  # noqa: TRY004 - callers catch one error
        known: dict[str, Any] = {}
        for name in _COUNTS:
            known[name] = _count(name, value.get(name))
        for name in _TEXTS:
            known[name] = _text(name, value.get(name))
        known["cpu_flags"] = _flags(value.get("cpu_flags"))
        known["requests_by_route"] = parse_requests_by_route(value.get("requests_by_route"))
        known["pgo_sha256"] = _digest("pgo_sha256", value.get("pgo_sha256"))
        return cls(**known)

    def to_json(self) -> dict[str, Any]:
        """The known facts as a JSON object; what is unknown is left out."""
        known = {field.name: getattr(self, field.name) for field in fields(self)}
        if self.requests_by_route is not None:
            known["requests_by_route"] = [asdict(each) for each in self.requests_by_route]
        return {
            name: list(fact) if isinstance(fact, tuple) else fact for name, fact in known.items() if fact is not None
        }


_COUNTS = ("requests", "wall_ns", "cpu_ns", "gomaxprocs", "started_at_ms", "ended_at_ms", "process_age_ms")
_TEXTS = ("run", "go_version", "goos", "goarch", "cpu_model", "commit", "build_id")


def _count(name: str, value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise ValueError(f"facts.{name} must be a number, not {_word_for(value)}")
    if not 0 <= value <= LARGEST_COUNT:
        raise ValueError(f"facts.{name} must be between 0 and 2^53, not {value}")
    return round(value)


def _text(name: str, value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise ValueError(f"facts.{name} must be a string, not {_word_for(value)}")  # noqa: TRY004 - callers catch one error
    if len(value) > LONGEST_TEXT:
        raise ValueError(f"facts.{name} has {len(value)} characters, the limit is {LONGEST_TEXT}")
    return value


def _digest(name: str, value: object) -> str | None:
    text = _text(name, value)
    if text is not None and SHA256.fullmatch(text) is None:
        raise ValueError(f"facts.{name} must be a SHA-256 in 64 lower-case hex digits")
    return text


def _flags(value: object) -> tuple[str, ...] | None:
    """CPU flags come as a list, or as one line as in /proc/cpuinfo."""
    if value is None:
        return None
    flags = value.split() if isinstance(value, str) else value
    if not isinstance(flags, list) or not all(isinstance(flag, str) for flag in flags):
        raise ValueError("facts.cpu_flags must be a list of strings")
    if sum(len(flag) for flag in flags) > 4 * LONGEST_TEXT:
        raise ValueError(f"facts.cpu_flags is longer than {4 * LONGEST_TEXT} characters")
    return tuple(sorted(set(flags)))


def _word_for(value: object) -> str:
    return {dict: "an object", list: "a list", str: "a string", bool: "a boolean", type(None): "null"}.get(
        type(value), f"{value!r}"
    )
