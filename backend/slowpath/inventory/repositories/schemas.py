"""Wire shapes of repositories and commits. Credentials are accepted and never returned."""

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


def _folder(path: str) -> str:
    plain = path.strip().removeprefix("./").rstrip("/")
    if plain in {"", "."}:
        return ""
    if not FOLDER.fullmatch(plain):
        raise ValueError("a directory below the root, for example cmd/server")
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
    """Base of request shapes: unknown members are rejected."""

    model_config = ConfigDict(extra="forbid")


class RepositoryCredentialsIn(RepositoryRequest):
    """Credentials for the host of a repository."""

    kind: Credentials
    token: Secret | None = Field(None, description="for `bearer`")
    username: Annotated[str, StringConstraints(max_length=500)] | None = Field(None, description="for `basic`")
    password: Secret | None = Field(None, description="for `basic`")


class ServiceSourceIn(RepositoryRequest):
    """A service that is built from a repository, in a request."""

    service_id: UUID
    directory: Folder = Field("", description="directory of its module; empty for the root", examples=["services/api"])
    main_package: Folder = Field("", description="its main package, relative to the directory", examples=["cmd/server"])


class RepositoryIn(RepositoryRequest):
    """A new git repository."""

    name: RepositoryName
    url: Url | None = Field(
        None,
        description="null: the repository is not fetched; commit metadata is pushed",
        examples=["https://github.com/example/api.git"],
    )
    kind: Literal["github", "gitlab", "other"] | None = Field(None, description="null: detected from the URL")
    web_url: WebUrl | None = Field(None, description="URL prefix before /commit/, for GitHub and GitLab")
    credentials: RepositoryCredentialsIn | None = None
    services: Annotated[list[ServiceSourceIn], Field(max_length=200)] = []


class RepositoryUpdate(RepositoryRequest):
    """Changes to a repository. A URL on another host requires the credentials again."""

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
    """A repository, without its credentials."""

    id: UUID
    name: str
    kind: RepositoryKind
    url: str | None
    web_url: str | None
    credentials: Credentials
    default_branch: str | None
    branches: int
    commits: int = Field(description="number of known commits")
    is_fetching: bool
    fetched_at: datetime | None
    problem: dict[str, Any] | None = Field(description="why the last fetch failed")
    services: list[ServiceSourceOut]
    created_at: datetime

    @classmethod
    def of(cls, found: RepositoryWithServices) -> Self:
        """Return the wire shape of a repository."""
        row = found.row
        built = [
            ServiceSourceOut(
                service_id=one.service_id, service_name=name, directory=one.directory, main_package=one.main_package
            )
            for one, name in found.services
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
                "commits": found.commits,
                "is_fetching": found.fetching,
                "fetched_at": row.fetched_at,
                "problem": row.problem,
                "services": built,
                "created_at": row.created_at,
            }
        )


class RepositoryRef(BaseModel):
    """ID and name of a repository."""

    id: UUID
    name: str
    kind: RepositoryKind
    web_url: str | None

    @classmethod
    def of(cls, row: Repository) -> Self:
        """Return the reference to a repository."""
        return cls.model_validate({"id": row.id, "name": row.label, "kind": row.kind, "web_url": row.web_url})


class ChangedFileOut(BaseModel):
    """A file that a commit changes, compared with its first parent."""

    path: str
    lines_added: int | None = Field(description="changed lines; null for a binary file")
    lines_removed: int | None
    status: FileStatus


class DependencyUpdateOut(BaseModel):
    """A dependency update of a commit; `go` and `toolchain` are listed like modules."""

    module: str
    old_version: str | None
    new_version: str | None
    file: str


class RepositoryCommit(BaseModel):
    """The known metadata of a commit."""

    sha: str
    parents: list[str] | None = Field(description="null: unknown")
    author_name: str
    author_email: str
    authored_at: datetime | None
    committed_at: datetime | None
    title: str
    message: str
    files: list[ChangedFileOut] | None = Field(description="at most 300; null: unknown")
    files_total: int | None
    lines_added: int | None
    lines_removed: int | None
    dependency_updates: list[DependencyUpdateOut] | None
    url: str | None = Field(description="URL of the commit at the code host")

    @classmethod
    def of(cls, row: Commit, repository: Repository) -> Self:
        """Return the wire shape of a commit."""
        names = cls.model_fields.keys() - {"url"}
        return cls.model_validate(
            {name: getattr(row, name) for name in names} | {"url": commit_url(repository, row.sha)}
        )  # fmt: skip


class CommitDetailOut(BaseModel):
    """A commit with its repository."""

    repository: RepositoryRef
    commit: RepositoryCommit
    tags: list[str] = Field(description="tags and branches of this commit, as of the last fetch")


class SuspicionReasonOut(BaseModel):
    """A reason why a commit is or is not suspicious."""

    kind: ReasonKind
    sentence: str


class SuspicionOut(BaseModel):
    """The suspicion of a commit."""

    probability: float = Field(description="share of the suspicion in the range, from 0 to 1")
    changes_binary: bool | None = Field(description="null: not evaluated")
    reasons: list[SuspicionReasonOut]


class SuspectCommitOut(RepositoryCommit):
    """A commit of the range, with its suspicion."""

    suspicion: SuspicionOut

    @classmethod
    def suspected(cls, suspect: SuspectCommit, repository: Repository) -> Self:
        """Return the wire shape of a suspect commit."""
        scored = SuspicionOut(
            probability=suspect.share,
            changes_binary=suspect.changes_binary,
            reasons=[SuspicionReasonOut(kind=one.kind, sentence=one.sentence) for one in suspect.suspicion.reasons],
        )
        return cls.model_validate({**RepositoryCommit.of(suspect.commit, repository).model_dump(), "suspicion": scored})


class CommitRangeOut(BaseModel):
    """The commits that are in a bad and not in a good build, newest first."""

    repository: RepositoryRef
    good: str
    bad: str
    total: int
    complete: bool = Field(description="false: the parents of some commits are unknown, so the range may have more")
    is_ancestor: bool = Field(description="whether the good commit is an ancestor of the bad commit")
    closure_state: Closures = Field(description="whether the commits that change the service's binary are known")
    commits: list[SuspectCommitOut]

    @classmethod
    def of(cls, found: RankedSuspects) -> Self:
        """Return the wire shape of a commit range."""
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
    """Changed lines with context."""

    old_start: int
    new_start: int
    heading: str
    lines: list[str] = Field(description='each starts with " ", "+" or "-"')


class FileDiffOut(BaseModel):
    """Line changes of one file."""

    old_path: str | None = Field(description="null: the file was added")
    new_path: str | None = Field(description="null: the file was deleted")
    binary: bool
    left_out: int = Field(description="number of omitted lines")
    hunks: list[HunkOut]


class CommitDiffOut(BaseModel):
    """The line changes of a commit."""

    state: DiffState
    problem: dict[str, Any] | None
    is_truncated: bool = Field(description="whether files or lines are omitted")
    files: list[FileDiffOut]

    @classmethod
    def of(cls, read: CommitDiffView) -> Self:
        """Return the wire shape of extracted line changes."""
        content = read.content or {"cut": False, "files": []}
        return cls.model_validate(
            {"state": read.state, "problem": read.problem, "is_truncated": content["cut"], "files": content["files"]}
        )


class CommitIn(RepositoryRequest):
    """Metadata of a commit."""

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
        """Return the metadata as the service records it."""
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
    """A changed file of a commit, in a request."""

    path: Annotated[str, StringConstraints(min_length=1, max_length=4_000)]
    lines_added: Annotated[int, Field(ge=0, le=10_000_000)] | None = None
    lines_removed: Annotated[int, Field(ge=0, le=10_000_000)] | None = None
    status: FileStatus = "modified"


class DependencyUpdateIn(RepositoryRequest):
    """A dependency update of a commit, in a request."""

    module: Line
    old_version: Line | None = None
    new_version: Line | None = None
    file: Line = "go.mod"


class CommitsIn(RepositoryRequest):
    """Metadata of commits; sending a commit again only fills missing fields."""

    commits: Annotated[list[CommitIn], Field(min_length=1, max_length=500)]


class CommitsRecordedOut(BaseModel):
    """The number of commits that were new."""

    new: int


class CommitRangeIn(RepositoryRequest):
    """Two commits."""

    good: Spelled
    bad: Spelled


class JobStartedOut(BaseModel):
    """The enqueued job; null if there is nothing to do."""

    job_id: UUID | None
