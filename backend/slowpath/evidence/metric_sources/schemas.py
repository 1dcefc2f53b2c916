"""Sources on the wire. Credentials go in and never come out."""

from datetime import datetime
from typing import Annotated, Self
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, SecretStr, StringConstraints

from slowpath.evidence.metric_sources.rules import MOST_LABELS, Credentials
from slowpath.evidence.metric_sources.tables import FederatedService, MetricSource
from slowpath.inventory.catalog.tables import Environment, Service

SourceName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*$")
]
Url = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
Secret = Annotated[SecretStr, Field(max_length=4_000)]


class CredentialsIn(BaseModel):
    """How to sign in at a source."""

    model_config = ConfigDict(extra="forbid")

    kind: Credentials
    token: Secret | None = Field(None, description="with `bearer`")
    username: Annotated[str, StringConstraints(max_length=500)] | None = Field(None, description="with `basic`")
    password: Secret | None = Field(None, description="with `basic`")


class MetricSourceIn(BaseModel):
    """A Prometheus-compatible API."""

    model_config = ConfigDict(extra="forbid")

    name: SourceName
    url: Url = Field(description="what stands before /api/v1", examples=["https://prometheus.example/prometheus"])
    credentials: CredentialsIn | None = None


class MetricSourceUpdate(BaseModel):
    """What is to be otherwise. An address on another host wants its credentials again."""

    model_config = ConfigDict(extra="forbid")

    name: SourceName | None = None
    url: Url | None = None
    credentials: CredentialsIn | None = None


class SkippedMetricOut(BaseModel):
    """What an import did not bring, and why."""

    metric: str
    count: int
    detail: str


class DownsampledMetricsOut(BaseModel):
    """What was brought by `query_range`, because samples as they are could not be had."""

    count: int
    names: list[str] = Field(description="the first twenty")
    step_s: int = Field(description="how far apart the values are, in seconds")
    reason: str


class ImportResultOut(BaseModel):
    """How an import ended."""

    state: str = Field(examples=["done", "failed", "cancelled"])
    from_ms: int
    to_ms: int
    names: int = 0
    series: int = 0
    samples: int = 0
    skipped: list[SkippedMetricOut] = []
    downsampled: DownsampledMetricsOut | None = Field(
        None, description="names that were brought at steps, not as they are"
    )
    detail: str | None = Field(None, description="why it ended badly")


class SourceCheckResultOut(BaseModel):
    """What came of the last check."""

    at_ms: int
    version: str | None = Field(None, description="null where the source does not say")
    names: int | None = Field(None, description="names of series in the hour before it; null if nothing answered")
    recognized_names: list[str] = Field([], description="those of them that would be imported; at most 500")
    detail: str | None = Field(None, description="why nothing answered")


class MetricSourceOut(BaseModel):
    """A source. Its credentials are not told."""

    id: UUID
    name: str
    url: str
    credentials: Credentials
    last_import: ImportResultOut | None
    last_check: SourceCheckResultOut | None
    created_at: datetime

    @classmethod
    def of(cls, row: MetricSource) -> Self:
        """Return a row as it is told."""
        return cls.model_validate(
            {
                "id": row.id,
                "name": row.label,
                "url": row.url,
                "credentials": row.credentials,
                "last_import": row.last_import,
                "last_check": row.last_check,
                "created_at": row.created_at,
            }
        )


class SourceCheckOut(BaseModel):
    """What answers at a source."""

    version: str | None = Field(description="null where the source does not say")
    names: int = Field(description="names of series in the last hour")
    recognized_names: list[str] = Field(description="those of them that would be imported; at most 500")


class ImportIn(BaseModel):
    """Which interval is imported."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    begin: AwareDatetime = Field(alias="from")
    end: AwareDatetime = Field(alias="to")


class ImportStartedOut(BaseModel):
    """An import that is on its way."""

    job_id: UUID
    from_ms: int = Field(description="what is older than samples are kept is not imported")
    to_ms: int


Label = Annotated[str, StringConstraints(max_length=200, pattern=r"^[a-zA-Z_][a-zA-Z0-9_]*$")]
LabelValue = Annotated[str, StringConstraints(max_length=500, pattern=r"^[^\x00-\x1f]*$")]
CatalogName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*$")
]


class FederatedServiceIn(BaseModel):
    """A service whose samples stay with the source."""

    model_config = ConfigDict(extra="forbid")

    service: CatalogName = Field(description="its name; made if it is new")
    environment: CatalogName = Field("production", description="its name; made if it is new")
    label_matchers: dict[Label, LabelValue] = Field(
        max_length=MOST_LABELS, description="labels of its series", examples=[{"job": "checkout"}]
    )


class NamedRef(BaseModel):
    """Something with a name."""

    id: UUID
    name: str


class FederatedServiceOut(BaseModel):
    """A service whose samples stay with the source: the board asks for them when it is looked at."""

    id: UUID
    source_id: UUID
    service: NamedRef
    environment: NamedRef
    label_matchers: dict[str, str]
    created_at: datetime

    @classmethod
    def of(cls, found: tuple[FederatedService, Service, Environment]) -> Self:
        """Return a row with its names as it is told."""
        row, service, environment = found
        return cls(
            id=row.id,
            source_id=row.source_id,
            service=NamedRef(id=service.id, name=service.name),
            environment=NamedRef(id=environment.id, name=environment.name),
            label_matchers=row.label_matchers,
            created_at=row.created_at,
        )
