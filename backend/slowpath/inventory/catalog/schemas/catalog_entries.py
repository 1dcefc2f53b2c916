"""Wire shapes of services, environments and builds."""

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, AnyHttpUrl, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints
from typing_extensions import TypedDict

from slowpath.platform.http.request_types import JsonInt, reject_number

Name = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100, pattern=r"^[^\x00-\x1f]*$")
]
Text = Annotated[str, StringConstraints(max_length=2000, pattern=r"^[^\x00]*$")]
Word = Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00-\x1f]*$")]
EARLIEST, LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


def _sensible(when: datetime) -> datetime:
    """Raise for times that PostgreSQL stores and Python cannot read: the first and last day of its calendar."""
    known = when if when.tzinfo else when.replace(tzinfo=UTC)
    if not EARLIEST <= known <= LATEST:
        raise ValueError(f"the time must be between the years {EARLIEST.year} and {LATEST.year}")
    return known


When = Annotated[datetime, BeforeValidator(reject_number), AfterValidator(_sensible)]
Link = Annotated[AnyHttpUrl, Field(max_length=2000)]


class RowResponse(BaseModel):
    """Base of response shapes that are read from rows."""

    model_config = ConfigDict(from_attributes=True)


class CatalogRequest(BaseModel):
    """Base of request shapes: unknown members are rejected."""

    model_config = ConfigDict(extra="forbid")


class ServiceOut(RowResponse):
    """A service."""

    id: UUID
    slug: str
    name: str
    description: str
    main_package: str | None
    is_example: bool = False
    """Part of the team's example data."""
    created_at: datetime


class ServiceIn(CatalogRequest):
    """A new service."""

    name: Name
    description: Text = ""
    main_package: Word | None = None


class ServiceUpdate(CatalogRequest):
    """Changes to a service."""

    name: Name | None = None
    description: Text | None = None
    main_package: Word | None = None


class EnvironmentOut(RowResponse):
    """An environment."""

    id: UUID
    slug: str
    name: str
    created_at: datetime


class EnvironmentIn(CatalogRequest):
    """A new environment, or its new name."""

    name: Name


class PullRequestRef(CatalogRequest):
    """The pull request (GitHub) or merge request (GitLab) of a build; `base_branch`: the branch that it is merged to."""

    number: Annotated[JsonInt, Field(ge=1, le=2**53)]
    url: Link | None = None
    base_branch: Word | None = None


class RouteRequestsOut(TypedDict):
    """Requests of one route, method and status class; without all three, those of all routes not listed."""

    route: str
    method: str
    status_class: str
    requests: int


class RunMetadataOut(TypedDict, total=False):
    """What is known of one run; unknown members are absent."""

    run: str
    requests: float
    wall_ns: int
    cpu_ns: int
    go_version: str
    goos: str
    goarch: str
    gomaxprocs: int
    cpu_model: str
    cpu_flags: str | list[str]
    commit: str
    build_id: str
    started_at_ms: int
    ended_at_ms: int
    process_age_ms: int
    requests_by_route: list[RouteRequestsOut]
    pgo_sha256: str


class BuildOut(RowResponse):
    """A build."""

    id: UUID
    service_id: UUID
    commit: str
    go_version: str
    goos: str
    goarch: str
    flags: str
    branch: str | None
    display_name: str | None
    ci_url: str | None
    dependencies: dict[str, str] | None
    committed_at: datetime | None
    parent: str | None
    title: str | None
    author: str | None
    pull_request: PullRequestRef | None
    run_metadata: RunMetadataOut
    created_at: datetime


class BuildIn(CatalogRequest):
    """A new build. The first six fields are its identity."""

    service_id: UUID
    commit: Annotated[Word, StringConstraints(min_length=1)]
    go_version: Word = ""
    goos: Word = ""
    goarch: Word = ""
    flags: Word = ""
    branch: Word | None = None
    display_name: Word | None = None
    ci_url: Link | None = None
    dependencies: Annotated[dict[Word, Word], Field(max_length=5000)] | None = None
    committed_at: When | None = None
    parent: Word | None = None
    title: Word | None = None
    author: Word | None = None
    pull_request: PullRequestRef | None = None


class BuildUpdate(CatalogRequest):
    """Changes to a build; its identity cannot change."""

    branch: Word | None = None
    display_name: Word | None = None
    ci_url: Link | None = None
    committed_at: When | None = None
    parent: Word | None = None
    title: Word | None = None
    author: Word | None = None
    pull_request: PullRequestRef | None = None
