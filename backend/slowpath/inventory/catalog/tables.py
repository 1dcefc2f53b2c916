"""Tables of services, environments, builds, deployments, annotations and service orders."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKeyConstraint, Index, UniqueConstraint, Uuid, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.ids import UserId
from slowpath.core.table_base import Table, TeamScoped


class Service(TeamScoped, Table):
    """A deployable that answers requests."""

    __tablename__ = "service"
    __table_args__ = (UniqueConstraint("team_id", "slug"),)

    slug: Mapped[str]
    name: Mapped[str]
    description: Mapped[str] = mapped_column(default="")
    main_package: Mapped[str | None]
    """Import path of the service's main package."""
    is_example: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
    """Part of the team's example data, with which it is removed."""


class Environment(TeamScoped, Table):
    """Where services run: production, staging, ci."""

    __tablename__ = "environment"
    __table_args__ = (UniqueConstraint("team_id", "slug"),)

    slug: Mapped[str]
    name: Mapped[str]


class Build(TeamScoped, Table):
    """A build. The same commit with another Go version, platform or flags is another build."""

    __tablename__ = "build"
    __table_args__ = (
        UniqueConstraint(
            "team_id", "service_id", "commit", "go_version", "goos", "goarch", "flags", name="uq_build_identity"
        ),
        ForeignKeyConstraint(["team_id", "service_id"], ["service.team_id", "service.id"], ondelete="CASCADE"),
        Index("ix_build_newest", "team_id", "created_at", "id"),
        Index("ix_build_service", "team_id", "service_id", "created_at", "id"),
        Index("ix_build_branch", "team_id", "service_id", "branch", "created_at", "id"),
    )

    service_id: Mapped[UUID]
    commit: Mapped[str]
    go_version: Mapped[str] = mapped_column(default="")
    goos: Mapped[str] = mapped_column(default="")
    goarch: Mapped[str] = mapped_column(default="")
    flags: Mapped[str] = mapped_column(default="")
    branch: Mapped[str | None]
    display_name: Mapped[str | None]
    """A display name, if the commit is not enough."""
    ci_url: Mapped[str | None]
    dependencies: Mapped[dict[str, Any] | None]
    """Module path to version."""
    committed_at: Mapped[datetime | None]
    parent: Mapped[str | None]
    """The previous commit on its branch, as CI reports it."""
    title: Mapped[str | None]
    """The first line of the commit's message."""
    author: Mapped[str | None]
    pull_request: Mapped[dict[str, Any] | None]
    """{"number": int, "url": str | None}: its pull request."""
    run_metadata: Mapped[dict[str, Any]] = mapped_column(default=dict, server_default="{}")
    """Run metadata for artifacts without their own; in the format of `analysis.facts.Facts`."""
    program_id: Mapped[UUID | None]
    """The token or service account that created it, which may replace its metadata."""
    sender_ids: Mapped[list[UUID]] = mapped_column(ARRAY(Uuid()), default=list, server_default="{}")
    """Tokens and service accounts that sent metadata or artifacts of it, and may read its verdict."""


class PendingCommitMetadata(TeamScoped, Table):
    """Pending metadata of a commit of a service without a build."""

    __tablename__ = "pending_commit_metadata"
    __table_args__ = (
        UniqueConstraint("team_id", "service_id", "commit", name="uq_pending_commit_metadata"),
        ForeignKeyConstraint(["team_id", "service_id"], ["service.team_id", "service.id"], ondelete="CASCADE"),
        Index("ix_pending_commit_metadata_oldest", "team_id", "service_id", "created_at"),
    )

    service_id: Mapped[UUID]
    commit: Mapped[str]
    fields: Mapped[dict[str, Any]] = mapped_column(default=dict, server_default="{}")
    """Columns of a build; times as texts."""


class Deployment(TeamScoped, Table):
    """A build running in an environment from a time to a time."""

    __tablename__ = "deployment"
    __table_args__ = (
        ForeignKeyConstraint(["team_id", "service_id"], ["service.team_id", "service.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(
            ["team_id", "environment_id"], ["environment.team_id", "environment.id"], ondelete="CASCADE"
        ),
        ForeignKeyConstraint(["team_id", "build_id"], ["build.team_id", "build.id"], ondelete="SET NULL (build_id)"),
        UniqueConstraint("team_id", "external_id"),
        Index("ix_deployment_when", "team_id", "environment_id", "started_at"),
        Index("ix_deployment_service", "team_id", "service_id", "environment_id", "started_at"),
        Index("ix_deployment_newest", "team_id", "created_at", "id"),
        Index("ix_deployment_started", "team_id", "started_at", "id"),
        Index("ix_deployment_build", "team_id", "build_id"),
        CheckConstraint("source in ('api', 'webhook', 'seen')", name="source"),
    )

    service_id: Mapped[UUID]
    environment_id: Mapped[UUID]
    build_id: Mapped[UUID | None]
    commit: Mapped[str] = mapped_column(default="")
    """As it was sent; "" if it was not."""
    label: Mapped[str | None]
    started_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    """When the next deployment of the service in this environment started."""
    source: Mapped[str] = mapped_column(default="api")
    """`seen`: no event reported it; a label of its metrics or spans changed."""
    external_id: Mapped[str | None]
    """Two events with the same ID describe one deployment."""
    url: Mapped[str | None]
    commits: Mapped[list[Any]] = mapped_column(default=list)
    """The new commits it reported: [{"id", "title", "author", "url"}], newest first."""


class Annotation(TeamScoped, Table):
    """A user's text at a time."""

    __tablename__ = "annotation"
    __table_args__ = (
        ForeignKeyConstraint(["team_id", "service_id"], ["service.team_id", "service.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(
            ["team_id", "environment_id"], ["environment.team_id", "environment.id"], ondelete="CASCADE"
        ),
        Index("ix_annotation_when", "team_id", "environment_id", "started_at"),
    )

    environment_id: Mapped[UUID]
    service_id: Mapped[UUID | None]
    """Null: it applies to all services."""
    started_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    text: Mapped[str]
    created_by: Mapped[UserId | None] = mapped_column(Uuid())


class ServiceEdge(TeamScoped, Table):
    """A service edge seen in spans."""

    __tablename__ = "service_edge"
    __table_args__ = (
        ForeignKeyConstraint(
            ["team_id", "environment_id"], ["environment.team_id", "environment.id"], ondelete="CASCADE"
        ),
        ForeignKeyConstraint(["team_id", "caller_id"], ["service.team_id", "service.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(["team_id", "callee_id"], ["service.team_id", "service.id"], ondelete="CASCADE"),
        UniqueConstraint("team_id", "environment_id", "caller_id", "callee_id", name="uq_service_edge_ends"),
    )

    environment_id: Mapped[UUID]
    caller_id: Mapped[UUID]
    callee_id: Mapped[UUID]
    calls: Mapped[int] = mapped_column(BigInteger)
    """In the newest span set with this edge."""
    requests: Mapped[int] = mapped_column(BigInteger)
    """Calls into the caller in the same span set."""
    seen_at: Mapped[datetime]


class ManualServiceOrder(TeamScoped, Table):
    """The manual service order of an environment."""

    __tablename__ = "manual_service_order"
    __table_args__ = (
        ForeignKeyConstraint(
            ["team_id", "environment_id"], ["environment.team_id", "environment.id"], ondelete="CASCADE"
        ),
        UniqueConstraint("team_id", "environment_id", name="uq_manual_service_order_environment"),
    )

    environment_id: Mapped[UUID]
    service_ids: Mapped[list[Any]]
    """From top to bottom, as texts."""
