"""Wire shapes of confirmed sign-ins."""

from pydantic import BaseModel

from slowpath.platform.accounts.schemas.account_field_types import AnyPassword, StrictRequest
from slowpath.platform.accounts.schemas.second_factors import Code, Proof, State


class ConfirmationOut(BaseModel):
    """How the signed-in user can confirm the sign-in of this session."""

    state: str
    """Belongs to this session, and is accepted once within 10 minutes."""
    has_password: bool
    """Whether a password can confirm it."""
    needs_second_factor: bool
    """Whether a code or passkey is needed beside the password."""
    has_totp: bool
    passkey_options: str | None
    """`PublicKeyCredentialRequestOptionsJSON` of WebAuthn."""
    provider: str | None
    """The name of the identity provider of OpenID Connect, if it can confirm the sign-in."""
    saml_provider: str | None
    """The name of the identity provider of SAML, if it can confirm the sign-in."""


class ConfirmationIn(StrictRequest):
    """The password, and with a second factor a code of an app, a recovery code, or `AuthenticationResponseJSON` of WebAuthn."""

    state: State
    password: AnyPassword
    code: Code | None = None
    passkey: Proof | None = None
