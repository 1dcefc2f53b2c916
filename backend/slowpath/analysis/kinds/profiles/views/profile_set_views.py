"""Profiles opened together: which kinds they are, under which conditions they were recorded, and their views."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.profiles.decoded.label_values import LabelMatcher, select_samples
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.decoded.profile_kinds import KIND_ORDER
from slowpath.analysis.kinds.profiles.sets.profile_kind_values import ProfileKindValues, measure_kind
from slowpath.analysis.kinds.profiles.sets.profile_sets import make_sets
from slowpath.analysis.kinds.profiles.views.profile_set_document import ProfileSetConditions, ProfileSetKind

T = TypeVar("T")


def list_set_kinds(artifacts: Sequence[ProfileArtifact]) -> tuple[ProfileSetKind, ...]:
    """Return the kinds of the profiles, the most useful first."""
    present = {artifact.table.kind for artifact in artifacts}
    kinds = [*(kind for kind in KIND_ORDER if kind in present), *sorted(present.difference(KIND_ORDER))]
    return tuple(_kind(kind, [each for each in artifacts if each.table.kind == kind]) for kind in kinds)


def _kind(kind: str, artifacts: Sequence[ProfileArtifact]) -> ProfileSetKind:
    """Return the sample types that all profiles have; if there are none, those of the first profile."""
    first = artifacts[0].table
    types = tuple(dict.fromkeys(first.sample_types))
    shared = tuple(each for each in types if all(each in artifact.table.sample_types for artifact in artifacts))
    listed, default = shared or types, first.sample_types[first.default_sample_type]
    return ProfileSetKind(
        kind=kind,
        sample_types=listed,
        default_sample_type=(default if default in listed else listed[0]).type,
        artifacts=len(artifacts),
    )


def describe_conditions(artifacts: Sequence[ProfileArtifact]) -> ProfileSetConditions:
    """Return what all profiles agree on, and the requests of their runs together."""
    metadata = [artifact.facts for artifact in artifacts]
    return ProfileSetConditions(
        go_version=_agreed(metadata, lambda each: each.go_version),
        goos=_agreed(metadata, lambda each: each.goos),
        goarch=_agreed(metadata, lambda each: each.goarch),
        gomaxprocs=_agreed(metadata, lambda each: each.gomaxprocs),
        cpu_model=_agreed(metadata, lambda each: each.cpu_model),
        commits=tuple(sorted({each.commit for each in metadata if each.commit})),
        build_ids=tuple(sorted({build_id for artifact in artifacts for build_id in artifact.table.build_ids})),
        runs=len({each.run for each in metadata if each.run}),
        requests=_count_requests(metadata),
    )


def _agreed(metadata: Sequence[RunMetadata], member: Callable[[RunMetadata], T | None]) -> T | None:
    values = {member(each) for each in metadata}
    return values.pop() if len(values) == 1 else None


def _count_requests(metadata: Sequence[RunMetadata]) -> int | None:
    """Return the requests of all runs, each counted once; None unless known for all profiles."""
    counted: dict[object, int] = {}
    for number, each in enumerate(metadata):
        if each.requests is None:
            return None
        counted[each.run or number] = each.requests
    return sum(counted.values()) if counted else None


def measure_set(
    artifacts: Sequence[ProfileArtifact], kind: str, sample_type: str, matchers: Sequence[LabelMatcher]
) -> ProfileKindValues | None:
    """Return the values of one kind and sample type, of the samples that match; None if no profile has them.

    Profiles without a matching sample count with a cost of 0. They are the candidate, and the base is empty.
    """
    of_kind = [artifact for artifact in artifacts if artifact.table.kind == kind]
    found = next(
        (each for artifact in of_kind for each in artifact.table.sample_types if each.type == sample_type), None
    )
    if found is None:
        return None
    if matchers:
        of_kind = [replace(each, table=select_samples(each.table, matchers)) for each in of_kind]
    sets = make_sets((), of_kind, found)
    return None if sets is None else measure_kind(kind, sets)
