"""Record audit events in the transaction of the change."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import func, select

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import TeamId, UserId
from slowpath.platform.accounts import queries
from slowpath.platform.accounts.rules.audit_filter import AuditFilter
from slowpath.platform.accounts.rules.roles import Caller, Role
from slowpath.platform.accounts.tables import ApiToken, AuditEvent, ServiceAccount, User


def record_audit_event(  # noqa: PLR0917 - actor, action, subject: the order of the sentence in the log
    session: WriteSession,
    caller: Caller | None,
    action: str,
    subject_kind: str,
    subject_id: UUID | None,
    facts: dict[str, Any],
) -> None:
    """Record an action of the caller (None: the system): `artifact.deleted`, `member.role-changed`.

    `facts` are JSON values that a reader needs when the subject no longer exists; never a secret.
    The same INSERT copies the actor's name, because users leave and change their name.
    """
    event = AuditEvent(
        team_id=session.team_id, action=action, subject_kind=subject_kind, subject_id=subject_id, details=facts
    )
    if caller is None:
        event.actor_kind, event.actor_name = "system", "Slowpath"
    elif caller.account_id is not None:
        event.actor_kind, event.actor_id = "service-account", caller.account_id
        of_account = ServiceAccount.team_id == session.team_id, ServiceAccount.id == caller.account_id
        called = select(ServiceAccount.name).where(*of_account)
        event.actor_name = func.coalesce(called.scalar_subquery(), "")
    elif caller.token_id is not None:
        event.actor_kind, event.actor_id = "token", caller.token_id
        name = select(ApiToken.name).where(ApiToken.team_id == session.team_id, ApiToken.id == caller.token_id)
        event.actor_name = func.coalesce(name.scalar_subquery(), "")
    else:
        event.actor_kind, event.actor_id = "user", caller.user_id
        event.actor_name = func.coalesce(select(User.name).where(User.id == caller.user_id).scalar_subquery(), "")
    session.add(event)


def record_user_event(  # noqa: PLR0917 - the order of `record_audit_event`
    session: WriteSession,
    user_id: UserId,
    teams: Iterable[TeamId],
    action: str,
    subject_kind: str,
    subject_id: UUID,
    facts: dict[str, Any],
    *,
    by_operator: bool = False,
) -> None:
    """Record what a user, or the operator, changed about the user's account, in the log of each of the user's teams."""
    for team_id in sorted(teams):  # the chains of several teams are locked in one order
        caller = None if by_operator else Caller(team_id, user_id, None, Role.VIEWER, frozenset())
        with session.in_team(team_id):
            record_audit_event(session, caller, action, subject_kind, subject_id, facts)


def list_audit_events(
    session: ReadSession, *, after: tuple[datetime, UUID] | None, limit: int, filters: AuditFilter | None = None
) -> Sequence[AuditEvent]:
    """Return up to `limit` audit events, newest first."""
    return queries.audit_events(session, after=after, limit=limit, filters=filters)
