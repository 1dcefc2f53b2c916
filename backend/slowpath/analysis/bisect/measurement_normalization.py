"""Normalize measurements for the posterior: larger is worse, noise is relative."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from slowpath.analysis.bisect.likelihood import ProbeReadings
from slowpath.analysis.bisect.posterior import Posterior
from slowpath.analysis.bisect.search_state import ProbeRecord, SearchState

SURELY: Final = 0.9
"""Probability of drift above which it is reported."""


def readings(state: SearchState) -> list[ProbeReadings]:
    """Return the readings of every probe at its position in the sequence, with their rounds."""
    counted = [one for one in state.deploys if one.is_measured]
    scaled = _scale(state, counted)
    return [
        ProbeReadings(
            state.line.position(one.build), tuple(scaled(window.value) for window in one.windows), one.good, one.bad,
            tuple(window.round for window in one.windows),
        )
        for one in counted
    ]  # fmt: skip


def remove_drift(state: SearchState, off: Mapping[int, float]) -> list[ProbeReadings]:
    """Return the readings without the environment's drift, given as `off` by round."""
    return [
        replace(one, values=tuple(value - off.get(at, 0.0) for value, at in zip(one.values, one.rounds, strict=True)))
        for one in readings(state)
    ]


def linear_means(state: SearchState, off: Mapping[int, float]) -> list[tuple[int, float]]:
    """Return position and mean of every probe with values, without drift, proportional to the original unit; larger is worse."""
    counted = [one for one in state.deploys if one.is_measured]
    sign, is_logarithm = (1.0 if state.settings.larger_is_worse else -1.0), _is_logarithm(counted)
    means = [(one.position, float(np.mean(one.values))) for one in remove_drift(state, off) if one.values]
    return [(at, sign * float(np.exp(sign * mean)) if is_logarithm else mean) for at, mean in means]


def has_drift(state: SearchState, belief: Posterior) -> bool:
    """Return whether the environment clearly drifts although no control measures it.

    This lowers the belief.
    """
    return not state.settings.control and belief.noise is not None and belief.noise.walks >= SURELY


def _is_logarithm(deploys: Sequence[ProbeRecord]) -> bool:
    """Return whether values are compared by their logarithms."""
    values = [window.value for one in deploys for window in one.windows]
    return bool(values) and min(values) > 0


def _scale(state: SearchState, deploys: list[ProbeRecord]) -> Callable[[float], float]:
    """Return how to make a value's noise relative.

    Its logarithm, or parts of the median if some are not positive.
    """
    values = [window.value for one in deploys for window in one.windows]
    sign = 1.0 if state.settings.larger_is_worse else -1.0
    if _is_logarithm(deploys):
        return lambda value: sign * float(np.log(value))
    middle = float(np.median(np.abs(values))) if values else 1.0
    return lambda value: sign * value / (middle or 1.0)
