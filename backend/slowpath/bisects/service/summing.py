"""Keep what a row of the list shows of a bisect, so that lists need not compute beliefs."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from uuid import UUID

from slowpath.analysis.bisect.expecting import expected
from slowpath.analysis.bisect.limits import probe_limit
from slowpath.analysis.bisect.search import belief_of
from slowpath.analysis.bisect.state import State
from slowpath.bisects import queries
from slowpath.bisects.rules import settings as kept
from slowpath.bisects.rules.plans import Plan
from slowpath.bisects.rules.states import BisectState
from slowpath.bisects.rules.tried import Reading, Tried, state_of
from slowpath.bisects.rules.viewing import SUSPECTED, view_of
from slowpath.bisects.tables import Bisect, Probe, ProbeWindow
from slowpath.core.sessions import WriteSession


def tried(probes: Sequence[Probe], windows: Mapping[UUID, Sequence[ProbeWindow]]) -> list[Tried]:
    """Return rows as the search knows them."""
    return [
        Tried(
            one.number,
            one.candidate,
            one.purpose,
            one.round,
            one.state,
            one.about,
            one.windows_wanted,
            tuple(
                Reading(each.index, each.round, each.value, each.verdict, each.problem, each.annulled)
                for each in windows.get(one.id, ())
            ),
            one.good,
            one.bad,
            one.leased_at is not None,
        )
        for one in probes
    ]


def state_as(bisect: Bisect, plan: Plan, known: Sequence[Tried]) -> State:
    """Return the search of a bisect as it stands, from what was tried."""
    larger = bool(bisect.signature.get("larger_is_worse", True))
    return state_of(plan.line, kept.from_json(bisect.settings), known, larger_is_worse=larger)


def deploys(probes: Sequence[Probe]) -> list[Probe]:
    """Return the probes that were deployed, or were being so."""
    return [one for one in probes if one.leased_at is not None]


def sum_up(session: WriteSession, bisect: Bisect, plan: Plan) -> None:
    """Write down how a search stands."""
    probes = queries.probes(session, bisect.id)
    known = tried(probes, queries.windows(session, bisect.id))
    state = state_as(bisect, plan, known)
    marks = sum(one.purpose == "mark" for one in known)
    view = view_of(plan, state, known)
    suspects = (bisect.outcome or {}).get("suspects") or ()
    named = plan.nodes[suspects[0]] if suspects and bisect.state == BisectState.FOUND else view.suspect
    told = named is not None and (bisect.state == BisectState.FOUND or view.belief >= SUSPECTED)
    level = plan.levels[plan.level_of(named.id)] if named is not None else None
    noise = belief_of(state).noise
    bisect.seen = {
        "between": None if noise is None else noise.ratio,
        "belief": view.belief,
        "deploys": len(deploys(probes)),
        "expected": None if bisect.finished_at else asdict(expected(state)),
        "limit": probe_limit(state) - marks,
        "levels": len(plan.levels),
        "culprit": {"repository": level.label, "sha": named.sha, "title": named.title}
        if told and named is not None and level is not None
        else None,
    }
