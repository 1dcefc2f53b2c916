"""What runs where, on the wire: deploys, annotations, the order of services."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import ConfigDict, Field, StringConstraints

from slowpath.inventory.catalog.schemas.catalog_entries import CatalogRequest, Link, RowResponse, ServiceOut, When, Word

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000, pattern=r"^[^\x00]*$")]


class DeployedCommitIn(CatalogRequest):
    """A commit that is new in a deploy."""

    id: Annotated[Word, StringConstraints(min_length=1)]
    title: Word | None = None
    author: Word | None = None
    url: Link | None = None


class DeployedCommitOut(RowResponse):
    """A commit that is new in a deploy, as it was told."""

    id: str
    title: str | None = None
    author: str | None = None
    url: str | None = None


class DeploymentOut(RowResponse):
    """A deploy."""

    id: UUID
    service_id: UUID
    environment_id: UUID
    build_id: UUID | None
    commit: str
    label: str | None
    started_at: datetime
    ended_at: datetime | None
    source: str
    url: str | None
    commits: list[DeployedCommitOut]
    created_at: datetime


class DeploymentIn(CatalogRequest):
    """A deploy to make known; `started_at` is now if it is not said."""

    service_id: UUID
    environment_id: UUID
    build_id: UUID | None = None
    commit: Word = ""
    label: Word | None = None
    started_at: When | None = None
    external_id: Annotated[Word, StringConstraints(min_length=1)] | None = None
    url: Link | None = None
    commits: Annotated[list[DeployedCommitIn], Field(max_length=250, default_factory=list)]


class DeploymentUpdate(CatalogRequest):
    """What is to be changed of a deploy."""

    label: Word | None = None
    url: Link | None = None
    commits: Annotated[list[DeployedCommitIn], Field(max_length=250)] | None = None


class DeploymentEventIn(CatalogRequest):
    """Any message of a deploy tool; recognised by what is in it."""

    model_config = ConfigDict(extra="allow")

    __pydantic_extra__: dict[str, Any]


class AnnotationOut(RowResponse):
    """An annotation."""

    id: UUID
    environment_id: UUID
    service_id: UUID | None
    started_at: datetime
    ended_at: datetime | None
    text: str
    created_by: UUID | None
    created_at: datetime


class AnnotationIn(CatalogRequest):
    """Something to write beside a time."""

    environment_id: UUID
    service_id: UUID | None = None
    started_at: When
    ended_at: When | None = None
    text: Words


class AnnotationUpdate(CatalogRequest):
    """What is to be changed of an annotation."""

    started_at: When | None = None
    ended_at: When | None = None
    text: Words | None = None


class ServiceEdgeOut(CatalogRequest):
    """Who calls whom; `ratio` is calls out for each request in."""

    caller_id: UUID
    callee_id: UUID
    calls: int
    requests: int
    ratio: float | None


class ServiceOrderOut(CatalogRequest):
    """The services of an environment in the order in which requests flow, and why so."""

    services: list[ServiceOut]
    source: Literal["manual", "spans", "name"]
    edges: list[ServiceEdgeOut]


class ServiceOrderIn(CatalogRequest):
    """An order by hand, from top to bottom."""

    service_ids: Annotated[list[UUID], Field(max_length=1000)]
