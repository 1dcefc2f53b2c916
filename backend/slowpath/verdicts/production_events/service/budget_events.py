"""Open, update and close production events by the budgets of their services.

An exceeded budget is a cause of the open event of its service; only without one it opens an event, which is announced at once:
the evaluation needs no confirmation (`budgets.rules`). An event that a user closed stays closed until the budget was within
its limit once.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from uuid import UUID

from slowpath.commit_names import short_commit
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BudgetId, DeployId, EnvironmentId, ServiceId, new_id
from slowpath.evidence.metrics.service import deployment_checks
from slowpath.inventory.catalog import service as catalog
from slowpath.verdicts.budgets.read_models import BudgetMeasurement
from slowpath.verdicts.budgets.rules import RANGE, BudgetState, Interval
from slowpath.verdicts.budgets.service import budgets
from slowpath.verdicts.budgets.tables import Budget
from slowpath.verdicts.budgets.wording import format_limit
from slowpath.verdicts.production_events import queries, wording
from slowpath.verdicts.production_events.rules.change_groups import REOPEN_WITHIN
from slowpath.verdicts.production_events.rules.event_ends import LEAST_LOAD_SHARE, EventBudget
from slowpath.verdicts.production_events.rules.event_severity import decide_severity, estimate_added_latency
from slowpath.verdicts.production_events.rules.event_states import OPEN, ProductionEventState
from slowpath.verdicts.production_events.service.event_ends import decide_budget_end, end_without_budget
from slowpath.verdicts.production_events.service.event_history import close_event, record_history
from slowpath.verdicts.production_events.tables import ProductionEvent, ProductionEventBudget


@dataclass(frozen=True)
class _CausingDeployment:
    """The deployment that exceeds a budget per release, and the one before."""

    id: UUID
    name: str
    commit: str | None
    former_commit: str | None
    started_at: datetime


def list_event_budgets(session: ReadSession, event_id: UUID) -> list[EventBudget]:
    """Return the budgets of an event, the oldest first."""
    rows = queries.select_event_budgets(session, [event_id])
    return [EventBudget(row.sentence, BudgetState(row.state), row.limit_increase) for row in rows]


def record_budget_states(
    session: WriteSession, environment_id: EnvironmentId, measured: Sequence[BudgetMeasurement]
) -> bool:
    """Update the events of an environment by new evaluations; return whether an event has to be checked."""
    queries.lock_environment(session, environment_id)
    changed = [_record(session, environment_id, each) for each in measured]
    return any(changed)


def close_events_of_removed_budgets(session: WriteSession, environment_id: EnvironmentId, at: datetime) -> None:
    """Close the events that only removed budgets opened. One whose deployment is called slower has another cause."""
    queries.lock_environment(session, environment_id)
    for event in queries.lock_events_of_removed_budgets(session, environment_id):
        if event.deployment_id is not None:
            rows = deployment_checks.list_evaluations(session, DeployId(event.deployment_id))
            deciding = deployment_checks.select_deciding_evaluation(rows)
            if deciding is not None and deciding.verdict == "slower":
                continue
        end = end_without_budget()
        event.checked_at, event.proof = at, [asdict(each) for each in end.proof]
        close_event(session, event, end, at)


def _record(session: WriteSession, environment_id: EnvironmentId, measured: BudgetMeasurement) -> bool:
    known = queries.lock_events_of_budget(session, measured.budget_id, environment_id)
    for event, link in known:
        _update_link(event, link, measured)
        if event.state in OPEN and event.cause == "budget":
            _check_end(session, event, measured.at)
    session.flush()
    newest = known[0] if known else None
    if not measured.is_announced or any(event.state in OPEN for event, _ in known):
        return bool(known)
    if newest is not None and _is_user_closed(newest[0]) and newest[1].state != BudgetState.WITHIN:
        return False
    row = budgets.get_budget(session, BudgetId(measured.budget_id))
    found = queries.lock_open_events(session, environment_id, row.service_id)
    if found:
        if found[0].number is not None:  # an unconfirmed one is decided first; the next evaluation finds it again
            _attach(session, found[0], row, measured)
        return True
    if newest is not None and _is_recent(newest[0], measured.at):
        _reopen(session, *newest, measured)
    else:
        _open(session, environment_id, row, measured)
    return True


def _update_link(event: ProductionEvent, link: ProductionEventBudget, measured: BudgetMeasurement) -> None:
    """Take over an evaluation; at much less load, a low latency proves nothing. Later releases have their own."""
    if link.limit_increase is not None and measured.deployment_id != event.deployment_id:
        return
    rate, former = measured.requests_per_second, event.requests_per_second
    is_quiet = rate is not None and former is not None and rate < LEAST_LOAD_SHARE * former
    is_proof = measured.state is not BudgetState.WITHIN or not is_quiet
    link.state = measured.state if is_proof else BudgetState.INCONCLUSIVE
    link.sentence = measured.sentence if is_proof else wording.describe_quiet_budget(measured.sentence)


def _check_end(session: WriteSession, event: ProductionEvent, at: datetime) -> None:
    """Close an event of absolute budgets alone when they are proven not to be exceeded."""
    if queries.select_change_points(session, event.id):
        return
    session.flush()
    end = decide_budget_end(list_event_budgets(session, event.id))
    event.checked_at, event.proof = at, [asdict(each) for each in end.proof]
    if end.reason is not None:
        close_event(session, event, end, at)


def _is_user_closed(event: ProductionEvent) -> bool:
    return event.state in (ProductionEventState.NOT_A_REGRESSION, ProductionEventState.IGNORED)


def _is_recent(event: ProductionEvent, at: datetime) -> bool:
    """Return whether an event of the same budgets ended so recently that this is another occurrence of it."""
    is_alike = event.state == ProductionEventState.CLOSED and event.cause == "budget"
    return is_alike and event.closed_at is not None and at - event.closed_at <= REOPEN_WITHIN


def _attach(session: WriteSession, event: ProductionEvent, row: Budget, measured: BudgetMeasurement) -> None:
    """Add a budget to the open event of its service: no other message is sent."""
    _link(session, event, row, measured)
    record_history(session, event, "budget", {"sentence": measured.sentence}, by_user=False)


def _reopen(
    session: WriteSession, event: ProductionEvent, link: ProductionEventBudget, measured: BudgetMeasurement
) -> None:
    event.state, event.closed_at, event.closed_reason, event.proof = ProductionEventState.NEW, None, None, None
    event.occurred_at = event.detected_at = measured.at
    event.sentence = link.sentence
    record_history(session, event, "reopened", {"sentence": measured.sentence.rstrip(".")}, by_user=False)


def _open(session: WriteSession, environment_id: EnvironmentId, row: Budget, measured: BudgetMeasurement) -> None:
    """Open an event of a budget, and announce it."""
    interval = measured.interval
    assert interval is not None  # it is exceeded
    cause = _find_cause(session, environment_id, row, measured)
    before, ratio, low, high = _sizes(row, interval, measured)
    after = before * ratio
    added = estimate_added_latency(row.signal, before, after, measured.requests_per_second, None)
    started_at = cause.started_at if cause is not None else measured.at - RANGE
    event = ProductionEvent(
        team_id=session.team_id,
        id=new_id(),
        number=queries.next_number(session),
        environment_id=environment_id,
        service_id=row.service_id,
        state=ProductionEventState.NEW,
        signal=row.signal,
        title=wording.format_budget_title(
            row.signal, format_limit(budgets.limit_of(row)), cause.name if cause else None
        ),
        sentence=measured.sentence,
        cause="deployment" if cause is not None else "budget",
        deployment_id=cause.id if cause is not None else None,
        commit=cause.commit if cause is not None else None,
        former_commit=cause.former_commit if cause is not None else None,
        before=before,
        after=after,
        ratio=ratio,
        ratio_low=low,
        ratio_high=high,
        requests_per_second=measured.requests_per_second,
        added_seconds_per_second=added,
        severity=decide_severity(added, low),
        started_at=started_at,
        earliest_at=started_at,
        detected_at=measured.at,
        occurred_at=measured.at,
        announced_at=measured.at,
    )
    session.add(event)
    session.flush()  # its budget refers to it
    _link(session, event, row, measured)
    record_history(session, event, "opened", {"is_announced": True}, by_user=False)


def _sizes(row: Budget, interval: Interval, measured: BudgetMeasurement) -> tuple[float, float, float, float]:
    """Return the level that the excess is compared with in seconds, and the ratio with its interval."""
    if row.limit_seconds is not None:
        limit = row.limit_seconds
        high = interval.high if interval.high is not None else interval.value
        return limit, interval.value / limit, interval.low / limit, max(high, interval.value) / limit
    base = measured.base_seconds
    assert base is not None  # an increase has a base
    return base, 1 + interval.value, 1 + interval.low, 1 + (interval.high or interval.value)


def _find_cause(
    session: ReadSession, environment_id: EnvironmentId, row: Budget, measured: BudgetMeasurement
) -> _CausingDeployment | None:
    if measured.deployment_id is None:
        return None
    deployment = catalog.deploy(session, DeployId(measured.deployment_id))
    former = queries.find_former_deployment(session, ServiceId(row.service_id), environment_id, deployment.started_at)
    name = short_commit(deployment.commit) or deployment.label or "without a commit"
    former_commit = (former.commit or None) if former is not None else None
    return _CausingDeployment(deployment.id, name, deployment.commit or None, former_commit, deployment.started_at)


def _link(session: WriteSession, event: ProductionEvent, row: Budget, measured: BudgetMeasurement) -> None:
    session.add(
        ProductionEventBudget(
            team_id=session.team_id,
            id=new_id(),
            event_id=event.id,
            budget_id=row.id,
            state=measured.state,
            sentence=measured.sentence,
            limit_increase=row.limit_increase,
        )
    )
    session.flush()
