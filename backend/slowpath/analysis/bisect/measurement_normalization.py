"""Normalize measurements for the posterior: larger is worse, noise is relative."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from slowpath.analysis.bisect.likelihood import NoiseEstimate, ProbeReadings
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


def values_left_out(state: SearchState, noise: NoiseEstimate) -> frozenset[int]:
    """Return the numbers of the outlying values, of all probes in order, of builds that have usual values too.

    If all values of a build are outlying, it may have a level of a third kind, as with two culprits.
    """
    positions = [one.position for one in readings(state) for _ in one.values]
    with_usual = {position for number, position in enumerate(positions) if number not in noise.outlying}
    return frozenset(number for number in noise.outlying if positions[number] in with_usual)


def usual_readings(state: SearchState, noise: NoiseEstimate | None, *, leave_out: bool = True) -> list[ProbeReadings]:
    """Return the readings without the environment's drift and, unless `leave_out` is false, without the values left out."""
    if noise is None:
        return readings(state)
    left_out = values_left_out(state, noise) if leave_out else frozenset()
    out, number = [], 0
    for one in readings(state):
        numbers = range(number, number + len(one.values))
        number = numbers.stop
        usual = [at for at, each in enumerate(numbers) if each not in left_out]
        values = tuple(one.values[at] - noise.off.get(one.rounds[at], 0.0) for at in usual)
        out.append(replace(one, values=values, rounds=tuple(one.rounds[at] for at in usual)))
    return out


def outlying_builds(state: SearchState, belief: Posterior) -> list[int]:
    """Return the positions between the boundaries whose only value is outlying: such a build may be slower than both."""
    if belief.noise is None:
        return []
    positions = [one.position for one in readings(state) for _ in one.values]
    suspicious = sorted({positions[number] for number in belief.noise.outlying})
    return [at for at in suspicious if 0 < at < len(state.line) and positions.count(at) == 1]


def linear_means(state: SearchState, noise: NoiseEstimate) -> list[tuple[int, float]]:
    """Return position and mean of every probe with usual values, without drift, proportional to the original unit; larger is worse."""
    counted = [one for one in state.deploys if one.is_measured]
    sign, is_logarithm = (1.0 if state.settings.larger_is_worse else -1.0), _is_logarithm(counted)
    means = [(one.position, float(np.mean(one.values))) for one in usual_readings(state, noise) if one.values]
    return [(at, sign * float(np.exp(sign * mean)) if is_logarithm else mean) for at, mean in means]


def has_drift(state: SearchState, belief: Posterior) -> bool:
    """Return whether the environment clearly drifts although no control measures it.

    This lowers the belief.
    """
    return not state.settings.control and belief.noise is not None and belief.noise.walks >= SURELY


def is_logarithmic(state: SearchState) -> bool:
    """Return whether the values of a search are compared by their logarithms."""
    return _is_logarithm([one for one in state.deploys if one.is_measured])


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
