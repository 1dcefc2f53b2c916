"""Service accounts: members that are not users. They never sign in; programs act as them with tokens."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.errors import LimitExceeded
from slowpath.core.ids import new_id
from slowpath.platform.accounts import queries
from slowpath.platform.accounts.errors import ServiceAccountNameTaken, ServiceAccountNotFound
from slowpath.platform.accounts.rules.account_limits import MAX_SERVICE_ACCOUNTS
from slowpath.platform.accounts.rules.roles import Caller, Role
from slowpath.platform.accounts.service.audit_log import record_audit_event
from slowpath.platform.accounts.tables import ServiceAccount

KIND = "service-account"


def create_service_account(
    session: WriteSession, caller: Caller, *, name: str, role: Role
) -> tuple[ServiceAccount, str | None]:
    """Return a new service account and its creator's name. Raises `LimitExceeded`, `ServiceAccountNameTaken`."""
    if (count := queries.count_service_accounts(session)) >= MAX_SERVICE_ACCOUNTS:
        raise LimitExceeded(
            "The team has reached its limit of service accounts.",
            limit=MAX_SERVICE_ACCOUNTS,
            actual=count,
            unit="service accounts",
            remedy="Remove one that is no longer used.",
        )
    _free(session, name)
    account = ServiceAccount(team_id=caller.team_id, id=new_id(), name=name, role=role.value, created_by=caller.user_id)
    session.add(account)
    record_audit_event(session, caller, "service-account.created", KIND, account.id, {"name": name, "role": role.value})
    session.flush()  # the response contains the creation time, which the database sets
    return account, queries.select_user_name(session, caller.user_id)


def service_accounts(
    session: ReadSession, *, after: tuple[datetime, UUID] | None, limit: int
) -> Sequence[Row[ServiceAccount, str | None, int, datetime | None]]:
    """Return up to `limit` service accounts with their creators, number of tokens and time of last use."""
    return queries.service_accounts(session, after=after, limit=limit)


def get_service_account(session: ReadSession, account_id: UUID) -> ServiceAccount:
    """Return a service account of the team. Raises `ServiceAccountNotFound`."""
    found = queries.service_account(session, account_id)
    if found is None:
        raise ServiceAccountNotFound("The team has no such service account.")
    return found


def change_service_account(
    session: WriteSession,
    caller: Caller,
    account_id: UUID,
    *,
    name: str | None,
    role: Role | None,
    disabled: bool | None,
    now: datetime,
) -> ServiceAccount:
    """Update a service account's name, role or disabled state; None leaves a value unchanged.

    The role bounds its tokens, and disabling stops them, from the next request on.
    Raises `ServiceAccountNotFound`, `ServiceAccountNameTaken`.
    """
    account = get_service_account(session, account_id)
    facts: dict[str, Any] = {"name": name or account.name}
    if name is not None and name != account.name:
        _free(session, name)
        facts["renamed_from"], account.name = account.name, name
    if role is not None and role.value != account.role:
        facts["from"], facts["to"], account.role = account.role, role.value, role.value
    if disabled is not None and disabled is not (account.disabled_at is not None):
        facts["disabled"], account.disabled_at = disabled, now if disabled else None
    if len(facts) > 1:
        record_audit_event(session, caller, "service-account.changed", KIND, account.id, facts)
    return account


def remove_service_account(session: WriteSession, caller: Caller, account_id: UUID) -> None:
    """Delete a service account and its tokens; the audit log retains its name. Raises `ServiceAccountNotFound`."""
    account = get_service_account(session, account_id)
    record_audit_event(session, caller, "service-account.removed", KIND, account.id, {"name": account.name})
    session.delete(account)


def describe_service_account(session: ReadSession, account: ServiceAccount) -> tuple[str | None, int, datetime | None]:
    """Return a service account's creator, number of valid tokens, and time of last use."""
    count, used = queries.tokens_of_account(session, account.id)
    return queries.select_user_name(session, account.created_by), count, used


def _free(session: ReadSession, name: str) -> None:
    if queries.service_account_named(session, name) is not None:
        raise ServiceAccountNameTaken(
            f"The team already has a service account named {name}.", remedy="Choose another name."
        )
