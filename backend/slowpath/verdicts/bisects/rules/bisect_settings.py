"""How a bisect is to search, and the limits of it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from typing import Any, Final, Literal
from zoneinfo import ZoneInfo

from slowpath.analysis.bisect.search_state import SearchSettings
from slowpath.analysis.kinds.metrics.probe_latency import Match

Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
DAYS: Final[tuple[Day, ...]] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True)
class DeploymentHours:
    """When deploys may begin: on these days, from one time up to another, which may lie behind midnight."""

    days: tuple[Day, ...]
    start: str
    """"09:00", by the clocks of `zone`."""
    end: str
    zone: str

    def allow(self, now: datetime) -> bool:
        """Tell whether a deploy may begin now."""
        there = now.astimezone(ZoneInfo(self.zone))
        today, yesterday = DAYS[there.weekday()], DAYS[there.weekday() - 1]
        at = f"{there.hour:02}:{there.minute:02}"
        if self.start < self.end:
            return today in self.days and self.start <= at < self.end
        return (today in self.days and at >= self.start) or (yesterday in self.days and at < self.end)


@dataclass(frozen=True)
class Guardrail:
    """What of an environment stops the search: its error rate (of 1), or its p99, in nanoseconds, above this."""

    environment_id: str | None = None
    error_rate: float | None = None
    p99_ns: float | None = None


@dataclass(frozen=True)
class DashboardSelector:
    """Where what is deployed pushes its metrics, and by what its series are told from others there."""

    environment_id: str
    match: Match = "instance"


@dataclass(frozen=True)
class BisectSettings:
    """How to search, how to measure, and what is built."""

    stop_probability: float = 0.95
    slots: int = 1
    """How many deploys there may be at a time, the control among them."""
    max_deployments: int | None = None
    control: bool = False
    max_measurements_per_probe: int = 4
    measurement_seconds: float = 30.0
    warm_up_seconds: float = 10.0
    deployment_seconds: float = 1800.0
    """So long a deploy may take until it is healthy."""
    lease_timeout_seconds: float = 600.0
    """So long a runner may be silent before its deploys count as lost."""
    needs_approval: bool = False
    """Whether a person must allow each round of deploys."""
    deployment_hours: DeploymentHours | None = None
    guardrail: Guardrail | None = None
    dashboard_selector: DashboardSelector | None = None
    """Of a search on latency."""
    between: float | None = None
    """Spread between deploys over that between windows, measured by the service's last bisect of the same signature."""
    use_production_baselines: bool = False
    """Whether what production measured of the two ends stands for deploys of them."""
    runner_labels: Mapping[str, str] = field(default_factory=dict)
    """Only runners that have all of these deploy for it."""
    main_package: str | None = None
    directory: str = ""
    goos: str = "linux"
    goarch: str = "amd64"
    tags: tuple[str, ...] = ()
    cgo: bool | None = None
    module_repositories: Mapping[str, str] = field(default_factory=dict)
    """Module to the id of the team's repository it lies in."""

    def is_for(self, labels: Mapping[str, Any]) -> bool:
        """Tell whether a runner with these labels may deploy for it."""
        return all(labels.get(name) == value for name, value in self.runner_labels.items())

    def search(self, *, larger_is_worse: bool, marks: int = 0) -> SearchSettings:
        """Return what the search knows of them; `marks` were made by hand and cost no deploy."""
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
"""What may be changed while the search goes on; the rest says what is built."""


def to_json(settings: BisectSettings) -> dict[str, Any]:
    """Return settings as they are kept."""
    told = asdict(settings)
    if settings.deployment_hours is not None:
        hours = settings.deployment_hours
        told["deployment_hours"] = {"days": list(hours.days), "from": hours.start, "to": hours.end, "zone": hours.zone}
    return {**told, "tags": list(settings.tags), "module_repositories": dict(settings.module_repositories)}


def from_json(told: Mapping[str, Any]) -> BisectSettings:
    """Return settings that were kept; what was kept by an older version has the usual values."""
    return apply_settings_update(BisectSettings(), told)


def apply_settings_update(settings: BisectSettings, said: Mapping[str, Any]) -> BisectSettings:
    """Return settings with what is said of them, in the form of `to_json`."""
    known = {one.name for one in fields(BisectSettings)}
    values = {name: value for name, value in said.items() if name in known}
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
