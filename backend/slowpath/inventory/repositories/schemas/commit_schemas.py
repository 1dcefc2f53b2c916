"""Request and response bodies of commits, ranges and diffs."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Self
from uuid import UUID

from pydantic import (
    BaseModel,
    Field,
    StringConstraints,
)

from slowpath.analysis.bisect.commit_suspicion import ReasonKind
from slowpath.inventory.repositories.read_models import (
    Closures,
    CommitDiffView,
    CommitPeople,
    DeploymentPeople,
    DiffState,
    OwnersReason,
    PersonOfCommit,
    RankedSuspects,
    SuspectCommit,
    commit_url,
)
from slowpath.inventory.repositories.rules import (
    ChangedFile,
    CommitMetadata,
    DependencyUpdate,
    FileStatus,
)
from slowpath.inventory.repositories.schemas.repository_schemas import (
    Line,
    RepositoryRef,
    RepositoryRequest,
    Sha,
    Spelled,
    Text,
)
from slowpath.inventory.repositories.tables import Commit, Repository
from slowpath.platform.http.problems import StoredProblem
from slowpath.platform.http.request_types import JsonTime


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


class PersonOut(BaseModel):
    """A person of a commit, as git names them."""

    name: str
    user_id: UUID | None = Field(description="the member with this address, login or name; null: none, or several")
    user_name: str | None


class PullRequestOut(BaseModel):
    """The pull request of a commit, as CI or a webhook reported it."""

    number: int
    url: str | None


class CommitPeopleOut(BaseModel):
    """Author and reviewers of a commit, and the owners of the files that it changes."""

    repository: RepositoryRef
    sha: str
    title: str
    url: str | None = Field(description="URL of the commit at the code host")
    author: PersonOut
    reviewers: list[PersonOut] = Field(
        description="of the trailers Reviewed-by and Acked-by, and of reviews of its pull request"
    )
    owners: list[str] | None = Field(description="by CODEOWNERS at this commit; null: unknown")
    owner_members: list[PersonOut] = Field(description="members whose address or login CODEOWNERS names")
    owners_reason: OwnersReason | None = Field(description="why the owners are unknown")
    pull_request: PullRequestOut | None

    @classmethod
    def of(cls, found: CommitPeople) -> Self:
        """Return the wire shape of the people of a commit."""
        return cls(
            repository=RepositoryRef.of(found.repository),
            sha=found.commit.sha,
            title=found.commit.title,
            url=commit_url(found.repository, found.commit.sha),
            author=_person(found.author),
            reviewers=[_person(one) for one in found.reviewers],
            owners=None if found.owners is None else list(found.owners),
            owner_members=[
                PersonOut(name=one.name, user_id=one.user_id, user_name=one.name) for one in found.owner_members
            ],
            owners_reason=found.owners_reason,
            pull_request=None if found.pull_request is None else PullRequestOut.model_validate(found.pull_request),
        )


class DeploymentPersonOut(PersonOut):
    """An author or reviewer of commits of a deployment."""

    commits: int


class DeploymentPeopleOut(BaseModel):
    """Authors and reviewers of the commits since the former deployment, and owners of the files that they change."""

    former_commit: str
    commits: int
    complete: bool = Field(description="false: the parents of some commits are unknown, so there may be more")
    authors: list[DeploymentPersonOut] = Field(description="most commits first, at most 20")
    reviewers: list[DeploymentPersonOut] = Field(description="most commits first, at most 20")
    owners: list[str] | None = Field(description="by CODEOWNERS at the deployed commit; null: unknown")
    owners_reason: OwnersReason | None = Field(description="why the owners are unknown")

    @classmethod
    def of(cls, found: DeploymentPeople) -> Self:
        """Return the wire shape of the people of a deployment."""
        return cls(
            former_commit=found.former_commit,
            commits=found.commits,
            complete=found.complete,
            authors=_count_people(found.authors),
            reviewers=_count_people(found.reviewers),
            owners=None if found.owners is None else list(found.owners),
            owners_reason=found.owners_reason,
        )


def _count_people(found: Sequence[tuple[PersonOfCommit, int]]) -> list[DeploymentPersonOut]:
    return [DeploymentPersonOut(**_person(one).model_dump(), commits=commits) for one, commits in found]


def _person(one: PersonOfCommit) -> PersonOut:
    member = one.member
    return PersonOut(
        name=one.person.name,
        user_id=None if member is None else member.user_id,
        user_name=None if member is None else member.name,
    )


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

    repository: RepositoryRef | None = Field(description="null: the range is unknown, see `unknown_reason`")
    unknown_reason: str | None = Field(description="why the commits of the range are unknown, and what to do")
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
            unknown_reason=None,
            good=between.good,
            bad=between.bad,
            total=between.total,
            complete=between.complete,
            is_ancestor=between.related,
            closure_state=found.closures,
            commits=[SuspectCommitOut.suspected(one, between.repository) for one in found.suspects],
        )

    @classmethod
    def unknown(cls, good: str, bad: str, reason: str) -> Self:
        """Return the wire shape of a range whose repository or commits are unknown."""
        return cls(
            repository=None,
            unknown_reason=reason,
            good=good,
            bad=bad,
            total=0,
            complete=False,
            is_ancestor=False,
            closure_state="unknown",
            commits=[],
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
    problem: StoredProblem
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
    authored_at: JsonTime | None = None
    committed_at: JsonTime | None = None
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
