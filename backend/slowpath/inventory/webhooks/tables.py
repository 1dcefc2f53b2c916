"""Tables of webhooks and deliveries."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, LargeBinary, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.table_base import Table, TeamScoped


class Webhook(TeamScoped, Table):
    """A webhook: the URL to which a code host sends deliveries, and its signing secret."""

    __tablename__ = "webhook"
    __table_args__ = (
        CheckConstraint("kind in ('gitlab', 'github', 'bitbucket')", name="kind"),
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
    """The repository whose pushes are recorded."""
    service_ids: Mapped[list[Any]] = mapped_column(default=list, server_default="[]")
    """Services of the deliveries, as texts; empty: those built from the repository, else by name."""
    api_url: Mapped[str | None]
    """The API for reconciliation: https://api.github.com."""
    encrypted_api_token: Mapped[bytes | None] = mapped_column(LargeBinary)
    """The token of that API, encrypted for this row."""
    provider_target: Mapped[str | None]
    """The sender's repository, owner/name: configured, or from the first delivery."""
    external_id: Mapped[str | None]
    """The sender's ID of the webhook, from its deliveries."""
    last_delivery_at: Mapped[datetime | None]
    reconciled_at: Mapped[datetime | None]
    missed_count: Mapped[int] = mapped_column(default=0, server_default="0")
    """Deliveries that the last reconciliation requested again."""
    problem: Mapped[dict[str, Any] | None]
    """Why the last reconciliation failed."""


class WebhookDelivery(TeamScoped, Table):
    """A delivery and the result of its processing."""

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
    """The sender's ID. It is not signed, so the same content under another ID is the same delivery."""
    sha256: Mapped[str]
    event: Mapped[str]
    size_bytes: Mapped[int]
    state: Mapped[str]
    outcome: Mapped[str] = mapped_column(default="")
    """What was done, or why nothing was."""
    content: Mapped[bytes | None] = mapped_column(LargeBinary)
    """The payload, compressed by zlib; deleted after processing."""
    processed_at: Mapped[datetime | None]
