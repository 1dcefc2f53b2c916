"""Forecast how many probes a search still needs, from the missing information and the information per probe.

Not a simulation: the entropy of the posterior above the stopping entropy, divided by the information of the best possible
probe times the share of it that searches get in simulations of the benchmark (nearly all), plus the probes that are
certain: boundaries and the final pair.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from slowpath.analysis.bisect import search, suspect_confirmation, suspects
from slowpath.analysis.bisect.limits import GOT, USUAL_APART
from slowpath.analysis.bisect.posterior import Posterior
from slowpath.analysis.bisect.probe_selection import numeric_information
from slowpath.analysis.bisect.search_state import SearchState
from slowpath.analysis.stats.distribution_functions import x_log_x

WASTED: Final = 0.12
"""Loss per further slot: concurrent probes carry partly the same information."""
SPREAD: Final = 0.5
"""Half the width of the 80% interval over the square root of the mean, in probes."""


@dataclass(frozen=True)
class RemainingProbes:
    """Expected number of remaining probes, with its 80% interval."""

    mean: float
    low: float
    high: float


def forecast_remaining_probes(state: SearchState) -> RemainingProbes:
    """Forecast how many probes are still to be started.

    Candidates inside candidates that are not expanded do not count.
    """
    belief = search.compute_state_posterior(state)
    certain = float(len(search.missing_boundary_probes(state)) + _pair_missing(state, belief))
    bits = max(_entropy(belief) - _stopping_entropy(state), 0.0)
    windows = state.settings.most_windows
    separation = USUAL_APART if belief.noise is None else belief.noise.apart(windows)
    information_per_probe = float(numeric_information(np.array([0.5]), separation)[0])
    slots = max(state.settings.slots, 1)
    searching = bits / max(GOT * information_per_probe, 0.01) * (1 + WASTED * (slots - 1))
    control = float(state.settings.control and not any(one.purpose == "control" for one in state.deploys))
    mean = certain + searching + control
    half = SPREAD * 1.28 * float(np.sqrt(max(searching, 0.0))) * 2
    least = certain + control if mean > 0 else 0.0
    return RemainingProbes(mean, max(mean - half, least), mean + half)


def _entropy(belief: Posterior) -> float:
    mass = belief.mass[belief.mass > 0]
    return float(-x_log_x(mass).sum())


def _stopping_entropy(state: SearchState) -> float:
    """Return the entropy that is left when the belief reaches the requested one."""
    left = 1 - state.settings.belief
    return float(-x_log_x(np.array([left, 1 - left])).sum())


def _pair_missing(state: SearchState, belief: Posterior) -> int:
    """Return how many probes of the final pair are missing; 0 while the search continues."""
    group, mass = suspects.most_suspected_run(state, belief)
    return suspect_confirmation.count_missing(state, belief, group) if mass >= state.settings.belief else 0
