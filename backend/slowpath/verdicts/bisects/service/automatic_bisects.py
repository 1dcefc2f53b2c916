"""Start a bisect for a confirmed regression where its service allows it, and cancel it once the regression is closed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.errors import InvalidRequest, LimitExceeded, NotFound
from slowpath.core.ids import RegressionId, ServiceId, new_id
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.inventory.catalog import service as catalog
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.jobs import StartAutomaticBisect
from slowpath.verdicts.bisects.rules.bisect_settings import BisectSettings, apply_settings_update
from slowpath.verdicts.bisects.rules.bisect_states import BisectState
from slowpath.verdicts.bisects.service import bisect_creation, search_steps
from slowpath.verdicts.bisects.service.bisect_creation import BisectOptions
from slowpath.verdicts.bisects.tables import AutomaticBisect, Bisect
from slowpath.verdicts.regressions.errors import RegressionNotFound
from slowpath.verdicts.regressions.service import regression_views
from slowpath.verdicts.regressions.tables import Regression

DEFAULT_DEPLOYMENTS_PER_DAY: Final = 30
DAY: Final = timedelta(days=1)
LOOKS_AGAIN_AFTER_S: Final = 900.0
"""Time until a start outside the hours or above the budget is considered again."""


@dataclass(frozen=True)
class AutomaticBisectRules:
    """When confirmed regressions of a service start a bisect by themselves."""

    enabled: bool = False
    deployments_per_day: int = DEFAULT_DEPLOYMENTS_PER_DAY
    needs_approval: bool = True
    deployment_hours: Mapping[str, Any] | None = None
    """As stored in the settings of a bisect; None: always."""
    runner_labels: Mapping[str, str] = field(default_factory=dict)


def get_rules(session: ReadSession, service_id: ServiceId) -> AutomaticBisectRules:
    """Return the rules of a service; off unless they were set. Raises `ServiceNotFound`."""
    catalog.service(session, service_id)
    row = queries.select_automatic_bisect(session, service_id)
    return AutomaticBisectRules() if row is None else _rules_of(row)


def set_rules(session: WriteSession, service_id: ServiceId, rules: AutomaticBisectRules) -> None:
    """Set the rules of a service. Regressions that are open already start nothing. Raises `ServiceNotFound`."""
    catalog.service(session, service_id)
    queries.lock_team(session)
    row = queries.select_automatic_bisect(session, service_id)
    if row is None:
        row = AutomaticBisect(team_id=session.team_id, id=new_id(), service_id=service_id)
        session.add(row)
    row.enabled, row.needs_approval = rules.enabled, rules.needs_approval
    row.deployments_per_day = rules.deployments_per_day
    row.deployment_hours = None if rules.deployment_hours is None else dict(rules.deployment_hours)
    row.runner_labels = dict(rules.runner_labels)
    session.flush()


def enqueue_automatic_start(session: WriteSession, regression_id: RegressionId) -> None:
    """Enqueue the automatic start for a confirmed regression if its service allows it at all."""
    if _find_startable(session, regression_id) is not None:
        enqueue_unless_pending(session, StartAutomaticBisect(regression_id))


def start_automatic_bisect(session: WriteSession, regression_id: RegressionId, *, now: datetime) -> Bisect | None:
    """Start the bisect of a regression once; outside the hours or above the budget, consider it again later.

    Nothing starts for a closed regression, for one that has a bisect, or if the request is incomplete.
    """
    queries.lock_team(session)  # two jobs of one regression start one bisect
    found = _find_startable(session, regression_id)
    if found is None or queries.has_bisect(session, regression_id):
        return None
    rules, service_id = found
    settings: dict[str, Any] = {
        "needs_approval": rules.needs_approval,
        "deployment_hours": rules.deployment_hours,
        "runner_labels": dict(rules.runner_labels),
    }
    hours = apply_settings_update(BisectSettings(), settings).deployment_hours
    left = rules.deployments_per_day - queries.count_automatic_deployments(session, service_id, now - DAY)
    if left < 1 or (hours is not None and not hours.allow(now)):
        enqueue_unless_pending(session, StartAutomaticBisect(regression_id), after_s=LOOKS_AGAIN_AFTER_S)
        return None
    asked = BisectOptions(regression_id=regression_id, settings={**settings, "max_deployments": left})
    try:
        return bisect_creation.create_bisect(session, asked, by=None, now=now, is_automatic=True)
    except (InvalidRequest, LimitExceeded, NotFound):  # the page of the regression names what is missing
        return None


def cancel_if_closed(session: WriteSession, bisect: Bisect, *, now: datetime) -> bool:
    """Cancel an automatic bisect whose regression was closed; return whether it was. The bisect is locked."""
    if not bisect.is_automatic or bisect.regression_id is None:
        return False
    regression = _find_regression(session, RegressionId(bisect.regression_id))
    if regression is None or regression.closed_at is None:
        return False
    bisect.state = BisectState.CANCELLED
    reason = f"The regression was closed as {regression.state}."
    probes = queries.select_probes(session, bisect.id)
    search_steps.tear_down_bisect(session, bisect, probes, "cancelled", {"reason": reason}, now=now)
    return True


def _find_startable(session: ReadSession, regression_id: RegressionId) -> tuple[AutomaticBisectRules, ServiceId] | None:
    """Return rules and service of an open confirmed regression if its service allows automatic bisects."""
    row = _find_regression(session, regression_id)
    if row is None or not row.confirmed or row.closed_at is not None or row.direction != "worse":
        return None
    stored = queries.select_automatic_bisect(session, row.service_id)
    return None if stored is None or not stored.enabled else (_rules_of(stored), ServiceId(row.service_id))


def _find_regression(session: ReadSession, regression_id: RegressionId) -> Regression | None:
    try:
        return regression_views.get_regression(session, regression_id)
    except RegressionNotFound:
        return None


def _rules_of(row: AutomaticBisect) -> AutomaticBisectRules:
    return AutomaticBisectRules(
        row.enabled, row.deployments_per_day, row.needs_approval, row.deployment_hours, row.runner_labels
    )
