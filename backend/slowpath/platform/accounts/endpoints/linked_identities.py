"""HTTP endpoints of sign-in methods and of linked identities."""

from urllib.parse import urlsplit
from uuid import UUID

from fastapi import APIRouter

from slowpath.core.errors import Conflict, NotAuthenticated, NotFound, PermissionDenied
from slowpath.platform.accounts import service
from slowpath.platform.accounts.access import Anyone, SignedIn
from slowpath.platform.accounts.schemas.provider_sign_in import (
    IdentityProviderOut,
    LinkedIdentitiesOut,
    LinkedIdentityOut,
    SignInMethodsOut,
)
from slowpath.platform.accounts.tables import UserIdentity
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import (
    Configured,
    IssuerOf,
    Now,
    Reading,
    SamlProviderOf,
    Writing,
)

router = APIRouter(tags=["sign-in"])


@router.get("/auth/methods", operation_id="auth:methods")
def get_sign_in_methods(
    _anyone: Anyone, settings: Configured, issuer: IssuerOf, saml: SamlProviderOf
) -> SignInMethodsOut:
    """Return the available sign-in methods."""
    return SignInMethodsOut(
        are_passwords_enabled=settings.passwords == "on",
        sign_up=settings.sign_up == "open",
        is_mail_configured=settings.sends_mail,
        oidc=None if issuer is None else IdentityProviderOut(name=settings.oidc_name),
        saml=None if saml is None else IdentityProviderOut(name=settings.saml_name),
    )


@router.get(
    "/user/linked-identities",
    operation_id="linked-identities:list",
    responses=document_problems(NotAuthenticated, PermissionDenied),
)
def list_linked_identities(
    person: SignedIn, session: Reading, settings: Configured, issuer: IssuerOf, saml: SamlProviderOf
) -> LinkedIdentitiesOut:
    """List your linked identities and other sign-in methods."""
    linked, has_password = service.list_linked_identities(session, person)
    names = {one.issuer: name for one, name in ((issuer, settings.oidc_name), (saml, settings.saml_name)) if one}
    return LinkedIdentitiesOut(has_password=has_password, linked=[_make_out(row, names) for row in linked])


def _make_out(row: UserIdentity, names: dict[str, str]) -> LinkedIdentityOut:
    return LinkedIdentityOut(
        id=row.id,
        name=names.get(row.issuer) or urlsplit(row.issuer.removeprefix("saml:")).hostname or row.issuer,
        email=row.email,
        created_at=row.created_at,
        last_used_at=row.last_used_at,
    )


@router.delete(
    "/user/linked-identities/{identity_id}",
    operation_id="linked-identities:delete",
    status_code=204,
    responses=document_problems(NotAuthenticated, PermissionDenied, NotFound, Conflict),
)
def unlink_identity(person: SignedIn, identity_id: UUID, session: Writing, settings: Configured, clock: Now) -> None:
    """Unlink an identity, within 15 minutes of signing in or confirming. The last sign-in method cannot be removed."""
    service.require_recent_sign_in(session, person, now=clock.now())
    service.unlink_identity(session, person, identity_id, passwords=settings.passwords == "on")
