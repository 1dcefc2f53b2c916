"""Second factors: TOTP (RFC 6238), passkeys (WebAuthn) and recovery codes.

What a browser must send back is sealed and travels with it: nothing is stored before a factor is confirmed.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import pyotp
import segno
from sqlalchemy import delete, func, select, update
from webauthn import generate_registration_options, options_to_json, verify_registration_response
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import PublicKeyCredentialDescriptor

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.encryption import SecretEncryptor
from slowpath.core.ids import UserId, new_id
from slowpath.core.ports import RateLimiter
from slowpath.platform.accounts.errors import (
    PasskeyUnavailable,
    SecondFactorLimit,
    SecondFactorNotFound,
    SecondFactorRejected,
    SignInExpired,
)
from slowpath.platform.accounts.rules.credentials import hash_secret
from slowpath.platform.accounts.rules.roles import SignedInUser
from slowpath.platform.accounts.rules.second_factor import (
    BY_ADDRESS_AND_ACCOUNT,
    MAX_FACTORS,
    RECOVERY_BYTES,
    RECOVERY_CODE,
    RECOVERY_CODES,
    FactorKind,
    RelyingParty,
    find_time_step,
    make_recovery_code,
    normalize_code,
)
from slowpath.platform.accounts.service.audit_log import record_user_event
from slowpath.platform.accounts.service.factor_states import open_state, seal_state, use_state_once
from slowpath.platform.accounts.service.users import count_sign_in_attempt, require_session_with_second_factor
from slowpath.platform.accounts.tables import SecondFactor, UserSession

TOTP_PURPOSE = UUID("b3a1f0c2-7d54-4a0e-8c5b-94f1d6f2a7e3")
"""The encryption purpose, so that no other encrypted value is accepted as a secret."""
SITE_NAME = "Slowpath"
MALFORMED = (WebAuthnException, ValueError, TypeError, KeyError, RecursionError)
"""What the library raises for hostile responses."""


@dataclass(frozen=True)
class StartedRegistration:
    """What the user needs to register a factor; `state` confirms it."""

    state: str
    totp_secret: str | None
    totp_qr_code: str | None
    """A data URI of an SVG picture."""
    passkey_options: str | None
    """`PublicKeyCredentialCreationOptionsJSON`."""


def select_factors(session: ReadSession, user_id: UserId) -> Sequence[SecondFactor]:
    """Return the second factors of a user, oldest first, without recovery codes."""
    mine = SecondFactor.user_id == user_id, SecondFactor.kind != RECOVERY_CODE
    return session.scalars(select(SecondFactor).where(*mine).order_by(SecondFactor.created_at, SecondFactor.id)).all()


def list_second_factors(session: ReadSession, user_id: UserId) -> tuple[Sequence[SecondFactor], int]:
    """Return the second factors of a user, oldest first, and the number of unused recovery codes."""
    codes = SecondFactor.user_id == user_id, SecondFactor.kind == RECOVERY_CODE
    left = session.scalar(select(func.count()).select_from(SecondFactor).where(*codes))
    return select_factors(session, user_id), left or 0


def describe_passkeys(factors: Sequence[SecondFactor]) -> list[PublicKeyCredentialDescriptor]:
    """Return the passkeys among factors as WebAuthn names them."""
    return [PublicKeyCredentialDescriptor(id=one.credential_id) for one in factors if one.credential_id is not None]


def start_registration(
    session: ReadSession,
    sealer: SecretEncryptor,
    person: SignedInUser,
    kind: FactorKind,
    party: RelyingParty | None,
    *,
    now: datetime,
) -> StartedRegistration:
    """Start to register a factor. Raises `PasskeyUnavailable`, `SecondFactorLimit`."""
    factors = select_factors(session, person.user_id)
    if len(factors) >= MAX_FACTORS:
        raise SecondFactorLimit(
            "Your account has as many second factors as it can have.",
            limit=MAX_FACTORS,
            actual=len(factors),
            unit="second factors",
            remedy="Remove one first.",
        )
    if kind is FactorKind.TOTP:
        secret = pyotp.random_base32()
        uri = pyotp.TOTP(secret).provisioning_uri(name=person.email, issuer_name=SITE_NAME)
        picture = segno.make(uri, error="m").svg_data_uri(scale=4, border=4, light="#fff")
        return StartedRegistration(seal_state(sealer, person.user_id, secret, kind, now), secret, picture, None)
    challenge = secrets.token_bytes(32)
    options = generate_registration_options(
        rp_id=require_party(party).id,
        rp_name=SITE_NAME,
        user_id=person.user_id.bytes,
        user_name=person.email,
        user_display_name=person.name,
        challenge=challenge,
        exclude_credentials=describe_passkeys(factors),
    )
    state = seal_state(sealer, person.user_id, challenge.hex(), kind, now)
    return StartedRegistration(state, None, None, options_to_json(options))


def require_party(party: RelyingParty | None) -> RelyingParty:
    """Return the site that passkeys belong to. Raises `PasskeyUnavailable`."""
    if party is None:
        raise PasskeyUnavailable(
            "Passkeys do not work with an IP address.", remedy="Open Slowpath by a host name, such as http://localhost."
        )
    return party


def complete_registration(
    session: WriteSession,
    sealer: SecretEncryptor,
    throttle: RateLimiter,
    person: SignedInUser,
    kind: FactorKind,
    *,
    party: RelyingParty | None,
    state: str,
    proof: str,
    name: str,
    now: datetime,
) -> list[str]:
    """Store a factor that the user proved: with a code, or the response of the authenticator as JSON.

    Returns new recovery codes if the user has none. Raises `ReauthenticationRequired`, `SecondFactorRejected`,
    `SignInExpired`.
    """
    opened = open_state(sealer, state, kind, now)
    if opened.user_id != person.user_id:
        raise SignInExpired("Another user signed in to this browser meanwhile.", remedy="Start again.")
    require_session_with_second_factor(session, person)  # another session may have added one since the start
    count_sign_in_attempt(throttle, BY_ADDRESS_AND_ACCOUNT, f"second-factor-registration:{person.user_id}")
    factor = SecondFactor(user_id=person.user_id, kind=kind, name=name, last_used_at=now, id=new_id())
    if kind is FactorKind.TOTP:
        make_code = pyotp.TOTP(opened.challenge).generate_otp
        step = find_time_step(normalize_code(proof), make_code, at_s=int(now.timestamp()), after=0)
        if step is None:
            raise SecondFactorRejected("The code is not valid.", remedy="Check the time of both devices.")
        factor.counter, factor.secret = step, sealer.seal(opened.challenge, TOTP_PURPOSE, factor.id)
    else:
        site = require_party(party)
        try:
            verified = verify_registration_response(
                credential=proof,
                expected_challenge=bytes.fromhex(opened.challenge),
                expected_rp_id=site.id,
                expected_origin=site.origin,
            )
        except MALFORMED as error:
            raise SecondFactorRejected("The response of the passkey is not valid.", remedy="Try again.") from error
        factor.credential_id, factor.secret = verified.credential_id, verified.credential_public_key
        factor.counter = verified.sign_count
    use_state_once(throttle, opened)
    session.add(factor)
    _record(session, person, "second-factor.created", factor)
    session.execute(update(UserSession).where(UserSession.id == person.session_id).values(is_multi_factor=True))
    return [] if list_second_factors(session, person.user_id)[1] else renew_recovery_codes(session, person.user_id)


def _record(session: WriteSession, person: SignedInUser, action: str, factor: SecondFactor) -> None:
    facts = {"name": factor.name, "kind": factor.kind}
    teams = [team.id for team in person.teams]
    record_user_event(session, person.user_id, teams, action, "second-factor", factor.id, facts)


def renew_recovery_codes(session: WriteSession, user_id: UserId) -> list[str]:
    """Replace the recovery codes of a user and return the new ones, which are not stored."""
    session.execute(delete(SecondFactor).where(SecondFactor.user_id == user_id, SecondFactor.kind == RECOVERY_CODE))
    codes = [make_recovery_code(secrets.token_bytes(RECOVERY_BYTES)) for _ in range(RECOVERY_CODES)]
    session.add_all(
        SecondFactor(user_id=user_id, kind=RECOVERY_CODE, name="", secret=hash_secret(normalize_code(code)))
        for code in codes
    )
    return codes


def delete_second_factor(session: WriteSession, person: SignedInUser, factor_id: UUID) -> None:
    """Delete a factor; without another one, the recovery codes too. Raises `SecondFactorNotFound`."""
    factors = select_factors(session, person.user_id)
    found = next((one for one in factors if one.id == factor_id), None)
    if found is None:
        raise SecondFactorNotFound("Your account has no such second factor.")
    _record(session, person, "second-factor.deleted", found)
    session.delete(found)
    if len(factors) == 1:
        delete_second_factors(session, person.user_id)


def delete_second_factors(session: WriteSession, user_id: UserId) -> int:
    """Delete all second factors and recovery codes of a user and return the number of factors.

    Sessions of the password count as without one; those of the identity provider do not change.
    """
    count = len(select_factors(session, user_id))
    session.execute(delete(SecondFactor).where(SecondFactor.user_id == user_id))
    of_password = UserSession.user_id == user_id, UserSession.encrypted_id_token.is_(None)
    session.execute(update(UserSession).where(*of_password).values(is_multi_factor=False))
    return count
