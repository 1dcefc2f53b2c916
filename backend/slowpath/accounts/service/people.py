"""People: signing up, proving a password, changing it."""

import secrets
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from threading import BoundedSemaphore

from pwdlib import PasswordHash
from pwdlib.exceptions import UnknownHashError
from pwdlib.hashers.argon2 import Argon2Hasher
from sqlalchemy import update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError

from slowpath.accounts import queries
from slowpath.accounts.errors import EmailTaken, SignInTooOld, UserNotFound, WrongPassword
from slowpath.accounts.rules.limits import (
    SIGN_IN_BY_ACCOUNT,
    SIGN_IN_BY_ADDRESS,
    SIGN_IN_BY_ADDRESS_AND_ACCOUNT,
    SIGN_UP_BY_ADDRESS,
    Rate,
)
from slowpath.accounts.rules.naming import email_key
from slowpath.accounts.rules.origins import address_key
from slowpath.accounts.rules.roles import Caller, Person, Role
from slowpath.accounts.rules.signing_in import FRESH_SECONDS
from slowpath.accounts.service.auditing import audit
from slowpath.accounts.service.inviting import OpenInvitation, join
from slowpath.accounts.service.teams import enter, found_team, get_team
from slowpath.accounts.tables import Membership, Password, Team, User
from slowpath.core.errors import TooMany
from slowpath.core.ids import TeamId, UserId, new_id
from slowpath.core.ports import Throttle
from slowpath.core.sessions import Database, ReadSession, WriteSession

# OWASP's smallest argon2id: 19 MiB, two passes, one lane. Two at a time, so that a crowd of guesses can take at most
# 38 MiB and both cores, and the rest of the web process goes on.
HASHES = PasswordHash((Argon2Hasher(time_cost=2, memory_cost=19 * 1024, parallelism=1),))
AT_A_TIME = BoundedSemaphore(2)


@dataclass(frozen=True)
class Known:
    """A person who has proven their password."""

    user_id: UserId
    email: str
    name: str


def hash_password(password: str) -> str:
    """Return the argon2id hash of a password. Takes about 20 ms: never call it inside a transaction."""
    with AT_A_TIME:
        return HASHES.hash(password)


@cache
def _nobodys_hash() -> str:
    """Return a hash that no password has, so that an unknown e-mail takes as long as a wrong password."""
    return hash_password(secrets.token_urlsafe())


def _proves(password: str, kept: str) -> bool:
    with AT_A_TIME:
        try:
            return HASHES.verify(password, kept)
        except UnknownHashError:
            return False


def check_password(database: Database, throttle: Throttle, *, email: str, password: str, address: str) -> Known:
    """Return whose e-mail and password these are.

    Raises `WrongPassword` after the same time whether the e-mail is known or not, and `TooMany` when
    the address or the account was tried too often.
    """
    key, place = email_key(email), address_key(address)
    count_tries(throttle, SIGN_IN_BY_ADDRESS, f"sign-in:{place}")
    count_tries(throttle, SIGN_IN_BY_ADDRESS_AND_ACCOUNT, f"sign-in:{place}:{key}")
    count_tries(throttle, SIGN_IN_BY_ACCOUNT, f"sign-in:{key}")
    with database.door() as door:
        found = queries.find_person(door, key)
    kept = None if found is None else found.password_hash  # who signs in by an issuer alone has none
    proven = _proves(password, kept or _nobodys_hash())
    if found is None or kept is None or not proven:
        raise WrongPassword("E-mail and password do not belong together.", remedy="Check both, or sign up.")
    own = SIGN_IN_BY_ADDRESS_AND_ACCOUNT
    throttle.clear(f"sign-in:{place}:{key}", times=own.times, seconds=own.seconds)
    return Known(UserId(found.user_id), found.email, found.name)


def user_of(database: Database, email: str) -> UserId:
    """Return whose e-mail this is, for whoever has proven otherwise that they may know. Raises `UserNotFound`."""
    with database.door() as door:
        found = queries.find_person(door, email_key(email))
    if found is None:
        raise UserNotFound("Nobody signed up with this e-mail.")
    return UserId(found.user_id)


def count_sign_up(throttle: Throttle, address: str) -> None:
    """Count a sign-up from an address. Raises `TooMany`."""
    count_tries(throttle, SIGN_UP_BY_ADDRESS, f"sign-up:{address_key(address)}")


def count_tries(throttle: Throttle, rate: Rate, key: str) -> None:
    """Count one try. Raises `TooMany`."""
    if not throttle.hit(key, times=rate.times, seconds=rate.seconds):
        refused = TooMany(
            f"More than {rate.times} tries in {rate.seconds} seconds.",
            limit=rate.times,
            unit=f"tries in {rate.seconds} s",
            remedy=f"Wait up to {rate.seconds} seconds.",
        )
        refused.retry_after_s = rate.seconds
        raise refused


def count_sign_in(throttle: Throttle, address: str) -> None:
    """Count a try to sign in from an address. Raises `TooMany`."""
    count_tries(throttle, SIGN_IN_BY_ADDRESS, f"sign-in:{address_key(address)}")


def sign_up(session: WriteSession, *, email: str, name: str, password_hash: str | None, team_name: str) -> Team:
    """Make a person and a team of which they are the owner; the session's scope becomes theirs.

    Without a password they sign in by an issuer alone.

    Raises `EmailTaken`.
    """
    user_id = UserId(new_id())
    enter(session, user_id=user_id, team_id=TeamId(new_id()))
    _add_person(session, user_id, email=email, name=name, password_hash=password_hash)
    return found_team(session, name=team_name)


def sign_up_invited(
    session: WriteSession,
    invitation: OpenInvitation,
    *,
    email: str,
    name: str,
    password_hash: str | None,
    now: datetime,
) -> Team:
    """Make a person who joins the team that invited them. Raises `EmailTaken`, `InvitationUsed`."""
    user_id = UserId(new_id())
    enter(session, user_id=user_id, team_id=invitation.team_id)
    _add_person(session, user_id, email=email, name=name, password_hash=password_hash)
    return join(session, invitation, user_id=user_id, now=now)


def sign_up_into(session: WriteSession, team_id: TeamId, role: Role, *, email: str, name: str) -> Team:
    """Make a person who joins a team because the operator lets their e-mail's domain in. Raises `EmailTaken`."""
    user_id = UserId(new_id())
    enter(session, user_id=user_id, team_id=team_id)
    _add_person(session, user_id, email=email, name=name, password_hash=None)
    session.add(Membership(team_id=team_id, user_id=user_id, role=role.value))
    session.flush()  # the team and the person's name are seen from inside only
    joined = Caller(team_id, user_id, None, role, frozenset())
    audit(session, joined, "member.joined", "member", user_id, {"role": role.value, "by": "domain"})
    return get_team(session)


def _add_person(session: WriteSession, user_id: UserId, *, email: str, name: str, password_hash: str | None) -> None:
    session.add(User(id=user_id, email=email, email_key=email_key(email), name=name))
    try:
        session.flush()  # the e-mail may be taken, and what follows refers to the person
    except IntegrityError as error:
        raise EmailTaken("Somebody signed up with this e-mail before.", remedy="Sign in, or use another.") from error
    if password_hash is not None:
        session.add(Password(user_id=user_id, hash=password_hash))


def rename_person(session: WriteSession, person: Person, name: str) -> None:
    """Change how a person is called."""
    session.execute(update(User).where(User.id == person.user_id).values(name=name))


def mention_mails(session: ReadSession, person: Person) -> bool:
    """Tell whether a person is told by e-mail, too, that they were named."""
    return session.get_one(User, person.user_id).mention_mails


def set_mention_mails(session: WriteSession, person: Person, *, wanted: bool) -> None:
    """Change whether a person is told by e-mail that they were named."""
    session.execute(update(User).where(User.id == person.user_id).values(mention_mails=wanted))


def may_set_first(session: ReadSession, person: Person, *, now: datetime) -> bool:
    """Tell whether a person has no password yet, and so needs none to set one. Raises `SignInTooOld`."""
    if queries.has_password(session, person.user_id):
        return False
    since = queries.signed_in_at(session, person.session_id)
    if since is None or (now - since).total_seconds() > FRESH_SECONDS:
        raise SignInTooOld(
            "A first password is set by somebody who has just signed in.",
            limit=FRESH_SECONDS // 60,
            unit="minutes",
            remedy="Sign out, sign in again, and set it then.",
        )
    return True


def change_password(session: WriteSession, person: Person, *, password_hash: str, now: datetime) -> None:
    """Give a person another password and sign them out everywhere else."""
    set_password(session, person.user_id, password_hash=password_hash, now=now)
    queries.end_sessions(session, person.user_id, but=person.session_id)


def set_password(session: WriteSession, user_id: UserId, *, password_hash: str, now: datetime) -> None:
    """Store the hash of a person's password."""
    values = {"hash": password_hash, "changed_at": now}
    statement = insert(Password).values(user_id=user_id, **values)
    session.execute(statement.on_conflict_do_update(index_elements=["user_id"], set_=values))
