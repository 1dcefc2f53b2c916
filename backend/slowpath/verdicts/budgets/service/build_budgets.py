"""Evaluate the budgets of CPU per request by the profiles of a build."""

from datetime import datetime
from math import isfinite

import numpy as np

from slowpath.analysis.builds.comparison_answer import ANNOUNCED_ERROR_RATE
from slowpath.analysis.kinds.metrics.changes.latency_change_points import CONFIDENCE
from slowpath.analysis.stats.t_distribution import t_quantile
from slowpath.commit_names import short_commit
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BuildId, ServiceId
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.tables import Build
from slowpath.verdicts.budgets import queries, wording
from slowpath.verdicts.budgets.read_models import BudgetMeasurement
from slowpath.verdicts.budgets.rules import (
    LEAST_REPLICATES,
    BudgetState,
    Interval,
    Limit,
    ReplicatedValue,
    decide_state,
    is_certain,
    make_increase,
    make_interval,
    welch_degrees,
)
from slowpath.verdicts.budgets.service.evaluations import record_evaluation
from slowpath.verdicts.budgets.tables import Budget
from slowpath.verdicts.regressions.service import cpu_per_request
from slowpath.verdicts.regressions.service.cpu_per_request import CpuPerRequest
from slowpath.verdicts.regressions.tables import BuildVerdict


def evaluate_newest_build(session: WriteSession, budget: Budget, now: datetime) -> None:
    """Evaluate a budget by the newest build of the default branch with CPU per request."""
    newest = cpu_per_request.find_newest_build(session, ServiceId(budget.service_id))
    if newest is None:
        measured = BudgetMeasurement(budget.id, None, BudgetState.INCONCLUSIVE, wording.describe_no_profiles(None), now)
    else:
        build, former_id = newest
        measured = _measure(session, budget, build, former_id, now)
    record_evaluation(session, measured)


def evaluate_build(session: WriteSession, build: Build, row: BuildVerdict, now: datetime) -> None:
    """Evaluate the budgets of a build's service; set a sentence on `row` for each that this build exceeds first.

    If the build that it is compared with exceeded an absolute budget already, that was announced with that build. Builds of
    other branches are not listed as the newest evaluation. The caller decides the verdict.
    """
    row.exceeded_budgets = []
    budgets = queries.select_cpu_budgets(session, ServiceId(build.service_id))
    if not budgets or BuildId(build.id) not in cpu_per_request.load_cpu_per_request(session, [BuildId(build.id)]):
        return
    former_id = BuildId(row.compared_build_id) if row.compared_build_id is not None else None
    is_listed = cpu_per_request.is_on_default_branch(session, build)
    exceeded = []
    for budget in budgets:
        measured = _measure(session, budget, build, former_id, now)
        if is_listed and _is_newest(session, budget, build):
            record_evaluation(session, measured)
        if measured.is_announced and not _was_exceeded(session, budget, former_id, now):
            exceeded.append(measured.sentence)
    row.exceeded_budgets = exceeded


def _is_newest(session: ReadSession, budget: Budget, build: Build) -> bool:
    newest = cpu_per_request.find_newest_build(session, ServiceId(budget.service_id))
    return newest is None or newest[0].id == build.id


def _was_exceeded(session: ReadSession, budget: Budget, former_id: BuildId | None, now: datetime) -> bool:
    """Return whether the earlier build exceeded an absolute budget already; each release has one of its increase."""
    if former_id is None or budget.limit_increase is not None:
        return False
    former = catalog.build(session, former_id)
    return _measure(session, budget, former, None, now).state is BudgetState.EXCEEDED


def _measure(
    session: ReadSession, budget: Budget, build: Build, former_id: BuildId | None, now: datetime
) -> BudgetMeasurement:
    limit = Limit(budget.limit_seconds, budget.limit_increase)
    wanted = [BuildId(build.id), *([former_id] if former_id is not None else [])]
    known = cpu_per_request.load_cpu_per_request(session, wanted, budget.route)
    own = known.get(BuildId(build.id))
    former = known.get(former_id) if former_id is not None else None

    def inconclusive(sentence: str) -> BudgetMeasurement:
        return BudgetMeasurement(budget.id, None, BudgetState.INCONCLUSIVE, sentence, now, build_id=build.id)

    if own is None:
        return inconclusive(wording.describe_no_profiles(budget.route))
    if limit.is_per_release and (former is None or former_id is None):
        return inconclusive(wording.describe_no_former_build(build.commit, budget.route))
    base = catalog.build(session, former_id) if limit.is_per_release and former_id is not None else None
    for each, of in ((own, build), (former if limit.is_per_release else None, base)):
        if each is not None and of is not None and not _has_error(each):
            return inconclusive(wording.describe_few_replicates(of.commit, each.replicates, LEAST_REPLICATES))
    interval, what = _make_interval(budget, build, own, former, base)
    state = decide_state(limit.value, interval)
    return BudgetMeasurement(
        budget.id,
        None,
        state,
        wording.describe_state(what, limit, interval, state),
        now,
        interval,
        is_announced=is_certain(limit.value, interval),
        build_id=build.id,
    )


def _make_interval(
    budget: Budget, build: Build, own: CpuPerRequest, former: CpuPerRequest | None, base: Build | None
) -> tuple[Interval, str]:
    """Return the interval of a value or an increase, and what it measures."""
    candidate = _as_value(own)
    if base is None or former is None:
        quantiles = _quantiles(candidate.replicates - 1)
        return make_interval(candidate, quantiles), wording.name_build(budget.signal, budget.route, build.commit)
    before = _as_value(former)
    interval = make_increase(before, candidate, _quantiles(welch_degrees(before, candidate)))
    names = (f"build {short_commit(each.commit)}" for each in (build, base))
    return interval, wording.name_release(budget.signal, budget.route, *names)


def _as_value(measured: CpuPerRequest) -> ReplicatedValue:
    return ReplicatedValue(measured.value_s, measured.error_s, measured.replicates)


def _has_error(measured: CpuPerRequest) -> bool:
    return measured.replicates >= LEAST_REPLICATES and isfinite(measured.error_s)


def _quantiles(degrees: float) -> tuple[float, float]:
    """Return Student's t for the 95% interval, and for the one-sided level of announcements."""
    at = np.array([degrees])
    return float(t_quantile(CONFIDENCE, at)[0]), float(t_quantile(1 - 2 * ANNOUNCED_ERROR_RATE, at)[0])
