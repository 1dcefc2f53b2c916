"""Wire shapes of deployments, annotations and the service order."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import ConfigDict, Field, StringConstraints, model_validator

from slowpath.inventory.catalog.schemas.catalog_entries import (
    CatalogRequest,
    Link,
    Name,
    RowResponse,
    ServiceOut,
    When,
    Word,
)

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000, pattern=r"^[^\x00]*$")]


class DeployedCommitIn(CatalogRequest):
    """A commit that is new in a deployment, in a request."""

    id: Annotated[Word, StringConstraints(min_length=1)]
    title: Word | None = None
    author: Word | None = None
    url: Link | None = None


class DeployedCommitOut(RowResponse):
    """A commit that is new in a deployment."""

    id: str
    title: str | None = None
    author: str | None = None
    url: str | None = None


class DeploymentOut(RowResponse):
    """A deployment."""

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
    """A new deployment; `started_at` defaults to now.

    Service and environment are given by name, which creates what is new, or by ID.
    """

    service: Name | None = None
    service_id: UUID | None = None
    environment: Name | None = None
    environment_id: UUID | None = None
    build_id: UUID | None = None
    commit: Word = ""
    label: Word | None = None
    started_at: When | None = None
    external_id: Annotated[Word, StringConstraints(min_length=1)] | None = None
    url: Link | None = None
    commits: Annotated[list[DeployedCommitIn], Field(max_length=250, default_factory=list)]

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        if (self.service is None) == (self.service_id is None):
            raise ValueError("Give either service (its name) or service_id.")
        if (self.environment is None) == (self.environment_id is None):
            raise ValueError("Give either environment (its name) or environment_id.")
        return self


class DeploymentUpdate(CatalogRequest):
    """Changes to a deployment."""

    label: Word | None = None
    url: Link | None = None
    commits: Annotated[list[DeployedCommitIn], Field(max_length=250)] | None = None


class DeploymentEventIn(CatalogRequest):
    """A deployment event of any supported deploy tool, recognized by its content."""

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
    """A new annotation."""

    environment_id: UUID
    service_id: UUID | None = None
    started_at: When
    ended_at: When | None = None
    text: Words


class AnnotationUpdate(CatalogRequest):
    """Changes to an annotation."""

    started_at: When | None = None
    ended_at: When | None = None
    text: Words | None = None


class ServiceEdgeOut(CatalogRequest):
    """A caller and a callee; `ratio` is outgoing calls per incoming request."""

    caller_id: UUID
    callee_id: UUID
    calls: int
    requests: int
    ratio: float | None


class ServiceOrderOut(CatalogRequest):
    """The service order of an environment, with its reasons."""

    services: list[ServiceOut]
    source: Literal["manual", "spans", "name"]
    edges: list[ServiceEdgeOut]


class ServiceOrderIn(CatalogRequest):
    """A manual service order, from top to bottom."""

    service_ids: Annotated[list[UUID], Field(max_length=1000)]
