"""Write down what a build measures, and its place in the line of its branch."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from slowpath.analysis.builds.build_measurements import FORMAT
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BuildId, new_id
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.inventory.catalog.tables import Build
from slowpath.verdicts.regressions import queries
from slowpath.verdicts.regressions.rules import MOST_ARTIFACTS, NO_BRANCH, BuildVerdictState
from slowpath.verdicts.regressions.tables import BuildMeasurement, BuildVerdict

MEASURED = {
    "profile.cpu": ("profile.category", "profile.function"),
    "profile.heap": ("profile.heap",),
    "profile.allocs": ("profile.allocs",),
    "profile.mutex": ("profile.mutex",),
    "profile.block": ("profile.block",),
    "trace": ("trace.sched_delay",),
    "growth": ("growth.count",),
    "bench": ("bench",),
}
"""What is measured of each kind of artifact."""


@dataclass(frozen=True)
class PendingBuildMeasurement:
    """Artifacts of one kind of a build that are to be measured: their facts, and those of the build where they say none."""

    kind: str
    artifacts: tuple[Artifact, ...]
    facts: tuple[RunMetadata, ...]
    made_of: str
    conditions: str


@dataclass(frozen=True)
class PackedMeasurement:
    """One packed measure, of which artifacts."""

    kind: str
    content: bytes
    source: PendingBuildMeasurement


def get_pending_measurements(session: ReadSession, build: Build) -> tuple[list[PendingBuildMeasurement], bool]:
    """Return what of a build is to be measured anew, and whether any of it can be measured at all."""
    rows = queries.artifacts(session, BuildId(build.id), list(MEASURED), MOST_ARTIFACTS)
    have = queries.select_measurement_sources(session, BuildId(build.id))
    asked = []
    for kind, measures in MEASURED.items():
        mine = tuple(row for row in rows if row.kind == kind)
        if not mine:
            continue
        facts = tuple(RunMetadata.from_json({**build.run_metadata, **row.run_metadata}) for row in mine)
        under = conditions(build, facts)
        made_of = _made_of(mine, facts, under)
        if any(have.get(measure) != made_of for measure in measures):
            asked.append(PendingBuildMeasurement(kind, mine, facts, made_of, under))
    return asked, bool(rows)


def _made_of(rows: Sequence[Artifact], facts: Sequence[RunMetadata], under: str) -> str:
    parts = [f"{row.id} {sorted(said.to_json().items())}" for row, said in zip(rows, facts, strict=True)] + [under]
    return f"{FORMAT} {hashlib.sha256('|'.join(parts).encode()).hexdigest()[:32]}"


def conditions(build: Build, facts: Sequence[RunMetadata]) -> str:
    """Name under what was measured: Go version, platform, processors. Equal is equal."""
    found = set()
    for said in facts:
        platform = "/".join(part for part in (said.goos or build.goos, said.goarch or build.goarch) if part)
        processors = f"{said.gomaxprocs} procs" if said.gomaxprocs else ""
        parts = (said.go_version or build.go_version, platform, said.cpu_model or "", processors)
        found.add(", ".join(part for part in parts if part))
    return " + ".join(sorted(found))


def record(session: WriteSession, build_id: BuildId, made: Sequence[PackedMeasurement]) -> None:
    """Write measures down; an older one of the same kind is replaced."""
    kept = {row.kind: row for row in queries.measures(session, [build_id])}
    for each in made:
        row = kept.get(each.kind)
        if row is None:
            row = BuildMeasurement(team_id=session.team_id, id=new_id(), build_id=build_id, kind=each.kind)
            session.add(row)
        row.content, row.artifact_hashes = each.content, each.source.made_of
        row.artifacts, row.conditions = len(each.source.artifacts), each.source.conditions
    session.flush()  # what is read next reads them


def set_history_position(session: WriteSession, build: Build) -> BuildVerdict:
    """Return what is known of a build, having given it its place in its line."""
    row = queries.judgement(session, BuildId(build.id))
    if row is None:
        row = BuildVerdict(
            team_id=session.team_id,
            id=new_id(),
            build_id=build.id,
            service_id=build.service_id,
            state=BuildVerdictState.EVALUATING,
            sentence="This build is being measured.",
            regression_ids=[],
        )
        session.add(row)
    row.branch = build.branch or NO_BRANCH
    row.ordered_at = build.committed_at or build.created_at
    session.flush()  # the line is read next
    return row


def prepare_reevaluation(session: WriteSession, build: Build, without: str) -> bool:
    """Make ready what is to be judged again, and tell whether anything is.

    `without`: a kind of file that was taken away from the build; what was measured of it goes if that was the last one.
    What is deleted because its time is over takes no measure along: it holds sums and no file.
    """
    build_id = BuildId(build.id)
    row, left = queries.judgement(session, build_id), queries.artifacts(session, build_id, list(MEASURED), 1)
    if row is None:
        return bool(left)
    if without in MEASURED and without not in {each.kind for each in left}:
        queries.forget_measures(session, build_id, MEASURED[without])
        row.evaluated_at = None
    if (row.branch, row.ordered_at) != (build.branch or NO_BRANCH, build.committed_at or build.created_at):
        row.evaluated_at = None
    return True


def is_measured(row: BuildVerdict | None, waiting: int) -> bool:
    """Tell whether a build needs nothing: it was judged, and nothing of it is being decoded."""
    return row is not None and row.evaluated_at is not None and waiting == 0


def undecoded(session: ReadSession, build_id: BuildId) -> int:
    """Count artifacts of a build that are still to be decoded."""
    return queries.undecoded(session, build_id)


def get_build_verdict_row(session: ReadSession, build_id: BuildId) -> BuildVerdict | None:
    """Return what is known of a build, if anything."""
    return queries.judgement(session, build_id)
