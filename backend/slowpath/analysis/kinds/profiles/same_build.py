"""Whether both sides ran one and the same binary."""

from collections.abc import Sequence

from slowpath.analysis.kinds.profiles.profile_artifact import ProfileArtifact


def binaries(side: Sequence[ProfileArtifact]) -> frozenset[str]:
    """Build ids of the programs of a side: as the facts say, else as the profiles do; empty if any is unknown."""
    stated = {artifact.facts.build_id for artifact in side}
    if None not in stated:
        return frozenset(each for each in stated if each)
    recorded = {artifact.table.build_ids[0] if artifact.table.build_ids else "" for artifact in side}
    return frozenset() if "" in recorded else frozenset(recorded)


def same_binary(base: Sequence[ProfileArtifact], candidate: Sequence[ProfileArtifact]) -> bool:
    """Equal build ids: whatever differs is the machine, the load or the configuration.

    An equal commit is not enough, since a working tree can hold more than its commit.
    """
    return bool(binaries(base)) and binaries(base) == binaries(candidate)
