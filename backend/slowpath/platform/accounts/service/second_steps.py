"""The second step of a sign-in or confirmation: a code of an app, a recovery code, or a passkey."""

import secrets
from collections.abc import Sequence
from datetime import datetime

import pyotp
from sqlalchemy import select
from webauthn import generate_authentication_options, options_to_json, verify_authentication_response
from webauthn.helpers import parse_authentication_credential_json

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.encryption import SecretEncryptor
from slowpath.core.ids import UserId
from slowpath.core.ports import RateLimiter
from slowpath.platform.accounts.errors import SecondFactorRejected
from slowpath.platform.accounts.rules.credentials import hash_secret
from slowpath.platform.accounts.rules.request_origin import rate_limit_key
from slowpath.platform.accounts.rules.second_factor import (
    BY_ADDRESS_AND_ACCOUNT,
    RECOVERY_CODE,
    TOTP_BY_ACCOUNT,
    FactorKind,
    RelyingParty,
    find_time_step,
    normalize_code,
)
from slowpath.platform.accounts.service.factor_states import FactorState, open_state, seal_state, use_state_once
from slowpath.platform.accounts.service.second_factors import (
    MALFORMED,
    TOTP_PURPOSE,
    describe_passkeys,
    require_party,
    select_factors,
)
from slowpath.platform.accounts.service.users import count_sign_in_attempt
from slowpath.platform.accounts.tables import SecondFactor


def start_second_step(session: ReadSession, sealer: SecretEncryptor, user_id: UserId, *, now: datetime) -> str | None:
    """Return the sealed state of a sign-in that needs a second factor; None if the user has none."""
    if not select_factors(session, user_id):
        return None
    return seal_state(sealer, user_id, secrets.token_hex(32), None, now)


def open_second_step(sealer: SecretEncryptor, state: str, *, now: datetime) -> FactorState:
    """Return the state of a sign-in whose password was verified. Raises `SignInExpired`."""
    return open_state(sealer, state, None, now)


def describe_second_step(
    session: ReadSession, opened: FactorState, party: RelyingParty | None
) -> tuple[bool, str | None]:
    """Return whether the user has TOTP, and `PublicKeyCredentialRequestOptionsJSON` if the user has passkeys."""
    factors = select_factors(session, opened.user_id)
    allowed = describe_passkeys(factors)
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
    opened: FactorState,
    *,
    code: str | None,
    passkey: str | None,
    address: str,
    now: datetime,
) -> str:
    """Verify a code of an app, a recovery code, or a passkey, each of which is accepted once; return which kind it is.

    Raises `SecondFactorRejected`, `SignInExpired`, `LimitExceeded`.
    """
    place = f"{rate_limit_key(address)}:{opened.user_id}"
    count_sign_in_attempt(throttle, BY_ADDRESS_AND_ACCOUNT, f"second-factor:{place}")
    statement = select(SecondFactor).where(SecondFactor.user_id == opened.user_id).with_for_update()
    factors = session.scalars(statement).all()  # locked: of two equal codes at once, one is accepted
    if passkey is not None:
        used = _verify_passkey(factors, passkey, opened, require_party(party), now)
    else:
        used = _verify_code(session, sealer, throttle, factors, code=normalize_code(code or ""), now=now)
    if used is None:
        raise SecondFactorRejected("The code or passkey is not valid.", remedy="Try again, or use a recovery code.")
    use_state_once(throttle, opened)
    throttle.clear(f"second-factor:{place}", times=BY_ADDRESS_AND_ACCOUNT.times, seconds=BY_ADDRESS_AND_ACCOUNT.seconds)
    return used


def _verify_code(
    session: WriteSession,
    sealer: SecretEncryptor,
    throttle: RateLimiter,
    factors: Sequence[SecondFactor],
    *,
    code: str,
    now: datetime,
) -> str | None:
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
            return FactorKind.TOTP
    for factor in factors:
        if factor.kind == RECOVERY_CODE and secrets.compare_digest(factor.secret, hash_secret(code)):
            session.delete(factor)
            return RECOVERY_CODE
    return None


def _verify_passkey(
    factors: Sequence[SecondFactor], response: str, opened: FactorState, party: RelyingParty, now: datetime
) -> str | None:
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
        return None
    factor.counter, factor.last_used_at = verified.new_sign_count, now
    return FactorKind.PASSKEY
