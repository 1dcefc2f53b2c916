"""Services, environments, builds."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKeyConstraint, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.tables import Table, TeamScoped


class Service(TeamScoped, Table):
    """Something that runs and answers requests."""

    __tablename__ = "service"
    __table_args__ = (UniqueConstraint("team_id", "slug"),)

    slug: Mapped[str]
    name: Mapped[str]
    description: Mapped[str] = mapped_column(default="")
    main_package: Mapped[str | None]
    """Import path of the service's main package."""


class Environment(TeamScoped, Table):
    """Where services run: production, staging, ci."""

    __tablename__ = "environment"
    __table_args__ = (UniqueConstraint("team_id", "slug"),)

    slug: Mapped[str]
    name: Mapped[str]


class Build(TeamScoped, Table):
    """What was built. The same commit with another Go, platform or flags is another build."""

    __tablename__ = "build"
    __table_args__ = (
        UniqueConstraint(
            "team_id", "service_id", "commit", "go_version", "goos", "goarch", "flags", name="uq_build_identity"
        ),
        ForeignKeyConstraint(["team_id", "service_id"], ["service.team_id", "service.id"], ondelete="CASCADE"),
        Index("ix_build_newest", "team_id", "created_at", "id"),
    )

    service_id: Mapped[UUID]
    commit: Mapped[str]
    go_version: Mapped[str] = mapped_column(default="")
    goos: Mapped[str] = mapped_column(default="")
    goarch: Mapped[str] = mapped_column(default="")
    flags: Mapped[str] = mapped_column(default="")
    branch: Mapped[str | None]
    label: Mapped[str | None]
    """How people call it, if a commit does not say enough."""
    ci_url: Mapped[str | None]
    dependencies: Mapped[dict[str, Any] | None]
    """Module path to version."""
    committed_at: Mapped[datetime | None]
