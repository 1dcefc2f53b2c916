"""Record the measurements of a build, and its position in the history of its branch."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from slowpath.analysis.findings.build_measurements import FORMAT
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.registry import measured_kinds
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BuildId, new_id
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.inventory.catalog.tables import Build
from slowpath.verdicts.regressions import queries
from slowpath.verdicts.regressions.rules import MOST_ARTIFACTS, NO_BRANCH, BuildVerdictState
from slowpath.verdicts.regressions.tables import BuildMeasurement, BuildVerdict


@dataclass(frozen=True)
class PendingBuildMeasurement:
    """Artifacts of one kind of a build to measure, with their run metadata completed by that of the build."""

    kind: str
    artifacts: tuple[Artifact, ...]
    facts: tuple[RunMetadata, ...]
    made_of: str
    conditions: str


@dataclass(frozen=True)
class PackedMeasurement:
    """One packed measurement and its source artifacts."""

    kind: str
    content: bytes
    source: PendingBuildMeasurement


def get_pending_measurements(session: ReadSession, build: Build) -> tuple[list[PendingBuildMeasurement], bool]:
    """Return the measurements that a build requires, and whether it has any artifact that can be measured."""
    rows = queries.select_artifacts(session, BuildId(build.id), list(measured_kinds()), MOST_ARTIFACTS)
    have = queries.select_measurement_sources(session, BuildId(build.id))
    asked = []
    for kind, measures in measured_kinds().items():
        mine = tuple(row for row in rows if row.kind == kind)
        if not mine:
            continue
        facts = tuple(RunMetadata.from_json({**build.run_metadata, **row.run_metadata}) for row in mine)
        under = describe_conditions(build, facts)
        made_of = _made_of(mine, facts, under)
        if any(have.get(measure) != made_of for measure in measures):
            asked.append(PendingBuildMeasurement(kind, mine, facts, made_of, under))
    return asked, bool(rows)


def _made_of(rows: Sequence[Artifact], facts: Sequence[RunMetadata], under: str) -> str:
    parts = [f"{row.id} {sorted(metadata.to_json().items())}" for row, metadata in zip(rows, facts, strict=True)] + [
        under
    ]
    return f"{FORMAT} {hashlib.sha256('|'.join(parts).encode()).hexdigest()[:32]}"


def describe_conditions(build: Build, facts: Sequence[RunMetadata]) -> str:
    """Format the conditions of a measurement: Go version, platform, processors.

    Equal text means equal conditions.
    """
    found = set()
    for metadata in facts:
        platform = "/".join(part for part in (metadata.goos or build.goos, metadata.goarch or build.goarch) if part)
        processors = f"{metadata.gomaxprocs} procs" if metadata.gomaxprocs else ""
        parts = (metadata.go_version or build.go_version, platform, metadata.cpu_model or "", processors)
        found.add(", ".join(part for part in parts if part))
    return " + ".join(sorted(found))


def record_measurements(session: WriteSession, build_id: BuildId, made: Sequence[PackedMeasurement]) -> None:
    """Record measurements; replace older ones of the same kind."""
    existing = {row.kind: row for row in queries.select_measurements(session, [build_id])}
    for each in made:
        row = existing.get(each.kind)
        if row is None:
            row = BuildMeasurement(team_id=session.team_id, id=new_id(), build_id=build_id, kind=each.kind)
            session.add(row)
        row.content, row.artifact_hashes = each.content, each.source.made_of
        row.artifacts, row.conditions = len(each.source.artifacts), each.source.conditions
    session.flush()  # the next query reads them


def set_history_position(session: WriteSession, build: Build) -> BuildVerdict:
    """Set the position of a build in its history; return its verdict, created if missing."""
    row = queries.select_build_verdict(session, BuildId(build.id))
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
    session.flush()  # the history is read next
    return row


def prepare_reevaluation(session: WriteSession, build: Build, without: str) -> bool:
    """Prepare a repeated evaluation of a build; return whether there is anything to evaluate.

    `without`: an artifact kind that was removed from the build; its measurements are deleted if no artifact of it is left.
    Artifacts deleted by retention keep their measurements, which hold sums only.
    """
    build_id = BuildId(build.id)
    row, left = (
        queries.select_build_verdict(session, build_id),
        queries.select_artifacts(session, build_id, list(measured_kinds()), 1),
    )
    if row is None:
        return bool(left)
    if without in measured_kinds() and without not in {each.kind for each in left}:
        queries.delete_measurements(session, build_id, measured_kinds()[without])
        row.evaluated_at = None
    if (row.branch, row.ordered_at) != (build.branch or NO_BRANCH, build.committed_at or build.created_at):
        row.evaluated_at = None
    return True


def is_measured(row: BuildVerdict | None, waiting: int) -> bool:
    """Return whether a build is evaluated and none of its artifacts is being decoded."""
    return row is not None and row.evaluated_at is not None and waiting == 0


def count_undecoded(session: ReadSession, build_id: BuildId) -> int:
    """Count the artifacts of a build that are not decoded yet."""
    return queries.count_undecoded(session, build_id)


def get_build_verdict_row(session: ReadSession, build_id: BuildId) -> BuildVerdict | None:
    """Return the verdict on a build, or None."""
    return queries.select_build_verdict(session, build_id)


def get_build_verdict_rows(session: ReadSession, build_ids: Sequence[UUID]) -> dict[UUID, BuildVerdict]:
    """Return the verdicts on builds by build; builds without one are absent."""
    return {row.build_id: row for row in queries.select_build_verdicts(session, build_ids)}
