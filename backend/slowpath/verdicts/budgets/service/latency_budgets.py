"""Evaluate the latency budgets of an environment: gather samples, measure without a session, record."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast
from uuid import UUID

from numpy.random import Generator

from slowpath.analysis.kinds.metrics.changes.latency_change_points import SignalName as LatencySignal
from slowpath.analysis.kinds.metrics.changes.latency_interval import LatencyInterval, MissingRequests, measure_interval
from slowpath.analysis.kinds.metrics.panels.service_cells import MINUTE_MS, service_cells
from slowpath.analysis.kinds.metrics.panels.service_panels import ServiceSamples
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesData
from slowpath.analysis.stats.histogram_cells import HistogramCells
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import EnvironmentId, ServiceId
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.evidence.metrics.service import dashboard_samples
from slowpath.evidence.metrics.service.detection_cache import MARGIN_MS
from slowpath.evidence.metrics.service.live_samples import LiveReads
from slowpath.evidence.metrics.service.timestamps import at_time
from slowpath.inventory.catalog import service as catalog
from slowpath.verdicts.budgets import queries, wording
from slowpath.verdicts.budgets.jobs import EvaluateBudgets
from slowpath.verdicts.budgets.read_models import BudgetMeasurement
from slowpath.verdicts.budgets.rules import (
    EVALUATE_EVERY,
    LATENCY_ERROR_RATE,
    MOST_LISTED,
    QUANTILES,
    RANGE,
    BudgetState,
    Interval,
    Limit,
    decide_state,
    is_certain,
)
from slowpath.verdicts.budgets.service.evaluations import record_evaluation
from slowpath.verdicts.budgets.service.release_changes import (
    EvaluatedDeployment,
    find_evaluated_deployment,
    is_of_route,
    measure_release,
)
from slowpath.verdicts.budgets.tables import Budget

RANGE_MS: Final = int(RANGE.total_seconds() * 1000)
RANGE_MINUTES: Final = RANGE_MS // MINUTE_MS


@dataclass(frozen=True)
class LatencyBudget:
    """A budget to measure, without its row."""

    id: UUID
    service_id: ServiceId
    signal: LatencySignal
    route: str | None
    limit: Limit


@dataclass(frozen=True)
class BudgetInput:
    """Input of one evaluation of an environment."""

    environment_id: EnvironmentId
    newest_ms: int
    budgets: Sequence[LatencyBudget]
    samples: dict[ServiceId, ServiceSamples]
    missing: dict[ServiceId, str | None]
    deployments: dict[UUID, EvaluatedDeployment]
    """By budget."""


def enqueue_due(session: WriteSession, environment_id: EnvironmentId, newest_ms: int, *, is_changed: bool) -> None:
    """Enqueue the evaluation of an environment if a budget is due, or a deployment was evaluated (`is_changed`)."""
    budgets = queries.select_latency_budgets(session, environment_id, MOST_LISTED)
    known = queries.select_evaluation_times(session, environment_id)
    newest = at_time(newest_ms)
    due = [each for each in budgets if each.id not in known or newest - known[each.id] >= EVALUATE_EVERY]
    if due or (is_changed and budgets):
        enqueue_unless_pending(session, EvaluateBudgets(environment_id))


def gather_budgets(
    session: ReadSession, environment_id: EnvironmentId, live: LiveReads | None = None
) -> BudgetInput | None:
    """Read the input of an evaluation; None without budgets or samples. Raises `EnvironmentNotFound`."""
    catalog.environment(session, environment_id)
    rows = queries.select_latency_budgets(session, environment_id, MOST_LISTED)
    recognised = dashboard_samples.load_environment_signals(session, environment_id, live) if rows else None
    if recognised is None or recognised.newest_ms is None:
        return None
    rows = [row for row in rows if row.environment_id is not None or row.service_id in recognised.services]
    budgets = [_read(row) for row in rows]
    of_range = list(dict.fromkeys(each.service_id for each in budgets if not each.limit.is_per_release))
    newest_ms = recognised.newest_ms
    samples = recognised.samples(session, of_range, newest_ms - 2 * RANGE_MS - MARGIN_MS, newest_ms)
    missing = {each: recognised.why(each).latency for each in of_range}
    deployments = {
        each.id: found
        for each in budgets
        if each.limit.is_per_release
        and (found := find_evaluated_deployment(session, recognised, environment_id, each.service_id, each.route))
        is not None
    }
    return BudgetInput(environment_id, newest_ms, budgets, samples, missing, deployments)


def measure_budgets(gathered: BudgetInput, rng: Generator) -> list[BudgetMeasurement]:
    """Measure each budget. Reads nothing."""
    return [
        _measure_release(gathered, each) if each.limit.is_per_release else _measure_range(gathered, each, rng)
        for each in gathered.budgets
    ]


def record_budgets(session: WriteSession, measured: Sequence[BudgetMeasurement]) -> list[BudgetMeasurement]:
    """Record evaluations; return those of budgets that still exist."""
    existing = queries.lock_budgets(session, [each.budget_id for each in measured])
    remaining = [each for each in measured if each.budget_id in existing]
    for each in remaining:
        record_evaluation(session, each)
    return remaining


def _read(row: Budget) -> LatencyBudget:
    return LatencyBudget(
        row.id,
        ServiceId(row.service_id),
        cast("LatencySignal", row.signal),
        row.route,
        Limit(row.limit_seconds, row.limit_increase),
    )


def _measure_release(gathered: BudgetInput, budget: LatencyBudget) -> BudgetMeasurement:
    deployment = gathered.deployments.get(budget.id)
    found = None if deployment is None else measure_release(deployment, budget.signal, budget.limit)
    if deployment is not None and found is None:
        sentence = wording.describe_missing_route(budget.route or "")
        return _inconclusive(gathered, budget, sentence, deployment.id)
    if found is None or found.change is None:
        return _inconclusive(gathered, budget, wording.describe_no_deployment(budget.route))
    if found.is_unsure:
        return _inconclusive(gathered, budget, wording.describe_unsure_deployment(found.name), found.deployment_id)
    change = found.change
    interval = Interval(change["ratio"] - 1, change["low"] - 1, change["high"] - 1, change["low"] - 1)
    state = decide_state(budget.limit.value, interval)
    what = wording.name_release(budget.signal, budget.route, f"deployment {found.name}", "the deployment before")
    return BudgetMeasurement(
        budget.id,
        gathered.environment_id,
        state,
        wording.describe_state(what, budget.limit, interval, state, "interval of its evaluation:"),
        at_time(gathered.newest_ms),
        interval,
        is_announced=state is BudgetState.EXCEEDED,  # its evaluations have one error rate
        deployment_id=found.deployment_id,
        base_seconds=change["base_s"],
    )


def _measure_range(gathered: BudgetInput, budget: LatencyBudget, rng: Generator) -> BudgetMeasurement:
    samples = gathered.samples.get(budget.service_id, ServiceSamples())
    cells = _read_cells(samples, gathered.newest_ms, budget.route)
    if cells is None:
        why = gathered.missing.get(budget.service_id)
        is_route = budget.route is not None and bool(samples.buckets or samples.natives)
        sentence = wording.describe_missing_route(budget.route or "") if is_route else None
        return _inconclusive(gathered, budget, sentence or wording.describe_missing_histogram(why))
    end_ms = int(cells.times_ms[-1]) if len(cells.times_ms) else gathered.newest_ms
    found = _measure(cells, budget, end_ms, rng)
    if isinstance(found, MissingRequests):
        return _inconclusive(gathered, budget, _describe_missing(budget, found))
    interval = _as_interval(found)
    state = decide_state(budget.limit.value, interval)
    former = _measure(cells, budget, end_ms - RANGE_MS, rng) if is_certain(budget.limit.value, interval) else None
    is_former = isinstance(former, LatencyInterval) and former.low_s >= budget.limit.value
    what = wording.name_latency(budget.signal, budget.route, RANGE_MINUTES)
    return BudgetMeasurement(
        budget.id,
        gathered.environment_id,
        state,
        wording.describe_state(what, budget.limit, interval, state),
        at_time(gathered.newest_ms),
        interval,
        is_announced=is_former,
        requests_per_second=found.requests_per_second,
    )


def _read_cells(samples: ServiceSamples, newest_ms: int, route: str | None) -> HistogramCells | None:
    def is_chosen(series: SeriesData) -> bool:
        return is_of_route(series, route)

    if not any(is_chosen(one) for one in (*samples.buckets, *samples.natives)):
        return None
    return service_cells(samples, newest_ms - 2 * RANGE_MS - MINUTE_MS, newest_ms, MINUTE_MS, is_chosen).latency


def _measure(
    cells: HistogramCells, budget: LatencyBudget, end_ms: int, rng: Generator
) -> LatencyInterval | MissingRequests:
    part = cells.between(end_ms - RANGE_MS, end_ms)
    q = QUANTILES[budget.signal]
    return measure_interval(part, RANGE_MS, budget.signal, q, rng, error_rate=LATENCY_ERROR_RATE)


def _as_interval(found: LatencyInterval) -> Interval:
    high = None if found.high_s == float("inf") else found.high_s
    return Interval(found.value_s, found.low_s, high, found.certain_low_s)


def _describe_missing(budget: LatencyBudget, found: MissingRequests) -> str:
    if found.minutes < found.least_minutes:
        return wording.describe_few_minutes(found.minutes, found.least_minutes, RANGE_MINUTES)
    return wording.describe_few_requests(budget.signal, found.requests, found.least_requests, RANGE_MINUTES)


def _inconclusive(
    gathered: BudgetInput, budget: LatencyBudget, sentence: str, deployment_id: UUID | None = None
) -> BudgetMeasurement:
    return BudgetMeasurement(
        budget.id,
        gathered.environment_id,
        BudgetState.INCONCLUSIVE,
        sentence,
        at_time(gathered.newest_ms),
        deployment_id=deployment_id,
    )
