"""Check whether the requests served during a profile can be its load."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.decoded.recorded_profile import RecordedProfile
from slowpath.analysis.kinds.profiles.sets.coverage import process_cpu, sampled_cpu
from slowpath.analysis.stats.t_distribution import median
from slowpath.units import NANOSECONDS_PER_SECOND

F64 = NDArray[np.float64]

# With fewer requests in a profile, requests in progress at its ends determine the value per request.
FEWEST_REQUESTS = 20
# If work per request varies by more than this between profiles of one comparison while the CPU time does not follow the
# requests, they are not the load of the CPU.
UNRELATED = 8.0
# Sides of which less than this part of the CPU is in the same functions do other work: then a request may cost that much more.
SAME_WORK = 0.5
# Loads whose ratio is closer to 1 than this count as equal.
LOAD_DIFFERS = 1.15


def requests_in(artifact: ProfileArtifact) -> float:
    """Return requests served during the profile: those of the run, scaled to the profile's duration.

    A snapshot has no duration: like its values, its requests count from the start of the process on.
    """
    requests, wall, duration = artifact.facts.requests, artifact.facts.wall_ns, artifact.table.duration_ns
    if not requests:
        return 0.0
    if not duration and artifact.table.kind != "cpu" and requests < FEWEST_REQUESTS:
        return 0.0
    return requests * duration / wall if wall and duration else float(requests)


def request_rate(side: Sequence[RecordedProfile]) -> float:
    """Return requests per second over the profiles of a side with metadata; 0 without any."""
    known = [a for a in side if a.facts.requests and (a.facts.wall_ns or a.table.duration_ns)]
    seconds = sum((a.facts.wall_ns or a.table.duration_ns) for a in known) / NANOSECONDS_PER_SECOND
    return sum(a.facts.requests or 0 for a in known) / seconds if seconds else 0.0


def load_gap(base: Sequence[RecordedProfile], candidate: Sequence[RecordedProfile]) -> float:
    """Return the log ratio of the loads, candidate over base; 0 if unknown or similar (`LOAD_DIFFERS`)."""
    return gap_of_rates(request_rate(base), request_rate(candidate))


def gap_of_rates(base: float, candidate: float) -> float:
    """Return the log ratio of two loads in requests per second; 0 if unknown or similar (`LOAD_DIFFERS`)."""
    if not (base and candidate):
        return 0.0
    gap = float(np.log(candidate / base))
    return gap if abs(gap) > np.log(LOAD_DIFFERS) else 0.0


def load_is_plausible(base: Sequence[ProfileArtifact], candidate: Sequence[ProfileArtifact]) -> bool:
    """Return whether costs can be divided by the requests."""
    return not contradiction_of_load(base, candidate)


def contradiction_of_load(base: Sequence[ProfileArtifact], candidate: Sequence[ProfileArtifact]) -> str:
    """Return why the requests cannot be the load of the CPU profiles, or an empty text if they can."""
    sides = [
        (word, [a for a in side if a.facts.requests])
        for word, side in (("base", base), ("candidate", candidate))
        if side
    ]
    if not all(side for _, side in sides):
        return ""
    for word, side in sides:
        cpu = [a for a in side if a.table.kind == "cpu" and sampled_cpu(a) > 0]
        few = median(np.array([requests_in(a) for a in cpu])) if cpu else FEWEST_REQUESTS
        if few < FEWEST_REQUESTS:
            each = median(np.array([sampled_cpu(a) / requests_in(a) for a in cpu])) / NANOSECONDS_PER_SECOND
            return f"{few:.3g} requests in a profile of the {word} would have taken {each:.3g} s of CPU each"
    measured = [(_rates(side), word) for word, side in sides]
    for rates, word in measured:
        if len(rates) > 1 and _unrelated(rates):
            return f"the requests of the {word} vary by a factor of up to {_span(rates[:, 0]):.3g} between profiles, its CPU by {_span(rates[:, 1]):.3g}"
    means = np.array([np.exp(np.log(rates).mean(axis=0)) for rates, _ in measured if len(rates)])
    if len(means) == 2 and _unrelated(means) and _common_work(base, candidate) >= SAME_WORK:
        return f"the requests differ by a factor of {_span(means[:, 0]):.3g} between the sides, the CPU by {_span(means[:, 1]):.3g}"
    return ""


def _common_work(base: Sequence[ProfileArtifact], candidate: Sequence[ProfileArtifact]) -> float:
    """Return the part of the CPU that both sides spend in the same functions (where it is spent, not in what they call).

    A saturated service whose requests cost many times more serves as many fewer, with the same CPU: but nearly all of it is then
    spent on what is new. Requests that were counted wrong leave the parts as they are.
    """
    one, other = (_shares_of_functions(side) for side in (base, candidate))
    return sum(min(share, other.get(name, 0.0)) for name, share in one.items())


def _shares_of_functions(side: Sequence[ProfileArtifact]) -> dict[str, float]:
    sums: dict[str, float] = defaultdict(float)
    for artifact in side:
        table = artifact.table
        if table.kind != "cpu":
            continue
        by_name = np.bincount(table.node_key[table.sample_node], weights=table.values[table.default_sample_type])
        for string in np.flatnonzero(by_name).tolist():
            sums[table.strings[string]] += float(by_name[string])
    total = sum(sums.values())
    return {name: each / total for name, each in sums.items()} if total > 0 else {}


def _rates(side: Sequence[ProfileArtifact]) -> F64:
    """Return (requests, CPU) per second of each CPU profile."""
    rows = []
    for artifact in side:
        seconds = (artifact.table.duration_ns or artifact.facts.wall_ns or 0) / NANOSECONDS_PER_SECOND
        cpu = process_cpu(artifact) or sampled_cpu(artifact) if artifact.table.kind == "cpu" else 0.0
        if seconds and cpu > 0:
            rows.append((requests_in(artifact) / seconds, cpu / seconds))
    return np.array(rows).reshape(-1, 2)


def _span(values: F64) -> float:
    return float(values.max() / values.min())


def _unrelated(rates: F64) -> bool:
    """Return whether the requests vary widely while the CPU per second hardly does."""
    requests, cpu = _span(rates[:, 0]), _span(rates[:, 1])
    return requests > UNRELATED and cpu < requests**0.5
