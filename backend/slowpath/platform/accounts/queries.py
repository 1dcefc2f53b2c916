"""SELECT statements for users and teams, and the calls of `cross_team` functions.

Each list is read newest first along its index `(team_id, created_at, id)`. The `cross_team` functions need a connection
with the role `slowpath_cross_team` (`Database.cross_team()`); no other query may run before a team is known.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypeVarTuple
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    String,
    delete,
    exists,
    func,
    literal_column,
    select,
    text,
    tuple_,
)
from sqlalchemy.orm import aliased

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import TeamId, UserId
from slowpath.platform.accounts.rules.audit_filter import AuditFilter
from slowpath.platform.accounts.rules.roles import TokenScope
from slowpath.platform.accounts.tables import (
    ApiToken,
    AuditChain,
    AuditEvent,
    Invitation,
    Membership,
    ProvisionedMember,
    SecondFactor,
    ServiceAccount,
    Team,
    User,
    UserIdentity,
    UserPassword,
    UserSession,
)

After = tuple[datetime, UUID] | None
Columns = TypeVarTuple("Columns")

# -- through `cross_team` ------------------------------------------------------------------------------

FIND_SESSION = text("SELECT * FROM cross_team.find_session(:sought, :seen_at, :touch_before, :ends_at)")
FIND_TOKEN = text("SELECT * FROM cross_team.find_token_with_account(:sought, :seen_at, :touch_before)")
FIND_SIGN_IN = text("SELECT * FROM cross_team.find_identity(:issuer, :subject, :email, :seen_at)")
FIND_TEAM = text("SELECT team_id FROM cross_team.find_team(:sought)")
FIND_INVITATION = text("SELECT * FROM cross_team.find_invitation(:sought)")
FIND_PERSON = text("SELECT * FROM cross_team.find_user(:sought)")
LIST_TEAM_SLUGS = text("SELECT * FROM cross_team.list_team_slugs()")
LIST_USER_IDS = text("SELECT * FROM cross_team.list_user_ids()")
CLOSED_TEAMS_OF = text("SELECT * FROM cross_team.list_deleted_teams(:sought)")
DELETE_PERSON = text("SELECT * FROM cross_team.delete_user(:sought)")
TEAMS_OF = text("SELECT cross_team.list_teams(:sought)")


def find_session(
    cross_team: Connection, secret_hash: bytes, *, seen_at: datetime, touch_before: datetime, ends_at: datetime
) -> Row[Any] | None:
    """Find a valid session with its user and teams; extend it if it was last used before `touch_before`."""
    given = {"sought": secret_hash, "seen_at": seen_at, "touch_before": touch_before, "ends_at": ends_at}
    return cross_team.execute(FIND_SESSION, given).one_or_none()


def find_token(
    cross_team: Connection, secret_hash: bytes, *, seen_at: datetime, touch_before: datetime
) -> Row[Any] | None:
    """Find a token, also a revoked or expired one, and record the use of a valid one."""
    given = {"sought": secret_hash, "seen_at": seen_at, "touch_before": touch_before}
    return cross_team.execute(FIND_TOKEN, given).one_or_none()


def find_sign_in(
    cross_team: Connection, issuer: str, subject: str, *, email: str | None, seen_at: datetime
) -> Row[Any] | None:
    """Find the user of a linked identity, and record its use."""
    given = {"issuer": issuer, "subject": subject, "email": email, "seen_at": seen_at}
    return cross_team.execute(FIND_SIGN_IN, given).one_or_none()


def find_team(cross_team: Connection, slug: str) -> TeamId | None:
    """Find a team by its slug."""
    found: TeamId | None = cross_team.execute(FIND_TEAM, {"sought": slug}).scalar_one_or_none()
    return found


def find_invitation(cross_team: Connection, secret_hash: bytes) -> Row[Any] | None:
    """Find an invitation with the name of its team."""
    return cross_team.execute(FIND_INVITATION, {"sought": secret_hash}).one_or_none()


def find_person(cross_team: Connection, email_key: str) -> Row[Any] | None:
    """Find a user by email, with the password hash if there is one."""
    return cross_team.execute(FIND_PERSON, {"sought": email_key}).one_or_none()


def select_teams_of_user(cross_team: Connection, user_id: UserId) -> list[dict[str, Any]]:
    """Return the teams of a user in the order of joining: id, slug, name, role."""
    found: list[dict[str, Any]] = cross_team.execute(TEAMS_OF, {"sought": user_id}).scalar_one()
    return found


# -- rows of a user --------------------------------------------------------------------------------


def select_sessions_of_user(
    session: ReadSession, user_id: UserId, *, now: datetime, limit: int
) -> Sequence[UserSession]:
    """Return the valid sessions of a user, newest first."""
    return session.scalars(
        select(UserSession)
        .where(UserSession.user_id == user_id, UserSession.expires_at > now)
        .order_by(UserSession.created_at.desc(), UserSession.id.desc())
        .limit(limit)
    ).all()


def end_sessions(session: WriteSession, user_id: UserId, *, only: UUID | None = None, but: UUID | None = None) -> int:
    """Delete sessions of a user (all, one, or all but one) and return their number."""
    statement = delete(UserSession).where(UserSession.user_id == user_id)
    if only is not None:
        statement = statement.where(UserSession.id == only)
    if but is not None:
        statement = statement.where(UserSession.id != but)
    return len(session.scalars(statement.returning(UserSession.id)).all())


def sign_ins(session: ReadSession, user_id: UserId) -> Sequence[UserIdentity]:
    """Return the linked identities of a user, oldest first."""
    statement = (
        select(UserIdentity).where(UserIdentity.user_id == user_id).order_by(UserIdentity.created_at, UserIdentity.id)
    )
    return session.scalars(statement).all()


def has_password(session: ReadSession, user_id: UserId) -> bool:
    """Return whether a user has a password."""
    return session.scalar(select(UserPassword.changed_at).where(UserPassword.user_id == user_id)) is not None


def has_second_factor(session: ReadSession, user_id: UserId) -> bool:
    """Return whether a user has a second factor; recovery codes exist only beside one."""
    return session.scalar(select(exists().where(SecondFactor.user_id == user_id))) is True


def confirmed_at(session: ReadSession, session_id: UUID | None) -> datetime | None:
    """Return when the user of a session last proved who they are: at the sign-in, or by a later confirmation."""
    newest = func.coalesce(UserSession.confirmed_at, UserSession.created_at)
    return session.scalar(select(newest).where(UserSession.id == session_id))


# -- rows of a team --------------------------------------------------------------------------------


def select_members(session: ReadSession, *, after: After, limit: int) -> Sequence[Row[Membership, User, bool]]:
    """Return members with their names and whether SCIM manages them, newest first."""
    statement = select(Membership, User, _is_managed()).join(User, User.id == Membership.user_id)
    return session.execute(_page(statement, Membership, after, limit)).all()


def member(session: ReadSession, user_id: UUID) -> Row[Membership, User, bool] | None:
    """Return a member with their name and whether SCIM manages them."""
    statement = select(Membership, User, _is_managed()).join(User, User.id == Membership.user_id)
    return session.execute(statement.where(Membership.user_id == user_id)).one_or_none()


def _is_managed() -> ColumnElement[bool]:
    """Return whether the identity provider manages a membership: it claimed it, and the team still has a SCIM token."""
    claimed = select(ProvisionedMember.id).where(
        ProvisionedMember.team_id == Membership.team_id,
        ProvisionedMember.user_id == Membership.user_id,
        ProvisionedMember.claimed_at.is_not(None),
        ProvisionedMember.is_active,
    )
    tokens = select(ApiToken.id).where(
        ApiToken.team_id == Membership.team_id,
        ApiToken.scopes.contains([TokenScope.SCIM.value]),
        ApiToken.revoked_at.is_(None),
    )
    return claimed.exists() & tokens.exists()


def select_user_name(session: ReadSession, user_id: UserId | None) -> str | None:
    """Return the name of a member, or None."""
    return session.scalar(select(User.name).where(User.id == user_id))


def select_time_zone(session: ReadSession, user_id: UserId | None) -> str | None:
    """Return the IANA name of the time zone that a user chose, or None."""
    return session.scalar(select(User.time_zone).where(User.id == user_id))


def count_owners(session: ReadSession) -> int:
    """Count the owners of the team."""
    return session.scalar(select(func.count()).select_from(Membership).where(Membership.role == "owner")) or 0


def lock_team(session: WriteSession, team_id: TeamId) -> Team | None:
    """Return the team and lock its row, so that changes of its owners run one after the other."""
    return session.scalar(select(Team).where(Team.id == team_id, Team.deleted_at.is_(None)).with_for_update())


def invitations(
    session: ReadSession, *, now: datetime, after: After, limit: int
) -> Sequence[Row[Invitation, str | None]]:
    """Return the open invitations with the names of their creators."""
    maker = aliased(User)
    statement = (
        select(Invitation, maker.name)
        .outerjoin(maker, maker.id == Invitation.created_by)
        .where(Invitation.accepted_at.is_(None), Invitation.expires_at > now)
    )
    return session.execute(_page(statement, Invitation, after, limit)).all()


def invitation(session: WriteSession, invitation_id: UUID) -> Invitation | None:
    """Return an invitation and lock its row, so that it is accepted once."""
    return session.scalar(select(Invitation).where(Invitation.id == invitation_id).with_for_update())


def tokens(
    session: ReadSession, *, after: After, limit: int
) -> Sequence[Row[ApiToken, str | None, ServiceAccount | None]]:
    """Return the tokens that are not revoked, with their creators and service accounts."""
    maker = aliased(User)
    statement = (
        select(ApiToken, maker.name, ServiceAccount)
        .outerjoin(maker, maker.id == ApiToken.created_by)
        .outerjoin(ServiceAccount, ServiceAccount.id == ApiToken.service_account_id)
        .where(ApiToken.revoked_at.is_(None), ApiToken.ci_trust_id.is_(None))
    )
    return session.execute(_page(statement, ApiToken, after, limit)).all()


def token(session: ReadSession, token_id: UUID) -> ApiToken | None:
    """Return a token of the team."""
    return session.scalar(select(ApiToken).where(ApiToken.id == token_id))


def service_accounts(
    session: ReadSession, *, after: After, limit: int
) -> Sequence[Row[ServiceAccount, str | None, int, datetime | None]]:
    """Return service accounts with their creators, number of valid tokens and time of last use."""
    maker = aliased(User)
    of_account = (ApiToken.service_account_id == ServiceAccount.id) & ApiToken.revoked_at.is_(None)
    statement = (
        select(ServiceAccount, maker.name, func.count(ApiToken.id), func.max(ApiToken.last_used_at))
        .outerjoin(maker, maker.id == ServiceAccount.created_by)
        .outerjoin(ApiToken, of_account)
        .group_by(ServiceAccount.team_id, ServiceAccount.id, maker.name)
    )
    return session.execute(_page(statement, ServiceAccount, after, limit)).all()


def service_account(session: ReadSession, account_id: UUID) -> ServiceAccount | None:
    """Return a service account of the team."""
    return session.scalar(select(ServiceAccount).where(ServiceAccount.id == account_id))


def service_account_named(session: ReadSession, name: str) -> ServiceAccount | None:
    """Return the service account with this name."""
    return session.scalar(select(ServiceAccount).where(ServiceAccount.name == name))


def tokens_of_account(session: ReadSession, account_id: UUID) -> tuple[int, datetime | None]:
    """Return the number of valid tokens of a service account, and the time of last use."""
    statement = select(func.count(ApiToken.id), func.max(ApiToken.last_used_at))
    living = ApiToken.service_account_id == account_id, ApiToken.revoked_at.is_(None)
    count, used = session.execute(statement.where(*living)).one()
    return count, used


def count_service_accounts(session: ReadSession) -> int:
    """Count the service accounts of the team."""
    return session.scalar(select(func.count()).select_from(ServiceAccount)) or 0


def count_tokens(session: ReadSession) -> int:
    """Count the tokens that are not revoked."""
    listed = ApiToken.revoked_at.is_(None), ApiToken.ci_trust_id.is_(None)
    found = session.scalar(select(func.count()).select_from(ApiToken).where(*listed))
    return found or 0


def count_invitations(session: ReadSession, *, now: datetime) -> int:
    """Count the open invitations."""
    still_open = Invitation.accepted_at.is_(None), Invitation.expires_at > now
    return session.scalar(select(func.count()).select_from(Invitation).where(*still_open)) or 0


def audit_events(
    session: ReadSession, *, after: After, limit: int, filters: AuditFilter | None = None
) -> Sequence[AuditEvent]:
    """Return audit events, newest first, by ix_audit_event_newest (or ix_audit_event_action)."""
    statement, asked = select(AuditEvent), filters or AuditFilter()
    if asked.actor:
        statement = statement.where(AuditEvent.actor_name.icontains(asked.actor, autoescape=True))
    if asked.actor_id is not None:
        statement = statement.where(AuditEvent.actor_id == asked.actor_id)
    if asked.action:
        begins = AuditEvent.action.startswith(asked.action, autoescape=True)
        statement = statement.where(begins)
    if asked.subject_id is not None:
        statement = statement.where(AuditEvent.subject_id == asked.subject_id)
    if asked.since is not None:
        statement = statement.where(AuditEvent.created_at >= asked.since)
    if asked.until is not None:
        statement = statement.where(AuditEvent.created_at < asked.until)
    return session.scalars(_page(statement, AuditEvent, after, limit)).all()


def audit_chain(session: ReadSession) -> AuditChain | None:
    """Return both ends of the team's chain; None if it has no audit event."""
    return session.scalar(select(AuditChain))


def audit_entries(session: ReadSession, *, after: int, limit: int) -> Sequence[tuple[AuditEvent, str]]:
    """Return audit events with their content in the order of the chain, by ix_audit_event_sequence."""
    content = func.audit_event_content(literal_column("audit_event"), type_=String())
    found = select(AuditEvent, content).where(AuditEvent.sequence > after).order_by(AuditEvent.sequence).limit(limit)
    return [(event, covered) for event, covered in session.execute(found)]


def unchained_audit_event(session: ReadSession) -> AuditEvent | None:
    """Return an audit event that was written while nothing chained it."""
    return session.scalar(select(AuditEvent).where(AuditEvent.sequence.is_(None)).limit(1))


def select_team_slugs(cross_team: Connection) -> Sequence[Row[Any]]:
    """Return all teams that are not deleted: team_id, slug."""
    return cross_team.execute(LIST_TEAM_SLUGS).all()


def select_user_ids(cross_team: Connection) -> Sequence[UserId]:
    """Return the IDs of all users."""
    return [UserId(user_id) for user_id in cross_team.execute(LIST_USER_IDS).scalars()]


def select_deleted_teams(cross_team: Connection, user_id: UserId) -> Sequence[Row[Any]]:
    """Return the deleted teams of an owner that are not erased yet: team_id, slug, name, deleted_at."""
    return cross_team.execute(CLOSED_TEAMS_OF, {"sought": user_id}).all()


def delete_person(cross_team: Connection, user_id: UserId) -> Sequence[Row[Any]]:
    """Delete a user, or return the teams (team_id, name) that would have no owner; then nothing is deleted."""
    return cross_team.execute(DELETE_PERSON, {"sought": user_id}).all()


def _page(
    statement: Select[*Columns],
    table: type[Membership | Invitation | ApiToken | ServiceAccount | AuditEvent],
    after: After,
    limit: int,
) -> Select[*Columns]:
    if after is not None:
        statement = statement.where(tuple_(table.created_at, table.id) < after)
    return statement.order_by(table.created_at.desc(), table.id.desc()).limit(limit)
