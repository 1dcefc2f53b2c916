"""Simulated search: a history with a culprit three repositories deep, and builds measured with noise.

A window's value is level + a + e (`a` of the deployment, `e` of the window); the variance is such that a single window, compared with the
midpoint of good and bad, is wrong at the given rate. `deploy_share` of that variance is the deployment's. The search knows none of this.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.stats import norm

from slowpath.analysis.bisect import search, suspects
from slowpath.analysis.bisect.candidate_sequence import GOOD_END, Candidate, line_of
from slowpath.analysis.bisect.search_state import SearchSettings, SearchState

WHOLE: Final = (4_096, 203, 43)
PRUNED: Final = (128, 38, 5)
SPREAD: Final = 0.03
LEVEL: Final = 100.0
OUTLYING: Final = 1.6
TOUCHES, HOLDS = 0.05, 0.8
"""One of twenty commits touches the regressed packages; so do four of five culprits."""


@dataclass(frozen=True)
class SimulationSettings:
    """Parameters of a simulation."""

    sizes: tuple[int, ...] = WHOLE
    error: float = 0.10
    deploy_share: float = 0.1
    prior: str = "none"
    """"none", "truthful" (HOLDS of the culprits are among those that TOUCHES are) or "misleading" (none is)."""
    unbuildable: float = 0.0
    present: bool = True
    """Whether the culprit is in the range."""
    drift: float = 0.0
    """Steps of the environment's random walk between rounds, in standard deviations of a window."""
    heavy: bool = False
    """Whether windows have Student's t distribution with 4 degrees of freedom instead of a normal one."""
    bad_deploys: float = 0.0
    """Share of deployments that show the opposite: a bad node, an incident."""
    known_spread: float = 1.0
    """Dispersion of the production baseline, relative to that of the search."""
    slots: int = 1
    most_windows: int = 4
    control: bool = True
    has_baseline: bool = True
    """Whether production measurements of both boundaries are known before the search."""
    spread: float = SPREAD
    """Standard deviation of the logarithm of a window."""
    second_mode: float = 0.0
    """By how much more half of the windows are at random, as a share of the value."""
    outliers: float = 0.0
    """Share of windows that are OUTLYING times as large."""
    verdict_rates: tuple[float, float] | None = None
    """Shares of bad verdicts of a good and of a bad build; then a measurement is a verdict instead of a value."""
    all_hide: bool = False
    """Whether innocent candidates contain other candidates, like those on the culprit's level. Otherwise only culprits do, so a wrong suspect
    of an outer level is named where the right one would have been expanded."""


class SimulatedHistory:
    """One history and its noise."""

    def __init__(self, setting: SimulationSettings, rng: Generator) -> None:
        """Draw the culprits."""
        self.setting, self._rng = setting, rng
        self.culprits = [int(rng.integers(1, size + 1)) for size in setting.sizes]
        self.gap = 2 * float(norm.isf(setting.error))
        self._drift = [0.0]
        self._broken = [self._breaks(size) for size in setting.sizes]

    def _breaks(self, size: int) -> NDArray[np.bool_]:
        """Return the builds that fail, in runs of about five; the bad boundary never fails."""
        share = self.setting.unbuildable
        out = np.zeros(size + 1, dtype=bool)
        at = int(self._rng.geometric(share / 5)) if share else size
        while at < size:
            run = int(self._rng.geometric(1 / (5 * (1 - share))))
            out[at : at + run] = True
            at += run + int(self._rng.geometric(share / (5 * (1 - share)) * (1 - share)))
        out[size] = False
        return out

    def candidates(self, level: int) -> list[Candidate]:
        """Return the candidates of a level, weighted by the prior."""
        size, culprit = self.setting.sizes[level], self.culprits[level]
        deeper = level + 1 < len(self.setting.sizes)
        touched = self._rng.random(size + 1) < TOUCHES
        if self.setting.prior != "none":
            touched[culprit] = self.setting.prior == "truthful" and bool(self._rng.random() < HOLDS)
        share = max(touched[1:].mean(), 1 / size)
        weights = np.where(touched, HOLDS / share, (1 - HOLDS) / (1 - min(share, 0.99)))
        if self.setting.prior == "none":
            weights = np.ones(size + 1)
        return [Candidate(f"{level}:{one}", float(weights[one]), hides=deeper) for one in range(1, size + 1)]

    def inside(self, id_: str) -> list[Candidate]:
        """Return the candidates inside a candidate; those inside an innocent one are named by their path."""
        level, place = map(int, id_.rpartition("/")[2].split(":"))
        if level + 1 == len(self.culprits):
            return []
        if "/" not in id_ and place == self.culprits[level]:
            return self.candidates(level + 1)
        if not self.setting.all_hide:
            return []
        return [replace(one, id=f"{id_}/{one.id}") for one in self.candidates(level + 1)]

    def is_bad(self, build: str) -> bool:
        """Return whether a build includes the culprit."""
        if build == GOOD_END or not self.setting.present:
            return False
        level, place = map(int, build.partition("/")[0].split(":"))
        return place >= self.culprits[level]

    def is_broken(self, build: str) -> bool:
        """Return whether a build fails."""
        if build == GOOD_END:
            return False
        level, place = map(int, build.partition("/")[0].split(":"))
        return bool(self._broken[level][place])

    def deploy(self) -> float:
        """Draw the effect of a deployment."""
        return float(np.sqrt(self.setting.deploy_share) * self._rng.standard_normal())

    def window(self, *, bad: bool, own: float, round_: int = 0, spread: float = 1.0) -> float:
        """Measure one window."""
        while len(self._drift) <= round_:
            self._drift.append(self._drift[-1] + self.setting.drift * float(self._rng.standard_normal()))
        noise = self._rng.standard_t(4) / np.sqrt(2) if self.setting.heavy else self._rng.standard_normal()
        apart = own + float(np.sqrt(1 - self.setting.deploy_share) * noise)
        value = LEVEL * float(np.exp(self.setting.spread * (self.gap * bad + spread * apart + self._drift[round_])))
        if self.setting.second_mode and self._rng.random() < 0.5:
            value *= 1 + self.setting.second_mode
        if self.setting.outliers and self._rng.random() < self.setting.outliers:
            value *= OUTLYING
        return value

    def verdict(self, rates: tuple[float, float], *, bad: bool) -> bool:
        """Return whether a measurement says that the build is bad."""
        return bool(self._rng.random() < rates[bad])

    def odd(self) -> bool:
        """Return whether a deployment shows the opposite."""
        return bool(self._rng.random() < self.setting.bad_deploys)


@dataclass(frozen=True)
class SimulationResult:
    """Result of one search."""

    outcome: str
    right: bool
    deploys: int
    attempts: int
    windows: int
    rounds: int
    suspects: int
    claimed: float | None
    """Probability of the culprit when it first reached the requested one."""
    claim_right: bool | None
    believed: float = 0.0
    """Probabilities of the suspects at the end."""
    levels: tuple[int, ...] = ()
    """Deployments per level; boundaries and controls count at the first."""


def searched(history: SimulatedHistory) -> SimulationResult:
    """Run one search."""
    setting = history.setting
    settings = SearchSettings(slots=setting.slots, most_windows=setting.most_windows, control=setting.control)
    known = [
        [
            [history.window(bad=bad, own=own, spread=setting.known_spread) for _ in range(4)]
            for own in (history.deploy(),)
        ]
        for bad in ((False, True) if setting.has_baseline else ())
    ]
    state = search.start_search(settings, line_of(history.candidates(0)), *known)
    own: dict[int, tuple[float, bool]] = {}
    windows = attempts = 0
    claim: tuple[float, bool] | None = None
    while True:
        todo = search.next_actions(state)
        if claim is None and (todo.finished or any(one.purpose == "verify" for one in todo.start)):
            claim = _claim(history, state)
        if todo.finished is not None:
            break
        if todo.open is not None:
            state = search.record_expansion(state, todo.open, history.inside(todo.open))
        if todo.start:
            first = len(state.deploys) + 1
            state = search.record_started(state, todo.start)
            attempts += len(todo.start)
            for number, start in enumerate(todo.start, first):
                own[number] = (history.deploy(), history.is_bad(start.build) != history.odd())
                if history.is_broken(start.build):
                    state = search.record_unbuildable(state, number)
        if todo.close:
            state = search.record_stopped(state, todo.close)
        if todo.measure:
            windows += len(todo.measure)
            state = _measured(history, state, {one: own[one] for one in todo.measure})
    ended = todo.finished
    way = {
        f"{level}:{place}" for level, place in enumerate(history.culprits)
    }  # the containing candidate, if it was not expanded
    right = (ended.outcome == "not-in-range") if not setting.present else not way.isdisjoint(ended.suspects)
    claimed, claim_right = claim or (None, None)
    rounds = state.round
    return SimulationResult(
        ended.outcome, right, state.started, attempts, windows, rounds, len(ended.suspects), claimed, claim_right, ended.belief, _levels(history, state),
    )  # fmt: skip


def _measured(history: SimulatedHistory, state: SearchState, probes: Mapping[int, tuple[float, bool]]) -> SearchState:
    """Return the state with one more measurement of each probe: its own effect, and whether it shows the bad level."""
    rates = history.setting.verdict_rates
    if rates is None:
        values = {one: history.window(own=own, bad=bad, round_=state.round) for one, (own, bad) in probes.items()}
        return search.record_measurements(state, values)
    for one, (_, bad) in probes.items():
        state = search.record_verdict(state, one, bad=history.verdict(rates, bad=bad))
    return state


def _levels(history: SimulatedHistory, state: SearchState) -> tuple[int, ...]:
    at = [int(one.build.split(":")[0]) if ":" in one.build else 0 for one in state.deploys if one.is_ours and one.state != "unbuildable"]  # fmt: skip
    return tuple(at.count(level) for level in range(len(history.setting.sizes)))


def _claim(history: SimulatedHistory, state: SearchState) -> tuple[float, bool] | None:
    belief = search.compute_state_posterior(state)
    group, mass = suspects.most_suspected_run(state, belief)
    if mass < state.settings.belief or state.line.at(group[-1]) in state.line.hiding:
        return None
    culprit = f"{len(history.culprits) - 1}:{history.culprits[-1]}"
    return mass, history.setting.present and culprit in {state.line.at(one) for one in group}
