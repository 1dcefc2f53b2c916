"""Compare the conditions under which two builds were measured: Go version, platform, processor and number of processors.

A condition that only one side states is unknown, not another one: a build that `curl` sent without run metadata is
compared, with a caveat, if no earlier build has the same known conditions.
"""

from collections.abc import Sequence
from typing import Final, Literal

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.inventory.catalog.tables import Build

ConditionsMatch = Literal["equal", "unknown", "other"]
"""`unknown`: what both sides state is equal, and a condition is stated by one side only."""

Conditions = dict[str, frozenset[str]]
"""The distinct known values by the name of the condition."""

NAMES: Final = ("Go version", "operating system", "architecture", "processor", "GOMAXPROCS")


def read_conditions(build: Build, rows: Sequence[Artifact]) -> Conditions:
    """Return the known conditions of a build's artifacts; the build states those that an artifact does not."""
    found: dict[str, set[str]] = {name: set() for name in NAMES}
    for row in rows:
        metadata = RunMetadata.from_json({**build.run_metadata, **row.run_metadata})
        values = (
            metadata.go_version or build.go_version,
            metadata.goos or build.goos,
            metadata.goarch or build.goarch,
            metadata.cpu_model,
            metadata.gomaxprocs,
        )
        for name, value in zip(NAMES, values, strict=True):
            if value:
                found[name].add(str(value))
    return {name: frozenset(values) for name, values in found.items()}


def match_conditions(base: Conditions, candidate: Conditions) -> ConditionsMatch:
    """Return whether two sides have the same conditions, as far as they are known."""
    if any(base[name] and candidate[name] and base[name] != candidate[name] for name in NAMES):
        return "other"
    return "unknown" if list_unknown(base, candidate) else "equal"


def list_unknown(base: Conditions, candidate: Conditions) -> tuple[str, ...]:
    """Return the names of the conditions that one side does not state."""
    return tuple(name for name in NAMES if bool(base[name]) != bool(candidate[name]))


def describe_conditions(conditions: Conditions) -> str:
    """Format known conditions: `go1.26.8, linux/amd64, 8 procs`; empty if none is known."""
    go, goos, goarch, model, processors = (" or ".join(sorted(conditions[name])) for name in NAMES)
    platform = "/".join(part for part in (goos, goarch) if part)
    return ", ".join(part for part in (go, platform, model, f"{processors} procs" if processors else "") if part)
