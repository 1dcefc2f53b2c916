"""Detect that both sides ran the same binary."""

from collections.abc import Sequence

from slowpath.analysis.kinds.profiles.decoded.recorded_profile import RecordedProfile


def binaries(side: Sequence[RecordedProfile]) -> frozenset[str]:
    """Return the build ids of a side from metadata, else from the profiles; empty if any is unknown."""
    stated = {artifact.facts.build_id for artifact in side}
    if None not in stated:
        return frozenset(each for each in stated if each)
    recorded = {artifact.table.build_ids[0] if artifact.table.build_ids else "" for artifact in side}
    return frozenset() if "" in recorded else frozenset(recorded)


def same_binary(base: Sequence[RecordedProfile], candidate: Sequence[RecordedProfile]) -> bool:
    """Return whether the build ids are equal: then differences are due to machine, load or configuration.

    An equal commit is not enough, since a working tree can differ from its commit. Samples with different labels, as of two
    endpoints, differ by their code even in one binary.
    """
    if {each.labels for each in base} != {each.labels for each in candidate}:
        return False
    return bool(binaries(base)) and binaries(base) == binaries(candidate)
