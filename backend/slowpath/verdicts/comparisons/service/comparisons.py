"""Create, read, rename, swap, retry and delete comparisons."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from slowpath.commit_names import short_commit
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ArtifactId, BlobKey, ComparisonId, ExportId, JobId, TeamId, UserId, new_id
from slowpath.core.jobs import JobState, enqueue
from slowpath.core.stored_blobs import mark_unused
from slowpath.evidence.artifacts.service import artifacts
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.inventory.catalog import service as catalog
from slowpath.platform.jobs import service as work
from slowpath.verdicts.comparisons import queries
from slowpath.verdicts.comparisons.errors import (
    AssigneeUnknown,
    ComparisonNotFound,
    EmptySide,
    InvalidTimeRange,
    LabelsWithoutProfiles,
    SidesOverlap,
    TooManyArtifacts,
)
from slowpath.verdicts.comparisons.jobs import ComputeComparison
from slowpath.verdicts.comparisons.rules import (
    LATEST_MS,
    LISTED_ORIGINS,
    MAX_ARTIFACTS_A_SIDE,
    MAX_WINDOW_MS,
    ComparisonOrigin,
    ComparisonState,
    LabelMatchers,
    Side,
    TimeRange,
    format_label_matchers,
    parse_label_matchers,
    parse_time_ranges,
)
from slowpath.verdicts.comparisons.service import retry_state
from slowpath.verdicts.comparisons.tables import Comparison, ComparisonArtifact

MOST_LABEL_CHARACTERS = 200


@dataclass(frozen=True)
class SideRequest:
    """One requested side: artifacts, time range, label (the short SHA by default), and which samples by their labels."""

    artifact_ids: tuple[ArtifactId, ...]
    label: str | None = None
    time_range: TimeRange | None = None
    labels: LabelMatchers = ()
    source: dict[str, Any] | None = None
    """What it was resolved from, as stored (see `side_sources.make_side_request`)."""


@dataclass(frozen=True)
class SideArtifact:
    """One artifact on a side."""

    side: Side
    artifact: Artifact


def create_comparison(
    session: WriteSession,
    name: str | None,
    base: SideRequest,
    candidate: SideRequest,
    *,
    origin: ComparisonOrigin = ComparisonOrigin.MANUAL,
) -> Comparison:
    """Create a comparison and enqueue its job.

    Raises `EmptySide`, `TooManyArtifacts`, `SidesOverlap`, `InvalidTimeRange`, `LabelsWithoutProfiles`,
    `ArtifactNotFound`, `ServiceNotFound`, `EnvironmentNotFound`.
    """
    sides = {Side.BASE: base, Side.CANDIDATE: candidate}
    for side, asked in sides.items():
        _validate_size(side, asked)
        validate_time_range(session, side, asked.time_range)
    if base.time_range and candidate.time_range and base.time_range.overlaps(candidate.time_range):
        raise InvalidTimeRange("The time ranges of both sides overlap.", remedy="End one before the other begins.")
    _validate_overlap(base, candidate)
    found = artifacts.get_artifacts(session, [*base.artifact_ids, *candidate.artifact_ids])
    of_base, of_candidate = found[: len(base.artifact_ids)], found[len(base.artifact_ids) :]
    base_label = base.label or _label(of_base, base.labels, Side.BASE)
    candidate_label = candidate.label or _label(of_candidate, candidate.labels, Side.CANDIDATE)
    comparison = Comparison(
        team_id=session.team_id,
        id=new_id(),
        name=name or f"{base_label} against {candidate_label}",
        base_label=base_label,
        candidate_label=candidate_label,
        origin=origin,
        state=ComparisonState.WAITING,
        time_ranges={side: asked.time_range.to_json() for side, asked in sides.items() if asked.time_range},
        side_labels={side: format_label_matchers(asked.labels) for side, asked in sides.items() if asked.labels},
        sources={side: asked.source for side, asked in sides.items() if asked.source},
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
    session.flush()  # the response needs the timestamp set by the database
    return comparison


def get_comparison(session: ReadSession, comparison_id: ComparisonId) -> Comparison:
    """Return the comparison. Raises `ComparisonNotFound`."""
    row = queries.select_comparison(session, comparison_id)
    if row is None:
        raise ComparisonNotFound("The team has no comparison with this ID.")
    return row


def list_comparisons(
    session: ReadSession,
    *,
    after: tuple[datetime, UUID] | None,
    limit: int,
    states: Sequence[str],
    origins: Sequence[str] = LISTED_ORIGINS,
    search: str | None,
) -> Sequence[Comparison]:
    """Return up to `limit` comparisons of these origins, newest first."""
    return queries.select_comparisons(session, after=after, limit=limit, states=states, origins=origins, search=search)


def count_artifacts(session: ReadSession, comparison_ids: Sequence[UUID]) -> dict[tuple[UUID, str], int]:
    """Return the number of artifacts on each side of each comparison."""
    return queries.count_artifacts(session, comparison_ids)


def list_side_artifacts(session: ReadSession, comparison_id: ComparisonId) -> list[SideArtifact]:
    """Return the artifacts of both sides in order, without deleted ones."""
    rows = queries.select_side_artifacts(session, comparison_id)
    found = artifacts.get_artifacts(session, [ArtifactId(row.artifact_id) for row in rows])
    return [SideArtifact(Side(row.side), artifact) for row, artifact in zip(rows, found, strict=True)]


def get_time_ranges(row: Comparison) -> dict[Side, TimeRange]:
    """Return the time ranges of metrics by side."""
    return parse_time_ranges(row.time_ranges)


def get_label_matchers(row: Comparison) -> dict[Side, LabelMatchers]:
    """Return which samples belong to each side, by their labels; a side without matchers is absent."""
    return parse_label_matchers(row.side_labels)


def rename_comparison(
    session: WriteSession, comparison_id: ComparisonId, name: str | None, labels: tuple[str | None, str | None]
) -> Comparison:
    """Update the name or the labels of the sides. Raises `ComparisonNotFound`."""
    row = get_comparison(session, comparison_id)
    row.name = name or row.name
    row.base_label = labels[0] or row.base_label
    row.candidate_label = labels[1] or row.candidate_label
    return row


def assign_comparison(session: WriteSession, comparison_id: ComparisonId, assignee_id: UUID | None) -> Comparison:
    """Assign a comparison to a member, or to no member. Raises `ComparisonNotFound`, `AssigneeUnknown`."""
    row = get_comparison(session, comparison_id)
    if assignee_id is not None and not queries.find_member_names(session, [assignee_id]):
        raise AssigneeUnknown("The assignee is not a member of the team.", remedy="Invite them first.")
    row.assignee_id = None if assignee_id is None else UserId(assignee_id)
    return row


def find_assignee_names(session: ReadSession, rows: Sequence[Comparison]) -> dict[UUID, str]:
    """Return the names of the assignees of these comparisons by user, without those who left the team."""
    return queries.find_member_names(session, {row.assignee_id for row in rows if row.assignee_id is not None})


def swap_sides(session: WriteSession, comparison_id: ComparisonId) -> Comparison:
    """Create a comparison with the sides swapped; the original stays, so that links to it remain valid."""
    row = get_comparison(session, comparison_id)
    members = list_side_artifacts(session, comparison_id)
    of = {side: tuple(ArtifactId(each.artifact.id) for each in members if each.side == side) for side in Side}
    # A default label follows the side: a candidate is never labeled base.
    label = {
        side: None if text in set(Side) else text
        for side, text in ((Side.BASE, row.base_label), (Side.CANDIDATE, row.candidate_label))
    }
    time_ranges, labels = get_time_ranges(row), get_label_matchers(row)
    base, candidate = (
        SideRequest(of[side], label[side], time_ranges.get(side), labels.get(side, ()), row.sources.get(side))
        for side in (Side.CANDIDATE, Side.BASE)
    )
    return create_comparison(session, None, base, candidate)


def retry_comparison(session: WriteSession, comparison_id: ComparisonId) -> Comparison:
    """Compute a comparison again that has ended; a new result replaces that of a finished one.

    Raises `ComparisonNotFound`, `JobStillOpen`, and `EmptySide` for a finished one whose artifacts were deleted.
    """
    row = get_comparison(session, comparison_id)
    is_finished = row.job_id is None or work.get_job(session, JobId(row.job_id)).state == JobState.DONE
    if is_finished and row.state == ComparisonState.DONE:
        time_ranges, members = get_time_ranges(row), list_side_artifacts(session, comparison_id)
        for side in Side:
            left = tuple(ArtifactId(each.artifact.id) for each in members if each.side == side)
            _validate_size(side, SideRequest(left, None, time_ranges.get(side)))
    if is_finished:
        row.job_id = enqueue(session, ComputeComparison(comparison_id))
        row.state = ComparisonState.WAITING
    elif row.job_id is not None:
        retry_state.reset_comparison(session, work.retry_job(session, JobId(row.job_id)))
    return row


def lock_comparison(session: WriteSession, comparison_id: ComparisonId) -> None:
    """Lock the comparison against deletion until the transaction ends. Raises `ComparisonNotFound`."""
    if not queries.lock_comparison(session, comparison_id):
        raise ComparisonNotFound("The team has no comparison with this ID.")


def lock_if_exists(session: WriteSession, comparison_id: ComparisonId) -> bool:
    """Return whether the comparison exists; if so, lock it against deletion until the transaction ends."""
    return queries.lock_comparison(session, comparison_id)


def blob_prefix(team_id: TeamId, comparison_id: ComparisonId) -> str:
    """Return the prefix of all blob keys of a comparison except its exports."""
    return f"{team_id}/comparisons/{comparison_id}"


def delete_comparison(session: WriteSession, comparison_id: ComparisonId) -> None:
    """Delete a comparison, its views and exports with their blobs."""
    lock_comparison(session, comparison_id)  # waits for a job that is about to commit
    row = get_comparison(session, comparison_id)
    exports = [
        make_export_key(session.team_id, ExportId(one.id)) for one in queries.select_exports(session, comparison_id)
    ]
    session.delete(row)
    session.flush()  # the job must find it deleted, also if it runs immediately
    mark_unused(session, [blob_prefix(session.team_id, comparison_id), *exports])


def make_export_key(team_id: TeamId, export_id: ExportId) -> BlobKey:
    """Return the blob key of an export."""
    return BlobKey(f"{team_id}/exports/{export_id}")


def list_build_comparisons_without_artifacts(session: ReadSession, limit: int) -> Sequence[ComparisonId]:
    """Return up to `limit` comparisons of builds whose artifacts were all deleted."""
    return [ComparisonId(each) for each in queries.select_build_comparisons_without_artifacts(session, limit)]


def _validate_size(side: Side, asked: SideRequest) -> None:
    if not asked.artifact_ids and asked.time_range is None:
        raise EmptySide(
            f"The {side} side has no artifacts and no time range of metrics.",
            limit=1,
            actual=0,
            unit="artifacts",
            remedy="Add at least one.",
        )
    if len(asked.artifact_ids) > MAX_ARTIFACTS_A_SIDE:
        raise TooManyArtifacts(
            f"The {side} side has too many artifacts.",
            limit=MAX_ARTIFACTS_A_SIDE,
            actual=len(asked.artifact_ids),
            unit="artifacts",
            remedy="Remove some: more than 20 per side hardly add precision.",
        )

    if asked.labels and not asked.artifact_ids:
        raise LabelsWithoutProfiles(
            f"The {side} side selects samples by labels, but has no artifacts.",
            remedy="Add profiles, or remove the labels.",
        )


def _validate_overlap(base: SideRequest, candidate: SideRequest) -> None:
    """Require each artifact once on a side, and on both sides only with different labels."""
    twice = any(len(set(side.artifact_ids)) < len(side.artifact_ids) for side in (base, candidate))
    shared = set(base.artifact_ids) & set(candidate.artifact_ids)
    if twice or (shared and set(base.labels) == set(candidate.labels)):
        raise SidesOverlap(
            "An artifact is on both sides, or twice on one side.",
            remedy="List each artifact once, or select different labels on the two sides.",
        )


def validate_time_range(session: ReadSession, side: Side, time_range: TimeRange | None) -> None:
    """Raise `InvalidTimeRange`, `ServiceNotFound` or `EnvironmentNotFound` unless metrics can be compared in it."""
    if time_range is None:
        return
    if not 0 <= time_range.from_ms <= LATEST_MS or not 0 <= time_range.to_ms <= LATEST_MS:
        raise InvalidTimeRange(
            f"The time range of the {side} side is not between 1970 and 2100.", remedy="Check its times."
        )
    if time_range.to_ms <= time_range.from_ms:
        raise InvalidTimeRange(
            f"The time range of the {side} side ends before it begins.", remedy="Set a begin before the end."
        )
    if time_range.to_ms - time_range.from_ms > MAX_WINDOW_MS:
        raise InvalidTimeRange(
            f"The time range of the {side} side is too long.",
            limit=MAX_WINDOW_MS // 86_400_000,
            actual=round((time_range.to_ms - time_range.from_ms) / 86_400_000, 3),
            unit="days",
            remedy="Choose a shorter time range.",
        )
    catalog.service(session, time_range.service_id)
    catalog.environment(session, time_range.environment_id)


def _label(rows: Sequence[Artifact], labels: LabelMatchers, side: Side) -> str:
    """Return the labels that select the side's samples, and else its commit; without both the name of the side."""
    if labels:
        return ", ".join(map(str, labels))[:MOST_LABEL_CHARACTERS]
    commits = {str(row.run_metadata.get("commit") or "") for row in rows}
    if len(commits) == 1 and (commit := commits.pop()):
        return short_commit(commit)
    return side.value
