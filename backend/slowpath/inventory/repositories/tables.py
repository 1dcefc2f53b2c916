"""Repositories, which of them a service is built from, and the commits in them."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, LargeBinary, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.table_base import Table, TeamScoped


class Repository(TeamScoped, Table):
    """A git repository: fetched from its address, or known by what is pushed of it."""

    __tablename__ = "repository"
    __table_args__ = (
        UniqueConstraint("team_id", "url"),
        CheckConstraint("kind in ('github', 'gitlab', 'other', 'pushed')", name="kind"),
        CheckConstraint("(kind = 'pushed') = (url IS NULL)", name="url"),
        CheckConstraint("credentials in ('none', 'bearer', 'basic')", name="credentials"),
        CheckConstraint("(credentials = 'none') = (encrypted_credentials IS NULL)", name="encrypted_credentials"),
        Index("ix_repository_newest", "team_id", "created_at", "id"),
    )

    label: Mapped[str]
    """How people call it."""
    kind: Mapped[str]
    url: Mapped[str | None]
    """Where it is fetched from; null if only facts are pushed."""
    web_url: Mapped[str | None]
    """Where people look at it: what stands before /commit/ (GitHub) or /-/commit/ (GitLab)."""
    credentials: Mapped[str]
    encrypted_credentials: Mapped[bytes | None] = mapped_column(LargeBinary)
    """The value of the header Authorization, encrypted for this row."""
    default_branch: Mapped[str | None]
    branch_heads: Mapped[dict[str, Any]] = mapped_column(default=dict)
    """Branch to commit, as of the last fetch."""
    tags: Mapped[dict[str, Any]] = mapped_column(default=dict, server_default="{}")
    """Tag to commit, as of the last fetch."""
    fetched_at: Mapped[datetime | None]
    problem: Mapped[dict[str, Any] | None]
    """Why the last fetch ended badly."""


class ServiceRepository(TeamScoped, Table):
    """From what a service is built."""

    __tablename__ = "service_repository"
    __table_args__ = (
        UniqueConstraint("team_id", "service_id"),
        ForeignKeyConstraint(["team_id", "service_id"], ["service.team_id", "service.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(["team_id", "repository_id"], ["repository.team_id", "repository.id"], ondelete="CASCADE"),
        Index("ix_service_repository_repository", "team_id", "repository_id"),
    )

    service_id: Mapped[UUID]
    repository_id: Mapped[UUID]
    directory: Mapped[str] = mapped_column(default="")
    """Where its module lies, below the root; "" for the root."""
    main_package: Mapped[str] = mapped_column(default="")
    """Its main package, below the directory: cmd/server; "" for the directory itself."""


class Commit(TeamScoped, Table):
    """One commit of a repository, as far as it is known."""

    __tablename__ = "commit"
    __table_args__ = (
        UniqueConstraint("team_id", "repository_id", "sha", name="uq_commit_sha"),
        ForeignKeyConstraint(["team_id", "repository_id"], ["repository.team_id", "repository.id"], ondelete="CASCADE"),
        Index("ix_commit_parents", "parents", postgresql_using="gin"),
    )

    repository_id: Mapped[UUID]
    sha: Mapped[str]
    """Forty hexadecimal digits."""
    parents: Mapped[list[Any] | None]
    """Null if nobody told; empty for a first commit."""
    generation: Mapped[int]
    """One more than the largest of its known parents, so that sorting by it never puts a commit before an ancestor."""
    author_name: Mapped[str]
    author_email: Mapped[str]
    authored_at: Mapped[datetime | None]
    committed_at: Mapped[datetime | None]
    title: Mapped[str]
    message: Mapped[str]
    """What follows the title."""
    files: Mapped[list[Any] | None]
    """[{"path", "lines_added", "lines_removed", "status"}] against the first parent; null if nobody told."""
    files_total: Mapped[int | None]
    """How many files it touches, when not all of them are listed."""
    lines_added: Mapped[int | None]
    lines_removed: Mapped[int | None]
    dependency_updates: Mapped[list[Any] | None]
    """[{"module", "old_version", "new_version", "file"}]: versions of modules that it changes; null if nobody looked."""


class CommitDiff(TeamScoped, Table):
    """What a commit changes line by line, read when somebody asked."""

    __tablename__ = "commit_diff"
    __table_args__ = (
        UniqueConstraint("team_id", "commit_id"),
        ForeignKeyConstraint(["team_id", "commit_id"], ["commit.team_id", "commit.id"], ondelete="CASCADE"),
    )

    commit_id: Mapped[UUID]
    content: Mapped[bytes | None] = mapped_column(LargeBinary)
    """JSON, gzipped; null while it is being read."""
    problem: Mapped[dict[str, Any] | None]


class PackageClosure(TeamScoped, Table):
    """Which inputs a service's binary has at a commit: equal hashes are equal binaries."""

    __tablename__ = "package_closure"
    __table_args__ = (
        UniqueConstraint("team_id", "commit_id", "recipe", name="uq_package_closure_recipe"),
        CheckConstraint("(hash IS NULL) = (problem IS NOT NULL)", name="hash"),
        ForeignKeyConstraint(["team_id", "commit_id"], ["commit.team_id", "commit.id"], ondelete="CASCADE"),
    )

    commit_id: Mapped[UUID]
    recipe: Mapped[str]
    """What is built and for which platform: two services built alike from one repository share it."""
    hash: Mapped[str | None]
    packages: Mapped[int | None]
    problem: Mapped[str | None]
    """Why there is no hash: such a commit can not be built."""
