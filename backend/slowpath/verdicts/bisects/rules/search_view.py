"""The view of a search that pages show: computed from its probes, never stored."""

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
    """One candidate; `share`: prior within its level, `belief`: posterior among all."""

    node: CandidateNode
    share: float
    belief: float
    verdict: Verdict | None
    probe_number: int | None


@dataclass(frozen=True)
class LevelView:
    """One level of the search.

    `belief` and `before`: posterior and prior of its candidates in order; `marks`: [position, number] of probes.
    """

    key: str
    opened: ExpandedLevel
    candidates: tuple[CandidateView, ...]
    belief: tuple[float, ...]
    before: tuple[float, ...]
    marks: tuple[tuple[int, int], ...]
    culprit: CandidateNode | None


@dataclass(frozen=True)
class PosteriorPreview:
    """Top suspect and posterior if the build of a probe is slower, and if not. None: impossible."""

    slower: tuple[CandidateNode, float] | None
    not_slower: tuple[CandidateNode, float] | None


@dataclass(frozen=True)
class SearchView:
    """The computed view.

    `verdicts`, `odds` and `would` are keyed by probe number; `would` has unfinished probes.
    """

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
    """Production baselines of the good and the bad boundary, if valid."""


def compute_search_view(
    plan: SearchPlan, state: SearchState, tried: Sequence[ProbeObservation], *, most: int = MOST_SHOWN
) -> SearchView:
    """Compute the view; at most `most` candidates per level."""
    belief = compute_state_posterior(state)
    masses = _summed(plan, dict(zip(plan.line.ids, belief.candidate_probabilities.tolist(), strict=True)))
    priors = _summed(plan, dict(zip(plan.line.ids, _prior(plan.line).tolist(), strict=True)))
    verdicts = {one.number: _verdict(plan, belief, one) for one in tried}
    best = int(np.argmax(belief.candidate_probabilities))
    good, bad, control = _evidence(plan, state, belief)
    return SearchView(
        tuple(_level(plan, key, (masses, priors), tried, verdicts, most=most) for key in plan.shown_levels),
        plan.nodes[plan.line.ids[best]],
        float(belief.candidate_probabilities[best]),
        belief.probability_of_none,
        verdicts,
        _odds(state, belief.noise),
        {
            one.number: _would(plan, belief, one.candidate)
            for one in tried
            if one.can_measure_more and one.candidate in plan.nodes
        },
        good,
        bad,
        control,
        (_windows(_known(state, KNOWN_GOOD)), _windows(_known(state, KNOWN_BAD))),
    )


def _prior(line: CandidateSequence) -> F64:
    """Return [N] the prior of each candidate."""
    both: F64 = TRUST * np.exp(np.array(line.evidence)) + (1 - TRUST) * np.exp(np.array(line.even))
    return both


def _summed(plan: SearchPlan, masses: Mapping[str, float]) -> dict[str, float]:
    """Return the mass of each node; an expanded node has the sum of its level."""
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
    both: tuple[Mapping[str, float], Mapping[str, float]],
    tried: Sequence[ProbeObservation],
    verdicts: Mapping[int, Verdict],
    *,
    most: int,
) -> LevelView:
    """Return one level; `both`: posterior and prior of all nodes."""
    masses, priors = both
    first = _places(plan)
    inside = (one for one in plan.nodes.values() if (one.outer or TOP) == key)
    nodes = sorted(inside, key=lambda one: first.get(one.id, len(plan.line.ids)))
    total = sum(priors.get(one.id, 0.0) for one in nodes) or 1.0
    shares = [priors.get(one.id, 0.0) / total for one in nodes]
    posteriors = [masses.get(one.id, 0.0) for one in nodes]
    place = {one.id: at for at, one in enumerate(nodes)} | ({GOOD_END: -1} if key == TOP else {})
    mine = [(plan.shown_candidate(one.candidate), one) for one in tried]
    mine = [(candidate, one) for candidate, one in mine if candidate in place]
    newest = dict(mine)
    order = sorted(range(len(nodes)), key=lambda at: (nodes[at].id not in newest, -posteriors[at], at))
    shown = sorted(order[:most])
    suspect = max(range(len(nodes)), key=lambda at: posteriors[at], default=None)
    return LevelView(
        key,
        plan.levels[key],
        tuple(
            CandidateView(
                nodes[at],
                shares[at],
                posteriors[at],
                verdicts[newest[nodes[at].id].number] if nodes[at].id in newest else None,
                newest[nodes[at].id].number if nodes[at].id in newest else None,
            )
            for at in shown
        ),
        tuple(_short(one) for one in posteriors),
        tuple(_short(one) for one in shares),
        tuple((place[candidate], one.number) for candidate, one in mine),
        nodes[suspect] if suspect is not None and posteriors[suspect] >= SUSPECTED else None,
    )


def _places(plan: SearchPlan) -> dict[str, int]:
    """Return the first position of each node in the candidate sequence."""
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
    has_result = one.good or one.bad or any(window.value is not None for window in counted)
    if not has_result:
        return "measuring" if one.can_measure_more or one.waits else "inconclusive"
    bad = _badness(plan, belief, one.candidate)
    if bad >= SURE:
        return "slower"
    return "not-slower" if bad <= 1 - SURE else "inconclusive"


def _badness(plan: SearchPlan, belief: Posterior, build: str) -> float:
    """Return the probability that a build is slow; 0 or 1 for production baselines."""
    if build in {KNOWN_GOOD, KNOWN_BAD}:
        return float(build == KNOWN_BAD)
    return float(belief.bad[plan.line.position(build)])


def _would(plan: SearchPlan, belief: Posterior, candidate: str) -> PosteriorPreview:
    """Return the posterior given the verdict on a candidate's build, renormalized.

    A build is slow if and only if the culprit is it or precedes it.
    """
    place = plan.line.position(candidate)
    sides = (0, place + 1), (place + 1, len(belief.mass))
    return PosteriorPreview(*(_likeliest(plan, belief, first, last) for first, last in sides))


def _likeliest(plan: SearchPlan, belief: Posterior, first: int, last: int) -> tuple[CandidateNode, float] | None:
    """Return the candidate with the highest posterior among hypotheses from `first` to before `last`."""
    inside = range(max(first, 1), min(last, len(plan.line) + 1))
    total = float(belief.mass[first:last].sum())
    if not inside or total <= 0:
        return None
    best = inside.start + int(np.argmax(belief.mass[inside.start : inside.stop]))
    return plan.nodes[plan.line.ids[best - 1]], float(belief.mass[best]) / total


def _odds(state: SearchState, noise: NoiseEstimate | None) -> dict[int, float]:
    """Return the likelihood ratio of slow against good builds for the measurements of each probe."""
    counted = [one for one in state.deploys if one.is_measured]
    out = {}
    for deploy, normalized in zip(counted, measurement_normalization.usual_readings(state, noise), strict=True):
        log_odds = 0.0
        if not deploy.is_ours:
            continue
        if normalized.values and noise is not None:
            spread = noise.window * math.sqrt(noise.ratio**2 + 1 / len(normalized.values))
            off = float(np.mean(normalized.values)) - noise.level
            log_odds += (off**2 - (off - noise.step) ** 2) / (2 * spread**2)
        wrong_bad, wrong_good = (noise.false_bad, noise.false_good) if noise is not None else (0.05, 0.05)
        log_odds += normalized.bad * math.log((1 - wrong_good) / wrong_bad)
        log_odds -= normalized.good * math.log((1 - wrong_bad) / wrong_good)
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


def _windows(probes: Sequence[ProbeRecord]) -> tuple[float, ...]:
    return tuple(window.value for one in probes for window in one.windows)


def estimate_git_bisect_cost(plan: SearchPlan, measurements: int) -> int:
    """Return how many deployments git bisect needs with `measurements` per build, by repository.

    The longest range of each repository counts: expansions without a culprit and branches of merges need none.
    """
    longest: dict[str, int] = {}
    for one in plan.levels.values():
        longest[one.module] = max(longest.get(one.module, 1), one.commits)
    return sum(measurements * math.ceil(math.log2(commits + 1)) for commits in longest.values())
