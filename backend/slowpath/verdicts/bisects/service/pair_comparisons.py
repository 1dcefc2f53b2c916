"""Compare the culprit of a bisect with the build before it, once the artifacts of both are decoded."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from slowpath.analysis.kinds.registry import BINARY, PROFILE
from slowpath.commit_names import short_commit
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.errors import SlowpathError
from slowpath.core.ids import ArtifactId, BisectId
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.evidence.artifacts.rules import ArtifactState
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.jobs import CompareCulprit
from slowpath.verdicts.bisects.rules import search_plan
from slowpath.verdicts.bisects.rules.bisect_states import BisectState
from slowpath.verdicts.bisects.rules.candidates import BuildInputs, CandidateNode
from slowpath.verdicts.bisects.service.bisect_locks import lock_bisect, publish_bisect_change, record_bisect_event
from slowpath.verdicts.bisects.tables import Bisect
from slowpath.verdicts.comparisons.rules import MAX_ARTIFACTS_A_SIDE, ComparisonOrigin
from slowpath.verdicts.comparisons.service import comparisons
from slowpath.verdicts.comparisons.service.comparisons import SideRequest

COMPARED, NOT_COMPARED = "pair-compared", "pair-not-compared"
MOST_LABEL_CHARACTERS: Final = 60
BEFORE: Final = "build before it"
NO_PROFILES: Final = (
    "The probes of these builds recorded no profile, so their executables cannot be compared on hot paths. "
    "Let the measurement record CPU profiles, or leave them in its output folder."
)
NO_EXECUTABLES: Final = (
    "No executables of both builds are stored, so the comparison has no frames and no stack sizes. A runner uploads them if it "
    "compiles the builds, or if its measurement names the executable."
)
UNDECODED: Final = frozenset({ArtifactState.RECEIVED, ArtifactState.DECODING})
_Pair = tuple[dict[str, Any], dict[str, Any]]


@dataclass(frozen=True)
class CulpritPair:
    """The artifacts of the build before the culprit and of the culprit; `waits`: some are not decoded yet."""

    base: Sequence[Artifact]
    candidate: Sequence[Artifact]
    waits: bool


def find_culprit(bisect: Bisect) -> CandidateNode | None:
    """Return the culprit of a bisect; None if none was found."""
    suspects = (bisect.outcome or {}).get("suspects") or ()
    return search_plan.from_json(bisect.plan).nodes.get(suspects[0]) if suspects and bisect.plan else None


def describe_build(build: BuildInputs) -> dict[str, Any]:
    """Return a build as probes store it."""
    return {
        "commit": build.commit,
        "modules": dict(build.modules),
        "versions": dict(build.versions),
        "settings": dict(build.settings),
    }


def find_pair_comparison(session: ReadSession, bisect: Bisect) -> tuple[UUID | None, str]:
    """Return the newest finished comparison of the two builds, and what the comparison or its compiler's part lacks."""
    pair = _find_builds(bisect)
    if pair is None:
        return None, ""
    found = queries.select_pair_comparison(session, bisect, *pair, _list_compiled(bisect))
    lacking = queries.select_last_event(session, bisect.id, (COMPARED, NOT_COMPARED))
    return found, str(lacking.details.get("missing", "")) if lacking is not None else ""


def enqueue_pair_comparison(session: WriteSession, bisect_id: BisectId) -> None:
    """Enqueue the comparison of the two builds once a culprit is found and no compilation of it is open."""
    bisect = lock_bisect(session, bisect_id)
    if _is_due(session, bisect):
        enqueue_unless_pending(session, CompareCulprit(bisect_id))


def find_pair(session: ReadSession, bisect_id: BisectId) -> CulpritPair | None:
    """Return the artifacts to compare; None without a culprit, or if both builds were compared."""
    bisect = queries.select_bisect(session, bisect_id)
    builds = None if bisect is None or not _is_due(session, bisect) else _find_builds(bisect)
    if bisect is None or builds is None:
        return None
    sides = [list(queries.select_build_artifacts(session, bisect, each)) for each in builds]
    compiled = [session.get(Artifact, (session.team_id, each)) for each in _list_compiled(bisect)]
    rows = [*sides[0], *sides[1], *(one for one in compiled if one is not None)]
    if any(one.state in UNDECODED for one in rows):
        return CulpritPair((), (), waits=True)
    if not all(any(_is_of(one, BINARY.id) for one in side) for side in sides):
        # executables of both builds have to come from the same commands: else these are what differs
        sides = [[one for one in side if not _is_of(one, BINARY.id)] for side in sides]
        if len(compiled) == len(sides) and all(one is not None and _is_of(one, BINARY.id) for one in compiled):
            for side, one in zip(sides, compiled, strict=True):
                side[:0] = [one] if one is not None else []
    base, candidate = ([one for one in side if one.state == ArtifactState.DECODED] for side in sides)
    return CulpritPair(base, candidate, waits=False)


def compare_pair(session: WriteSession, bisect_id: BisectId, *, now: datetime) -> None:
    """Create the comparison of the two builds, or record why there is none. A repetition changes nothing.

    Raises `BisectNotFound`.
    """
    bisect = lock_bisect(session, bisect_id)
    pair = find_pair(session, bisect_id)
    if pair is None or pair.waits:
        return
    if not _has(pair.base, PROFILE.id) or not _has(pair.candidate, PROFILE.id):
        _record(session, bisect, NOT_COMPARED, NO_PROFILES, now)
        return
    culprit = find_culprit(bisect)
    name = f"{bisect.title}: the culprit against the build before it"
    label = "culprit" if culprit is None else short_commit(culprit.sha) or culprit.title[:MOST_LABEL_CHARACTERS]
    base, candidate = (
        SideRequest(tuple(ArtifactId(one.id) for one in side[:MAX_ARTIFACTS_A_SIDE]), text)
        for side, text in ((pair.base, BEFORE), (pair.candidate, label))
    )
    try:
        comparisons.create_comparison(session, name, base, candidate, origin=ComparisonOrigin.BUILD)
    except SlowpathError as error:  # an artifact was deleted meanwhile
        _record(session, bisect, NOT_COMPARED, str(error.detail), now)
        return
    has_executables = _has(pair.base, BINARY.id) and _has(pair.candidate, BINARY.id)
    _record(session, bisect, COMPARED, "" if has_executables else NO_EXECUTABLES, now)


def _record(session: WriteSession, bisect: Bisect, kind: str, missing: str, now: datetime) -> None:
    record_bisect_event(session, bisect, kind, {"missing": missing}, now=now)
    publish_bisect_change(session, bisect)


def _is_due(session: ReadSession, bisect: Bisect) -> bool:
    if bisect.state != BisectState.FOUND or bisect.commit_comparison is not None or bisect.experiment_of is not None:
        return False
    compiled = queries.select_compile_probe(session, bisect.id)
    if compiled is not None and compiled.ended_at is None:
        return False
    return queries.select_last_event(session, bisect.id, (COMPARED, NOT_COMPARED)) is None


def _find_builds(bisect: Bisect) -> _Pair | None:
    culprit = find_culprit(bisect) if bisect.state == BisectState.FOUND else None
    return None if culprit is None else (describe_build(culprit.before), describe_build(culprit.build))


def _list_compiled(bisect: Bisect) -> tuple[UUID, ...]:
    """Return the executables of base and candidate that the compilation of the culprit uploaded."""
    return tuple(UUID(one) for one in (bisect.compile_report or {}).get("executables") or ())


def _has(rows: Sequence[Artifact], kind: str) -> bool:
    return any(_is_of(row, kind) for row in rows)


def _is_of(row: Artifact, kind: str) -> bool:
    return row.state == ArtifactState.DECODED and (row.kind == kind or (row.kind or "").startswith(f"{kind}."))
