"""Wire shapes of invitations."""

from typing import Annotated
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, Field

from slowpath.platform.accounts.rules.account_limits import INVITATION_DAYS, MAX_INVITATION_DAYS
from slowpath.platform.accounts.rules.roles import Role
from slowpath.platform.accounts.schemas.account_field_types import Email, StrictRequest
from slowpath.platform.accounts.tables import Invitation
from slowpath.platform.http.problems import StoredProblem
from slowpath.platform.http.request_types import JsonInt


class InvitationIn(StrictRequest):
    """A new invitation: email, role and lifetime of the link."""

    email: Email | None = None
    role: Role = Role.MEMBER
    expires_in_days: Annotated[JsonInt, Field(ge=1, le=MAX_INVITATION_DAYS)] = INVITATION_DAYS


class InvitationRenewal(StrictRequest):
    """Lifetime of the new link."""

    expires_in_days: Annotated[JsonInt, Field(ge=1, le=MAX_INVITATION_DAYS)] = INVITATION_DAYS


class InvitationOut(BaseModel):
    """An open invitation. Only the response that creates it contains `secret`."""

    id: UUID
    email: str | None
    role: Role
    created_at: AwareDatetime
    expires_at: AwareDatetime
    created_by: str | None
    mailed_at: AwareDatetime | None
    mail_error: StoredProblem
    """Why the mail server rejected the email."""
    secret: str | None = None


class InvitingTeam(BaseModel):
    """The team of an invitation."""

    name: str
    slug: str


class InvitationPreview(BaseModel):
    """The team and role that an invitation link offers."""

    team: InvitingTeam
    role: Role
    email: str | None
    expires_at: AwareDatetime


def invitation_out(row: Invitation, created_by: str | None, secret: str | None = None) -> InvitationOut:
    """Return the wire shape of an invitation."""
    return InvitationOut(
        id=row.id,
        email=row.email,
        role=Role(row.role),
        created_at=row.created_at,
        expires_at=row.expires_at,
        created_by=created_by,
        mailed_at=row.mailed_at,
        mail_error=row.mail_error,
        secret=secret,
    )
