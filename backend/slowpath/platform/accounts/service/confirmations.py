"""Confirmed sign-ins: a signed-in user proves again who they are, and the session counts as new for sensitive changes."""

import secrets
from dataclasses import dataclass
from datetime import datetime

from slowpath.core.db_sessions import Database, ReadSession, WriteSession
from slowpath.core.encryption import SecretEncryptor
from slowpath.core.ports import ExternalIdentity, RateLimiter
from slowpath.platform.accounts import queries
from slowpath.platform.accounts.errors import ProviderResponseRejected, WrongPassword
from slowpath.platform.accounts.rules.provider_flow import ProviderFlow, is_new_sign_in
from slowpath.platform.accounts.rules.roles import SignedInUser
from slowpath.platform.accounts.rules.second_factor import RelyingParty
from slowpath.platform.accounts.service.audit_log import record_user_event
from slowpath.platform.accounts.service.factor_states import open_state, seal_state, use_state_once
from slowpath.platform.accounts.service.second_steps import describe_second_step, verify_second_step
from slowpath.platform.accounts.service.sessions import renew_session
from slowpath.platform.accounts.service.users import check_password


@dataclass(frozen=True)
class StartedConfirmation:
    """What a user needs to confirm the sign-in; `state` belongs to this session."""

    state: str
    has_password: bool
    issuers: frozenset[str]
    """The identity providers of linked identities."""
    needs_second_factor: bool
    has_totp: bool
    passkey_options: str | None
    """`PublicKeyCredentialRequestOptionsJSON`."""


def _purpose(person: SignedInUser) -> str:
    """Return the purpose of the states of one session: those of a sign-in or of another session are rejected."""
    return f"confirmation {person.session_id}"


def start_confirmation(
    session: ReadSession, sealer: SecretEncryptor, person: SignedInUser, party: RelyingParty | None, *, now: datetime
) -> StartedConfirmation:
    """Return what the user has to send. Stores nothing."""
    state = seal_state(sealer, person.user_id, secrets.token_hex(32), _purpose(person), now)
    has_totp, options = describe_second_step(session, open_state(sealer, state, _purpose(person), now), party)
    return StartedConfirmation(
        state=state,
        has_password=queries.has_password(session, person.user_id),
        issuers=frozenset(row.issuer for row in queries.sign_ins(session, person.user_id)),
        needs_second_factor=queries.has_second_factor(session, person.user_id),
        has_totp=has_totp,
        passkey_options=options,
    )


def verify_own_password(
    database: Database, throttle: RateLimiter, person: SignedInUser, *, password: str, address: str
) -> None:
    """Verify the password of a signed-in user, limited as a sign-in is. Raises `WrongPassword`, `LimitExceeded`."""
    try:
        check_password(database, throttle, email=person.email, password=password, address=address)
    except WrongPassword as error:
        raise WrongPassword("The password is wrong.", remedy="Enter the password of your account.") from error


def confirm_session(
    session: WriteSession,
    sealer: SecretEncryptor,
    throttle: RateLimiter,
    person: SignedInUser,
    party: RelyingParty | None,
    *,
    secret: str,
    state: str,
    code: str | None,
    passkey: str | None,
    address: str,
    now: datetime,
) -> str:
    """Confirm the session of a user whose password was verified; return its new secret.

    `secret` is that of the request. Raises `SecondFactorRejected`, `SignInExpired`, `SessionExpired`, `LimitExceeded`.
    """
    opened, by = open_state(sealer, state, _purpose(person), now), "password"
    if queries.has_second_factor(session, person.user_id):
        used = verify_second_step(
            session, sealer, throttle, party, opened, code=code, passkey=passkey, address=address, now=now
        )
        by = f"password and {used}"
    else:
        use_state_once(throttle, opened)
    return _record(session, person, secret, by, is_multi_factor=by != "password", now=now)


def confirm_session_with_identity(
    session: WriteSession,
    database: Database,
    identity: ExternalIdentity,
    flow: ProviderFlow,
    person: SignedInUser,
    *,
    secret: str,
    now: datetime,
) -> str:
    """Confirm the session of a user who signed in at the identity provider anew; return its new secret.

    Raises `ProviderResponseRejected`, `SessionExpired`.
    """
    if not is_new_sign_in(identity.authenticated_at, flow, now):
        raise ProviderResponseRejected(
            "The identity provider did not state that it asked you to sign in anew.",
            remedy="Confirm with your password, or sign out and in again. With OpenID Connect, an operator can enable the claim auth_time there.",
        )
    with database.cross_team() as cross_team:
        known = queries.find_sign_in(cross_team, identity.issuer, identity.subject, email=identity.email, seen_at=now)
    if known is None or known.user_id != person.user_id:
        raise ProviderResponseRejected(
            "You signed in at the identity provider with an account that is not linked to yours.",
            remedy="Start again, and use the account that your account page shows.",
        )
    return _record(session, person, secret, "identity provider", is_multi_factor=True, now=now)


def _record(
    session: WriteSession, person: SignedInUser, secret: str, by: str, *, is_multi_factor: bool, now: datetime
) -> str:
    renewed = renew_session(session, person, secret, is_multi_factor=is_multi_factor, now=now)
    teams = [team.id for team in person.teams]
    record_user_event(session, person.user_id, teams, "session.confirmed", "session", person.session_id, {"by": by})
    return renewed
