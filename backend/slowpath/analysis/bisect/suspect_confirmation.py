"""Confirm a suspect that has enough belief, or return the probes that are still needed."""

from collections.abc import Sequence
from math import log
from typing import Final

from slowpath.analysis.bisect.level_difference import (
    DRIFT_AT,
    is_disturbed,
    levels_differ,
    show_bad_level,
)
from slowpath.analysis.bisect.posterior import Posterior
from slowpath.analysis.bisect.random_levels import (
    log_odds_against_random_levels,
    log_odds_of_verdicts_against_chance,
)
from slowpath.analysis.bisect.search_state import ProbeRecord, ProbeStart, SearchResult, SearchState
from slowpath.analysis.bisect.suspects import credible_set, neighbours

PAIRS_SHALLOW: Final = 2
"""Pairs required for a suspect above the deepest level: a single odd probe would end the search a level too early."""
MOST_PAIRS: Final = 3
MOST_PAIRS_OF_VERDICTS: Final = 6
"""A verdict says less than a value, and a flaky test often has the other one."""
RANDOM_AT: Final = 0.01
"""Largest probability that a search whose measurements have two levels at random names a suspect, if both levels are known.

They are estimated, so it is a little larger: `bench --only bisect-single` measures it.
"""
RANDOM_VERDICTS_AT: Final = 0.03
"""Largest probability that verdicts that are bad by chance, whatever the build, lead to a named suspect."""
MORE_PAIRS: Final = 2
"""Pairs required if single probes cannot be relied on: one pair may differ by chance."""


def confirm(
    state: SearchState, belief: Posterior, group: tuple[int, ...], mass: float
) -> tuple[list[ProbeStart], SearchResult | None]:
    """Return the result of the search for a suspect with enough belief, or the probes still needed to confirm it.

    The posterior counts every probe once, with the variance between probes, so probes of the suspect and of the build before it
    count whatever their purpose was. If one of the two was never measured, or they do not differ alone, both are probed again.
    Where each probe gives one number, or all give verdicts, levels or verdicts at random must be excluded as well (see
    `random_levels`).
    """
    suspects = tuple(state.line.at(one) for one in group)
    about = suspects[-1]
    before, after = neighbours(state, group)
    good, bad = (backing(state, belief, place) for place in (before, after))
    verified = [_verifications(state, about, place) for place in (before, after)]
    most_pairs = MOST_PAIRS if belief.noise is not None else MOST_PAIRS_OF_VERDICTS
    is_confirmed = levels_differ(state, belief, good, bad)
    if is_confirmed and is_measured_once(state, belief):
        at_start = [place for place in (after, before) if _is_measured_at_start_only(state, place)]
        if at_start:
            return _verify(state, about, at_start), None
    is_confirmed = is_confirmed and _is_chance_excluded(state, belief, group)
    required = MORE_PAIRS if belief.noise is not None and is_disturbed(belief.noise) else 1
    if state.line.depth(about) < state.line.deepest:
        required = max(required, PAIRS_SHALLOW)
    has_enough = min(len(good), len(bad)) >= required
    if has_enough and (again := _probes_of_equal_boundary(state, belief)):
        enough = state.settings.end_deploys + most_pairs
        is_settled = len(backing(state, belief, len(state.line))) >= enough
        return ([], SearchResult("not-separable", credible_set(state, belief), mass)) if is_settled else (again, None)
    if has_enough and is_confirmed:
        if about in state.line.forks:
            return [], SearchResult("not-separable", state.line.started_from(about), mass, about)
        return [], SearchResult("found" if len(group) == 1 else "not-separable", suspects, mass)
    if has_enough and min(map(len, verified)) >= most_pairs:
        return [], SearchResult("not-separable", credible_set(state, belief), mass)
    counted = [(after, bad), (before, good)]
    if len(good) != len(bad):
        counted = [min(counted, key=lambda one: len(one[1]))]
    return _verify(state, about, [place for place, _ in counted]), None


def _is_chance_excluded(state: SearchState, belief: Posterior, group: tuple[int, ...]) -> bool:
    """Return whether verdicts or single values are not explained by chance, whatever the build."""
    if belief.noise is None:
        return log_odds_of_verdicts_against_chance(state, group) >= -log(RANDOM_VERDICTS_AT)
    if not is_measured_once(state, belief):
        return True
    return log_odds_against_random_levels(state, belief, group) >= -log(RANDOM_AT)


def _probes_of_equal_boundary(state: SearchState, belief: Posterior) -> list[ProbeStart]:
    """Return one more probe of the bad boundary if its measurements are those of the good one; empty with a baseline.

    Then what a suspect broke was repaired within the range, or the boundary's measurements are outlying.
    """
    good, bad = (
        [one for one in state.deploys if one.is_measured and state.line.position(one.build) == place]
        for place in (0, len(state.line))
    )
    known = any(one.purpose == "baseline" and one.is_measured for one in state.deploys)
    if known or not good or not bad:
        return []
    if (
        show_bad_level(state, belief.noise, bad)
        if belief.noise is not None
        else levels_differ(state, belief, good, bad)
    ):
        return []
    return [ProbeStart(state.line.at(len(state.line)), "boundary")]


def count_missing(state: SearchState, belief: Posterior, group: tuple[int, ...]) -> int:
    """Return how many builds of the final pair of a suspected run lack the probes that its confirmation requires."""
    return sum(not backing(state, belief, place) for place in neighbours(state, group))


def _verify(state: SearchState, about: str, places: Sequence[int]) -> list[ProbeStart]:
    """Return probes of builds that confirm a suspect, within the slots."""
    return [ProbeStart(state.line.at(place), "verify", about) for place in places[: state.settings.slots]]


def _verifications(state: SearchState, about: str, place: int) -> list[ProbeRecord]:
    """Return the probes of a build that were started to confirm a suspect."""
    return [
        one
        for one in state.deploys
        if one.purpose == "verify"
        and one.about == about
        and one.is_measured
        and state.line.position(one.build) == place
    ]


def is_measured_once(state: SearchState, belief: Posterior) -> bool:
    """Return whether each probe gives one number and no production baseline is known.

    Otherwise the measurements of one deployment, and of production, show how much values vary without a change.
    """
    known = any(one.purpose == "baseline" and one.is_measured for one in state.deploys)
    return belief.noise is not None and state.settings.most_windows == 1 and not known


def _is_measured_at_start_only(state: SearchState, place: int) -> bool:
    """Return whether a boundary was not measured since the measurements that began the search: these may all be outlying."""
    probes = [one for one in state.deploys if one.is_measured and state.line.position(one.build) == place]
    return place in {0, len(state.line)} and len(probes) <= state.settings.end_deploys


def backing(state: SearchState, belief: Posterior, place: int) -> list[ProbeRecord]:
    """Return the probes of a build that count for its belief.

    Only verification probes under unmeasured drift.
    """
    drifting = belief.noise is not None and belief.noise.walks > DRIFT_AT and not state.settings.control
    return [
        one
        for one in state.deploys
        if one.is_measured and state.line.position(one.build) == place and (one.purpose == "verify" or not drifting)
    ]
