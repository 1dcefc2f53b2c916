"""Users: sign up, verify a password, change it."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from threading import BoundedSemaphore
from zoneinfo import available_timezones

import structlog
from pwdlib import PasswordHash
from pwdlib.exceptions import UnknownHashError
from pwdlib.hashers.argon2 import Argon2Hasher
from sqlalchemy import update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError

from slowpath.core.db_sessions import Database, ReadSession, TeamScope, WriteSession
from slowpath.core.errors import LimitExceeded
from slowpath.core.ids import TeamId, UserId, new_id
from slowpath.core.ports import RateLimiter
from slowpath.platform.accounts import queries
from slowpath.platform.accounts.errors import (
    CommonPassword,
    EmailTaken,
    InvalidTimeZone,
    ReauthenticationRequired,
    UserNotFound,
    WrongPassword,
)
from slowpath.platform.accounts.rules.account_limits import (
    MANY_SIGN_INS,
    SIGN_IN_BY_ADDRESS,
    SIGN_IN_BY_ADDRESS_AND_ACCOUNT,
    SIGN_UP_BY_ADDRESS,
    RateLimit,
)
from slowpath.platform.accounts.rules.account_names import normalize_email
from slowpath.platform.accounts.rules.common_passwords import is_common_password
from slowpath.platform.accounts.rules.provider_flow import FRESH_SECONDS
from slowpath.platform.accounts.rules.request_origin import rate_limit_key
from slowpath.platform.accounts.rules.roles import Caller, Role, SignedInUser
from slowpath.platform.accounts.service.audit_log import record_audit_event
from slowpath.platform.accounts.service.invitations import OpenInvitation, add_invited_member
from slowpath.platform.accounts.service.teams import get_team, insert_team, set_team_scope
from slowpath.platform.accounts.tables import Membership, Team, User, UserPassword

# OWASP's smallest argon2id: 19 MiB, two passes, one lane. Two at a time, so that many guesses take at most 38 MiB and
# both cores, and the rest of the web process continues.
HASHES = PasswordHash((Argon2Hasher(time_cost=2, memory_cost=19 * 1024, parallelism=1),))
AT_A_TIME = BoundedSemaphore(2)
CONFIRM = "Confirm the sign-in (POST /api/v1/session/confirmation), or sign out and in again. Then repeat it."
log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class VerifiedUser:
    """A user whose password was verified."""

    user_id: UserId
    email: str
    name: str


def hash_password(password: str) -> str:
    """Return the argon2id hash of a password. Takes about 20 ms: never call it inside a transaction."""
    with AT_A_TIME:
        return HASHES.hash(password)


def hash_new_password(password: str, email: str = "") -> str:
    """Return the hash of a password that a user chose. Raises `CommonPassword`. Takes about 20 ms, like `hash_password`."""
    if is_common_password(password, email):
        raise CommonPassword(
            "This password is among those that attackers try first.",
            remedy="Use several unrelated words, or let a password manager make one.",
        )
    return hash_password(password)


@cache
def _nobodys_hash() -> str:
    """Return a hash that no password has, so that an unknown email takes as long as a wrong password."""
    return hash_password(secrets.token_urlsafe())


def _password_matches(password: str, stored_hash: str) -> bool:
    with AT_A_TIME:
        try:
            return HASHES.verify(password, stored_hash)
        except UnknownHashError:
            return False


def check_password(
    database: Database, throttle: RateLimiter, *, email: str, password: str, address: str
) -> VerifiedUser:
    """Return the user of an email and password.

    Raises `WrongPassword` after the same time whether or not the email is known, and `LimitExceeded` after too many attempts
    of the address, or of the address on this account: other addresses cannot lock a user out.
    """
    key, place = normalize_email(email), rate_limit_key(address)
    count_sign_in_attempt(throttle, SIGN_IN_BY_ADDRESS, f"sign-in:{place}")
    count_sign_in_attempt(throttle, SIGN_IN_BY_ADDRESS_AND_ACCOUNT, f"sign-in:{place}:{key}")
    if not throttle.hit(f"sign-in:{key}", times=MANY_SIGN_INS.times, seconds=MANY_SIGN_INS.seconds):
        log.warning("sign_in.many_attempts", account=key, address=address)
    with database.cross_team() as cross_team:
        found = queries.find_person(cross_team, key)
    stored_hash = (
        None if found is None else found.password_hash
    )  # a user who signs in only with the identity provider has none
    proven = _password_matches(password, stored_hash or _nobodys_hash())
    if found is None or stored_hash is None or not proven:
        raise WrongPassword("The email or the password is wrong.", remedy="Check both, or sign up.")
    own = SIGN_IN_BY_ADDRESS_AND_ACCOUNT
    throttle.clear(f"sign-in:{place}:{key}", times=own.times, seconds=own.seconds)
    return VerifiedUser(UserId(found.user_id), found.email, found.name)


def get_user_by_email(database: Database, email: str) -> UserId:
    """Return the user of an email, for callers authorized otherwise. Raises `UserNotFound`."""
    with database.cross_team() as cross_team:
        found = queries.find_person(cross_team, normalize_email(email))
    if found is None:
        raise UserNotFound("No account has this email.")
    return UserId(found.user_id)


def count_sign_up(throttle: RateLimiter, address: str) -> None:
    """Count a sign-up from an address. Raises `LimitExceeded`."""
    count_sign_in_attempt(throttle, SIGN_UP_BY_ADDRESS, f"sign-up:{rate_limit_key(address)}")


def count_sign_in_attempt(throttle: RateLimiter, rate: RateLimit, key: str) -> None:
    """Count one attempt. Raises `LimitExceeded`."""
    if not throttle.hit(key, times=rate.times, seconds=rate.seconds):
        refused = LimitExceeded(
            f"More than {rate.times} attempts in {rate.seconds} seconds.",
            limit=rate.times,
            unit=f"attempts in {rate.seconds} s",
            remedy=f"Wait up to {rate.seconds} seconds.",
        )
        refused.retry_after_s = rate.seconds
        raise refused


def count_sign_in_by_address(throttle: RateLimiter, address: str) -> None:
    """Count a sign-in attempt from an address. Raises `LimitExceeded`."""
    count_sign_in_attempt(throttle, SIGN_IN_BY_ADDRESS, f"sign-in:{rate_limit_key(address)}")


def sign_up(session: WriteSession, *, email: str, name: str, password_hash: str | None, team_name: str) -> Team:
    """Create a user and a team they own; the session's scope becomes theirs.

    Without a password they sign in only with the identity provider. Raises `EmailTaken`.
    """
    user_id = UserId(new_id())
    set_team_scope(session, user_id=user_id, team_id=TeamId(new_id()))
    _add_person(session, user_id, email=email, name=name, password_hash=password_hash)
    return insert_team(session, name=team_name)


def sign_up_invited(
    session: WriteSession,
    invitation: OpenInvitation,
    *,
    email: str,
    name: str,
    password_hash: str | None,
    now: datetime,
) -> Team:
    """Create a user who joins the team of an invitation. Raises `EmailTaken`, `InvitationUsed`."""
    user_id = UserId(new_id())
    set_team_scope(session, user_id=user_id, team_id=invitation.team_id)
    _add_person(session, user_id, email=email, name=name, password_hash=password_hash)
    return add_invited_member(session, invitation, user_id=user_id, now=now)


def sign_up_by_domain(session: WriteSession, team_id: TeamId, role: Role, *, email: str, name: str) -> Team:
    """Create a user who joins the team that the operator configured for their email domain. Raises `EmailTaken`."""
    user_id = UserId(new_id())
    set_team_scope(session, user_id=user_id, team_id=team_id)
    _add_person(session, user_id, email=email, name=name, password_hash=None)
    session.add(Membership(team_id=team_id, user_id=user_id, role=role.value))
    session.flush()  # the team and the user's name are visible only within the scope
    joined = Caller(team_id, user_id, None, role, frozenset())
    record_audit_event(session, joined, "member.joined", "member", user_id, {"role": role.value, "by": "domain"})
    return get_team(session)


def sign_up_provisioned(session: WriteSession, team_id: TeamId, *, email: str, name: str) -> None:
    """Create a user for whom a membership of a team waits, which they claim next. Raises `EmailTaken`."""
    user_id = UserId(new_id())
    set_team_scope(session, user_id=user_id, team_id=team_id)
    _add_person(session, user_id, email=email, name=name, password_hash=None)


def _add_person(session: WriteSession, user_id: UserId, *, email: str, name: str, password_hash: str | None) -> None:
    session.add(User(id=user_id, email=email, email_key=normalize_email(email), name=name))
    try:
        session.flush()  # the email may be taken, and later rows refer to the user
    except IntegrityError as error:
        raise EmailTaken(
            "An account with this email already exists.", remedy="Sign in, or use another email."
        ) from error
    if password_hash is not None:
        session.add(UserPassword(user_id=user_id, hash=password_hash))


def rename_user(session: WriteSession, person: SignedInUser, name: str) -> None:
    """Change the name of a user."""
    session.execute(update(User).where(User.id == person.user_id).values(name=name))


@cache
def _zone_names() -> frozenset[str]:
    return frozenset(available_timezones())


def get_time_zone(session: ReadSession, user_id: UserId) -> str | None:
    """Return the IANA name of the time zone that a user chose; None is the browser's."""
    return queries.select_time_zone(session, user_id)


def set_time_zone(session: WriteSession, person: SignedInUser, time_zone: str | None) -> None:
    """Change the time zone of a user. Raises `InvalidTimeZone` for a name that the IANA database does not have."""
    if time_zone is not None and time_zone not in _zone_names():
        raise InvalidTimeZone(
            f"There is no time zone {time_zone!r}.",
            remedy="Send an IANA name such as Europe/Berlin, or null for the browser's.",
        )
    session.execute(update(User).where(User.id == person.user_id).values(time_zone=time_zone))


def get_mention_email_preference(session: ReadSession, person: SignedInUser) -> bool:
    """Return whether a user receives emails about mentions."""
    return session.get_one(User, person.user_id).email_on_mention


def set_mention_email_preference(session: WriteSession, person: SignedInUser, *, is_enabled: bool) -> None:
    """Change whether a user receives emails about mentions."""
    session.execute(update(User).where(User.id == person.user_id).values(email_on_mention=is_enabled))


def get_code_host_logins(session: ReadSession, person: SignedInUser) -> list[str]:
    """Return the logins of a user at code hosts."""
    return session.get_one(User, person.user_id).code_host_logins


def set_code_host_logins(session: WriteSession, person: SignedInUser, logins: Sequence[str]) -> list[str]:
    """Replace the logins of a user at code hosts, and return them, each once."""
    unique = list({login.casefold(): login for login in logins}.values())
    session.execute(update(User).where(User.id == person.user_id).values(code_host_logins=unique))
    return unique


def requires_current_password(session: ReadSession, person: SignedInUser, *, now: datetime) -> bool:
    """Return whether a user must enter the current password to change it, or to delete the account.

    Raises `ReauthenticationRequired`: users without a password or with a second factor must have signed in recently.
    """
    has_password = queries.has_password(session, person.user_id)
    if not has_password or queries.has_second_factor(session, person.user_id):
        require_recent_sign_in(session, person, now=now)
    return has_password


def require_recent_sign_in(session: ReadSession, person: SignedInUser | Caller, *, now: datetime) -> None:
    """Raise `ReauthenticationRequired` unless the user signed in or confirmed recently: the cookie may be stolen since.

    That of a user who has a second factor must have included it.
    """
    require_session_with_second_factor(session, person)
    since = queries.confirmed_at(session, person.session_id)
    if since is None or (now - since).total_seconds() > FRESH_SECONDS:
        raise ReauthenticationRequired(
            "This change requires a recent sign-in.",
            limit=FRESH_SECONDS // 60,
            unit="minutes",
            remedy=CONFIRM,
        )


def require_session_with_second_factor(session: ReadSession, person: SignedInUser | Caller) -> None:
    """Raise `ReauthenticationRequired` if the user has a second factor that this session was created without."""
    if person.is_multi_factor or person.user_id is None:
        return
    if queries.has_second_factor(session, person.user_id):
        raise ReauthenticationRequired("This change requires a sign-in with your second factor.", remedy=CONFIRM)


def get_user(session: ReadSession, user_id: UserId) -> User:
    """Return the user of the session's scope."""
    return session.get_one(User, user_id)


def user_scope(user_id: UserId) -> TeamScope:
    """Return the scope that sees the rows of one user."""
    return TeamScope(user_id=user_id)


def change_password(session: WriteSession, person: SignedInUser, *, password_hash: str, now: datetime) -> None:
    """Change a user's password and end all their other sessions."""
    set_password(session, person.user_id, password_hash=password_hash, now=now)
    queries.end_sessions(session, person.user_id, but=person.session_id)


def set_password(session: WriteSession, user_id: UserId, *, password_hash: str, now: datetime) -> None:
    """Store the hash of a user's password."""
    values = {"hash": password_hash, "changed_at": now}
    statement = insert(UserPassword).values(user_id=user_id, **values)
    session.execute(statement.on_conflict_do_update(index_elements=["user_id"], set_=values))
