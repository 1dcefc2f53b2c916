"""Compute how much of the process's CPU time a profile sampled."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact

F64 = NDArray[np.float64]

# Outside of this range the two values are not of the same process and time.
LEAST_PLAUSIBLE, MOST_PLAUSIBLE = 0.2, 1.25
# Factor above the machine's CPU capacity that clock errors cannot explain.
CLOCKS_AGREE = 1.1


def process_cpu(artifact: ProfileArtifact) -> float:
    """Return the process's CPU time during the profile, in nanoseconds; 0 if unknown."""
    cpu, wall, duration = artifact.facts.cpu_ns or 0, artifact.facts.wall_ns, artifact.table.duration_ns
    if wall and artifact.facts.gomaxprocs and cpu > CLOCKS_AGREE * wall * artifact.facts.gomaxprocs:
        return 0.0
    return float(cpu) * duration / wall if wall and duration else float(cpu)


def sampled_cpu(artifact: ProfileArtifact) -> float:
    """Return the CPU time of all samples of a CPU profile, in nanoseconds."""
    table = artifact.table
    for number, each in enumerate(table.sample_types):
        if each.unit == "nanoseconds":
            return float(table.total(number))
    return float(table.total(0)) * (table.period or 0)


def coverage_of(artifacts: Sequence[ProfileArtifact]) -> F64 | None:
    """Return sampled over process CPU time of each CPU profile; None unless known and plausible for all."""
    if any(artifact.table.kind != "cpu" for artifact in artifacts):
        return None
    cpu = np.array([process_cpu(artifact) for artifact in artifacts])
    sampled = np.array([sampled_cpu(artifact) for artifact in artifacts])
    if not np.all(cpu > 0) or not np.all(sampled > 0):
        return None
    covered: F64 = sampled / cpu
    plausible = float(covered.min()) >= LEAST_PLAUSIBLE and float(covered.max()) <= MOST_PLAUSIBLE
    return covered if plausible else None
