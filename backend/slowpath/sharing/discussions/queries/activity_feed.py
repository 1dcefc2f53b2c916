"""The SELECT of the activity feed: rows of several tables in one order.

Query shape: one statement with a branch per table; each is read newest first along its own index and limited to the
page size before the union, so that the cost of a page does not grow with the data.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Row,
    Select,
    String,
    Uuid,
    case,
    cast,
    exists,
    func,
    insert,
    literal,
    null,
    or_,
    select,
    tuple_,
    union_all,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import aliased

from slowpath.commit_names import COMMIT_DIGITS
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ServiceId, UserId
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.inventory.catalog.tables import Build, Deployment
from slowpath.platform.accounts.tables import AuditEvent, User
from slowpath.sharing.discussions.rules import BUILD_RECEIVED, LOGGED, ActivityKind
from slowpath.sharing.discussions.tables import Comment, Discussion, HiddenActivity
from slowpath.verdicts.comparisons.tables import ComparisonArtifact
from slowpath.verdicts.regressions.tables import Regression, RegressionEvent

After = tuple[datetime, UUID] | None
NULL_ID = cast(null(), Uuid())


@dataclass(frozen=True)
class ActivityFilter:
    """Filter of activities: kinds (none: all), service, actor (a user or the system)."""

    kinds: frozenset[ActivityKind] = frozenset()
    service_id: ServiceId | None = None
    by: UserId | None = None
    by_machine: bool = False


def select_activity(session: ReadSession, filters: ActivityFilter, *, after: After, limit: int) -> Sequence[Row[Any]]:
    """Return `id, at, kind, action, actor_kind, actor_id, actor_name, subject_kind, subject_id, title, path, service_id, facts`."""
    branches = [
        branch
        for kinds, branch in (
            (set(LOGGED.values()), _logged),
            ({ActivityKind.REGRESSION}, _regressions),
            ({ActivityKind.DEPLOYMENT}, _deploys),
            ({ActivityKind.COMMENT}, _comments),
        )
        if not filters.kinds or filters.kinds & kinds
    ]
    parts = [select(branch(session, filters, after, limit).subquery()) for branch in branches]
    whole = union_all(*parts).subquery()
    return session.execute(select(whole).order_by(whole.c.at.desc(), whole.c.id.desc()).limit(limit)).all()


def _cut(found: Select[*tuple[Any, ...]], table: Any, after: After, limit: int) -> Select[*tuple[Any, ...]]:  # noqa: ANN401 - a mapped class
    if after is not None:
        found = found.where(tuple_(table.created_at, table.id) < after)
    return found.order_by(table.created_at.desc(), table.id.desc()).limit(limit)


def _text(value: str | None) -> ColumnElement[str | None]:
    return cast(literal(value) if value is not None else null(), String())


def _logged(session: ReadSession, filters: ActivityFilter, after: After, limit: int) -> Select[*tuple[Any, ...]]:
    """By ix_audit_event_newest. Of the files that a program uploads, the first of each build or batch is activity."""
    earlier = aliased(Artifact)
    is_same_set = or_(  # by ix_artifact_build and ix_artifact_batch
        earlier.build_id == Artifact.build_id,
        Artifact.build_id.is_(None) & (earlier.batch == Artifact.batch),
    )
    is_first = ~exists().where(
        earlier.team_id == Artifact.team_id,
        is_same_set,
        tuple_(earlier.created_at, earlier.id) < tuple_(Artifact.created_at, Artifact.id),
    )
    of_set = or_(Artifact.build_id.is_not(None), Artifact.batch.is_not(None))
    by_user = or_(AuditEvent.action != "artifact.received", AuditEvent.actor_kind == "user")
    is_build = ~by_user & Artifact.build_id.is_not(None)
    actions = [action for action, kind in LOGGED.items() if not filters.kinds or kind in filters.kinds]
    found = select(
        AuditEvent.id.label("id"),
        AuditEvent.created_at.label("at"),
        _text("logged").label("kind"),
        case((is_build, BUILD_RECEIVED), else_=AuditEvent.action).label("action"),
        AuditEvent.actor_kind.label("actor_kind"),
        AuditEvent.actor_id.label("actor_id"),
        AuditEvent.actor_name.label("actor_name"),
        case((is_build, "build"), else_=AuditEvent.subject_kind).label("subject_kind"),
        case((is_build, Artifact.build_id), else_=AuditEvent.subject_id).label("subject_id"),
        case(
            (is_build, func.coalesce(func.nullif(Build.display_name, ""), func.left(Build.commit, COMMIT_DIGITS)))
        ).label("title"),
        _text(None).label("path"),
        NULL_ID.label("service_id"),
        AuditEvent.details.label("facts"),
    )
    received = (Artifact.team_id == AuditEvent.team_id) & (Artifact.id == AuditEvent.subject_id) & ~by_user
    found = found.outerjoin(Artifact, received).outerjoin(
        Build, (Build.team_id == Artifact.team_id) & (Build.id == Artifact.build_id)
    )
    found = found.where(
        AuditEvent.team_id == session.team_id,
        AuditEvent.action.in_(actions),
        or_(by_user, of_set & is_first),
        ~exists().where(HiddenActivity.team_id == AuditEvent.team_id, HiddenActivity.id == AuditEvent.id),
    )
    if filters.by is not None:
        found = found.where(AuditEvent.actor_id == filters.by)
    if filters.by_machine:
        found = found.where(AuditEvent.actor_kind == "system")
    if filters.service_id is not None:
        of_it = AuditEvent.subject_id.in_(_things_of(session, filters.service_id))
        says_so = AuditEvent.details["service_id"].astext == str(filters.service_id)  # of packages above this one
        found = found.where(or_(of_it, says_so))
    return _cut(found, AuditEvent, after, limit)


def _things_of(session: ReadSession, service_id: ServiceId) -> CompoundSelect[*tuple[Any, ...]]:
    """Return the IDs of a service, its builds, their artifacts, and the comparisons of those."""
    builds = select(Build.id).where(Build.team_id == session.team_id, Build.service_id == service_id)
    files = select(Artifact.id).where(Artifact.team_id == session.team_id, Artifact.build_id.in_(builds))
    compared = select(ComparisonArtifact.comparison_id).where(
        ComparisonArtifact.team_id == session.team_id, ComparisonArtifact.artifact_id.in_(files)
    )
    return union_all(select(cast(literal(service_id), Uuid())), builds, files, compared)


def _regressions(session: ReadSession, filters: ActivityFilter, after: After, limit: int) -> Select[*tuple[Any, ...]]:
    """By ix_regression_event_newest of each regression, without events that caused no notification."""
    found = (
        select(
            RegressionEvent.id.label("id"),
            RegressionEvent.created_at.label("at"),
            _text("regression").label("kind"),
            RegressionEvent.kind.label("action"),
            case((RegressionEvent.user_id.is_(None), "system"), else_="user").label("actor_kind"),
            RegressionEvent.user_id.label("actor_id"),
            User.name.label("actor_name"),
            _text("regression").label("subject_kind"),
            Regression.id.label("subject_id"),
            Regression.title.label("title"),
            func.concat("/regressions/", cast(Regression.id, String())).label("path"),
            Regression.service_id.label("service_id"),
            RegressionEvent.details.label("facts"),
        )
        .join(
            Regression,
            (Regression.team_id == RegressionEvent.team_id) & (Regression.id == RegressionEvent.regression_id),
        )
        .outerjoin(User, User.id == RegressionEvent.user_id)
        .where(RegressionEvent.team_id == session.team_id, Regression.confirmed)
    )
    if filters.by is not None:
        found = found.where(RegressionEvent.user_id == filters.by)
    if filters.by_machine:
        found = found.where(RegressionEvent.user_id.is_(None))
    if filters.service_id is not None:
        found = found.where(Regression.service_id == filters.service_id)
    return _cut(found, RegressionEvent, after, limit)


def _deploys(session: ReadSession, filters: ActivityFilter, after: After, limit: int) -> Select[*tuple[Any, ...]]:
    """By ix_deploy_newest. A deployment has no user as its actor; `seen` means that none sent it."""
    facts = func.jsonb_build_object("label", Deployment.label, "commit", Deployment.commit, "source", Deployment.source)
    found = select(
        Deployment.id.label("id"),
        Deployment.created_at.label("at"),
        _text("deployment").label("kind"),
        _text("seen").label("action"),
        _text("system").label("actor_kind"),
        NULL_ID.label("actor_id"),
        _text(None).label("actor_name"),
        _text("deployment").label("subject_kind"),
        Deployment.id.label("subject_id"),
        _text(None).label("title"),
        _text(None).label("path"),
        Deployment.service_id.label("service_id"),
        cast(facts, JSONB()).label("facts"),
    ).where(Deployment.team_id == session.team_id)
    if filters.by is not None:
        found = found.where(literal(value=False))
    if filters.service_id is not None:
        found = found.where(Deployment.service_id == filters.service_id)
    return _cut(found, Deployment, after, limit)


def _comments(session: ReadSession, filters: ActivityFilter, after: After, limit: int) -> Select[*tuple[Any, ...]]:
    """By ix_comment_newest."""
    found = (
        select(
            Comment.id.label("id"),
            Comment.created_at.label("at"),
            _text("comment").label("kind"),
            _text("commented").label("action"),
            Comment.author_kind.label("actor_kind"),
            Comment.author_id.label("actor_id"),
            Comment.author_name.label("actor_name"),
            Discussion.subject_kind.label("subject_kind"),
            Discussion.subject_id.label("subject_id"),
            Discussion.title.label("title"),
            Discussion.path.label("path"),
            Discussion.service_id.label("service_id"),
            func.jsonb_build_object("text", func.left(Comment.text, 400)).label("facts"),
        )
        .join(Discussion, (Discussion.team_id == Comment.team_id) & (Discussion.id == Comment.discussion_id))
        .where(Comment.team_id == session.team_id, Comment.deleted_at.is_(None))
    )
    if filters.by is not None:
        found = found.where(Comment.author_id == filters.by)
    if filters.by_machine:
        found = found.where(literal(value=False))
    if filters.service_id is not None:
        found = found.where(Discussion.service_id == filters.service_id)
    return _cut(found, Comment, after, limit)


def hide_activity(session: WriteSession, subject_ids: Sequence[UUID]) -> None:
    """Hide the audit events of these subjects from the feed, and those whose details name one of them as the service."""
    of_them = or_(
        AuditEvent.subject_id.in_(subject_ids),
        AuditEvent.details["service_id"].astext.in_([str(each) for each in subject_ids]),
    )
    hidden = exists().where(HiddenActivity.team_id == AuditEvent.team_id, HiddenActivity.id == AuditEvent.id)
    found = select(AuditEvent.team_id, AuditEvent.id).where(
        AuditEvent.team_id == session.team_id, AuditEvent.action.in_(LOGGED), of_them, ~hidden
    )
    session.execute(insert(HiddenActivity).from_select(["team_id", "id"], found))
