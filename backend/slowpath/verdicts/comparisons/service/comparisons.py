"""Ask for a comparison, look at it, change its name, swap its sides, delete it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ArtifactId, BlobKey, ComparisonId, JobId, TeamId, new_id
from slowpath.core.jobs import enqueue
from slowpath.evidence.artifacts.service import artifacts
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.inventory.catalog import service as catalog
from slowpath.platform.jobs import service as work
from slowpath.verdicts.comparisons import queries
from slowpath.verdicts.comparisons.errors import (
    ComparisonNotFound,
    EmptySide,
    InvalidTimeRange,
    SidesOverlap,
    TooManyArtifacts,
)
from slowpath.verdicts.comparisons.jobs import ComputeComparison
from slowpath.verdicts.comparisons.rules import (
    LATEST_MS,
    MAX_ARTIFACTS_A_SIDE,
    MAX_WINDOW_MS,
    ComparisonState,
    Side,
    TimeRange,
    windows_from,
)
from slowpath.verdicts.comparisons.service import retry_state
from slowpath.verdicts.comparisons.tables import Comparison, ComparisonArtifact

SHORT_COMMIT = 7


@dataclass(frozen=True)
class SideRequest:
    """One side as it is asked for: which artifacts and window, and how it is called (by its commit if not said)."""

    artifact_ids: tuple[ArtifactId, ...]
    label: str | None = None
    window: TimeRange | None = None


@dataclass(frozen=True)
class SideArtifact:
    """One artifact that stands on a side."""

    side: Side
    artifact: Artifact


def create_comparison(session: WriteSession, name: str | None, base: SideRequest, candidate: SideRequest) -> Comparison:
    """Write down a comparison and its job.

    Raises `EmptySide`, `TooManyArtifacts`, `SidesOverlap`, `InvalidTimeRange`, `ArtifactNotFound`, `ServiceNotFound`,
    `EnvironmentNotFound`.
    """
    sides = {Side.BASE: base, Side.CANDIDATE: candidate}
    for side, asked in sides.items():
        _check_size(side, asked)
        _check_window(session, side, asked.window)
    if base.window and candidate.window and base.window.overlaps(candidate.window):
        raise InvalidTimeRange("The windows of both sides overlap.", remedy="Let one end before the other begins.")
    ids = [*base.artifact_ids, *candidate.artifact_ids]
    if len(set(ids)) < len(ids):
        raise SidesOverlap("An artifact stands on both sides, or twice on one.", remedy="Name each artifact once.")
    found = artifacts.get_artifacts(session, ids)
    of_base, of_candidate = found[: len(base.artifact_ids)], found[len(base.artifact_ids) :]
    base_label = base.label or _label(of_base, Side.BASE)
    candidate_label = candidate.label or _label(of_candidate, Side.CANDIDATE)
    comparison = Comparison(
        team_id=session.team_id,
        id=new_id(),
        name=name or f"{base_label} against {candidate_label}",
        base_label=base_label,
        candidate_label=candidate_label,
        state=ComparisonState.WAITING,
        time_ranges={side: asked.window.to_json() for side, asked in sides.items() if asked.window},
        created_by=session.scope.user_id,
    )
    session.add(comparison)
    session.flush()  # its artifacts refer to it
    for side, rows in ((Side.BASE, of_base), (Side.CANDIDATE, of_candidate)):
        for position, row in enumerate(rows):
            session.add(
                ComparisonArtifact(
                    team_id=session.team_id,
                    id=new_id(),
                    comparison_id=comparison.id,
                    side=side,
                    artifact_id=row.id,
                    position=position,
                )
            )
    comparison.job_id = enqueue(session, ComputeComparison(ComparisonId(comparison.id)))
    session.flush()  # whoever tells the comparison needs the time the database gave it
    return comparison


def get_comparison(session: ReadSession, comparison_id: ComparisonId) -> Comparison:
    """Return the comparison. Raises `ComparisonNotFound`."""
    row = queries.select_comparison(session, comparison_id)
    if row is None:
        raise ComparisonNotFound("There is no such comparison in this team.")
    return row


def list_comparisons(
    session: ReadSession, *, after: tuple[datetime, UUID] | None, limit: int, states: Sequence[str], search: str | None
) -> Sequence[Comparison]:
    """Return up to `limit` comparisons, newest first."""
    return queries.select_comparisons(session, after=after, limit=limit, states=states, search=search)


def artifact_counts(session: ReadSession, comparison_ids: Sequence[UUID]) -> dict[tuple[UUID, str], int]:
    """Return how many artifacts stand on each side of each comparison."""
    return queries.count_artifacts(session, comparison_ids)


def list_side_artifacts(session: ReadSession, comparison_id: ComparisonId) -> list[SideArtifact]:
    """Return what stands on the sides, in its order. Artifacts deleted since are absent."""
    rows = queries.select_side_artifacts(session, comparison_id)
    found = artifacts.get_artifacts(session, [ArtifactId(row.artifact_id) for row in rows])
    return [SideArtifact(Side(row.side), artifact) for row, artifact in zip(rows, found, strict=True)]


def get_time_ranges(row: Comparison) -> dict[Side, TimeRange]:
    """Return the windows of metrics on the sides that have one."""
    return windows_from(row.time_ranges)


def rename_comparison(
    session: WriteSession, comparison_id: ComparisonId, name: str | None, labels: tuple[str | None, str | None]
) -> Comparison:
    """Change the name, or how the sides are called. Raises `ComparisonNotFound`."""
    row = get_comparison(session, comparison_id)
    row.name = name or row.name
    row.base_label = labels[0] or row.base_label
    row.candidate_label = labels[1] or row.candidate_label
    return row


def swap_sides(session: WriteSession, comparison_id: ComparisonId) -> Comparison:
    """Ask for the same comparison with its sides swapped: another one, so that links to this one stay true."""
    row = get_comparison(session, comparison_id)
    standing = list_side_artifacts(session, comparison_id)
    of = {side: tuple(ArtifactId(each.artifact.id) for each in standing if each.side == side) for side in Side}
    # A side that was only called by its place is called by its new one: there is no candidate named base.
    label = {
        side: None if told in set(Side) else told
        for side, told in ((Side.BASE, row.base_label), (Side.CANDIDATE, row.candidate_label))
    }
    window = get_time_ranges(row)
    base, candidate = (SideRequest(of[side], label[side], window.get(side)) for side in (Side.CANDIDATE, Side.BASE))
    return create_comparison(session, None, base, candidate)


def retry_comparison(session: WriteSession, comparison_id: ComparisonId) -> Comparison:
    """Compute a failed or cancelled comparison again. Raises `ComparisonNotFound`, `JobStillOpen`."""
    row = get_comparison(session, comparison_id)
    if row.job_id is None:
        row.job_id = enqueue(session, ComputeComparison(comparison_id))
    else:
        retry_state.reset_comparison(session, work.retry_job(session, JobId(row.job_id)))
    return row


def lock_comparison(session: WriteSession, comparison_id: ComparisonId) -> None:
    """Keep the comparison from being deleted until this transaction ends. Raises `ComparisonNotFound`."""
    if not queries.lock_comparison(session, comparison_id):
        raise ComparisonNotFound("There is no such comparison in this team.")


def lock_if_exists(session: WriteSession, comparison_id: ComparisonId) -> bool:
    """Tell whether the comparison is still there; if so, it is kept from being deleted until this transaction ends."""
    return queries.lock_comparison(session, comparison_id)


def blob_prefix(team_id: TeamId, comparison_id: ComparisonId) -> str:
    """Return beneath what all bytes of a comparison lie, but those of its exports."""
    return f"{team_id}/comparisons/{comparison_id}"


def delete_comparison(session: WriteSession, comparison_id: ComparisonId) -> list[BlobKey]:
    """Delete a comparison, its views and exports; returns where their bytes lie, to be removed after the commit."""
    lock_comparison(session, comparison_id)  # a job that is ending now is waited for: what it stored is then known
    row = get_comparison(session, comparison_id)
    keys = [
        key
        for view in queries.select_views(session, [comparison_id])
        for key in (view.full_blob_key, view.head_blob_key, view.tail_blob_key, view.functions_key, view.lines_key)
    ]
    keys += list(row.artifact_kinds.values())
    keys += [export.blob_key for export in queries.select_exports(session, comparison_id)]
    session.delete(row)
    return [BlobKey(key) for key in keys if key]


def _check_size(side: Side, asked: SideRequest) -> None:
    if not asked.artifact_ids and asked.window is None:
        raise EmptySide(
            f"The {side} has no artifacts and no window of metrics.",
            limit=1,
            actual=0,
            unit="artifacts",
            remedy="Add at least one.",
        )
    if len(asked.artifact_ids) > MAX_ARTIFACTS_A_SIDE:
        raise TooManyArtifacts(
            f"The {side} has more artifacts than can be compared at once.",
            limit=MAX_ARTIFACTS_A_SIDE,
            actual=len(asked.artifact_ids),
            unit="artifacts",
            remedy="Leave some out: beyond twenty a side little more is learnt.",
        )


def _check_window(session: ReadSession, side: Side, window: TimeRange | None) -> None:
    if window is None:
        return
    if not 0 <= window.from_ms <= LATEST_MS or not 0 <= window.to_ms <= LATEST_MS:
        raise InvalidTimeRange(f"The window of the {side} is not between 1970 and 2100.", remedy="Check its times.")
    if window.to_ms <= window.from_ms:
        raise InvalidTimeRange(
            f"The window of the {side} ends before it begins.", remedy="Let `from` be earlier than `to`."
        )
    if window.to_ms - window.from_ms > MAX_WINDOW_MS:
        raise InvalidTimeRange(
            f"The window of the {side} is too long.",
            limit=MAX_WINDOW_MS // 86_400_000,
            actual=round((window.to_ms - window.from_ms) / 86_400_000, 3),
            unit="days",
            remedy="Choose a part of it.",
        )
    catalog.service(session, window.service_id)
    catalog.environment(session, window.environment_id)


def _label(rows: Sequence[Artifact], side: Side) -> str:
    commits = {str(row.run_metadata.get("commit") or "") for row in rows}
    if len(commits) == 1 and (commit := commits.pop()):
        return commit[:SHORT_COMMIT]
    return side.value
