"""People, their teams, and the secrets by which they are known.

`app_user`, `user_password`, `user_session` and `user_sign_in` belong to a person, all others to a team. Secrets are
kept as SHA-256 of 192 random bits, passwords as argon2id. Passwords stand in a table of their own,
so that whoever may read a colleague's name can not read the hash beside it.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    CheckConstraint,
    DateTime,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    String,
    UniqueConstraint,
    Uuid,
    func,
    text,
    true,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.ids import TeamId, UserId, new_id
from slowpath.core.table_base import Table, TeamScoped

ROLE_KNOWN = "role in ('viewer', 'member', 'admin', 'owner')"


class User(Table):
    """A person who can sign in."""

    __tablename__ = "app_user"

    id: Mapped[UserId] = mapped_column(Uuid(), primary_key=True, default=new_id)
    email: Mapped[str]
    """As the person writes it."""
    email_key: Mapped[str] = mapped_column(unique=True)
    """By which it is found: case folded."""
    name: Mapped[str]
    email_on_mention: Mapped[bool] = mapped_column(default=True, server_default=true())
    """Whether being named in a discussion is told by e-mail, too."""
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.clock_timestamp())


class UserPassword(Table):
    """The hash of a person's password."""

    __tablename__ = "user_password"

    user_id: Mapped[UserId] = mapped_column(ForeignKey("app_user.id", ondelete="CASCADE"), primary_key=True)
    hash: Mapped[str]
    changed_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.clock_timestamp())


class UserSession(Table):
    """A browser that is signed in."""

    __tablename__ = "user_session"
    __table_args__ = (Index("ix_user_session_newest", "user_id", "created_at", "id"),)

    id: Mapped[UUID] = mapped_column(Uuid(), primary_key=True, default=new_id)
    user_id: Mapped[UserId] = mapped_column(ForeignKey("app_user.id", ondelete="CASCADE"))
    secret_hash: Mapped[bytes] = mapped_column(LargeBinary(), unique=True)
    browser: Mapped[str]
    """What the browser calls itself, cut to a length that fits a line."""
    address: Mapped[str]
    """From where it signed in."""
    last_seen_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    encrypted_id_token: Mapped[bytes | None] = mapped_column(LargeBinary())
    """The ID token it was begun with, sealed: the issuer ends its own session by it."""
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.clock_timestamp())


class UserIdentity(Table):
    """An account at an issuer by which a person signs in. The issuer and its subject name one person, for ever."""

    __tablename__ = "user_identity"
    __table_args__ = (UniqueConstraint("issuer", "subject"),)

    id: Mapped[UUID] = mapped_column(Uuid(), primary_key=True, default=new_id)
    user_id: Mapped[UserId] = mapped_column(ForeignKey("app_user.id", ondelete="CASCADE"), index=True)
    issuer: Mapped[str]
    subject: Mapped[str]
    email: Mapped[str | None]
    """As the issuer told it when it was last used; for people to tell one account from another."""
    last_used_at: Mapped[datetime]
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.clock_timestamp())


class PasswordReset(Table):
    """Somebody said that this person forgot their password. The secret is drawn when the link is mailed, and good once."""

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
    """Of a person of no team: when its letter is next to be sent; None: a job carries it, or it is sent."""
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.clock_timestamp())


class Team(Table):
    """The tenant. Everything but people belongs to exactly one team."""

    __tablename__ = "team"

    id: Mapped[TeamId] = mapped_column(Uuid(), primary_key=True, default=new_id)
    slug: Mapped[str] = mapped_column(unique=True)
    """Its name in addresses. Ends in random letters: a slug that could be chosen would tell who else is here."""
    name: Mapped[str]
    deleted_at: Mapped[datetime | None]
    """Since when nobody can enter; a job erases what it holds."""
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.clock_timestamp())
    work_seconds: Mapped[float] = mapped_column(server_default=text("0"))
    """CPU seconds that workers spent for it recently, as of `work_at`; halves every minute. Orders the claims of jobs."""
    work_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())


class Membership(TeamScoped, Table):
    """A person in a team, with a role."""

    __tablename__ = "membership"
    __table_args__ = (
        UniqueConstraint("team_id", "user_id"),
        CheckConstraint(ROLE_KNOWN, name="role"),
        Index("ix_membership_newest", "team_id", "created_at", "id"),
    )

    user_id: Mapped[UserId] = mapped_column(ForeignKey("app_user.id", ondelete="CASCADE"), index=True)
    role: Mapped[str]


class Invitation(TeamScoped, Table):
    """A secret link by which one person may join, once."""

    __tablename__ = "invitation"
    __table_args__ = (
        CheckConstraint(ROLE_KNOWN, name="role"),
        Index("ix_invitation_newest", "team_id", "created_at", "id"),
    )

    role: Mapped[str]
    email: Mapped[str | None]
    """Whom it is meant for, as a note for the team; whoever holds the link may use it."""
    secret_hash: Mapped[bytes] = mapped_column(LargeBinary(), unique=True)
    expires_at: Mapped[datetime]
    created_by: Mapped[UserId | None] = mapped_column(ForeignKey("app_user.id", ondelete="SET NULL"), index=True)
    accepted_at: Mapped[datetime | None]
    accepted_by: Mapped[UserId | None] = mapped_column(ForeignKey("app_user.id", ondelete="SET NULL"), index=True)
    mail_secret_hash: Mapped[bytes | None] = mapped_column(LargeBinary(), unique=True)
    """Of the link that was mailed: another one than the link shown to whoever invited."""
    mailed_at: Mapped[datetime | None]
    mail_error: Mapped[dict[str, Any] | None]
    """Why the mail was not taken."""


class ServiceAccount(TeamScoped, Table):
    """A member that is no person: programs act as it, with tokens of its own. It has no password and never signs in."""

    __tablename__ = "service_account"
    __table_args__ = (
        UniqueConstraint("team_id", "name"),
        CheckConstraint("role in ('viewer', 'member')", name="role"),
        Index("ix_service_account_newest", "team_id", "created_at", "id"),
    )

    name: Mapped[str]
    role: Mapped[str]
    """What its tokens may at most, whatever their scopes."""
    disabled_at: Mapped[datetime | None]
    """Since when none of its tokens is taken."""
    created_by: Mapped[UserId | None] = mapped_column(ForeignKey("app_user.id", ondelete="SET NULL"), index=True)


class ApiToken(TeamScoped, Table):
    """A secret by which a program acts for the team, within scopes and until a time."""

    __tablename__ = "api_token"
    __table_args__ = (
        ForeignKeyConstraint(
            ["team_id", "service_account_id"], ["service_account.team_id", "service_account.id"], ondelete="CASCADE"
        ),
        CheckConstraint("requests_per_minute > 0 AND uploads_per_minute > 0", name="rates"),
        Index("ix_api_token_newest", "team_id", "created_at", "id"),
        Index("ix_api_token_service_account_id", "team_id", "service_account_id"),
    )

    name: Mapped[str]
    prefix: Mapped[str]
    """Its first letters, so that people can tell one from another; far too few to guess the rest."""
    secret_hash: Mapped[bytes] = mapped_column(LargeBinary(), unique=True)
    scopes: Mapped[list[str]] = mapped_column(ARRAY(String()))
    expires_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    service_account_id: Mapped[UUID | None]
    """Whose it is; none for a token of the team."""
    requests_per_minute: Mapped[int | None]
    """How often it may ask, where that differs from what the operator set for all."""
    uploads_per_minute: Mapped[int | None]
    created_by: Mapped[UserId | None] = mapped_column(ForeignKey("app_user.id", ondelete="SET NULL"), index=True)


class AuditEvent(TeamScoped, Table):
    """Who changed what, when. Rows are added, never changed."""

    __tablename__ = "audit_event"
    __table_args__ = (
        Index("ix_audit_event_newest", "team_id", "created_at", "id"),
        Index("ix_audit_event_action", "team_id", "action", "created_at"),
    )

    actor_id: Mapped[UUID | None]
    """A person's, a service account's or a token's id; none when the machine did it. No foreign key: the log outlives both."""
    actor_kind: Mapped[str]
    """`person`, `service-account`, `token` or `machine`."""
    actor_name: Mapped[str]
    """As it was called then."""
    action: Mapped[str]
    subject_kind: Mapped[str]
    subject_id: Mapped[UUID | None]
    details: Mapped[dict[str, Any]]
