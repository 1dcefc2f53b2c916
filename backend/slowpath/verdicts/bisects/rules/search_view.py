"""What a page shows of a search: computed from what was tried, never kept."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from slowpath.analysis.bisect import measurement_normalization
from slowpath.analysis.bisect.candidate_sequence import F64, GOOD_END, KNOWN_BAD, KNOWN_GOOD, CandidateSequence
from slowpath.analysis.bisect.likelihood import NoiseEstimate
from slowpath.analysis.bisect.posterior import Posterior
from slowpath.analysis.bisect.prior import TRUST
from slowpath.analysis.bisect.search import compute_state_posterior
from slowpath.analysis.bisect.search_state import ProbeRecord, SearchState
from slowpath.verdicts.bisects.rules.bisect_states import MOST_SHOWN
from slowpath.verdicts.bisects.rules.candidates import CandidateNode
from slowpath.verdicts.bisects.rules.probe_observations import ProbeObservation
from slowpath.verdicts.bisects.rules.search_plan import TOP, ExpandedLevel, SearchPlan

Verdict = Literal["slower", "not-slower", "inconclusive", "unbuildable", "measuring"]
SURE: Final = 0.9
LARGEST_ODDS: Final = 1e6
SUSPECTED: Final = 0.5


@dataclass(frozen=True)
class CandidateView:
    """One candidate; `share` is what was believed of it before within its level, `belief` of all now."""

    node: CandidateNode
    share: float
    belief: float
    verdict: Verdict | None
    probe_number: int | None


@dataclass(frozen=True)
class LevelView:
    """One level. `belief` and `before` are of all its candidates in order, `marks` [place, number] of probes."""

    key: str
    opened: ExpandedLevel
    candidates: tuple[CandidateView, ...]
    belief: tuple[float, ...]
    before: tuple[float, ...]
    marks: tuple[tuple[int, int], ...]
    culprit: CandidateNode | None


@dataclass(frozen=True)
class PosteriorPreview:
    """Who would be believed most, and how much, if a probe's build were slow, and if it were not. None: it can not be."""

    slower: tuple[CandidateNode, float] | None
    not_slower: tuple[CandidateNode, float] | None


@dataclass(frozen=True)
class SearchView:
    """All that is computed. `verdicts`, `odds` and `would` are by the probe's number; `would` is of living ones."""

    levels: tuple[LevelView, ...]
    suspect: CandidateNode | None
    belief: float
    elsewhere: float
    verdicts: Mapping[int, Verdict]
    odds: Mapping[int, float]
    would: Mapping[int, PosteriorPreview]
    good: tuple[float, ...]
    bad: tuple[float, ...]
    control: tuple[float, ...]
    known: tuple[tuple[float, ...], tuple[float, ...]]
    """What production measured of the good and of the bad end, where it counts."""


def compute_search_view(
    plan: SearchPlan, state: SearchState, tried: Sequence[ProbeObservation], *, most: int = MOST_SHOWN
) -> SearchView:
    """Compute what is shown; of each level at most `most` candidates."""
    belief = compute_state_posterior(state)
    masses = _summed(plan, dict(zip(plan.line.ids, belief.here.tolist(), strict=True)))
    priors = _summed(plan, dict(zip(plan.line.ids, _prior(plan.line).tolist(), strict=True)))
    verdicts = {one.number: _verdict(plan, belief, one) for one in tried}
    best = int(np.argmax(belief.here))
    good, bad, control = _evidence(plan, state, belief)
    return SearchView(
        tuple(_level(plan, key, (masses, priors), tried, verdicts, most=most) for key in _in_order(plan)),
        plan.nodes[plan.line.ids[best]],
        float(belief.here[best]),
        belief.elsewhere,
        verdicts,
        _odds(state, belief.noise),
        {one.number: _would(plan, belief, one.candidate) for one in tried if one.lives and one.candidate in plan.nodes},
        good,
        bad,
        control,
        (_windows(_known(state, KNOWN_GOOD)), _windows(_known(state, KNOWN_BAD))),
    )


def _in_order(plan: SearchPlan) -> list[str]:
    """Return the keys of the levels, each after the one it was opened in."""
    return sorted(plan.levels, key=lambda key: 0 if key == TOP else len(plan.way_to(key)))


def _prior(line: CandidateSequence) -> F64:
    """Return [N] what was believed of each candidate before anything was measured."""
    both: F64 = TRUST * np.exp(np.array(line.evidence)) + (1 - TRUST) * np.exp(np.array(line.even))
    return both


def _summed(plan: SearchPlan, masses: Mapping[str, float]) -> dict[str, float]:
    """Return masses of all nodes: what was opened has those of all that was in it."""
    out: dict[str, float] = {}
    for id_, mass in masses.items():
        at: str | None = id_
        while at is not None:
            out[at] = out.get(at, 0.0) + mass
            at = plan.nodes[at].outer
    return out


def _level(
    plan: SearchPlan,
    key: str,
    told: tuple[Mapping[str, float], Mapping[str, float]],
    tried: Sequence[ProbeObservation],
    verdicts: Mapping[int, Verdict],
    *,
    most: int,
) -> LevelView:
    """Return one level; `told` are the masses of all nodes now and before."""
    masses, priors = told
    first = _places(plan)
    inside = (one for one in plan.nodes.values() if (one.outer or TOP) == key)
    nodes = sorted(inside, key=lambda one: first.get(one.id, len(plan.line.ids)))
    whole = sum(priors.get(one.id, 0.0) for one in nodes) or 1.0
    shares = [priors.get(one.id, 0.0) / whole for one in nodes]
    believed = [masses.get(one.id, 0.0) for one in nodes]
    place = {one.id: at for at, one in enumerate(nodes)} | ({GOOD_END: -1} if key == TOP else {})
    mine = [one for one in tried if one.candidate in place]
    newest = {one.candidate: one for one in mine}
    order = sorted(range(len(nodes)), key=lambda at: (nodes[at].id not in newest, -believed[at], at))
    shown = sorted(order[:most])
    suspect = max(range(len(nodes)), key=lambda at: believed[at], default=None)
    return LevelView(
        key,
        plan.levels[key],
        tuple(
            CandidateView(
                nodes[at],
                shares[at],
                believed[at],
                verdicts[newest[nodes[at].id].number] if nodes[at].id in newest else None,
                newest[nodes[at].id].number if nodes[at].id in newest else None,
            )
            for at in shown
        ),
        tuple(_short(one) for one in believed),
        tuple(_short(one) for one in shares),
        tuple((place[one.candidate], one.number) for one in mine),
        nodes[suspect] if suspect is not None and believed[suspect] >= SUSPECTED else None,
    )


def _places(plan: SearchPlan) -> dict[str, int]:
    """Return where each node begins on the line. Nodes are kept without an order; the line has it."""
    out: dict[str, int] = {}
    for place, id_ in enumerate(plan.line.ids):
        at: str | None = id_
        while at is not None:
            out.setdefault(at, place)
            at = plan.nodes[at].outer
    return out


def _short(value: float) -> float:
    return float(f"{value:.3g}")


def _verdict(plan: SearchPlan, belief: Posterior, one: ProbeObservation) -> Verdict:
    if one.state in {"unbuildable", "unhealthy"}:
        return "unbuildable"
    counted = [window for window in one.windows if not window.annulled]
    said = one.good or one.bad or any(window.value is not None for window in counted)
    if not said:
        return "measuring" if one.lives or one.waits else "inconclusive"
    bad = _badness(plan, belief, one.candidate)
    if bad >= SURE:
        return "slower"
    return "not-slower" if bad <= 1 - SURE else "inconclusive"


def _badness(plan: SearchPlan, belief: Posterior, build: str) -> float:
    """Return how much a build is believed to be slow; what production told good from bad by is known."""
    if build in {KNOWN_GOOD, KNOWN_BAD}:
        return float(build == KNOWN_BAD)
    return float(belief.bad[plan.line.position(build)])


def _would(plan: SearchPlan, belief: Posterior, candidate: str) -> PosteriorPreview:
    """Return what is believed once it is known of a candidate's build whether it is slow: the rest of the belief, made whole.

    A build is slow if and only if the guilty one is it or lies before it.
    """
    place = plan.line.position(candidate)
    sides = (0, place + 1), (place + 1, len(belief.mass))
    return PosteriorPreview(*(_likeliest(plan, belief, first, last) for first, last in sides))


def _likeliest(plan: SearchPlan, belief: Posterior, first: int, last: int) -> tuple[CandidateNode, float] | None:
    """Return the most believed candidate if it is a hypothesis from `first` to before `last`."""
    inside = range(max(first, 1), min(last, len(plan.line) + 1))
    whole = float(belief.mass[first:last].sum())
    if not inside or whole <= 0:
        return None
    best = inside.start + int(np.argmax(belief.mass[inside.start : inside.stop]))
    return plan.nodes[plan.line.ids[best - 1]], float(belief.mass[best]) / whole


def _odds(state: SearchState, noise: NoiseEstimate | None) -> dict[int, float]:
    """Return how much likelier what each probe gave is of a bad build, under what is believed of the noise."""
    counted = [one for one in state.deploys if one.is_measured]
    out = {}
    for deploy, told in zip(
        counted, measurement_normalization.remove_drift(state, noise.off if noise else {}), strict=True
    ):
        log_odds = 0.0
        if not deploy.is_ours:
            continue
        if told.values and noise is not None:
            spread = noise.window * math.sqrt(noise.ratio**2 + 1 / len(told.values))
            off = float(np.mean(told.values)) - noise.level
            log_odds += (off**2 - (off - noise.step) ** 2) / (2 * spread**2)
        wrong_bad, wrong_good = (noise.false_bad, noise.false_good) if noise is not None else (0.05, 0.05)
        log_odds += told.bad * math.log((1 - wrong_good) / wrong_bad)
        log_odds -= told.good * math.log((1 - wrong_bad) / wrong_good)
        out[deploy.number] = math.exp(min(max(log_odds, -math.log(LARGEST_ODDS)), math.log(LARGEST_ODDS)))
    return out


def _evidence(
    plan: SearchPlan, state: SearchState, belief: Posterior
) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
    counted = [one for one in state.deploys if one.is_measured and one.is_ours]
    control = [one for one in counted if one.purpose == "control"]
    others = [one for one in counted if one.purpose != "control"]
    slow = {one.number for one in others if _badness(plan, belief, one.build) > SUSPECTED}
    return (
        _windows([one for one in others if one.number not in slow]),
        _windows([one for one in others if one.number in slow]),
        _windows(control),
    )


def _known(state: SearchState, end: str) -> list[ProbeRecord]:
    return [one for one in state.deploys if one.is_measured and one.build == end]


def _windows(wanted: Sequence[ProbeRecord]) -> tuple[float, ...]:
    return tuple(window.value for one in wanted for window in one.windows)


def estimate_git_bisect_cost(plan: SearchPlan, looks: int) -> int:
    """Return how many deploys git bisect would need that looks so often at every build: all commits, repository by repository.

    Of each repository the longest range counts: what the search looked into in vain, and branches of merges, are no work of its.
    """
    longest: dict[str, int] = {}
    for one in plan.levels.values():
        longest[one.module] = max(longest.get(one.module, 1), one.commits)
    return sum(looks * math.ceil(math.log2(commits + 1)) for commits in longest.values())
