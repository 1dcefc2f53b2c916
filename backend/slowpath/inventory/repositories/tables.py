"""Tables of repositories, their services and their commits."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKeyConstraint, Index, LargeBinary, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from slowpath.core.table_base import Table, TeamScoped


class Repository(TeamScoped, Table):
    """A git repository: fetched from its URL, or known from pushed metadata."""

    __tablename__ = "repository"
    __table_args__ = (
        UniqueConstraint("team_id", "url"),
        CheckConstraint("kind in ('github', 'gitlab', 'bitbucket', 'gitea', 'other', 'pushed')", name="kind"),
        CheckConstraint("(kind = 'pushed') = (url IS NULL)", name="url"),
        CheckConstraint("credentials in ('none', 'bearer', 'basic')", name="credentials"),
        CheckConstraint("(credentials = 'none') = (encrypted_credentials IS NULL)", name="encrypted_credentials"),
        Index("ix_repository_newest", "team_id", "created_at", "id"),
    )

    label: Mapped[str]
    """Its name in the UI."""
    kind: Mapped[str]
    url: Mapped[str | None]
    """The URL to fetch from; null if metadata is pushed."""
    web_url: Mapped[str | None]
    """The repository's page at its code host."""
    file_template: Mapped[str | None]
    """Address of a file at a commit, with {commit}, {path} and {line}; null: it follows from kind and web_url."""
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
    """Why the last fetch failed."""


class ServiceRepository(TeamScoped, Table):
    """The link of a service to its repository."""

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
    """Directory of its module, below the root; "" for the root."""
    main_package: Mapped[str] = mapped_column(default="")
    """Its main package, below that directory: cmd/server; "" for the directory itself."""


class Commit(TeamScoped, Table):
    """The known metadata of a commit."""

    __tablename__ = "commit"
    __table_args__ = (
        UniqueConstraint("team_id", "repository_id", "sha", name="uq_commit_sha"),
        ForeignKeyConstraint(["team_id", "repository_id"], ["repository.team_id", "repository.id"], ondelete="CASCADE"),
        Index("ix_commit_parents", "parents", postgresql_using="gin"),
        Index("ix_commit_committed", "team_id", "committed_at", "id"),
    )

    repository_id: Mapped[UUID]
    sha: Mapped[str]
    """40 hexadecimal digits."""
    parents: Mapped[list[Any] | None]
    """Null if unknown; empty for a first commit."""
    generation: Mapped[int]
    """One more than the largest of its known parents, so that sorting by it never puts a commit before an ancestor."""
    author_name: Mapped[str]
    author_email: Mapped[str]
    authored_at: Mapped[datetime | None]
    committed_at: Mapped[datetime | None]
    title: Mapped[str]
    message: Mapped[str]
    """The message after the title."""
    files: Mapped[list[Any] | None]
    """[{"path", "lines_added", "lines_removed", "status"}] against the first parent; null if unknown."""
    files_total: Mapped[int | None]
    """Number of changed files, if not all of them are listed."""
    lines_added: Mapped[int | None]
    lines_removed: Mapped[int | None]
    dependency_updates: Mapped[list[Any] | None]
    """Dependency updates: [{"module", "old_version", "new_version", "file"}]; null if not extracted."""
    pull_request_checked_at: Mapped[datetime | None]
    """When the code host was asked for its pull request; null: not yet."""


class CommitDiff(TeamScoped, Table):
    """The line changes of a commit, extracted on request."""

    __tablename__ = "commit_diff"
    __table_args__ = (
        UniqueConstraint("team_id", "commit_id"),
        ForeignKeyConstraint(["team_id", "commit_id"], ["commit.team_id", "commit.id"], ondelete="CASCADE"),
    )

    commit_id: Mapped[UUID]
    content: Mapped[bytes | None] = mapped_column(LargeBinary)
    """JSON, gzipped; null until it is extracted."""
    problem: Mapped[dict[str, Any] | None]


class PullRequest(TeamScoped, Table):
    """A pull request that its code host reported: its commits, who reviewed it, and whether it can be measured."""

    __tablename__ = "pull_request"
    __table_args__ = (
        UniqueConstraint("team_id", "repository_id", "number", name="uq_pull_request_number"),
        ForeignKeyConstraint(["team_id", "repository_id"], ["repository.team_id", "repository.id"], ondelete="CASCADE"),
        Index("ix_pull_request_head", "team_id", "repository_id", "head_sha"),
        Index("ix_pull_request_merge", "team_id", "repository_id", "merge_sha"),
        Index("ix_pull_request_open", "team_id", "repository_id", "changed_at", postgresql_where=text("is_open")),
    )

    repository_id: Mapped[UUID]
    number: Mapped[int] = mapped_column(BigInteger)
    url: Mapped[str | None]
    head_sha: Mapped[str]
    base_sha: Mapped[str | None]
    """Head of the base branch; null: not reported."""
    merge_sha: Mapped[str | None]
    """The commit that merged it: a merge commit, or the last of its squashed or rebased commits."""
    reviewers: Mapped[list[Any]] = mapped_column(default=list, server_default="[]")
    """[{"login", "name", "email"}], each login once."""
    branch: Mapped[str | None]
    """Of the repository itself; null: of a fork, or not reported."""
    base_branch: Mapped[str | None]
    is_open: Mapped[bool] = mapped_column(default=False, server_default="false")
    """Whether it can be measured: it is of the repository itself, and open."""
    changed_at: Mapped[datetime | None]
    """When its commits or its state were last reported."""


class PackageClosure(TeamScoped, Table):
    """The closure of a service's binary at a commit: equal hashes mean equal binaries."""

    __tablename__ = "package_closure"
    __table_args__ = (
        UniqueConstraint("team_id", "commit_id", "recipe", name="uq_package_closure_recipe"),
        CheckConstraint("(hash IS NULL) = (problem IS NOT NULL)", name="hash"),
        ForeignKeyConstraint(["team_id", "commit_id"], ["commit.team_id", "commit.id"], ondelete="CASCADE"),
    )

    commit_id: Mapped[UUID]
    recipe: Mapped[str]
    """Build recipe: services that are built alike from one repository share it."""
    hash: Mapped[str | None]
    packages: Mapped[int | None]
    problem: Mapped[str | None]
    """Why there is no hash: the commit cannot be built."""
