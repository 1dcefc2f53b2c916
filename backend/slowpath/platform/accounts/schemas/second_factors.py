"""Wire shapes of second factors."""

from typing import Annotated
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, StringConstraints

from slowpath.platform.accounts.rules.second_factor import FactorKind
from slowpath.platform.accounts.schemas.account_field_types import Name, StrictRequest
from slowpath.platform.accounts.tables import SecondFactor

Printable = r"^[ -~]*$"
State = Annotated[str, StringConstraints(min_length=1, max_length=2_000, pattern=Printable)]
Proof = Annotated[str, StringConstraints(min_length=1, max_length=16_384, pattern=Printable)]
"""A code, or the response of an authenticator as JSON."""
Code = Annotated[str, StringConstraints(min_length=6, max_length=40, pattern=Printable)]
"""A code of an app, or a recovery code."""


class SecondFactorOut(BaseModel):
    """A second factor of the user."""

    id: UUID
    kind: FactorKind
    name: str
    created_at: AwareDatetime
    last_used_at: AwareDatetime | None


class SecondFactorsOut(BaseModel):
    """The second factors of the user, oldest first."""

    factors: list[SecondFactorOut]
    recovery_codes_left: int


class FactorRegistrationIn(StrictRequest):
    """The kind of second factor to register."""

    kind: FactorKind


class FactorRegistrationOut(BaseModel):
    """What the app or the browser needs; the state confirms it within 10 minutes."""

    state: str
    totp_secret: str | None
    totp_qr_code: str | None
    """A data URI of an SVG picture."""
    passkey_options: str | None
    """`PublicKeyCredentialCreationOptionsJSON` of WebAuthn."""


class SecondFactorIn(StrictRequest):
    """A second factor with its proof: a code of the app, or `RegistrationResponseJSON` of WebAuthn."""

    kind: FactorKind
    name: Name
    state: State
    proof: Proof


class RecoveryCodesOut(BaseModel):
    """Recovery codes, each of which replaces a second factor once. Only this response contains them."""

    recovery_codes: list[str]


class SecondStepOut(BaseModel):
    """How the started sign-in can continue."""

    has_totp: bool
    passkey_options: str | None
    """`PublicKeyCredentialRequestOptionsJSON` of WebAuthn."""


class SecondStepIn(StrictRequest):
    """A code of an app or a recovery code, or `AuthenticationResponseJSON` of WebAuthn."""

    code: Code | None = None
    passkey: Proof | None = None


def second_factor_out(row: SecondFactor) -> SecondFactorOut:
    """Return the wire shape of a second factor."""
    return SecondFactorOut(
        id=row.id,
        kind=FactorKind(row.kind),
        name=row.name,
        created_at=row.created_at,
        last_used_at=row.last_used_at,
    )
