"""The header of a dashboard (slowcol "slowpath.board" v1): it describes each row; columns hold the cells.

Times are milliseconds since 1970. Ids are UUIDs as texts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NotRequired

from typing_extensions import TypedDict

from slowpath.analysis.formats.column_file import ColumnHeader
from slowpath.analysis.formats.former_names import FormerNames
from slowpath.analysis.kinds.metrics.changes.change_attribution import Cause
from slowpath.analysis.kinds.metrics.changes.deployment_check import DeploymentCheckDocument, DeployVerdict
from slowpath.analysis.kinds.metrics.changes.latency_change_points import SignalName
from slowpath.analysis.kinds.metrics.panels.panel_gaps import PanelGap
from slowpath.analysis.kinds.metrics.panels.service_panels import HistogramKind, SplitLabel
from slowpath.analysis.kinds.metrics.samples.series_data import LateSamples


@dataclass(frozen=True)
class DashboardEnvironment:
    """An environment that can be shown."""

    id: str
    name: str


@dataclass(frozen=True)
class DashboardService:
    """A service that can be shown."""

    id: str
    slug: str
    name: str


@dataclass(frozen=True)
class DashboardBuild:
    """The build that runs at the end of the time range, and since when."""

    id: str | None
    commit: str
    label: str | None
    since_ms: int | None


@dataclass(frozen=True)
class DashboardLatency:
    """What the latency of a row is computed from, and why it is not shown as quantiles."""

    histogram: HistogramKind
    reason: str | None


@dataclass(frozen=True)
class DashboardRequests:
    """Whether requests are shown, and why not."""

    found: bool
    reason: str | None


@dataclass(frozen=True)
class DashboardSource:
    """The metric source of a federated service; values are at steps if `step_ms` is set."""

    id: str
    name: str
    step_ms: int | None
    problem: str | None


@dataclass(frozen=True)
class DashboardGauge:
    """A gauge of a row, and its largest value."""

    key: str
    name: str
    unit: str
    max: float | None


@dataclass(frozen=True)
class DashboardSplitPart:
    """A line of a row that is split by a label: one value of it, or `values` others together if `value` is null."""

    value: str | None
    values: int


@dataclass(frozen=True)
class DashboardRow:
    """One service with cells. `resets` are the times at which counters began at zero."""

    service: DashboardService
    build: DashboardBuild | None
    latency: DashboardLatency
    requests: DashboardRequests
    source: DashboardSource | None
    instances: int | None
    gaps: Sequence[PanelGap]
    resets: Sequence[int]
    late: Sequence[LateSamples]
    gauges: Sequence[DashboardGauge]
    instance_names: Sequence[str]
    split_labels: Sequence[SplitLabel]
    split: Sequence[DashboardSplitPart]


@dataclass(frozen=True)
class DashboardEdge:
    """A service edge; `ratio` is calls per request of the caller."""

    caller: str
    callee: str
    ratio: float


class DeployedCommit(TypedDict):
    """A new commit of a deployment, as its deployment event had it."""

    id: str
    title: NotRequired[str | None]
    author: NotRequired[str | None]
    url: NotRequired[str | None]


@dataclass(frozen=True)
class DashboardDeployment:
    """A deployment in the time range, with the verdict of its check."""

    id: str
    service_id: str
    build_id: str | None
    commit: str
    label: str | None
    at_ms: int
    ended_ms: int | None
    verdict: DeployVerdict | None
    check: DeploymentCheckDocument | None
    commits: Sequence[DeployedCommit]
    url: str | None


@dataclass(frozen=True)
class DashboardAnnotation:
    """An annotation of a service, or of all."""

    id: str
    service_id: str | None
    at_ms: int
    until_ms: int | None
    text: str


@dataclass(frozen=True)
class DashboardChangePoint:
    """A change point; `before` and `after` are seconds, or requests per second."""

    id: str
    service_id: str
    signal: SignalName
    gauge: str | None
    """Metric of the signal `gauge`."""
    at_ms: int
    before: float
    after: float
    ratio: float
    ratio_low: float
    ratio_high: float
    earliest_ms: int
    latest_ms: int
    cause: Cause
    deployment_id: str | None
    upstream_cause_service_id: str | None
    sentence: str


@dataclass(frozen=True)
class DashboardHeadline:
    """The most important change point, one of `changes`."""

    service_id: str
    change_id: str


@dataclass(frozen=True)
class DashboardTimeShift:
    """The earlier time that is drawn beneath the rows."""

    shift_ms: int
    label: str


@dataclass(frozen=True)
class EmptyDashboard:
    """Why nothing is shown; `newest_ms` is when the newest sample outside the range was measured."""

    code: Literal["no-metrics", "not-recognised", "nothing-in-range"]
    reason: str
    newest_ms: int | None = None


@dataclass(frozen=True, kw_only=True)
class DashboardHeader(ColumnHeader):
    """The grid of all columns, the rows that have columns, all services in order, and what is marked."""

    format: Literal["slowpath.board"] = "slowpath.board"
    from_ms: int
    step_ms: int
    points: int
    environment: DashboardEnvironment | None
    environments: Sequence[DashboardEnvironment]
    now_ms: int
    newest_ms: int | None = None
    order_source: Literal["manual", "spans", "name"] = "name"
    rows: Sequence[DashboardRow] = ()
    services_total: int = 0
    services: Sequence[DashboardService] = ()
    edges: Sequence[DashboardEdge] = ()
    deployments: Sequence[DashboardDeployment] = ()
    annotations: Sequence[DashboardAnnotation] = ()
    changes: Sequence[DashboardChangePoint] = ()
    headline: DashboardHeadline | None = None
    time_shift: DashboardTimeShift | None = None
    time_shift_reason: str | None = None
    empty: EmptyDashboard | None = None


FORMER_DASHBOARD_NAMES = FormerNames(
    names={
        "deploys": "deployments",
        "against": "time_shift",
        "against_why": "time_shift_reason",
        "why": "reason",
        "deploy_id": "deployment_id",
        "follows_service_id": "upstream_cause_service_id",
        "low_ms": "earliest_ms",
        "high_ms": "latest_ms",
        "doubts": "caveats",
    },
    values={
        "cause": {"deploy": "deployment", "follows": "dependency"},
        "order_source": {"hand": "manual"},
        "verdict": {"cannot-tell": "inconclusive"},
    },
)
"""Names in dashboards that snapshots recorded earlier."""
