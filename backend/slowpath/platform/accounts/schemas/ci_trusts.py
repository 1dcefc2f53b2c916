"""Wire shapes of trusted repositories of CI, and of the exchange of ID tokens."""

from typing import Annotated
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, Field, StringConstraints

from slowpath.platform.accounts.rules.ci_trust import CiProvider
from slowpath.platform.accounts.rules.roles import TokenScope
from slowpath.platform.accounts.schemas.account_field_types import StrictRequest
from slowpath.platform.accounts.tables import CiTrust

Printable = r"^[^\x00-\x1f\x7f]+$"
Repository = Annotated[str, StringConstraints(max_length=300, pattern=r"^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)+$")]
Ref = Annotated[str, StringConstraints(min_length=1, max_length=250, pattern=Printable)]


class CiTrustIn(StrictRequest):
    """A repository whose CI jobs get short-lived tokens of a service account."""

    service_account_id: UUID
    provider: CiProvider
    issuer: Annotated[str, StringConstraints(max_length=300, pattern=r"^https?://[ -~]+$")] | None = None
    """The address of a self-managed GitLab or GitHub Enterprise; null for github.com or gitlab.com."""
    repository: Repository
    """`owner/name`, or `group/subgroup/project`."""
    branch: Ref | None = None
    """Null for all branches, tags and pull requests of the repository."""
    environment: Ref | None = None
    scopes: Annotated[list[TokenScope], Field(min_length=1, max_length=5)]


class CiTrustOut(BaseModel):
    """A repository whose CI jobs get short-lived tokens of a service account."""

    id: UUID
    service_account_id: UUID
    service_account: str
    provider: CiProvider
    issuer: str
    repository: str
    branch: str | None
    environment: str | None
    scopes: list[TokenScope]
    created_at: AwareDatetime


class CiTokenIn(StrictRequest):
    """The ID token of a CI job, whose audience is the public URL of this server."""

    team: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[a-z0-9-]+$")]
    """The team's name in URLs."""
    id_token: Annotated[str, StringConstraints(min_length=1, max_length=16_384, pattern=r"^[A-Za-z0-9_.=-]+$")]


class CiTokenOut(BaseModel):
    """A short-lived token."""

    token: str
    expires_at: AwareDatetime
    scopes: list[TokenScope]


def ci_trust_out(row: CiTrust, account: str) -> CiTrustOut:
    """Return the wire shape of a trusted repository."""
    return CiTrustOut(
        id=row.id,
        service_account_id=row.service_account_id,
        service_account=account,
        provider=CiProvider(row.provider),
        issuer=row.issuer,
        repository=row.repository,
        branch=row.branch,
        environment=row.environment,
        scopes=[TokenScope(scope) for scope in row.scopes],
        created_at=row.created_at,
    )
