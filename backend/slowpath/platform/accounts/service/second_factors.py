"""Second factors: TOTP (RFC 6238), passkeys (WebAuthn) and recovery codes.

What a browser must send back is sealed and travels with it: nothing is stored before a factor is confirmed.
"""

import base64
import binascii
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import pyotp
import segno
from sqlalchemy import delete, func, select, update
from webauthn import (
    generate_authentication_options,
    generate_registration_options,
    options_to_json,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import parse_authentication_credential_json
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import PublicKeyCredentialDescriptor

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.encryption import DecryptionError, SecretEncryptor
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
from slowpath.platform.accounts.rules.request_origin import rate_limit_key
from slowpath.platform.accounts.rules.roles import SignedInUser
from slowpath.platform.accounts.rules.second_factor import (
    BY_ADDRESS_AND_ACCOUNT,
    MAX_FACTORS,
    RECOVERY_BYTES,
    RECOVERY_CODE,
    RECOVERY_CODES,
    STATE_SECONDS,
    TOTP_BY_ACCOUNT,
    FactorKind,
    RelyingParty,
    find_time_step,
    make_recovery_code,
    normalize_code,
)
from slowpath.platform.accounts.service.audit_log import record_user_event
from slowpath.platform.accounts.service.users import count_sign_in_attempt, require_session_with_second_factor
from slowpath.platform.accounts.tables import SecondFactor, UserSession

STATE_PURPOSE = UUID("6b0e8c1e-0f0b-4d2f-9a39-2d0a5b7f8c11")
"""The encryption purposes, so that no other encrypted value is accepted as a state or a secret."""
TOTP_PURPOSE = UUID("b3a1f0c2-7d54-4a0e-8c5b-94f1d6f2a7e3")
SITE_NAME = "Slowpath"
MALFORMED = (WebAuthnException, ValueError, TypeError, KeyError, RecursionError)
"""What the library raises for hostile responses."""


@dataclass(frozen=True)
class _State:
    """What a browser sends back: the user, and what was created for this registration or sign-in."""

    user_id: UserId
    challenge: str
    until: datetime


@dataclass(frozen=True)
class StartedRegistration:
    """What the user needs to register a factor; `state` confirms it."""

    state: str
    totp_secret: str | None
    totp_qr_code: str | None
    """A data URI of an SVG picture."""
    passkey_options: str | None
    """`PublicKeyCredentialCreationOptionsJSON`."""


def _seal(sealer: SecretEncryptor, user_id: UserId, challenge: str, purpose: FactorKind | None, now: datetime) -> str:
    until = now + timedelta(seconds=STATE_SECONDS)
    content = {"user": str(user_id), "challenge": challenge, "for": purpose, "until": until.isoformat()}
    return base64.urlsafe_b64encode(sealer.seal(json.dumps(content), STATE_PURPOSE)).decode()


def _open(sealer: SecretEncryptor, sealed: str, purpose: FactorKind | None, now: datetime) -> _State:
    again = SignInExpired("This step was not started in this browser, or took too long.", remedy="Start again.")
    try:
        content = json.loads(sealer.unseal(base64.urlsafe_b64decode(sealed), STATE_PURPOSE))
    except (DecryptionError, binascii.Error, ValueError) as error:
        raise again from error
    state = _State(UserId(UUID(content["user"])), content["challenge"], datetime.fromisoformat(content["until"]))
    if content["for"] != purpose or state.until <= now:
        raise again
    return state


def _use_once(throttle: RateLimiter, state: _State) -> None:
    if not throttle.hit(f"second-factor-state:{state.challenge}", times=1, seconds=STATE_SECONDS):
        raise SignInExpired("This step was already completed.", remedy="Start again.")


def _select_factors(session: ReadSession, user_id: UserId) -> Sequence[SecondFactor]:
    mine = SecondFactor.user_id == user_id, SecondFactor.kind != RECOVERY_CODE
    return session.scalars(select(SecondFactor).where(*mine).order_by(SecondFactor.created_at, SecondFactor.id)).all()


def list_second_factors(session: ReadSession, user_id: UserId) -> tuple[Sequence[SecondFactor], int]:
    """Return the second factors of a user, oldest first, and the number of unused recovery codes."""
    codes = SecondFactor.user_id == user_id, SecondFactor.kind == RECOVERY_CODE
    left = session.scalar(select(func.count()).select_from(SecondFactor).where(*codes))
    return _select_factors(session, user_id), left or 0


def _descriptors(factors: Sequence[SecondFactor]) -> list[PublicKeyCredentialDescriptor]:
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
    factors = _select_factors(session, person.user_id)
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
        return StartedRegistration(_seal(sealer, person.user_id, secret, kind, now), secret, picture, None)
    challenge = secrets.token_bytes(32)
    options = generate_registration_options(
        rp_id=_require_party(party).id,
        rp_name=SITE_NAME,
        user_id=person.user_id.bytes,
        user_name=person.email,
        user_display_name=person.name,
        challenge=challenge,
        exclude_credentials=_descriptors(factors),
    )
    state = _seal(sealer, person.user_id, challenge.hex(), kind, now)
    return StartedRegistration(state, None, None, options_to_json(options))


def _require_party(party: RelyingParty | None) -> RelyingParty:
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
    opened = _open(sealer, state, kind, now)
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
        site = _require_party(party)
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
    _use_once(throttle, opened)
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
    factors = _select_factors(session, person.user_id)
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
    count = len(_select_factors(session, user_id))
    session.execute(delete(SecondFactor).where(SecondFactor.user_id == user_id))
    of_password = UserSession.user_id == user_id, UserSession.encrypted_id_token.is_(None)
    session.execute(update(UserSession).where(*of_password).values(is_multi_factor=False))
    return count


# -- sign-in ---------------------------------------------------------------------------------------


def start_second_step(session: ReadSession, sealer: SecretEncryptor, user_id: UserId, *, now: datetime) -> str | None:
    """Return the sealed state of a sign-in that needs a second factor; None if the user has none."""
    if not _select_factors(session, user_id):
        return None
    return _seal(sealer, user_id, secrets.token_hex(32), None, now)


def find_second_step_user(sealer: SecretEncryptor, state: str, *, now: datetime) -> UserId:
    """Return the user of a sign-in whose password was verified. Raises `SignInExpired`."""
    return _open(sealer, state, None, now).user_id


def describe_second_step(
    session: ReadSession, sealer: SecretEncryptor, state: str, party: RelyingParty | None, *, now: datetime
) -> tuple[bool, str | None]:
    """Return whether the user has TOTP, and `PublicKeyCredentialRequestOptionsJSON` if the user has passkeys."""
    opened = _open(sealer, state, None, now)
    factors = _select_factors(session, opened.user_id)
    allowed = _descriptors(factors)
    options = None
    if allowed and party is not None:
        challenge = bytes.fromhex(opened.challenge)
        made = generate_authentication_options(rp_id=party.id, challenge=challenge, allow_credentials=allowed)
        options = options_to_json(made)
    return any(one.kind == FactorKind.TOTP for one in factors), options


def verify_second_step(
    session: WriteSession,
    sealer: SecretEncryptor,
    throttle: RateLimiter,
    party: RelyingParty | None,
    *,
    state: str,
    code: str | None,
    passkey: str | None,
    address: str,
    now: datetime,
) -> None:
    """Verify a code of an app, a recovery code, or a passkey; each is accepted once.

    Raises `SecondFactorRejected`, `SignInExpired`, `LimitExceeded`.
    """
    opened = _open(sealer, state, None, now)
    place = f"{rate_limit_key(address)}:{opened.user_id}"
    count_sign_in_attempt(throttle, BY_ADDRESS_AND_ACCOUNT, f"second-factor:{place}")
    statement = select(SecondFactor).where(SecondFactor.user_id == opened.user_id).with_for_update()
    factors = session.scalars(statement).all()  # locked: of two equal codes at once, one is accepted
    if passkey is not None:
        is_verified = _verify_passkey(factors, passkey, opened, _require_party(party), now)
    else:
        is_verified = _verify_code(session, sealer, throttle, factors, code=normalize_code(code or ""), now=now)
    if not is_verified:
        raise SecondFactorRejected("The code or passkey is not valid.", remedy="Try again, or use a recovery code.")
    _use_once(throttle, opened)
    throttle.clear(f"second-factor:{place}", times=BY_ADDRESS_AND_ACCOUNT.times, seconds=BY_ADDRESS_AND_ACCOUNT.seconds)


def _verify_code(
    session: WriteSession,
    sealer: SecretEncryptor,
    throttle: RateLimiter,
    factors: Sequence[SecondFactor],
    *,
    code: str,
    now: datetime,
) -> bool:
    apps = [factor for factor in factors if factor.kind == FactorKind.TOTP and code.isdecimal()]
    if apps:
        count_sign_in_attempt(throttle, TOTP_BY_ACCOUNT, f"totp:{apps[0].user_id}")
    for factor in apps:
        secret = sealer.unseal(factor.secret, TOTP_PURPOSE, factor.id)
        make_code = pyotp.TOTP(secret).generate_otp
        step = find_time_step(code, make_code, at_s=int(now.timestamp()), after=factor.counter)
        if step is not None:
            factor.counter, factor.last_used_at = step, now
            factor.secret = sealer.seal(secret, TOTP_PURPOSE, factor.id)  # the key may be newer
            return True
    for factor in factors:
        if factor.kind == RECOVERY_CODE and secrets.compare_digest(factor.secret, hash_secret(code)):
            session.delete(factor)
            return True
    return False


def _verify_passkey(
    factors: Sequence[SecondFactor], response: str, opened: _State, party: RelyingParty, now: datetime
) -> bool:
    try:
        credential = parse_authentication_credential_json(response)
        factor = next(one for one in factors if one.credential_id == credential.raw_id)
        verified = verify_authentication_response(
            credential=credential,
            expected_challenge=bytes.fromhex(opened.challenge),
            expected_rp_id=party.id,
            expected_origin=party.origin,
            credential_public_key=factor.secret,
            credential_current_sign_count=factor.counter,
        )
    except (*MALFORMED, StopIteration):
        return False
    factor.counter, factor.last_used_at = verified.new_sign_count, now
    return True
