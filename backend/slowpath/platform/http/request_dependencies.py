"""The database sessions of a request. This layer owns the transaction: it commits before the response is sent.

`scope="function"` matters: a plain yield-dependency commits *after* the response was sent, so that a failed commit would
still return 200.
"""

from collections.abc import Iterator
from typing import Annotated

from fastapi import Depends, Request

from slowpath.core.db_sessions import Database, ReadSession, TeamScope, WriteSession
from slowpath.core.encryption import SecretEncryptor
from slowpath.core.git_ports import GitMirrors
from slowpath.core.ports import BlobStore, Clock, EgressClient, IdTokenVerifier, OidcIssuerPort, SamlProviderPort
from slowpath.core.settings import Settings


def scope_of(request: Request) -> TeamScope:
    """Return the scope of the request, empty until `accounts.access` has authenticated the caller."""
    if not hasattr(request.state, "scope"):
        request.state.scope = TeamScope()
    scope = request.state.scope
    assert isinstance(scope, TeamScope)
    return scope


def database(request: Request) -> Database:
    """Return the database of the app."""
    found = request.app.state.database
    assert isinstance(found, Database)
    return found


def settings(request: Request) -> Settings:
    """Return the settings of this process."""
    found = request.app.state.settings
    assert isinstance(found, Settings)
    return found


def blobs(request: Request) -> BlobStore:
    """Return the blob store of the app."""
    found: BlobStore = request.app.state.blobs
    return found


def clock(request: Request) -> Clock:
    """Return the clock of the app."""
    found: Clock = request.app.state.clock
    return found


def outside(request: Request) -> EgressClient:
    """Return the egress client of the app."""
    found: EgressClient = request.app.state.outside
    return found


def issuer(request: Request) -> OidcIssuerPort | None:
    """Return the identity provider of OpenID Connect, if the operator configured one."""
    found: OidcIssuerPort | None = request.app.state.issuer
    return found


def saml_provider(request: Request) -> SamlProviderPort | None:
    """Return the identity provider of SAML, if the operator configured one."""
    found: SamlProviderPort | None = request.app.state.saml_provider
    return found


def id_tokens(request: Request) -> IdTokenVerifier:
    """Return the verifier of ID tokens of CI jobs."""
    found: IdTokenVerifier = request.app.state.id_tokens
    return found


def sealer(request: Request) -> SecretEncryptor:
    """Return the sealer of the app."""
    found = request.app.state.sealer
    assert isinstance(found, SecretEncryptor)
    return found


def mirrors(request: Request) -> GitMirrors:
    """Return the mirrors of repositories on this machine. The web server only reads them."""
    found: GitMirrors = request.app.state.mirrors
    return found


def _read_session(request: Request) -> Iterator[ReadSession]:
    with database(request).reading(scope_of(request)) as session:
        yield session


def _write_session(request: Request) -> Iterator[WriteSession]:
    with database(request).writing(scope_of(request)) as session:
        yield session


Reading = Annotated[ReadSession, Depends(_read_session, scope="function")]
Writing = Annotated[WriteSession, Depends(_write_session, scope="function")]
Blobs = Annotated[BlobStore, Depends(blobs)]
Now = Annotated[Clock, Depends(clock)]
Configured = Annotated[Settings, Depends(settings)]
DatabaseOf = Annotated[Database, Depends(database)]
WayOut = Annotated[EgressClient, Depends(outside)]
IdTokens = Annotated[IdTokenVerifier, Depends(id_tokens)]
IssuerOf = Annotated[OidcIssuerPort | None, Depends(issuer)]
SamlProviderOf = Annotated[SamlProviderPort | None, Depends(saml_provider)]
Mirrors = Annotated[GitMirrors, Depends(mirrors)]
Seals = Annotated[SecretEncryptor, Depends(sealer)]
