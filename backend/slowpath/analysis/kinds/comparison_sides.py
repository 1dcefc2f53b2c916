"""The sides of a comparison: decoded artifacts of every kind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from numpy.random import Generator

from slowpath.analysis.findings.latency_window import LatencyWindow
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.decoded.profile_kinds import SHOWN_KINDS

Artifact = TypeVar("Artifact")


class NamedArtifact(Protocol):
    """Any artifact: its name and run metadata."""

    @property
    def name(self) -> str:
        """Return the display name."""

    @property
    def facts(self) -> RunMetadata:
        """Return the run metadata."""


@dataclass(frozen=True)
class ComparisonSide:
    """All artifacts of one side, and a time range of a service's metrics.

    `others`: artifacts other than profiles, by the id of their kind. Stacks of growth logs, traces and spans are also among
    the profiles, for display.
    """

    profiles: tuple[ProfileArtifact, ...] = ()
    others: Mapping[str, Sequence[NamedArtifact]] = field(default_factory=dict)
    latency: LatencyWindow | None = None

    def artifacts(self) -> tuple[NamedArtifact, ...]:
        """Return every artifact once, by kind."""
        return (*self.own_profiles(), *(artifact for of_kind in self.others.values() for artifact in of_kind))

    def own_profiles(self) -> tuple[ProfileArtifact, ...]:
        """Return the profiles that were recorded as profiles."""
        return tuple(each for each in self.profiles if each.table.kind not in SHOWN_KINDS)

    def of_kind(self, kind: str) -> tuple[ProfileArtifact, ...]:
        """Return the profiles of one kind."""
        return tuple(each for each in self.profiles if each.table.kind == kind)


@dataclass(frozen=True)
class KindSides:
    """The artifacts of one kind on both sides; `helper_output`: of the kind's `compare_command`, if it has one."""

    base: Sequence[NamedArtifact]
    candidate: Sequence[NamedArtifact]
    helper_output: Mapping[str, Any] | None
    rng: Generator


def of_type(artifact_type: type[Artifact], artifacts: Sequence[NamedArtifact]) -> tuple[Artifact, ...]:
    """Return the artifacts with their type. Raises `TypeError` if one has another type."""
    matching = tuple(artifact for artifact in artifacts if isinstance(artifact, artifact_type))
    if len(matching) != len(artifacts):
        raise TypeError(f"expected only artifacts of type {artifact_type.__name__}")
    return matching
