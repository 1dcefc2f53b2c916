"""Find subjects of discussions, with name and address. The app provides finders for packages above this one."""

from collections.abc import Callable, Mapping
from typing import Final
from uuid import UUID

from slowpath.commit_names import short_commit
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ArtifactId, BuildId, ComparisonId, ProductionEventId, RegressionId
from slowpath.evidence.artifacts.service import artifacts as uploads
from slowpath.evidence.exec_traces.service import execution_traces as traces
from slowpath.evidence.spans.service import span_sets as spans
from slowpath.inventory.catalog import service as catalog
from slowpath.sharing.discussions.errors import DiscussionSubjectNotFound
from slowpath.sharing.discussions.rules import DiscussionSubject, SubjectKind, excerpt, part_of
from slowpath.verdicts.comparisons.service import comparison_results, comparisons
from slowpath.verdicts.production_events.service.event_views import get_event
from slowpath.verdicts.regressions.service import regression_views

Finder = Callable[[ReadSession, UUID], DiscussionSubject]
"""Return a subject of the session's team. Raises `NotFound`."""
Finders = Mapping[str, Finder]

TITLE_LETTERS: Final = 300


def get_subject(
    session: ReadSession, kind: SubjectKind, subject_id: UUID, part: str, others: Finders
) -> DiscussionSubject:
    """Return the subject of a discussion. Raises `NotFound`."""
    if kind is SubjectKind.FINDING:
        return _finding(session, subject_id, part)
    if part:
        raise DiscussionSubjectNotFound("Only a finding has a key.")
    finder = _OWN.get(kind) or others.get(kind)
    if finder is None:
        raise DiscussionSubjectNotFound(f"The team has no {kind} with this ID.")
    return finder(session, subject_id)


def _finding(session: ReadSession, comparison_id: UUID, part: str) -> DiscussionSubject:
    row = comparisons.get_comparison(session, ComparisonId(comparison_id))
    for number, finding in enumerate(comparison_results.list_findings(row)):
        if part_of(finding) == part:
            path = f"/comparisons/{comparison_id}?find={number}&open=true"
            return DiscussionSubject(_title(finding.sentence), path, None, {"comparison_id": comparison_id})
    raise DiscussionSubjectNotFound("The comparison has no such finding.")


def _comparison(session: ReadSession, comparison_id: UUID) -> DiscussionSubject:
    row = comparisons.get_comparison(session, ComparisonId(comparison_id))
    return DiscussionSubject(_title(row.name), f"/comparisons/{comparison_id}", None, {"comparison_id": comparison_id})


def _regression(session: ReadSession, regression_id: UUID) -> DiscussionSubject:
    row = regression_views.get_regression(session, RegressionId(regression_id))
    path = f"/regressions/{regression_id}"
    return DiscussionSubject(_title(row.title), path, row.service_id, {"regression_id": regression_id})


def _production_event(session: ReadSession, event_id: UUID) -> DiscussionSubject:
    row = get_event(session, ProductionEventId(event_id))
    named = f"Event {row.number}: {row.title}"
    return DiscussionSubject(_title(named), f"/events/{event_id}", row.service_id, {"production_event_id": event_id})


def _build(session: ReadSession, build_id: UUID) -> DiscussionSubject:
    row = catalog.build(session, BuildId(build_id))
    named = f"Build {short_commit(row.commit)}"
    return DiscussionSubject(_title(named), f"/builds/{build_id}", row.service_id, {"build_id": build_id})


def _trace(session: ReadSession, artifact_id: UUID) -> DiscussionSubject:
    traces.get_execution_trace(session, ArtifactId(artifact_id))
    return _artifact(session, artifact_id, "traces")


def _span_set(session: ReadSession, artifact_id: UUID) -> DiscussionSubject:
    spans.get_span_set(session, ArtifactId(artifact_id))
    return _artifact(session, artifact_id, "spans")


def _artifact(session: ReadSession, artifact_id: UUID, place: str) -> DiscussionSubject:
    row = uploads.get_artifact(session, ArtifactId(artifact_id))
    service_id = catalog.build(session, BuildId(row.build_id)).service_id if row.build_id else None
    return DiscussionSubject(_title(row.name), f"/{place}/{artifact_id}", service_id, {"artifact_id": artifact_id})


def _title(text: str) -> str:
    return excerpt(text, TITLE_LETTERS)


_OWN: Final[Finders] = {
    SubjectKind.COMPARISON: _comparison,
    SubjectKind.REGRESSION: _regression,
    SubjectKind.PRODUCTION_EVENT: _production_event,
    SubjectKind.BUILD: _build,
    SubjectKind.TRACE: _trace,
    SubjectKind.SPAN_SET: _span_set,
}
