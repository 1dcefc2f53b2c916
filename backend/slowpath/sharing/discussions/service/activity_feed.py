"""The activity feed: actions of the team and findings of Slowpath, newest first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.sharing.discussions.queries import activity_feed as queries
from slowpath.sharing.discussions.queries.activity_feed import ActivityFilter, After
from slowpath.sharing.discussions.rules import BUILD_RECEIVED, LOGGED, SHOWN_DETAILS, ActivityKind, excerpt

__all__ = ["ActivityEvent", "ActivityFilter", "hide_activity", "list_activity"]

EXCERPT_LETTERS = 300
PAGES = {
    "comparison": "comparisons",
    "artifact": "files",
    "build": "builds",
    "service": "services",
    "report": "reports",
    "bisect": "bisects",
}
"""The page of each kind of audit subject."""


@dataclass(frozen=True)
class ActivityEvent:
    """One event of the activity feed."""

    id: UUID
    at: datetime
    kind: ActivityKind
    action: str
    actor_kind: str
    actor_id: UUID | None
    actor_name: str | None
    subject_kind: str
    subject_id: UUID | None
    title: str | None
    path: str | None
    """Address of the page with details, relative to the team's; None if it was deleted."""
    service_id: UUID | None
    facts: dict[str, Any]


def list_activity(
    session: ReadSession, filters: ActivityFilter, *, after: After, limit: int
) -> Sequence[ActivityEvent]:
    """Return the activity, newest first."""
    return [_event(row) for row in queries.select_activity(session, filters, after=after, limit=limit)]


def hide_activity(session: WriteSession, subject_ids: Sequence[UUID]) -> None:
    """Hide what happened to these subjects from the feed; the audit log has all of it."""
    queries.hide_activity(session, subject_ids)


def _event(row: Any) -> ActivityEvent:  # noqa: ANN401 - a row of a union
    details = {name: row.facts[name] for name in SHOWN_DETAILS if row.facts.get(name) is not None}
    kind, action, title, path = row.kind, row.action, row.title, row.path
    if kind == "logged":
        kind = ActivityKind.ARTIFACT if action == BUILD_RECEIVED else LOGGED[action]
        title = title or next((str(details[name]) for name in ("name", "title", "commit") if name in details), None)
        page = PAGES.get(row.subject_kind)
        path = f"/{page}/{row.subject_id}" if page and not action.endswith(".deleted") else None
    elif kind == "regression":
        action = f"regression.{action}"
        details = {
            name: value for name, value in row.facts.items() if name in {"from", "to", "text", "sentence", "commit"}
        }
    elif kind == "deployment":
        action = "deployment.observed"
        title = row.facts.get("label") or row.facts.get("commit") or None
        details = {"source": row.facts["source"]}
    else:
        action = "comment.created"
        details = {"text": excerpt(row.facts["text"], EXCERPT_LETTERS)}
    return ActivityEvent(
        id=row.id,
        at=row.at,
        kind=ActivityKind(kind),
        action=action,
        actor_kind=row.actor_kind,
        actor_id=row.actor_id,
        actor_name=row.actor_name or None,
        subject_kind=row.subject_kind,
        subject_id=row.subject_id,
        title=None if title is None else excerpt(title, EXCERPT_LETTERS),
        path=path,
        service_id=row.service_id,
        facts=details,
    )
