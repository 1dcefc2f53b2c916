"""Wire shapes of metric sources. Responses never contain credentials."""

from datetime import datetime
from typing import Annotated, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, SecretStr, StringConstraints

from slowpath.evidence.metric_sources.rules import MOST_LABELS, Credentials
from slowpath.evidence.metric_sources.tables import FederatedService, MetricSource
from slowpath.inventory.catalog.tables import Environment, Service
from slowpath.platform.http.request_types import JsonTime

SourceName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*$")
]
Url = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
Secret = Annotated[SecretStr, Field(max_length=4_000)]


class CredentialsIn(BaseModel):
    """Credentials of a metric source."""

    model_config = ConfigDict(extra="forbid")

    kind: Credentials
    token: Secret | None = Field(None, description="with `bearer`")
    username: Annotated[str, StringConstraints(max_length=500)] | None = Field(None, description="with `basic`")
    password: Secret | None = Field(None, description="with `basic`")


class MetricSourceIn(BaseModel):
    """A new metric source: a Prometheus-compatible API."""

    model_config = ConfigDict(extra="forbid")

    name: SourceName
    url: Url = Field(description="base URL, without /api/v1", examples=["https://prometheus.example/prometheus"])
    credentials: CredentialsIn | None = None


class MetricSourceUpdate(BaseModel):
    """Patch of a metric source. A URL on another host requires the credentials again."""

    model_config = ConfigDict(extra="forbid")

    name: SourceName | None = None
    url: Url | None = None
    credentials: CredentialsIn | None = None


class SkippedMetricOut(BaseModel):
    """Samples that an import skipped, and the reason."""

    metric: str
    count: int
    detail: str


class DownsampledMetricsOut(BaseModel):
    """Metrics imported with `query_range` because their raw samples were not available."""

    count: int
    names: list[str] = Field(description="up to 20 metric names")
    step_s: int = Field(description="step of the values in seconds")
    reason: str


class ImportResultOut(BaseModel):
    """Result of an import."""

    state: str = Field(examples=["done", "failed", "cancelled"])
    from_ms: int
    to_ms: int
    names: int = 0
    series: int = 0
    samples: int = 0
    skipped: list[SkippedMetricOut] = []
    downsampled: DownsampledMetricsOut | None = Field(
        None, description="metrics imported at steps instead of as raw samples"
    )
    detail: str | None = Field(None, description="why the import failed")


class SourceCheckResultOut(BaseModel):
    """Result of the last check of a source."""

    at_ms: int
    version: str | None = Field(None, description="null if the source does not report it")
    names: int | None = Field(None, description="number of metric names in the last hour; null if the check failed")
    recognized_names: list[str] = Field([], description="names that an import would include; at most 500")
    detail: str | None = Field(None, description="why the check failed")


class MetricSourceOut(BaseModel):
    """A metric source, without its credentials."""

    id: UUID
    name: str
    url: str
    credentials: Credentials
    last_import: ImportResultOut | None
    last_check: SourceCheckResultOut | None
    created_at: datetime

    @classmethod
    def of(cls, row: MetricSource) -> Self:
        """Return the wire shape of a source."""
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
    """Result of a check of a source."""

    version: str | None = Field(description="null if the source does not report it")
    names: int = Field(description="number of metric names in the last hour")
    recognized_names: list[str] = Field(description="names that an import would include; at most 500")


class ImportIn(BaseModel):
    """Time range of an import."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    begin: JsonTime = Field(alias="from")
    end: JsonTime = Field(alias="to")


class ImportStartedOut(BaseModel):
    """A started import."""

    job_id: UUID
    from_ms: int = Field(description="start of the imported range; samples older than the retention are not imported")
    to_ms: int


Label = Annotated[str, StringConstraints(max_length=200, pattern=r"^[a-zA-Z_][a-zA-Z0-9_]*$")]
LabelValue = Annotated[str, StringConstraints(max_length=500, pattern=r"^[^\x00-\x1f]*$")]
CatalogName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*$")
]


class FederatedServiceIn(BaseModel):
    """A new federated service: its samples stay at the source."""

    model_config = ConfigDict(extra="forbid")

    service: CatalogName = Field(description="name; created if it does not exist")
    environment: CatalogName = Field("production", description="name; created if it does not exist")
    label_matchers: dict[Label, LabelValue] = Field(
        max_length=MOST_LABELS,
        description="labels that select the series of the service",
        examples=[{"job": "checkout"}],
    )


class NamedRef(BaseModel):
    """ID and name."""

    id: UUID
    name: str


class FederatedServiceOut(BaseModel):
    """A federated service: its samples stay at the source, and the dashboard queries them live."""

    id: UUID
    source_id: UUID
    service: NamedRef
    environment: NamedRef
    label_matchers: dict[str, str]
    created_at: datetime

    @classmethod
    def of(cls, found: tuple[FederatedService, Service, Environment]) -> Self:
        """Return the wire shape of a federated service."""
        row, service, environment = found
        return cls(
            id=row.id,
            source_id=row.source_id,
            service=NamedRef(id=service.id, name=service.name),
            environment=NamedRef(id=environment.id, name=environment.name),
            label_matchers=row.label_matchers,
            created_at=row.created_at,
        )
