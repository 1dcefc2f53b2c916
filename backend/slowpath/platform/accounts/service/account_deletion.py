"""Delete accounts, and restore deleted teams."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import delete

from slowpath.core.db_sessions import Database, WriteSession
from slowpath.core.ids import TeamId
from slowpath.core.jobs import JobRow, JobState
from slowpath.core.ports import RateLimiter
from slowpath.platform.accounts import queries
from slowpath.platform.accounts.errors import (
    LastOwner,
    TeamNotFound,
    WrongPassword,
)
from slowpath.platform.accounts.jobs import EraseTeam
from slowpath.platform.accounts.rules.account_limits import GRACE_HOURS
from slowpath.platform.accounts.rules.account_names import normalize_email
from slowpath.platform.accounts.rules.roles import Caller, Role, SignedInUser
from slowpath.platform.accounts.service.audit_log import record_audit_event
from slowpath.platform.accounts.service.teams import set_team_scope
from slowpath.platform.accounts.service.users import check_password, requires_current_password, user_scope
from slowpath.platform.accounts.tables import Team


@dataclass(frozen=True)
class DeletedTeam:
    """A deleted team that can be restored until `erased_at`."""

    id: TeamId
    slug: str
    name: str
    deleted_at: datetime
    erased_at: datetime


def verify_account_deletion(
    database: Database,
    throttle: RateLimiter,
    person: SignedInUser,
    *,
    email: str,
    password: str | None,
    address: str,
    now: datetime,
) -> None:
    """Raise unless the user confirmed the deletion with their email, and their password if they have one.

    Raises `WrongPassword`, `ReauthenticationRequired`, `LimitExceeded`.
    """
    if normalize_email(email) != normalize_email(person.email):
        raise WrongPassword(
            "The email does not match your account.", remedy="Enter the email that your account page shows."
        )
    with database.reading(user_scope(person.user_id)) as session:
        has_password = requires_current_password(session, person, now=now)
    if has_password:
        check_password(database, throttle, email=person.email, password=password or "", address=address)


def delete_user(database: Database, person: SignedInUser) -> None:
    """Delete a user: they leave every team, and teams without another member are deleted too.

    Their actions remain in the audit log under their name. Raises `LastOwner` with the teams that would have no owner; then
    nothing is deleted.
    """
    with database.cross_team() as cross_team:
        without = queries.delete_person(cross_team, person.user_id)
    if without:
        names = ", ".join(row.name for row in without[:5])
        raise LastOwner(
            f"You are the last owner of {names}.",
            limit=0,
            actual=len(without),
            unit="teams",
            remedy="Make another member an owner there, or delete the team first.",
        )


def list_deleted_teams(database: Database, person: SignedInUser) -> Sequence[DeletedTeam]:
    """Return the deleted teams that the user may restore, the last one first."""
    with database.cross_team() as cross_team:
        rows = queries.select_deleted_teams(cross_team, person.user_id)
    grace = timedelta(hours=GRACE_HOURS)
    return [
        DeletedTeam(TeamId(row.team_id), row.slug, row.name, row.deleted_at, row.deleted_at + grace) for row in rows
    ]


def restore_team(session: WriteSession, person: SignedInUser, team_id: UUID) -> Team:
    """Restore a deleted team, as one of its owners. Raises `TeamNotFound`."""
    set_team_scope(session, user_id=person.user_id, team_id=TeamId(team_id))
    team = session.get(Team, team_id, with_for_update=True)
    found = queries.member(session, person.user_id)
    if team is None or team.deleted_at is None or found is None or found[0].role != Role.OWNER:
        raise TeamNotFound("The team does not exist, is already erased, or you are not an owner.")
    team.deleted_at = None
    waiting = delete(JobRow).where(JobRow.name == EraseTeam.name, JobRow.state == JobState.WAITING)
    session.execute(waiting)  # otherwise a later deletion would use this job and erase too early
    owner = Caller(TeamId(team_id), person.user_id, None, Role.OWNER, frozenset())
    record_audit_event(session, owner, "team.restored", "team", team.id, {"name": team.name})
    return team
