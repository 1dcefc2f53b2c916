"""Hooks, and what they delivered."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, LargeBinary, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.table_base import Table, TeamScoped


class Webhook(TeamScoped, Table):
    """An address of ours that one GitHub or GitLab sends its messages to, and the secret by which it is believed."""

    __tablename__ = "webhook"
    __table_args__ = (
        CheckConstraint("kind in ('gitlab', 'github')", name="kind"),
        CheckConstraint("(api_url IS NULL) = (encrypted_api_token IS NULL)", name="api"),
        ForeignKeyConstraint(
            ["team_id", "repository_id"], ["repository.team_id", "repository.id"], ondelete="SET NULL (repository_id)"
        ),
        Index("ix_webhook_newest", "team_id", "created_at", "id"),
        Index("ix_webhook_id", "id"),
    )

    label: Mapped[str]
    kind: Mapped[str]
    encrypted_secret: Mapped[bytes] = mapped_column(LargeBinary)
    """The secret, encrypted for this row."""
    repository_id: Mapped[UUID | None]
    """Where commits of pushes are recorded."""
    service_ids: Mapped[list[Any]] = mapped_column(default=list, server_default="[]")
    """Services that the messages are about, as texts; empty: those built from the repository, else by name."""
    api_url: Mapped[str | None]
    """Where the sender is asked for messages that did not arrive: https://api.github.com."""
    encrypted_api_token: Mapped[bytes | None] = mapped_column(LargeBinary)
    """The token for that, encrypted for this row."""
    provider_target: Mapped[str | None]
    """The sender's repository, owner/name: as was said, or as the first message said."""
    external_id: Mapped[str | None]
    """The sender's own id of the hook, as its messages say."""
    last_delivery_at: Mapped[datetime | None]
    reconciled_at: Mapped[datetime | None]
    missed_count: Mapped[int] = mapped_column(default=0, server_default="0")
    """Messages that were asked for again when the sender was last asked."""
    problem: Mapped[dict[str, Any] | None]
    """Why the sender could not be asked."""


class WebhookDelivery(TeamScoped, Table):
    """One message that arrived, and what became of it."""

    __tablename__ = "webhook_delivery"
    __table_args__ = (
        UniqueConstraint("team_id", "webhook_id", "delivery_id", name="uq_webhook_delivery_id"),
        UniqueConstraint("team_id", "webhook_id", "event", "sha256", name="uq_webhook_delivery_content"),
        CheckConstraint("state in ('waiting', 'failed', 'ignored', 'done')", name="state"),
        ForeignKeyConstraint(["team_id", "webhook_id"], ["webhook.team_id", "webhook.id"], ondelete="CASCADE"),
        Index("ix_webhook_delivery_newest", "team_id", "webhook_id", "created_at", "id"),
    )

    webhook_id: Mapped[UUID]
    delivery_id: Mapped[str]
    """As the sender calls it. It is not signed, so the same words under another id are the same message."""
    sha256: Mapped[str]
    event: Mapped[str]
    size_bytes: Mapped[int]
    state: Mapped[str]
    outcome: Mapped[str] = mapped_column(default="")
    """What was done, or why nothing was."""
    content: Mapped[bytes | None] = mapped_column(LargeBinary)
    """The message as it came, packed by zlib; gone when it was taken."""
    processed_at: Mapped[datetime | None]
