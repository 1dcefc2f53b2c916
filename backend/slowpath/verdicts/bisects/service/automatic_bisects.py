"""Start a bisect for a confirmed regression where its service allows it, and cancel it once the regression is closed."""

from datetime import datetime, timedelta
from typing import Final

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.errors import InvalidRequest, LimitExceeded, NotFound
from slowpath.core.ids import RegressionId, ServiceId
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.jobs import StartAutomaticBisect
from slowpath.verdicts.bisects.rules.bisect_settings import from_json
from slowpath.verdicts.bisects.rules.bisect_states import MOST_OPEN, OPEN, BisectState
from slowpath.verdicts.bisects.rules.service_rules import AutomaticBisectRules
from slowpath.verdicts.bisects.rules.start_obstacles import StartObstacle
from slowpath.verdicts.bisects.service import bisect_creation, runners, search_steps, service_rules
from slowpath.verdicts.bisects.service.bisect_creation import BisectOptions
from slowpath.verdicts.bisects.tables import Bisect
from slowpath.verdicts.regressions.errors import RegressionNotFound
from slowpath.verdicts.regressions.service import regression_views, triage
from slowpath.verdicts.regressions.tables import Regression

DAY: Final = timedelta(days=1)
LOOKS_AGAIN_AFTER_S: Final = 900.0
"""Time until a start outside the hours or above the budget is considered again."""


TURN_ON: Final = "Turn them on in the section Automatic bisects of the page of the service, or start a bisect now."
CHANGE_RULES: Final = "Change the rules on the page of the service, or start a bisect now."
COMPLETE: Final = "Complete the request on the page of a new bisect."
BY_HAND: Final = "Start a bisect now."
APPROVE: Final = "Approve it on its page, or turn the approval off on the page of the service."
WAIT_OR_CANCEL: Final = "Cancel one, or start this one once another has ended."
NOTHING_MISSING: Final = "Nothing is missing: a bisect starts within 15 minutes, unless the regression was confirmed before the rule was turned on."
START_RUNNER: Final = "Start a runner with the command on the page of a new bisect, or in Settings, Runners."


def enqueue_automatic_start(session: WriteSession, regression_id: RegressionId) -> None:
    """Enqueue the automatic start for a confirmed regression if its service allows it at all."""
    if _find_startable(session, regression_id) is not None:
        enqueue_unless_pending(session, StartAutomaticBisect(regression_id))


def start_automatic_bisect(session: WriteSession, regression_id: RegressionId, *, now: datetime) -> Bisect | None:
    """Start the bisect of a regression once; outside the hours or above the budget, consider it again later.

    Nothing starts for a closed regression, for one that has a bisect, or if the request is incomplete. The history of the
    regression records the reason.
    """
    queries.lock_team(session)  # two jobs of one regression start one bisect
    found = _find_startable(session, regression_id)
    if found is None or queries.has_bisect(session, regression_id):
        return None
    rules, service_id = found
    obstacle = _explain_rules(session, rules, service_id, now)
    if obstacle is not None:
        enqueue_unless_pending(session, StartAutomaticBisect(regression_id), after_s=LOOKS_AGAIN_AFTER_S)
        _record_obstacle(session, regression_id, obstacle)
        return None
    left = _count_left(session, rules, service_id, now)
    asked = BisectOptions(regression_id=regression_id, settings={**rules.settings(), "max_deployments": left})
    try:
        return bisect_creation.create_bisect(session, asked, by=None, now=now, is_automatic=True)
    except LimitExceeded as error:
        obstacle = StartObstacle("capacity", error.detail, error.remedy or WAIT_OR_CANCEL)
    except (InvalidRequest, NotFound) as error:
        obstacle = StartObstacle("incomplete", error.detail, error.remedy or COMPLETE)
    _record_obstacle(session, regression_id, obstacle)
    return None


def _record_obstacle(session: WriteSession, regression_id: RegressionId, obstacle: StartObstacle) -> None:
    row = regression_views.get_regression(session, regression_id)
    triage.record_bisect_obstacle(session, row, obstacle.key, obstacle.sentence)


def explain_start(
    session: ReadSession, regression_id: RegressionId, *, now: datetime
) -> tuple[ServiceId, StartObstacle | None]:
    """Return the service of a regression, and why it has no automatic bisect, or why its newest bisect waits.

    None if nothing is in the way. Raises `RegressionNotFound`.
    """
    row = regression_views.get_regression(session, regression_id)
    return ServiceId(row.service_id), _explain_regression(session, row, now)


def _explain_regression(session: ReadSession, row: Regression, now: datetime) -> StartObstacle | None:
    regression_id = RegressionId(row.id)
    if not row.confirmed or row.closed_at is not None or row.direction != "worse":
        return None
    newest = queries.select_bisects(session, (), None, regression_id, after=None, limit=1)
    if newest:
        return _explain_waiting(session, newest[0], now)
    rules = service_rules.find_rules(session, ServiceId(row.service_id), AutomaticBisectRules)
    if not rules.enabled:
        return StartObstacle("off", "Automatic bisects are off for this service.", TURN_ON)
    return _explain_rules(session, rules, ServiceId(row.service_id), now) or _explain_request(
        session, BisectOptions(regression_id=regression_id, settings=rules.settings())
    )


def _explain_rules(
    session: ReadSession, rules: AutomaticBisectRules, service_id: ServiceId, now: datetime
) -> StartObstacle | None:
    """Return what the rules do not allow now."""
    if not rules.is_within_hours(now):
        allowed = rules.deployment_hours or {}
        when = f"{', '.join(allowed['days'])} from {allowed['from']} to {allowed['to']} ({allowed['zone']})"
        return StartObstacle("hours", f"Deployments are not allowed now: the bisect starts {when}.", CHANGE_RULES)
    if _count_left(session, rules, service_id, now) < 1:
        used = f"The {rules.deployments_per_day} deployments of automatic bisects in 24 hours are used up."
        return StartObstacle("budget", f"{used} The bisect starts later.", CHANGE_RULES)
    return None


def _explain_request(session: ReadSession, asked: BisectOptions) -> StartObstacle:
    """Return what the request lacks."""
    if (count := queries.count_open_bisects(session)) >= MOST_OPEN:
        return StartObstacle("capacity", f"The team has {count} open bisects, the most allowed.", WAIT_OR_CANCEL)
    try:
        bisect_creation.require_startable(session, bisect_creation.complete_request(session, asked))
    except (InvalidRequest, NotFound) as error:
        return StartObstacle("incomplete", error.detail, error.remedy or COMPLETE)
    return StartObstacle("former", NOTHING_MISSING, BY_HAND)


def _explain_waiting(session: ReadSession, bisect: Bisect, now: datetime) -> StartObstacle | None:
    if bisect.state == BisectState.WAITING:
        return StartObstacle("approval", "The bisect waits for the approval of its next round.", APPROVE)
    missing = None
    if bisect.state in OPEN:
        missing = runners.find_missing_runner(session, from_json(bisect.settings), now)
    return None if missing is None else StartObstacle("runner", f"{missing}: the bisect waits for one.", START_RUNNER)


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


def _count_left(session: ReadSession, rules: AutomaticBisectRules, service_id: ServiceId, now: datetime) -> int:
    return rules.deployments_per_day - queries.count_automatic_deployments(session, service_id, now - DAY)


def _find_startable(session: ReadSession, regression_id: RegressionId) -> tuple[AutomaticBisectRules, ServiceId] | None:
    """Return rules and service of an open confirmed regression if its service allows automatic bisects."""
    row = _find_regression(session, regression_id)
    if row is None or not row.confirmed or row.closed_at is not None or row.direction != "worse":
        return None
    service_id = ServiceId(row.service_id)
    rules = service_rules.find_rules(session, service_id, AutomaticBisectRules)
    return (rules, service_id) if rules.enabled else None


def _find_regression(session: ReadSession, regression_id: RegressionId) -> Regression | None:
    try:
        return regression_views.get_regression(session, regression_id)
    except RegressionNotFound:
        return None
