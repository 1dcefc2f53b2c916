"""Tables of users, teams and their secrets.

`app_user`, `user_password`, `user_session` and `user_sign_in` belong to a user, all others to a team. Secrets are stored
as SHA-256 of 192 random bits, passwords as argon2id. Passwords have their own table, so that a role that may read a
colleague's name cannot read the hash.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    DateTime,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    String,
    UniqueConstraint,
    Uuid,
    false,
    func,
    text,
    true,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.ids import TeamId, UserId, new_id
from slowpath.core.table_base import Table, TeamScoped

NO_HASH = text("decode(repeat('00', 32), 'hex')")
ROLE_KNOWN = "role in ('viewer', 'member', 'admin', 'owner')"


class User(Table):
    """A user who can sign in."""

    __tablename__ = "app_user"

    id: Mapped[UserId] = mapped_column(Uuid(), primary_key=True, default=new_id)
    email: Mapped[str]
    """As the user writes it."""
    email_key: Mapped[str] = mapped_column(unique=True)
    """For lookups: case folded."""
    name: Mapped[str]
    email_on_mention: Mapped[bool] = mapped_column(default=True, server_default=true())
    """Whether mentions in discussions are also sent by email."""
    time_zone: Mapped[str | None]
    """IANA name of the zone that times are shown in; null is the browser's."""
    code_host_logins: Mapped[list[str]] = mapped_column(ARRAY(String()), default=list, server_default="{}")
    """Logins at GitHub, GitLab and others, as the user states them."""
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.clock_timestamp())


class UserPassword(Table):
    """The hash of a user's password."""

    __tablename__ = "user_password"

    user_id: Mapped[UserId] = mapped_column(ForeignKey("app_user.id", ondelete="CASCADE"), primary_key=True)
    hash: Mapped[str]
    changed_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.clock_timestamp())


class UserSession(Table):
    """A session: a signed-in browser."""

    __tablename__ = "user_session"
    __table_args__ = (Index("ix_user_session_newest", "user_id", "created_at", "id"),)

    id: Mapped[UUID] = mapped_column(Uuid(), primary_key=True, default=new_id)
    user_id: Mapped[UserId] = mapped_column(ForeignKey("app_user.id", ondelete="CASCADE"))
    secret_hash: Mapped[bytes] = mapped_column(LargeBinary(), unique=True)
    browser: Mapped[str]
    """The browser's User-Agent, truncated to fit a line."""
    address: Mapped[str]
    """The IP address of the sign-in."""
    last_seen_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    is_multi_factor: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Whether the sign-in had a second factor, or was at the identity provider, which is responsible for its factors."""
    confirmed_at: Mapped[datetime | None]
    """When the user last proved who they are, if that was after the sign-in. Sensitive changes need it to be recent."""
    encrypted_id_token: Mapped[bytes | None] = mapped_column(LargeBinary())
    """The encrypted ID token of the sign-in, with which the identity provider ends its session."""
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.clock_timestamp())


class UserIdentity(Table):
    """A linked identity. The provider and its subject identify one user permanently."""

    __tablename__ = "user_identity"
    __table_args__ = (UniqueConstraint("issuer", "subject"),)

    id: Mapped[UUID] = mapped_column(Uuid(), primary_key=True, default=new_id)
    user_id: Mapped[UserId] = mapped_column(ForeignKey("app_user.id", ondelete="CASCADE"), index=True)
    issuer: Mapped[str]
    subject: Mapped[str]
    email: Mapped[str | None]
    """As the identity provider sent it at the last use, so that users can tell identities apart."""
    last_used_at: Mapped[datetime]
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.clock_timestamp())


class SecondFactor(Table):
    """What a user needs beside the password: a TOTP secret, a passkey, or one of the recovery codes."""

    __tablename__ = "second_factor"
    __table_args__ = (CheckConstraint("kind in ('totp', 'passkey', 'recovery-code')", name="kind"),)

    id: Mapped[UUID] = mapped_column(Uuid(), primary_key=True, default=new_id)
    user_id: Mapped[UserId] = mapped_column(ForeignKey("app_user.id", ondelete="CASCADE"), index=True)
    kind: Mapped[str]
    name: Mapped[str]
    """As the user calls the device; empty for recovery codes."""
    secret: Mapped[bytes] = mapped_column(LargeBinary())
    """The encrypted TOTP secret, the public key of a passkey, or the SHA-256 of a recovery code."""
    credential_id: Mapped[bytes | None] = mapped_column(LargeBinary())
    """Of a passkey."""
    counter: Mapped[int] = mapped_column(BigInteger(), default=0)
    """The last accepted time step of TOTP, or the signature counter of a passkey: neither is accepted twice."""
    last_used_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.clock_timestamp())


class PasswordReset(Table):
    """A password reset request. The secret is created when the link is mailed, and can be used once."""

    __tablename__ = "password_reset"
    __table_args__ = (
        Index("ix_password_reset_letter", "mail_due_at", postgresql_where=text("mail_due_at IS NOT NULL")),
    )

    id: Mapped[UUID] = mapped_column(Uuid(), primary_key=True, default=new_id)
    user_id: Mapped[UserId] = mapped_column(ForeignKey("app_user.id", ondelete="CASCADE"), index=True)
    secret_hash: Mapped[bytes | None] = mapped_column(LargeBinary(), unique=True)
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
    mail_due_at: Mapped[datetime | None]
    """For a user without a team: when its mail is sent next; None: a job carries it, or it is sent."""
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.clock_timestamp())


class Team(Table):
    """The tenant. Everything except users belongs to exactly one team."""

    __tablename__ = "team"

    id: Mapped[TeamId] = mapped_column(Uuid(), primary_key=True, default=new_id)
    slug: Mapped[str] = mapped_column(unique=True)
    """Its name in URLs. Ends in random letters: a slug that could be chosen would reveal other teams."""
    name: Mapped[str]
    requires_second_factor: Mapped[bool] = mapped_column(default=False, server_default=false())
    skipped_setup_steps: Mapped[list[str]] = mapped_column(ARRAY(String()), default=list, server_default=text("'{}'"))
    """Steps of the set-up page that the team does without."""
    deleted_at: Mapped[datetime | None]
    """Since when the team is inaccessible; a job erases its data."""
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.clock_timestamp())
    work_seconds: Mapped[float] = mapped_column(server_default=text("0"))
    """Recent CPU seconds of workers for it, as of `work_at`; halves every minute. Orders the claims of jobs."""
    work_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())


class Membership(TeamScoped, Table):
    """A user in a team, with a role."""

    __tablename__ = "membership"
    __table_args__ = (
        UniqueConstraint("team_id", "user_id"),
        CheckConstraint(ROLE_KNOWN, name="role"),
        Index("ix_membership_newest", "team_id", "created_at", "id"),
    )

    user_id: Mapped[UserId] = mapped_column(ForeignKey("app_user.id", ondelete="CASCADE"), index=True)
    role: Mapped[str]


class ProvisionedMember(TeamScoped, Table):
    """What an identity provider states of a member by SCIM. It controls the membership in its team, never the account."""

    __tablename__ = "provisioned_member"
    __table_args__ = (
        UniqueConstraint("team_id", "user_name_key"),
        UniqueConstraint("team_id", "address_key"),
        UniqueConstraint("team_id", "user_id"),
        CheckConstraint(ROLE_KNOWN, name="role"),
        Index("ix_provisioned_member_order", "team_id", "created_at", "id"),
        Index("ix_provisioned_member_external_id", "team_id", "external_id"),
        Index(
            "ix_provisioned_member_unclaimed",
            "address_key",
            postgresql_where=text("claimed_at IS NULL OR user_id IS NULL"),
        ),
    )

    user_id: Mapped[UserId | None] = mapped_column(ForeignKey("app_user.id", ondelete="SET NULL"), index=True)
    """The account of the member: from the first sign-in at the identity provider on, or since added by hand."""
    claimed_at: Mapped[datetime | None]
    """When the account signed in at the identity provider with the verified address. Before, SCIM cannot raise its role."""
    user_name: Mapped[str]
    user_name_key: Mapped[str]
    """For lookups and uniqueness: normalized and case folded."""
    address_key: Mapped[str | None]
    """The case-folded address that a sign-in must prove; none: the member cannot sign in yet."""
    external_id: Mapped[str | None]
    display_name: Mapped[str | None]
    formatted_name: Mapped[str | None]
    given_name: Mapped[str | None]
    family_name: Mapped[str | None]
    emails: Mapped[list[Any]]
    """Objects with `value`, `type` and `primary`, as the identity provider sent them."""
    group_roles: Mapped[list[str]] = mapped_column(ARRAY(String()), default=list, server_default=text("'{}'"))
    """The groups of the member, each a role; the highest counts."""
    role: Mapped[str]
    """The role that the membership has, or had when it ended."""
    is_active: Mapped[bool]
    updated_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.clock_timestamp())


class Invitation(TeamScoped, Table):
    """A secret link by which one user may join, once."""

    __tablename__ = "invitation"
    __table_args__ = (
        CheckConstraint(ROLE_KNOWN, name="role"),
        Index("ix_invitation_newest", "team_id", "created_at", "id"),
    )

    role: Mapped[str]
    email: Mapped[str | None]
    """The address it is meant for, as a note for the team; the holder of the link may use it."""
    secret_hash: Mapped[bytes] = mapped_column(LargeBinary(), unique=True)
    expires_at: Mapped[datetime]
    created_by: Mapped[UserId | None] = mapped_column(ForeignKey("app_user.id", ondelete="SET NULL"), index=True)
    accepted_at: Mapped[datetime | None]
    accepted_by: Mapped[UserId | None] = mapped_column(ForeignKey("app_user.id", ondelete="SET NULL"), index=True)
    mail_secret_hash: Mapped[bytes | None] = mapped_column(LargeBinary(), unique=True)
    """The secret of the mailed link, which differs from the link shown to the inviting user."""
    mailed_at: Mapped[datetime | None]
    mail_error: Mapped[dict[str, Any] | None]
    """Why the mail server rejected the mail."""


class ServiceAccount(TeamScoped, Table):
    """A member that is not a user: programs act as it, with its tokens. It has no password and never signs in."""

    __tablename__ = "service_account"
    __table_args__ = (
        UniqueConstraint("team_id", "name"),
        CheckConstraint("role in ('viewer', 'member')", name="role"),
        Index("ix_service_account_newest", "team_id", "created_at", "id"),
    )

    name: Mapped[str]
    role: Mapped[str]
    """The highest role of its tokens, whatever their scopes."""
    disabled_at: Mapped[datetime | None]
    """Since when its tokens are rejected."""
    created_by: Mapped[UserId | None] = mapped_column(ForeignKey("app_user.id", ondelete="SET NULL"), index=True)


class CiTrust(TeamScoped, Table):
    """A repository whose CI jobs get short-lived tokens of a service account for their ID tokens."""

    __tablename__ = "ci_trust"
    __table_args__ = (
        ForeignKeyConstraint(
            ["team_id", "service_account_id"], ["service_account.team_id", "service_account.id"], ondelete="CASCADE"
        ),
        CheckConstraint("provider in ('github', 'gitlab')", name="provider"),
        Index("ix_ci_trust_service_account_id", "team_id", "service_account_id"),
    )

    service_account_id: Mapped[UUID]
    provider: Mapped[str]
    issuer: Mapped[str]
    """The address that the ID tokens name and whose keys sign them."""
    repository: Mapped[str]
    branch: Mapped[str | None]
    """None: any branch, tag or pull request."""
    environment: Mapped[str | None]
    scopes: Mapped[list[str]] = mapped_column(ARRAY(String()))


class ApiToken(TeamScoped, Table):
    """A secret by which a program acts for the team, within scopes and until a time."""

    __tablename__ = "api_token"
    __table_args__ = (
        ForeignKeyConstraint(
            ["team_id", "service_account_id"], ["service_account.team_id", "service_account.id"], ondelete="CASCADE"
        ),
        ForeignKeyConstraint(["team_id", "ci_trust_id"], ["ci_trust.team_id", "ci_trust.id"], ondelete="CASCADE"),
        Index("ix_api_token_ci_trust_id", "team_id", "ci_trust_id"),
        CheckConstraint("requests_per_minute > 0 AND uploads_per_minute > 0", name="rates"),
        Index("ix_api_token_newest", "team_id", "created_at", "id"),
        Index("ix_api_token_service_account_id", "team_id", "service_account_id"),
    )

    name: Mapped[str]
    prefix: Mapped[str]
    """Its first letters, so that users can tell tokens apart; far too few to guess the rest."""
    secret_hash: Mapped[bytes] = mapped_column(LargeBinary(), unique=True)
    scopes: Mapped[list[str]] = mapped_column(ARRAY(String()))
    expires_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    service_account_id: Mapped[UUID | None]
    """The service account that owns it; none for a token of the team."""
    ci_trust_id: Mapped[UUID | None]
    """For a short-lived token of a CI job: why it was issued. Such tokens are in no list."""
    requests_per_minute: Mapped[int | None]
    """Its rate limit, if it differs from the operator's default."""
    uploads_per_minute: Mapped[int | None]
    created_by: Mapped[UserId | None] = mapped_column(ForeignKey("app_user.id", ondelete="SET NULL"), index=True)


class AuditEvent(TeamScoped, Table):
    """An audit event: who changed what, when. Rows are added, never changed."""

    __tablename__ = "audit_event"
    __table_args__ = (
        Index("ix_audit_event_newest", "team_id", "created_at", "id"),
        Index("ix_audit_event_action", "team_id", "action", "created_at"),
        Index("ix_audit_event_sequence", "team_id", "sequence", unique=True),
    )

    actor_id: Mapped[UUID | None]
    """ID of a user, service account or token; none for the system. No foreign key: the log outlives them."""
    actor_kind: Mapped[str]
    """`user`, `service-account`, `token` or `system`."""
    actor_name: Mapped[str]
    """The name at that time."""
    action: Mapped[str]
    subject_kind: Mapped[str]
    subject_id: Mapped[UUID | None]
    details: Mapped[dict[str, Any]]
    sequence: Mapped[int | None] = mapped_column(BigInteger())
    """Its place in the chain of the team, from 1; the database sets it with the hash when the transaction commits."""
    hash: Mapped[bytes | None] = mapped_column(LargeBinary())
    """SHA-256 of the previous hash (32 zero bytes before the first) and `audit_event_content`."""


class AuditChain(TeamScoped, Table):
    """Both ends of the chain of a team's audit events; only the database writes it."""

    __tablename__ = "audit_chain"
    __table_args__ = (UniqueConstraint("team_id"),)

    last_sequence: Mapped[int] = mapped_column(BigInteger(), server_default=text("0"))
    last_hash: Mapped[bytes] = mapped_column(LargeBinary(), server_default=NO_HASH)
    first_sequence: Mapped[int] = mapped_column(BigInteger(), server_default=text("1"))
    """Of the oldest event that retention left."""
    first_previous_hash: Mapped[bytes] = mapped_column(LargeBinary(), server_default=NO_HASH)
    """The hash of the event before it."""
