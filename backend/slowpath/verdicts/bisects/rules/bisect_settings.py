"""Settings of a bisect, and their limits."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from typing import Any, Final, Literal
from zoneinfo import ZoneInfo

from slowpath.analysis.bisect.search_state import SearchSettings
from slowpath.analysis.kinds.metrics.changes.probe_latency import Match

Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
DAYS: Final[tuple[Day, ...]] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True)
class DeploymentHours:
    """Hours in which deployments may start, on these days; the range may cross midnight."""

    days: tuple[Day, ...]
    start: str
    """"09:00", by the clocks of `zone`."""
    end: str
    zone: str

    def allow(self, now: datetime) -> bool:
        """Return whether a deployment may start now."""
        there = now.astimezone(ZoneInfo(self.zone))
        today, yesterday = DAYS[there.weekday()], DAYS[there.weekday() - 1]
        at = f"{there.hour:02}:{there.minute:02}"
        if self.start < self.end:
            return today in self.days and self.start <= at < self.end
        return (today in self.days and at >= self.start) or (yesterday in self.days and at < self.end)


@dataclass(frozen=True)
class Guardrail:
    """Error rate (0 to 1) or p99 (nanoseconds) of an environment above which the bisect stops."""

    environment_id: str | None = None
    error_rate: float | None = None
    p99_ns: float | None = None


@dataclass(frozen=True)
class DashboardSelector:
    """Environment that probes push metrics to, and how the series of a probe are identified."""

    environment_id: str
    match: Match = "instance"


@dataclass(frozen=True)
class BisectSettings:
    """Settings of search, measurement and build."""

    stop_probability: float = 0.95
    slots: int = 1
    """Most concurrent deployments, including the control."""
    max_deployments: int | None = None
    control: bool = False
    max_measurements_per_probe: int = 4
    measurement_seconds: float = 30.0
    warm_up_seconds: float = 10.0
    deployment_seconds: float = 1800.0
    """Longest time until a deployment is healthy."""
    lease_timeout_seconds: float = 600.0
    """Longest silence of a runner before its probes are lost."""
    needs_approval: bool = False
    """Whether each round of deployments requires approval."""
    deployment_hours: DeploymentHours | None = None
    guardrail: Guardrail | None = None
    dashboard_selector: DashboardSelector | None = None
    """Only for latency."""
    between: float | None = None
    """Ratio of the dispersion between deployments to that between measurements, from the service's last bisect of this signature."""
    use_production_baselines: bool = False
    """Whether production baselines replace deployments of the boundaries."""
    runner_labels: Mapping[str, str] = field(default_factory=dict)
    """Labels that a runner requires."""
    main_package: str | None = None
    directory: str = ""
    goos: str = "linux"
    goarch: str = "amd64"
    tags: tuple[str, ...] = ()
    cgo: bool | None = None
    module_repositories: Mapping[str, str] = field(default_factory=dict)
    """Repository ID by module."""
    pauses_after_boundaries: bool = False
    """Whether it pauses once each boundary was deployed and measured once, before the first candidate."""

    def is_for(self, labels: Mapping[str, Any]) -> bool:
        """Return whether a runner has all required labels."""
        return all(labels.get(name) == value for name, value in self.runner_labels.items())

    def search(self, *, larger_is_worse: bool, marks: int = 0) -> SearchSettings:
        """Return the settings of the search; `marks` overrides need no deployment."""
        return SearchSettings(
            belief=self.stop_probability,
            slots=max(self.slots - int(self.control), 1),
            most_windows=self.max_measurements_per_probe,
            most_deploys=None if self.max_deployments is None else self.max_deployments + marks,
            control=self.control,
            larger_is_worse=larger_is_worse,
            between=self.between,
        )


LIVE: Final = frozenset(
    {
        "stop_probability",
        "max_deployments",
        "slots",
        "control",
        "deployment_hours",
        "guardrail",
        "measurement_seconds",
        "warm_up_seconds",
        "needs_approval",
        "max_measurements_per_probe",
        "deployment_seconds",
        "lease_timeout_seconds",
        "runner_labels",
    }
)
"""Settings that can change during the search; the others determine the build."""


SAME_CHECK: Final = (
    "warm_up_seconds", "runner_labels", "main_package", "directory", "goos", "goarch", "tags", "cgo", "module_repositories",
)  # fmt: skip
"""Settings that measurements of the boundaries depend on, besides the source of latency."""


def to_json(settings: BisectSettings) -> dict[str, Any]:
    """Return the stored JSON of settings."""
    document = asdict(settings)
    if settings.deployment_hours is not None:
        hours = settings.deployment_hours
        document["deployment_hours"] = {
            "days": list(hours.days),
            "from": hours.start,
            "to": hours.end,
            "zone": hours.zone,
        }
    return {**document, "tags": list(settings.tags), "module_repositories": dict(settings.module_repositories)}


def from_json(stored: Mapping[str, Any]) -> BisectSettings:
    """Return the settings of stored JSON; fields unknown to older versions get defaults."""
    return apply_settings_update(BisectSettings(), stored)


def apply_settings_update(settings: BisectSettings, update: Mapping[str, Any]) -> BisectSettings:
    """Return settings updated with fields in the form of `to_json`."""
    known = {one.name for one in fields(BisectSettings)}
    values = {name: value for name, value in update.items() if name in known}
    if (hours := values.get("deployment_hours")) is not None:
        values["deployment_hours"] = DeploymentHours(tuple(hours["days"]), hours["from"], hours["to"], hours["zone"])
    if (guard := values.get("guardrail")) is not None:
        environment = guard.get("environment_id")
        values["guardrail"] = Guardrail(
            str(environment) if environment else None, guard.get("error_rate"), guard.get("p99_ns")
        )
    if (board := values.get("dashboard_selector")) is not None:
        values["dashboard_selector"] = DashboardSelector(str(board["environment_id"]), board.get("match", "instance"))
    if "tags" in values:
        values["tags"] = tuple(values["tags"])
    if "module_repositories" in values:
        values["module_repositories"] = {name: str(one) for name, one in values["module_repositories"].items()}
    return replace(settings, **values)
