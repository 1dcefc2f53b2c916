"""The comparison attached to a regression: builds before it against builds since."""

from collections.abc import Mapping, Sequence

from slowpath.analysis.kinds.metrics.changes.exclusive_latency import SETTLED_MS
from slowpath.analysis.kinds.profiles.sets.profile_measurements import WEAK
from slowpath.analysis.kinds.registry import measured_kinds
from slowpath.commit_names import short_commit
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ArtifactId, BuildId, ComparisonId, EnvironmentId, ServiceId
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.evidence.metrics.service import deployment_latency
from slowpath.inventory.catalog.tables import Build
from slowpath.verdicts.comparisons.rules import ComparisonOrigin, TimeRange
from slowpath.verdicts.comparisons.service import comparisons
from slowpath.verdicts.comparisons.service.comparisons import SideRequest
from slowpath.verdicts.regressions import queries
from slowpath.verdicts.regressions.rules import MOST_COMPARED

MAX_BUILDS_PER_SIDE = 10
"""Builds per side whose artifacts are used."""


def enqueue_evidence_comparison(
    session: WriteSession, name: str, good: Sequence[Build], bad: Sequence[Build]
) -> ComparisonId | None:
    """Enqueue a comparison of builds, the nearest of each side first.

    None if a side has nothing to compare.
    Of each kind that both sides have, use enough artifacts of the nearest builds. Without a common kind, compare the latency of
    the nearest build of each side that ran in the same environment.
    """
    base, candidate = gather_artifacts(session, good), gather_artifacts(session, bad)
    kinds = [kind for kind in measured_kinds() if base[kind] and candidate[kind]]
    kinds = without_weak_kinds(kinds)
    if not kinds:
        return _of_latency(session, name, good, bad)
    row = comparisons.create_comparison(
        session,
        name,
        make_side(base, kinds, good),
        make_side(candidate, kinds, bad),
        origin=ComparisonOrigin.REGRESSION,
    )
    return ComparisonId(row.id)


def _of_latency(session: WriteSession, name: str, good: Sequence[Build], bad: Sequence[Build]) -> ComparisonId | None:
    """Compare the latency of the newest deployment of each build."""
    found = find_common_deployments(session, good, bad)
    if found is None:
        return None
    sides = [SideRequest((), short_commit(build.commit), time_range) for time_range, build in found]
    return ComparisonId(comparisons.create_comparison(session, name, *sides, origin=ComparisonOrigin.REGRESSION).id)


DeploymentWindow = tuple[TimeRange, Build]


def find_common_deployments(
    session: ReadSession, good: Sequence[Build], bad: Sequence[Build]
) -> tuple[DeploymentWindow, DeploymentWindow] | None:
    """Return the newest deployment of the nearest build of each side in a common environment; None without one."""
    bases, candidates = _windows(session, good), _windows(session, bad)
    environment = next((each for each in candidates if each in bases), None)
    if environment is None or bases[environment][0].overlaps(candidates[environment][0]):
        return None
    return bases[environment], candidates[environment]


def _windows(session: ReadSession, builds: Sequence[Build]) -> dict[EnvironmentId, DeploymentWindow]:
    """Return the newest deployment of the nearest build, by environment."""
    found: dict[EnvironmentId, DeploymentWindow] = {}
    near = {BuildId(build.id): build for build in builds[:MAX_BUILDS_PER_SIDE]}
    windows = deployment_latency.list_deployment_ranges(
        session, {key: ServiceId(build.service_id) for key, build in near.items()}
    )
    for key, build in near.items():
        for one in reversed(windows):
            if one.build_id == key and one.environment_id not in found:
                settled_ms = one.from_ms + SETTLED_MS
                found[one.environment_id] = (
                    TimeRange(one.service_id, one.environment_id, settled_ms, one.until_ms),
                    build,
                )
    return found


def without_weak_kinds(kinds: Sequence[str]) -> list[str]:
    """Leave weak kinds out unless there are no others.

    They need many snapshots, and would make a significant comparison inconclusive.
    """
    return [kind for kind in kinds if kind not in WEAK] or list(kinds)


def gather_artifacts(session: ReadSession, builds: Sequence[Build]) -> dict[str, list[Artifact]]:
    """Return the newest artifacts of the nearest builds by stored kind, at most `MOST_COMPARED` of each."""
    found: dict[str, list[Artifact]] = {kind: [] for kind in measured_kinds()}
    for build in builds[:MAX_BUILDS_PER_SIDE]:
        wanting = [kind for kind in measured_kinds() if len(found[kind]) < MOST_COMPARED]
        if not wanting:
            break
        for row in queries.select_artifacts(session, BuildId(build.id), wanting, MOST_COMPARED):
            if row.kind is not None and len(found[row.kind]) < MOST_COMPARED:
                found[row.kind].append(row)
    return found


def make_side(found: Mapping[str, Sequence[Artifact]], kinds: Sequence[str], builds: Sequence[Build]) -> SideRequest:
    """Return the side with the artifacts of these kinds, labeled with the first build."""
    ids = tuple(ArtifactId(row.id) for kind in kinds for row in found[kind])
    return SideRequest(ids, short_commit(builds[0].commit))
