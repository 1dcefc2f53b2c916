"""Wire shapes of repositories and commits. Credentials are accepted and never returned."""

import re
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Final, Literal, Self
from uuid import UUID

from pydantic import (
    AfterValidator,
    AnyHttpUrl,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    StringConstraints,
    model_validator,
)

from slowpath.inventory.repositories.read_models import HostRepositories, RepositoryWithServices
from slowpath.inventory.repositories.rules import (
    Credentials,
    RepositoryKind,
)
from slowpath.inventory.repositories.rules.code_host_links import MOST_TEMPLATE, check_file_template
from slowpath.inventory.repositories.tables import Repository
from slowpath.platform.http.problems import StoredProblem

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
FetchedKind = Literal["github", "gitlab", "bitbucket", "gitea", "other"]
FileTemplate = Annotated[str, StringConstraints(max_length=MOST_TEMPLATE), AfterValidator(check_file_template)]
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
    kind: FetchedKind | None = Field(None, description="null: detected from the URL")
    web_url: WebUrl | None = Field(None, description="the repository's page at its code host")
    file_template: FileTemplate | None = Field(
        None,
        description="address of a file at a commit; null: it follows from `kind` and `web_url`",
        examples=["https://code.example.org/api/+/{commit}/{path}?line={line}"],
    )
    credentials: RepositoryCredentialsIn | None = None
    credentials_of: UUID | None = Field(
        None, description="a repository at the same host whose stored credentials are used, instead of `credentials`"
    )
    services: Annotated[list[ServiceSourceIn], Field(max_length=200)] = []

    @model_validator(mode="after")
    def _has_one_source_of_credentials(self) -> Self:
        if self.credentials is not None and self.credentials_of is not None:
            raise ValueError("credentials and credentials_of exclude each other")
        return self


class RepositoryUpdate(RepositoryRequest):
    """Changes to a repository. A URL on another host requires the credentials again."""

    name: RepositoryName | None = None
    url: Url | None = None
    kind: FetchedKind | None = None
    web_url: WebUrl | None = None
    file_template: FileTemplate | None = Field(None, description="an explicit null removes it")
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
    file_template: str | None
    credentials: Credentials
    default_branch: str | None
    branches: int
    commits: int = Field(description="number of known commits")
    is_fetching: bool
    fetched_at: datetime | None
    problem: StoredProblem = Field(description="why the last fetch failed")
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
                "file_template": row.file_template,
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


class HostRepositoryOut(BaseModel):
    """A repository at a code host."""

    name: str = Field(description="owner and name, or groups and name", examples=["example/api"])
    url: str = Field(description="its clone URL")
    description: str
    default_branch: str | None
    is_added: bool = Field(description="whether the team has a repository with this URL")


class HostRepositoriesOut(BaseModel):
    """Repositories at a code host."""

    items: list[HostRepositoryOut]
    is_complete: bool = Field(description="false: the host has more than 1,000")

    @classmethod
    def of(cls, found: HostRepositories) -> Self:
        """Return the wire shape of a list."""
        return cls(items=[HostRepositoryOut(**asdict(one)) for one in found.items], is_complete=found.is_complete)
