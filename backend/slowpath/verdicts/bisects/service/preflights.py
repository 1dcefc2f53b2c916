"""Check a request for a bisect before its first deployment."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from statistics import median
from typing import Any, Final, Literal
from uuid import UUID

from slowpath.analysis.bisect import search
from slowpath.analysis.bisect.cost_forecast import forecast_remaining_probes
from slowpath.analysis.bisect.search_state import SearchState
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BisectPreflightId, RepositoryId, ServiceId, new_id
from slowpath.core.jobs import enqueue
from slowpath.inventory.repositories.service import repositories
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.errors import PreflightNotFound
from slowpath.verdicts.bisects.jobs import CheckBisectRange
from slowpath.verdicts.bisects.rules import bisect_settings, preflight, search_plan
from slowpath.verdicts.bisects.rules.bisect_settings import BisectSettings
from slowpath.verdicts.bisects.rules.candidates import SearchLevel
from slowpath.verdicts.bisects.rules.preflight import FirstCandidate, ProbeForecast, RangeReport, UpdatedModule
from slowpath.verdicts.bisects.rules.search_view import estimate_git_bisect_cost
from slowpath.verdicts.bisects.service import runners
from slowpath.verdicts.bisects.service.bisect_creation import BisectOptions, CompletedRequest, complete_request
from slowpath.verdicts.bisects.service.boundary_results import BoundaryResults
from slowpath.verdicts.bisects.tables import Bisect, BisectPreflight, Probe

STORED_FOR: Final = timedelta(days=1)
REUSED: Final = timedelta(minutes=10)
"""Time in which an equal request gets the same report."""
DurationSource = Literal["service", "runner", "configuration", "settings"]
BEST_OF: Final = 5
MOST_PROBES_READ: Final = 50
MOST_MODULES: Final = 20
"""Most updated modules of a report."""


@dataclass(frozen=True)
class ProbeDuration:
    """Seconds of a probe, from deployment to its end, and what shows them.

    Of `probes` earlier ones of the service or of the runners, or 0: warm-up and measurements only, as long as the runners or
    the settings state.
    """

    seconds: float
    probes: int
    source: DurationSource


def create_preflight(
    session: WriteSession, asked: BisectOptions, *, now: datetime, is_repeated: bool = False
) -> tuple[BisectPreflight, CompletedRequest]:
    """Return the preflight of a request, and the completed request. An equal one of the last minutes is reused.

    `is_repeated`: count again. Raises `NotFound`, `InvalidBisectRequest`.
    """
    queries.delete_preflights(session, now - STORED_FOR)
    completed = complete_request(session, asked)
    row = BisectPreflight(
        team_id=session.team_id,
        id=new_id(),
        service_id=completed.service_id,
        repository_id=completed.repository_id,
        good_sha=completed.good,
        bad_sha=completed.bad,
        request=_options_json(asked),
    )
    if not is_repeated and (known := queries.select_equal_preflight(session, row, now - REUSED)) is not None:
        return known, completed
    session.add(row)
    session.flush()
    if _can_be_counted(session, row):
        enqueue(session, CheckBisectRange(BisectPreflightId(row.id)))
    return row, completed


def get_preflight(session: ReadSession, preflight_id: BisectPreflightId) -> tuple[BisectPreflight, CompletedRequest]:
    """Return a preflight and its completed request. Raises `PreflightNotFound`, `NotFound`."""
    row = queries.select_preflight(session, preflight_id)
    if row is None:
        raise PreflightNotFound("The team has no preflight with this ID.", remedy="Create another one.")
    return row, complete_request(session, options_of(row.request))


def find_preflight(session: ReadSession, preflight_id: BisectPreflightId) -> BisectPreflight | None:
    """Return a preflight, or None if it was deleted."""
    return queries.select_preflight(session, preflight_id)


def draft_of(session: ReadSession, row: BisectPreflight) -> Bisect:
    """Return the bisect that the request of a preflight would create. It is not added to the session."""
    asked = options_of(row.request)
    completed = complete_request(session, asked)
    settings = bisect_settings.apply_settings_update(BisectSettings(), asked.settings)
    return Bisect(
        team_id=session.team_id,
        service_id=row.service_id,
        repository_id=row.repository_id,
        regression_id=asked.regression_id,
        comparison_id=completed.comparison_id,
        good_sha=row.good_sha,
        bad_sha=row.bad_sha,
        signature=asdict(completed.signature.signature),
        settings=bisect_settings.to_json(settings),
        plan=None,
    )


def report_level(level: SearchLevel, modules: tuple[UpdatedModule, ...], settings: BisectSettings) -> RangeReport:
    """Return the report of the first level of a search. `settings`: those of the bisect, with the main package."""
    report = RangeReport("ancestor", None, level.commits, level.classes, settings.main_package, level.pruned, modules)
    if not level.nodes:
        return report
    plan = search_plan.make_search_plan(level, {})
    wanted = settings.search(larger_is_worse=True)
    if settings.use_production_baselines:
        wanted = replace(wanted, end_deploys=0)
    even = replace(plan.line, evidence=plan.line.even)
    with_prior, without_prior = (_forecast(search.start_search(wanted, line)) for line in (plan.line, even))
    first = search.next_actions(search.start_search(replace(wanted, end_deploys=0, control=False), plan.line)).start
    return replace(
        report,
        with_prior=with_prior,
        without_prior=without_prior,
        git_bisect_probes=estimate_git_bisect_cost(plan, BEST_OF),
        first_round=tuple(
            FirstCandidate(node.sha, node.title, math.exp(plan.line.evidence[plan.line.position(node.id) - 1]))
            for one in first
            if (node := plan.nodes.get(one.build)) is not None
        ),
    )


def renew_forecasts(report: RangeReport, results: BoundaryResults, settings: BisectSettings) -> RangeReport:
    """Return a report with the probes that remain after both boundaries were measured; without any unless they differ.

    `settings`: those of the request. The noise is that of the measurements.
    """
    if report.with_prior is None or results.difference is None:
        return report
    if results.difference.relation in {"equal", "reversed"}:
        return replace(report, with_prior=None, without_prior=None)
    known = results.state.settings
    wanted = settings.search(larger_is_worse=known.larger_is_worse)
    state = replace(results.state, settings=replace(wanted, between=known.between))
    even = replace(state, line=replace(state.line, evidence=state.line.even))
    return replace(report, with_prior=_forecast(state), without_prior=_forecast(even))


def record_report(session: WriteSession, preflight_id: BisectPreflightId, report: RangeReport) -> None:
    """Record the report of a preflight; one that was deleted meanwhile is ignored."""
    row = queries.select_preflight(session, preflight_id)
    if row is not None:
        row.report, row.problem = preflight.to_json(report), None


def record_problem(session: WriteSession, preflight_id: BisectPreflightId, problem: dict[str, Any]) -> None:
    """Record why a range could not be counted; a preflight that was deleted meanwhile is ignored."""
    row = queries.select_preflight(session, preflight_id)
    if row is not None:
        row.problem = problem


def estimate_probe_duration(
    session: ReadSession, service_id: ServiceId | None, settings: BisectSettings, now: datetime
) -> ProbeDuration:
    """Return how long a probe takes: the median of the service's last ones, else of those of the runners that would take it.

    Else it is warm-up and measurements only, as long as the runners state that their command takes.
    """
    if service_id is not None:
        seconds = queries.select_probe_durations(session, Bisect.service_id == service_id, MOST_PROBES_READ)
        if seconds:
            return ProbeDuration(median(seconds), len(seconds), "service")
    fitting = [
        one.row for one in runners.list_runners(session) if one.is_alive(now) and settings.is_for(one.row.labels)
    ]
    seconds = queries.select_probe_durations(
        session, Probe.runner_id.in_([one.id for one in fitting]), MOST_PROBES_READ
    )
    if seconds:
        return ProbeDuration(median(seconds), len(seconds), "runner")
    stated = [one.measurement_seconds for one in fitting if one.measurement_seconds is not None]
    each = median(stated) if stated and len(stated) == len(fitting) else settings.measurement_seconds
    total = settings.warm_up_seconds + settings.max_measurements_per_probe * each
    return ProbeDuration(total, 0, "settings" if each == settings.measurement_seconds else "configuration")


def options_of(stored: Mapping[str, Any]) -> BisectOptions:
    """Return the request that a preflight stores."""
    ids = ("service_id", "regression_id", "event_id", "comparison_id", "repository_id")
    signature = stored["signature"]
    return BisectOptions(
        **{name: UUID(stored[name]) if stored[name] else None for name in ids},
        good_sha=stored["good_sha"],
        bad_sha=stored["bad_sha"],
        signature=(signature[0], signature[1]) if signature else None,
        settings=stored["settings"],
    )


def _options_json(asked: BisectOptions) -> dict[str, Any]:
    values = asdict(asked)
    return {
        **{name: str(value) if isinstance(value, UUID) else value for name, value in values.items()},
        "signature": list(asked.signature) if asked.signature else None,
        "settings": dict(asked.settings),
    }


def _can_be_counted(session: ReadSession, row: BisectPreflight) -> bool:
    if None in {row.service_id, row.repository_id, row.good_sha, row.bad_sha} or row.good_sha == row.bad_sha:
        return False
    assert row.repository_id is not None
    return repositories.get_repository(session, RepositoryId(row.repository_id)).url is not None


def _forecast(state: SearchState) -> ProbeForecast:
    found = forecast_remaining_probes(state)
    return ProbeForecast(found.mean, found.low, found.high)
