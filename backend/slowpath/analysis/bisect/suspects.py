"""Name the candidates that measurements suspect, and the builds around them."""

import numpy as np

from slowpath.analysis.bisect.posterior import Posterior
from slowpath.analysis.bisect.search_state import SearchState


def unbuildables(state: SearchState) -> set[int]:
    """Return the positions that failed to build."""
    return {state.line.position(one.build) for one in state.deploys if one.state == "unbuildable"}


def most_suspected_run(state: SearchState, belief: Posterior) -> tuple[tuple[int, ...], float]:
    """Return the most suspected run of candidates, inseparable because builds between failed, and its probability."""
    ends = sorted({*range(1, len(state.line) + 1)} - unbuildables(state) | {len(state.line)})
    starts = np.array([1, *(one + 1 for one in ends[:-1])])
    masses = np.add.reduceat(belief.mass[: len(state.line) + 1], starts)
    best = int(np.argmax(masses))
    return tuple(range(int(starts[best]), ends[best] + 1)), float(masses[best])


def credible_set(state: SearchState, belief: Posterior) -> tuple[str, ...]:
    """Return the fewest candidates that reach the requested belief together, the most suspected first."""
    order = np.argsort(-belief.candidate_probabilities, kind="stable")
    total, out = belief.probability_of_none, []
    for one in order:
        out.append(state.line.at(int(one) + 1))
        total += float(belief.candidate_probabilities[one])
        if total >= state.settings.belief:
            break
    return tuple(out)


def neighbours(state: SearchState, group: tuple[int, ...]) -> tuple[int, int]:
    """Return the nearest positions that build: before a run, and at its end or after it."""
    not_built = unbuildables(state)
    before = next((one for one in range(group[0] - 1, 0, -1) if one not in not_built), 0)
    after = next((one for one in range(group[-1], len(state.line) + 1) if one not in not_built), len(state.line))
    return before, after
