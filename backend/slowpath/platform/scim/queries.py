"""SELECT statements of SCIM. Unions are not filtered by the session, so each of their parts names the team."""

from collections.abc import Sequence
from datetime import datetime
from typing import TypeVarTuple
from uuid import UUID

from sqlalchemy import ColumnElement, CompoundSelect, Row, Select, false, func, or_, select, true, union_all

from slowpath.core.db_sessions import ReadSession
from slowpath.platform.accounts.rules.account_names import normalize_email
from slowpath.platform.accounts.rules.provisioned_role import normalize_user_name
from slowpath.platform.accounts.rules.roles import TokenScope
from slowpath.platform.accounts.tables import ApiToken, Membership, ProvisionedMember, User
from slowpath.platform.scim.rules import FilterAttribute, UserFilter

Columns = TypeVarTuple("Columns")


def count_users(session: ReadSession, asked: UserFilter | None) -> int:
    """Count the members that a filter selects."""
    return session.scalar(select(func.count()).select_from(_all_users(session, asked).subquery())) or 0


def select_user_ids(session: ReadSession, asked: UserFilter | None, *, offset: int, limit: int) -> Sequence[UUID]:
    """Return the IDs of the members that a filter selects, oldest first."""
    found = _all_users(session, asked).subquery()
    page = select(found.c.id).order_by(found.c.created_at, found.c.id).offset(offset).limit(limit)
    return session.scalars(page).all()


def select_provisioned(session: ReadSession, ids: Sequence[UUID] | None = None) -> Sequence[ProvisionedMember]:
    """Return provisioned members with these IDs, or all, oldest first."""
    statement = select(ProvisionedMember).order_by(ProvisionedMember.created_at, ProvisionedMember.id)
    return session.scalars(statement if ids is None else statement.where(ProvisionedMember.id.in_(ids))).all()


def select_by_hand(session: ReadSession, ids: Sequence[UUID] | None = None) -> Sequence[Row[Membership, User]]:
    """Return members that were added by hand, with these IDs or all, oldest first."""
    statement = _added_by_hand(session, select(Membership, User)).order_by(Membership.created_at, Membership.id)
    return session.execute(statement if ids is None else statement.where(Membership.id.in_(ids))).all()


def find_by_email(session: ReadSession, keys: Sequence[str]) -> Row[Membership, User] | None:
    """Return a member without a provisioned row whose account has one of these addresses."""
    bound = select(ProvisionedMember.user_id).where(ProvisionedMember.user_id.is_not(None))
    statement = select(Membership, User).join(User, User.id == Membership.user_id)
    wanted = statement.where(User.email_key.in_(keys), Membership.user_id.not_in(bound))
    return session.execute(wanted.order_by(Membership.created_at).limit(1)).one_or_none()


def find_taken(session: ReadSession, member_id: UUID, user_name: str, address: str | None) -> str | None:
    """Return the name of another provisioned member with this user name or address."""
    same = ProvisionedMember.user_name_key == user_name
    if address is not None:
        same = or_(same, ProvisionedMember.address_key == address)
    taken = select(ProvisionedMember.user_name).where(same, ProvisionedMember.id != member_id)
    return session.scalar(taken.limit(1))


def count_provisioned(session: ReadSession) -> int:
    """Count the provisioned members of the team."""
    return session.scalar(select(func.count()).select_from(ProvisionedMember)) or 0


def select_newest_provisioned(
    session: ReadSession, *, after: tuple[datetime, UUID] | None, limit: int
) -> Sequence[ProvisionedMember]:
    """Return provisioned members, newest first."""
    statement = select(ProvisionedMember)
    if after is not None:
        created_at, member_id = after
        older = ProvisionedMember.created_at < created_at
        same = (ProvisionedMember.created_at == created_at) & (ProvisionedMember.id < member_id)
        statement = statement.where(or_(older, same))
    newest = statement.order_by(ProvisionedMember.created_at.desc(), ProvisionedMember.id.desc())
    return session.scalars(newest.limit(limit)).all()


def last_synchronization(session: ReadSession) -> datetime | None:
    """Return when a SCIM token of the team was last used."""
    of_scim = ApiToken.scopes.contains([TokenScope.SCIM.value])
    return session.scalar(select(func.max(ApiToken.last_used_at)).where(of_scim))


def _all_users(session: ReadSession, asked: UserFilter | None) -> CompoundSelect[UUID, datetime]:
    provisioned = select(ProvisionedMember.id, ProvisionedMember.created_at).where(
        ProvisionedMember.team_id == session.team_id, _of_provisioned(asked)
    )
    by_hand = _added_by_hand(session, select(Membership.id, Membership.created_at)).where(_of_by_hand(asked))
    return union_all(provisioned, by_hand)


def _added_by_hand(session: ReadSession, statement: Select[*Columns]) -> Select[*Columns]:
    """Restrict to members without a provisioned row; one that waits for their address hides them, too."""
    same = or_(
        ProvisionedMember.user_id == Membership.user_id,
        ProvisionedMember.user_id.is_(None)
        & or_(ProvisionedMember.address_key == User.email_key, ProvisionedMember.user_name_key == User.email_key),
    )
    row = select(ProvisionedMember.id).where(ProvisionedMember.team_id == session.team_id, same)
    joined = statement.join(User, User.id == Membership.user_id)
    return joined.where(Membership.team_id == session.team_id, ~row.exists())


def _of_provisioned(asked: UserFilter | None) -> ColumnElement[bool]:
    match asked:
        case None:
            return true()
        case UserFilter(FilterAttribute.USER_NAME, value):
            return ProvisionedMember.user_name_key == normalize_user_name(value)
        case UserFilter(FilterAttribute.EXTERNAL_ID, value):
            return ProvisionedMember.external_id == value
        case UserFilter(FilterAttribute.EMAIL, value):
            return ProvisionedMember.address_key == normalize_email(value)
        case UserFilter(_, value):
            member_id = parse_id(value)
            return false() if member_id is None else ProvisionedMember.id == member_id


def _of_by_hand(asked: UserFilter | None) -> ColumnElement[bool]:
    match asked:
        case None:
            return true()
        case UserFilter(FilterAttribute.USER_NAME | FilterAttribute.EMAIL, value):
            return User.email_key == normalize_user_name(value)
        case UserFilter(FilterAttribute.ID, value):
            member_id = parse_id(value)
            return false() if member_id is None else Membership.id == member_id
        case _:
            return false()


def parse_id(text: str) -> UUID | None:
    """Return an ID; None for a text that is none, which no member has."""
    try:
        return UUID(text)
    except ValueError:
        return None
