"""What tools read from commits, their patches and authors. Members that tools do not read are ignored."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel

from slowpath.sharing.mcp_server.schemas.build_answers import PullRequest
from slowpath.sharing.mcp_server.schemas.list_answers import PersonRead, ProblemRead


class RepositoryRead(BaseModel):
    """A repository."""

    id: UUID
    name: str


class ChangedFile(BaseModel):
    """A file that a commit changes."""

    path: str


class SuspicionReason(BaseModel):
    """A reason for or against a commit."""

    sentence: str


class Suspicion(BaseModel):
    """The suspicion of a commit."""

    probability: float
    changes_binary: bool | None
    reasons: list[SuspicionReason]


class SuspectCommit(BaseModel):
    """A commit with its suspicion."""

    sha: str
    author_name: str
    committed_at: datetime | None
    title: str
    files: list[ChangedFile] | None
    files_total: int | None
    url: str | None
    suspicion: Suspicion


class CommitRange(BaseModel):
    """The commits in a range."""

    repository: RepositoryRead
    good: str
    bad: str
    total: int
    complete: bool
    commits: list[SuspectCommit]


class ComparedCommits(BaseModel):
    """The commits of a comparison."""

    service_id: UUID | None
    base: str | None
    candidate: str | None


class Hunk(BaseModel):
    """Changed lines of a file."""

    old_start: int
    new_start: int
    heading: str
    lines: list[str]


class FileDiff(BaseModel):
    """Changes of a file."""

    old_path: str | None
    new_path: str | None
    binary: bool
    left_out: int
    hunks: list[Hunk]


class CommitDiff(BaseModel):
    """Changes of a commit."""

    state: str
    problem: ProblemRead | None
    is_truncated: bool
    files: list[FileDiff]


class CommitPeople(BaseModel):
    """Author, reviewers and owners of a commit."""

    title: str
    url: str | None
    author: PersonRead
    reviewers: list[PersonRead]
    owners: list[str] | None
    pull_request: PullRequest | None
