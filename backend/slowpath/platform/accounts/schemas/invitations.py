"""The wire shapes of invitations."""

from typing import Annotated, Any
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, Field

from slowpath.platform.accounts.rules.account_limits import INVITATION_DAYS, MAX_INVITATION_DAYS
from slowpath.platform.accounts.rules.roles import Role
from slowpath.platform.accounts.schemas.account_field_types import Email, StrictRequest
from slowpath.platform.accounts.tables import Invitation


class InvitationIn(StrictRequest):
    """Whom to invite, as what, and for how long the link is good."""

    email: Email | None = None
    role: Role = Role.MEMBER
    expires_in_days: Annotated[int, Field(ge=1, le=MAX_INVITATION_DAYS)] = INVITATION_DAYS


class InvitationRenewal(StrictRequest):
    """For how long the new link is good."""

    expires_in_days: Annotated[int, Field(ge=1, le=MAX_INVITATION_DAYS)] = INVITATION_DAYS


class InvitationOut(BaseModel):
    """An open invitation. `secret` is told once, in the answer to its making."""

    id: UUID
    email: str | None
    role: Role
    created_at: AwareDatetime
    expires_at: AwareDatetime
    created_by: str | None
    mailed_at: AwareDatetime | None
    mail_error: dict[str, Any] | None
    """Why the mail was not taken."""
    secret: str | None = None


class InvitingTeam(BaseModel):
    """The team a link invites to."""

    name: str
    slug: str


class InvitationPreview(BaseModel):
    """What whoever holds a link is told before they accept."""

    team: InvitingTeam
    role: Role
    email: str | None
    expires_at: AwareDatetime


def invitation_out(row: Invitation, created_by: str | None, secret: str | None = None) -> InvitationOut:
    """Tell of an invitation."""
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
