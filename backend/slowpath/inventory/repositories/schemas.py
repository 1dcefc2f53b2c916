"""Repositories and commits on the wire. Credentials go in and never come out."""

import re
from datetime import datetime
from typing import Annotated, Any, Final, Literal, Self
from uuid import UUID

from pydantic import (
    AfterValidator,
    AnyHttpUrl,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    StringConstraints,
)

from slowpath.analysis.bisect.commit_suspicion import ReasonKind
from slowpath.inventory.repositories.read_models import (
    Closures,
    CommitDiffView,
    DiffState,
    RankedSuspects,
    RepositoryWithServices,
    SuspectCommit,
    commit_url,
)
from slowpath.inventory.repositories.rules import (
    ChangedFile,
    CommitMetadata,
    Credentials,
    DependencyUpdate,
    FileStatus,
    RepositoryKind,
)
from slowpath.inventory.repositories.tables import Commit, Repository

FOLDER: Final = re.compile(r"(?!.*(?:^|/)\.{1,2}(?:/|$))[A-Za-z0-9._~@+-]+(?:/[A-Za-z0-9._~@+-]+)*")
SHA: Final = r"^[0-9a-f]{40}$"


def _folder(said: str) -> str:
    plain = said.strip().removeprefix("./").rstrip("/")
    if plain in {"", "."}:
        return ""
    if not FOLDER.fullmatch(plain):
        raise ValueError("a folder below the root, as in cmd/server")
    return plain


RepositoryName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*$")
]
Url = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
WebUrl = Annotated[AnyHttpUrl, Field(max_length=1_000)]
Secret = Annotated[SecretStr, Field(max_length=4_000)]
Folder = Annotated[str, StringConstraints(max_length=500), AfterValidator(_folder)]
Sha = Annotated[str, StringConstraints(pattern=SHA)]
Spelled = Annotated[str, StringConstraints(min_length=7, max_length=40, pattern=r"^[0-9A-Fa-f]*$")]
Text = Annotated[str, StringConstraints(max_length=20_000)]
Line = Annotated[str, StringConstraints(max_length=1_000)]


class RepositoryRequest(BaseModel):
    """What is sent: nothing that is not asked for."""

    model_config = ConfigDict(extra="forbid")


class RepositoryCredentialsIn(RepositoryRequest):
    """How to sign in at a repository's host."""

    kind: Credentials
    token: Secret | None = Field(None, description="with `bearer`")
    username: Annotated[str, StringConstraints(max_length=500)] | None = Field(None, description="with `basic`")
    password: Secret | None = Field(None, description="with `basic`")


class ServiceSourceIn(RepositoryRequest):
    """A service that is built from a repository."""

    service_id: UUID
    directory: Folder = Field("", description="where its module lies; empty for the root", examples=["services/api"])
    main_package: Folder = Field("", description="its main package, below the directory", examples=["cmd/server"])


class RepositoryIn(RepositoryRequest):
    """A git repository."""

    name: RepositoryName
    url: Url | None = Field(
        None, description="null: only facts of its commits are pushed", examples=["https://github.com/example/api.git"]
    )
    kind: Literal["github", "gitlab", "other"] | None = Field(None, description="guessed from the address if null")
    web_url: WebUrl | None = Field(None, description="what stands before /commit/; known for GitHub and GitLab")
    credentials: RepositoryCredentialsIn | None = None
    services: Annotated[list[ServiceSourceIn], Field(max_length=200)] = []


class RepositoryUpdate(RepositoryRequest):
    """What is to be otherwise. An address on another host wants its credentials again."""

    name: RepositoryName | None = None
    url: Url | None = None
    kind: Literal["github", "gitlab", "other"] | None = None
    web_url: WebUrl | None = None
    credentials: RepositoryCredentialsIn | None = None
    services: Annotated[list[ServiceSourceIn], Field(max_length=200)] | None = None


class ServiceSourceOut(BaseModel):
    """A service that is built from a repository."""

    service_id: UUID
    service_name: str
    directory: str
    main_package: str


class RepositoryOut(BaseModel):
    """A repository. Its credentials are not told."""

    id: UUID
    name: str
    kind: RepositoryKind
    url: str | None
    web_url: str | None
    credentials: Credentials
    default_branch: str | None
    branches: int
    commits: int = Field(description="how many are known")
    is_fetching: bool
    fetched_at: datetime | None
    problem: dict[str, Any] | None = Field(description="why the last fetch ended badly")
    services: list[ServiceSourceOut]
    created_at: datetime

    @classmethod
    def of(cls, kept: RepositoryWithServices) -> Self:
        """Return a repository as it is told."""
        row = kept.row
        built = [
            ServiceSourceOut(
                service_id=one.service_id, service_name=name, directory=one.directory, main_package=one.main_package
            )
            for one, name in kept.services
        ]
        return cls.model_validate(
            {
                "id": row.id,
                "name": row.label,
                "kind": row.kind,
                "url": row.url,
                "web_url": row.web_url,
                "credentials": row.credentials,
                "default_branch": row.default_branch,
                "branches": len(row.branch_heads),
                "commits": kept.commits,
                "is_fetching": kept.fetching,
                "fetched_at": row.fetched_at,
                "problem": row.problem,
                "services": built,
                "created_at": row.created_at,
            }
        )


class RepositoryRef(BaseModel):
    """Which repository."""

    id: UUID
    name: str
    kind: RepositoryKind
    web_url: str | None

    @classmethod
    def of(cls, row: Repository) -> Self:
        """Return a repository in brief."""
        return cls.model_validate({"id": row.id, "name": row.label, "kind": row.kind, "web_url": row.web_url})


class ChangedFileOut(BaseModel):
    """A file that a commit touches, against its first parent."""

    path: str
    lines_added: int | None = Field(description="lines; null for what is no text")
    lines_removed: int | None
    status: FileStatus


class DependencyUpdateOut(BaseModel):
    """A module whose version a commit changes; `go` and `toolchain` stand for themselves."""

    module: str
    old_version: str | None
    new_version: str | None
    file: str


class RepositoryCommit(BaseModel):
    """A commit, as far as it is known."""

    sha: str
    parents: list[str] | None = Field(description="null: nobody told")
    author_name: str
    author_email: str
    authored_at: datetime | None
    committed_at: datetime | None
    title: str
    message: str
    files: list[ChangedFileOut] | None = Field(description="at most 300 of them; null: nobody told")
    files_total: int | None
    lines_added: int | None
    lines_removed: int | None
    dependency_updates: list[DependencyUpdateOut] | None
    url: str | None = Field(description="where people look at it")

    @classmethod
    def of(cls, row: Commit, repository: Repository) -> Self:
        """Return a commit as it is told."""
        names = cls.model_fields.keys() - {"url"}
        return cls.model_validate(
            {name: getattr(row, name) for name in names} | {"url": commit_url(repository, row.sha)}
        )  # fmt: skip


class CommitDetailOut(BaseModel):
    """A commit with its repository."""

    repository: RepositoryRef
    commit: RepositoryCommit
    tags: list[str] = Field(description="that name this commit, as of the last fetch")


class SuspicionReasonOut(BaseModel):
    """Why a commit is or is not suspicious."""

    kind: ReasonKind
    sentence: str


class SuspicionOut(BaseModel):
    """How suspicious a commit is."""

    probability: float = Field(description="of all suspicion in the range, from 0 to 1")
    changes_binary: bool | None = Field(description="null: nobody looked")
    reasons: list[SuspicionReasonOut]


class SuspectCommitOut(RepositoryCommit):
    """A commit between two builds."""

    suspicion: SuspicionOut

    @classmethod
    def suspected(cls, suspect: SuspectCommit, repository: Repository) -> Self:
        """Return a suspect as it is told."""
        told = SuspicionOut(
            probability=suspect.share,
            changes_binary=suspect.changes_binary,
            reasons=[SuspicionReasonOut(kind=one.kind, sentence=one.sentence) for one in suspect.suspicion.reasons],
        )
        return cls.model_validate({**RepositoryCommit.of(suspect.commit, repository).model_dump(), "suspicion": told})


class CommitRangeOut(BaseModel):
    """The commits that are in a bad build and not in a good one, newest first."""

    repository: RepositoryRef
    good: str
    bad: str
    total: int
    complete: bool = Field(description="false: parents of some commits are not known, so there may be more")
    is_ancestor: bool = Field(description="whether the good one is an ancestor of the bad one")
    closure_state: Closures = Field(description="whether it is known which commits change the service's binary")
    commits: list[SuspectCommitOut]

    @classmethod
    def of(cls, found: RankedSuspects) -> Self:
        """Return what lies between two builds as it is told."""
        between = found.between
        return cls(
            repository=RepositoryRef.of(between.repository),
            good=between.good,
            bad=between.bad,
            total=between.total,
            complete=between.complete,
            is_ancestor=between.related,
            closure_state=found.closures,
            commits=[SuspectCommitOut.suspected(one, between.repository) for one in found.suspects],
        )


class HunkOut(BaseModel):
    """Lines that change, with some around them."""

    old_start: int
    new_start: int
    heading: str
    lines: list[str] = Field(description='each begins with " ", "+" or "-"')


class FileDiffOut(BaseModel):
    """What changes in one file."""

    old_path: str | None = Field(description="null: the file is new")
    new_path: str | None = Field(description="null: the file is gone")
    binary: bool
    left_out: int = Field(description="lines that are not told")
    hunks: list[HunkOut]


class CommitDiffOut(BaseModel):
    """What a commit changes line by line."""

    state: DiffState
    problem: dict[str, Any] | None
    is_truncated: bool = Field(description="whether something is left out")
    files: list[FileDiffOut]

    @classmethod
    def of(cls, read: CommitDiffView) -> Self:
        """Return what was read as it is told."""
        content = read.content or {"cut": False, "files": []}
        return cls.model_validate(
            {"state": read.state, "problem": read.problem, "is_truncated": content["cut"], "files": content["files"]}
        )


class CommitIn(RepositoryRequest):
    """What is known of a commit."""

    sha: Sha
    parents: Annotated[list[Sha], Field(max_length=64)] | None = None
    author_name: Line = ""
    author_email: Line = ""
    authored_at: AwareDatetime | None = None
    committed_at: AwareDatetime | None = None
    title: Line = ""
    message: Text = ""
    files: Annotated[list["ChangedFileIn"], Field(max_length=3_000)] | None = None
    dependency_updates: Annotated[list["DependencyUpdateIn"], Field(max_length=200)] | None = None

    def facts(self) -> CommitMetadata:
        """Return them as they are recorded."""
        files, bumps = self.files, self.dependency_updates
        return CommitMetadata(
            sha=self.sha,
            parents=self.parents,
            author_name=self.author_name,
            author_email=self.author_email,
            authored_at=self.authored_at,
            committed_at=self.committed_at,
            title=self.title,
            message=self.message,
            files=None if files is None else [ChangedFile(**one.model_dump()) for one in files],
            dependency_updates=None if bumps is None else [DependencyUpdate(**one.model_dump()) for one in bumps],
        )


class ChangedFileIn(RepositoryRequest):
    """A file that a commit touches."""

    path: Annotated[str, StringConstraints(min_length=1, max_length=4_000)]
    lines_added: Annotated[int, Field(ge=0, le=10_000_000)] | None = None
    lines_removed: Annotated[int, Field(ge=0, le=10_000_000)] | None = None
    status: FileStatus = "modified"


class DependencyUpdateIn(RepositoryRequest):
    """A module whose version a commit changes."""

    module: Line
    old_version: Line | None = None
    new_version: Line | None = None
    file: Line = "go.mod"


class CommitsIn(RepositoryRequest):
    """Facts of commits; telling of one again fills what was open."""

    commits: Annotated[list[CommitIn], Field(min_length=1, max_length=500)]


class CommitsRecordedOut(BaseModel):
    """How many of the commits were not known."""

    new: int


class CommitRangeIn(RepositoryRequest):
    """Two commits."""

    good: Spelled
    bad: Spelled


class JobStartedOut(BaseModel):
    """A job that is on its way; null where nothing is left to be done."""

    job_id: UUID | None
