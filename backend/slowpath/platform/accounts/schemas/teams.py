"""Wire shapes of teams, members and audit events."""

from uuid import UUID

from pydantic import AwareDatetime, BaseModel, Field, JsonValue, StrictBool

from slowpath.platform.accounts.rules.audit_chain import ChainVerification
from slowpath.platform.accounts.rules.roles import Role
from slowpath.platform.accounts.schemas.account_field_types import Name, StrictRequest
from slowpath.platform.accounts.tables import AuditEvent, Membership, Team, User


class TeamIn(StrictRequest):
    """A new team, or a new name of a team."""

    name: Name


class TeamUpdate(StrictRequest):
    """Changes of a team; omitted fields are unchanged."""

    name: Name | None = None
    requires_second_factor: StrictBool | None = None


class SetupStepUpdate(StrictRequest):
    """Whether the team does without a step of the set-up page."""

    is_skipped: StrictBool


class MemberUpdate(StrictRequest):
    """The new role of a member."""

    role: Role


class TeamOut(BaseModel):
    """A team."""

    id: UUID
    slug: str
    name: str
    requires_second_factor: bool
    skipped_setup_steps: list[str] = Field(description="steps of the set-up page that the team does without")
    created_at: AwareDatetime


class MemberOut(BaseModel):
    """A member of a team: user, role, time of joining."""

    user_id: UUID
    name: str
    email: str
    role: Role
    is_managed: bool
    """Whether the identity provider manages the membership by SCIM: its role cannot be changed here."""
    created_at: AwareDatetime


class DeletedTeamOut(BaseModel):
    """A deleted team that can be restored until it is erased."""

    id: UUID
    slug: str
    name: str
    deleted_at: AwareDatetime
    erased_at: AwareDatetime


class AuditEventOut(BaseModel):
    """An audit event: who changed what, when."""

    id: UUID
    occurred_at: AwareDatetime
    actor: str
    actor_kind: str
    action: str
    subject: str
    """The kind of the object, with its name at that time if it had one."""
    subject_id: UUID | None
    details: dict[str, JsonValue]
    """What a reader needs when the object no longer exists; its members depend on the action."""


class AuditEntryOut(AuditEventOut):
    """An audit event in the order in which it was written, with its place in the chain of the team."""

    team_id: UUID
    sequence: int
    """From 1, without gaps; the cursor."""
    hash: str
    """Hexadecimal SHA-256 of the 32 bytes of the previous hash (zeros before the first) and the UTF-8 bytes of `content`."""
    content: str
    """What the hash covers: the event as JSON, exactly as hashed."""


class AuditVerificationOut(BaseModel):
    """How far the chain of audit events was verified."""

    is_intact: bool
    """Whether no broken entry was found so far."""
    is_complete: bool
    """Whether the end was reached. Otherwise request the rest with `after` and `after_hash`."""
    verified_count: int
    sequence: int
    """The last verified entry, with its hash: write both down elsewhere to verify later that the entry is unchanged."""
    hash: str
    broken_sequence: int | None
    broken_id: UUID | None
    problem: str | None


def team_out(row: Team) -> TeamOut:
    """Return the wire shape of a team."""
    return TeamOut(
        id=row.id,
        slug=row.slug,
        name=row.name,
        requires_second_factor=row.requires_second_factor,
        skipped_setup_steps=row.skipped_setup_steps,
        created_at=row.created_at,
    )


def member_out(membership: Membership, user: User, is_managed: bool) -> MemberOut:
    """Return the wire shape of a member."""
    return MemberOut(
        user_id=user.id,
        name=user.name,
        email=user.email,
        role=Role(membership.role),
        is_managed=is_managed,
        created_at=membership.created_at,
    )


def audit_event_out(row: AuditEvent) -> AuditEventOut:
    """Return the wire shape of an audit event."""
    name = row.details.get("name")
    return AuditEventOut(
        id=row.id,
        occurred_at=row.created_at,
        actor=row.actor_name,
        actor_kind=row.actor_kind,
        action=row.action,
        subject=f"{row.subject_kind} {name}" if isinstance(name, str) else row.subject_kind,
        subject_id=row.subject_id,
        details=row.details,
    )


def audit_entry_out(row: AuditEvent, content: str) -> AuditEntryOut:
    """Return the wire shape of an entry of the chain."""
    return AuditEntryOut(
        **audit_event_out(row).model_dump(),
        team_id=row.team_id,
        sequence=row.sequence or 0,
        hash=(row.hash or b"").hex(),
        content=content,
    )


def audit_verification_out(found: ChainVerification) -> AuditVerificationOut:
    """Return the wire shape of a verification."""
    broken = found.broken
    return AuditVerificationOut(
        is_intact=broken is None,
        is_complete=found.is_complete,
        verified_count=found.verified_count,
        sequence=found.position.sequence,
        hash=found.position.hash.hex(),
        broken_sequence=broken and broken.sequence,
        broken_id=broken and broken.id,
        problem=broken and broken.problem,
    )
