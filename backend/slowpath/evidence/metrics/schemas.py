"""Wire shapes of metric names, rules, settings, change points and deployment checks."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from slowpath.analysis.kinds.metrics.changes.deployment_check import DeploymentCheckDocument
from slowpath.analysis.kinds.metrics.dashboard.dashboard_header import DashboardChangePoint
from slowpath.platform.http.request_types import JsonFloat, JsonInt

Metric = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300, pattern=r"^[^\x00-\x1f]*$")
]
Label = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*$")
]
Value = Annotated[str, StringConstraints(max_length=500, pattern=r"^[^\x00]*$")]
RuleRole = Literal["requests", "latency", "gauge", "ignore"]
MAX_RETENTION_DAYS = 1000


class MetricNameOut(BaseModel):
    """One metric name with its classification and the reason. Service and environment are set if there is only one."""

    name: str
    kind: str
    series: int
    role: Literal["requests", "latency", "gauge"] | None
    reason_code: str = Field(examples=["by-name", "no-service"])
    reason: str
    services: int = Field(description="number of services that its series belong to")
    service_id: UUID | None
    environment_id: UUID | None


class MetricNameList(BaseModel):
    """All received metrics, by name."""

    items: list[MetricNameOut]
    series: int
    max_series: int
    has_more: bool
    """Whether there are more names than listed."""


class MetricRuleIn(BaseModel):
    """A new metric rule: a custom classification. If several rules match, the newest applies."""

    model_config = ConfigDict(extra="forbid")

    metric: Metric = Field(description="name of the metric without _bucket, _sum, _count")
    role: RuleRole
    label_matchers: dict[Label, Value] = Field(
        default_factory=dict, max_length=20, description="only series with these labels"
    )
    service: Label | None = Field(None, description="name of the service, if no label contains it")
    service_label: Label | None = None
    environment_label: Label | None = None
    status_label: Label | None = None
    seconds_per_unit: JsonFloat = Field(
        1.0, gt=0, le=1e12, allow_inf_nan=False, description="factor that converts a latency to seconds"
    )
    title: Label | None = Field(None, description="title of a gauge on the dashboard")


class MetricRuleUpdate(BaseModel):
    """Patch of a metric rule; null removes a value."""

    model_config = ConfigDict(extra="forbid")

    metric: Metric | None = None
    role: RuleRole | None = None
    label_matchers: dict[Label, Value] | None = Field(None, max_length=20)
    service: Label | None = None
    service_label: Label | None = None
    environment_label: Label | None = None
    status_label: Label | None = None
    seconds_per_unit: JsonFloat | None = Field(None, gt=0, le=1e12, allow_inf_nan=False)
    title: Label | None = None


class MetricRuleOut(BaseModel):
    """A metric rule."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    metric: str
    role: str
    label_matchers: dict[str, str]
    service: str | None
    service_label: str | None
    environment_label: str | None
    status_label: str | None
    seconds_per_unit: float
    title: str | None
    created_at: datetime


class MetricSettingsOut(BaseModel):
    """Metric settings of the team, and its number of series."""

    retention_days: int
    series: int
    max_series: int


class MetricSettingsUpdate(BaseModel):
    """Patch of the metric settings."""

    model_config = ConfigDict(extra="forbid")

    retention_days: JsonInt = Field(ge=1, le=MAX_RETENTION_DAYS)


class MetricChangePointList(BaseModel):
    """The newest 1,000 change points in a time range, oldest first."""

    items: list[DashboardChangePoint]


class DeploymentEvaluationOut(BaseModel):
    """Interim verdict on a deployment, a number of minutes after it."""

    minutes_after_deployment: int
    verdict: str
    basis: str
    at: datetime
    check: DeploymentCheckDocument


class DeploymentCheckOut(BaseModel):
    """Verdict on a deployment: the first evaluation `slower`, or else the last one. Null before the first evaluation."""

    deployment_id: UUID
    verdict: str | None
    check: DeploymentCheckDocument | None
    evaluations: list[DeploymentEvaluationOut]
