"""What a service allows: automatic bisects of its regressions, and measurements of its pull requests. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from slowpath.analysis.bisect.pair_settings import DEFAULT_SMALLEST_CHANGE
from slowpath.verdicts.bisects.rules.bisect_settings import BisectSettings, apply_settings_update

DEFAULT_DEPLOYMENTS_PER_DAY: Final = 30


@dataclass(frozen=True)
class ServiceRules:
    """What both kinds of rules have. The members of each kind are the columns of its table."""

    enabled: bool = False
    runner_labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class AutomaticBisectRules(ServiceRules):
    """When confirmed regressions of a service start a bisect by themselves."""

    deployments_per_day: int = DEFAULT_DEPLOYMENTS_PER_DAY
    needs_approval: bool = True
    deployment_hours: Mapping[str, Any] | None = None
    """As stored in the settings of a bisect; None: always."""

    def settings(self) -> dict[str, Any]:
        """Return the settings of a bisect that starts by itself."""
        return {
            "needs_approval": self.needs_approval,
            "deployment_hours": self.deployment_hours,
            "runner_labels": dict(self.runner_labels),
        }

    def is_within_hours(self, now: datetime) -> bool:
        """Return whether a bisect may start now."""
        hours = apply_settings_update(BisectSettings(), self.settings()).deployment_hours
        return hours is None or hours.allow(now)


@dataclass(frozen=True)
class MeasurementRules(ServiceRules):
    """When pull requests of a service are measured, and by what."""

    base_branches: Sequence[str] = ()
    """Branches whose pull requests are measured; none: the default branch of the repository."""
    minutes_per_day: int = 120
    """Most minutes of deployments for pull requests of the service in 24 hours."""
    minutes_per_pull_request: int = 45
    smallest_change: float = DEFAULT_SMALLEST_CHANGE
    measurement_seconds: float = 10.0
    warm_up_seconds: float = 5.0
    signature: Sequence[str] | None = None
    """Kind and subject of what is measured; None: the number that the runner's command prints."""
