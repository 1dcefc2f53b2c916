"""Store the summary of a bisect, so that lists need not compute posteriors."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from uuid import UUID

from slowpath.analysis.bisect.cost_forecast import forecast_remaining_probes
from slowpath.analysis.bisect.limits import probe_limit
from slowpath.analysis.bisect.search import compute_state_posterior
from slowpath.analysis.bisect.search_state import SearchState
from slowpath.core.db_sessions import WriteSession
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.rules import bisect_settings
from slowpath.verdicts.bisects.rules.bisect_states import BisectState
from slowpath.verdicts.bisects.rules.probe_observations import (
    ProbeMeasurementValue,
    ProbeObservation,
    build_search_state,
    count_undeployed,
    discard_verdicts,
)
from slowpath.verdicts.bisects.rules.search_plan import SearchPlan
from slowpath.verdicts.bisects.rules.search_view import SUSPECTED, compute_search_view
from slowpath.verdicts.bisects.tables import Bisect, Probe, ProbeMeasurement


def load_probe_observations(
    probes: Sequence[Probe], windows: Mapping[UUID, Sequence[ProbeMeasurement]]
) -> list[ProbeObservation]:
    """Return probes as the search uses them."""
    observed = [
        ProbeObservation(
            one.number,
            one.candidate,
            one.purpose,
            one.round,
            one.state,
            one.verified_candidate,
            one.measurements_requested,
            tuple(
                ProbeMeasurementValue(each.index, each.round, each.value, each.verdict, each.problem, each.invalidated)
                for each in windows.get(one.id, ())
            ),
            one.good_verdicts,
            one.bad_verdicts,
            one.leased_at is not None,
        )
        for one in probes
    ]
    return discard_verdicts(observed)


def load_search_state(bisect: Bisect, plan: SearchPlan, known: Sequence[ProbeObservation]) -> SearchState:
    """Return the search state of a bisect from its probes. After a culprit, measured boundaries need no second deployment."""
    larger = bool(bisect.signature.get("larger_is_worse", True))
    state = build_search_state(plan.line, bisect_settings.from_json(bisect.settings), known, larger_is_worse=larger)
    return state if plan.good_build is None else replace(state, settings=replace(state.settings, end_deploys=1))


def list_deployed_probes(probes: Sequence[Probe]) -> list[Probe]:
    """Return the probes that were or are being deployed."""
    return [one for one in probes if one.leased_at is not None]


def update_deployment_count(session: WriteSession, bisect: Bisect) -> None:
    """Count the deployments of a bisect anew after a lease, which is no step of its search."""
    if bisect.summary is not None:
        deployed = list_deployed_probes(queries.select_probes(session, bisect.id))
        bisect.summary = {**bisect.summary, "deploys": len(deployed)}


def update_bisect_summary(session: WriteSession, bisect: Bisect, plan: SearchPlan) -> None:
    """Update the summary of a bisect."""
    probes = queries.select_probes(session, bisect.id)
    known = load_probe_observations(probes, queries.select_measurements(session, bisect.id))
    state = load_search_state(bisect, plan, known)
    view = compute_search_view(plan, state, known)
    suspects = (bisect.outcome or {}).get("suspects") or ()
    named = plan.nodes[suspects[0]] if suspects and bisect.state == BisectState.FOUND else view.suspect
    is_suspected = named is not None and (bisect.state == BisectState.FOUND or view.belief >= SUSPECTED)
    level = plan.levels[plan.level_of(named.id)] if named is not None else None
    noise = compute_state_posterior(state).noise
    bisect.summary = {
        "between": None if noise is None else noise.ratio,
        "belief": view.belief,
        "deploys": len(list_deployed_probes(probes)),
        "expected": None if bisect.finished_at else asdict(forecast_remaining_probes(state)),
        "limit": probe_limit(state) - count_undeployed(known),
        "levels": len(plan.shown_levels),
        "culprit": {"repository": level.label, "sha": named.sha, "title": named.title}
        if is_suspected and named is not None and level is not None
        else None,
    }
