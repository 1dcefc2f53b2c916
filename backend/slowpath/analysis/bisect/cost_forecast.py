"""How many deploys a search will still need, by how much is not known yet and how much a deploy has been telling.

Not a simulation: what is left to be known (the entropy of the belief above where the search stops) over what the best deploy tells at its best, with
the share of that which searches have been seen to get (nearly all: simulations of the bench), and the deploys that are certain: ends, final pair.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import xlogy

from slowpath.analysis.bisect import search
from slowpath.analysis.bisect.limits import GOT, USUAL_APART
from slowpath.analysis.bisect.posterior import Posterior
from slowpath.analysis.bisect.probe_selection import numeric_information
from slowpath.analysis.bisect.search_state import SearchState

WASTED: Final = 0.12
"""For each further slot: what deploys side by side tell, they tell partly twice."""
SPREAD: Final = 0.5
"""Half the width of the 80 % interval, over the square root of the mean, in deploys."""


@dataclass(frozen=True)
class RemainingProbes:
    """Deploys still to come, and an interval that holds them four times of five."""

    mean: float
    low: float
    high: float


def forecast_remaining_probes(state: SearchState) -> RemainingProbes:
    """Return how many deploys are still to be started. What hides in candidates that were not opened is not foreseen."""
    belief = search.compute_state_posterior(state)
    certain = float(len(search.missing_boundary_probes(state)) + _pair_missing(state, belief))
    bits = max(_entropy(belief) - _stopping(state), 0.0)
    windows = state.settings.most_windows
    apart = USUAL_APART if belief.noise is None else belief.noise.apart(windows)
    tells = float(numeric_information(np.array([0.5]), apart)[0])
    slots = max(state.settings.slots, 1)
    searching = bits / max(GOT * tells, 0.01) * (1 + WASTED * (slots - 1))
    control = float(state.settings.control and not any(one.purpose == "control" for one in state.deploys))
    mean = certain + searching + control
    half = SPREAD * 1.28 * float(np.sqrt(max(searching, 0.0))) * 2
    least = certain + control if mean > 0 else 0.0
    return RemainingProbes(mean, max(mean - half, least), mean + half)


def _entropy(belief: Posterior) -> float:
    mass = belief.mass[belief.mass > 0]
    return float(-xlogy(mass, mass).sum())


def _stopping(state: SearchState) -> float:
    """Return the entropy that is left where the belief is as large as asked."""
    left = 1 - state.settings.belief
    return float(-xlogy(left, left) - xlogy(1 - left, 1 - left))


def _pair_missing(state: SearchState, belief: Posterior) -> int:
    """Return how many builds of the final pair were never deployed: nothing once the belief is open, since searching deploys them anyway."""
    group, mass = search.most_suspected_run(state, belief)
    if mass < state.settings.belief:
        return 0
    return sum(not search.backing(state, belief, place) for place in search.neighbours(state, group))
