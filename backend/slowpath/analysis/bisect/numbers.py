"""What was measured, as the belief takes it: larger is worse, noise is relative, drift of the environment taken off."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from slowpath.analysis.bisect.belief import Belief
from slowpath.analysis.bisect.drift import course
from slowpath.analysis.bisect.evidence import Measured
from slowpath.analysis.bisect.state import Deploy, State, Window

SURELY: Final = 0.9
"""How much a drift must be believed in to be told."""


def measured(state: State) -> list[Measured]:
    """Return what every deploy gave, at its position on the line."""
    counted = [one for one in state.deploys if one.is_measured]
    scaled = _scale(state, counted)
    off = drift(state)
    return [Measured(state.line.position(one.build), _values(one, scaled, off), one.good, one.bad) for one in counted]


def readings(state: State) -> list[Measured]:
    """Return what every deploy gave as it was measured, and when."""
    counted = [one for one in state.deploys if one.is_measured]
    scaled = _scale(state, counted)
    return [
        Measured(
            state.line.position(one.build), tuple(scaled(window.value) for window in one.windows), one.good, one.bad,
            tuple(window.round for window in one.windows),
        )
        for one in counted
    ]  # fmt: skip


def drift(state: State) -> dict[int, float]:
    """Return how far the environment lay off at each round; empty where it stayed as it was."""
    counted = [one for one in state.deploys if one.is_measured]
    scaled = _scale(state, counted)
    readings: dict[int, list[float]] = defaultdict(list)
    for one in counted:
        if one.purpose == "control":
            middle = float(np.mean([scaled(window.value) for window in one.windows])) if one.windows else 0.0
            for window in one.windows:  # a control that was started again has another level of its own
                readings[window.round].append(scaled(window.value) - middle)
    return course(readings)


def wanders(state: State, belief: Belief) -> bool:
    """Tell whether the environment clearly drifts though no control sees it: all of the belief is lowered by it."""
    return not state.settings.control and belief.noise is not None and belief.noise.walks >= SURELY


def _values(deploy: Deploy, scaled: Callable[[float], float], off: Mapping[int, float]) -> tuple[float, ...]:
    first, last = (min(off), max(off)) if off else (0, 0)

    def taken_off(window: Window) -> float:
        at = min(max(window.round, first), last)
        return scaled(window.value) - (off.get(at, 0.0) if deploy.is_ours else 0.0)

    values = tuple(taken_off(window) for window in deploy.windows)
    if off and deploy.purpose == "control" and values:
        return (float(np.mean(values)),)  # what was taken off was seen by it: its own spread says nothing any more
    return values


def _scale(state: State, deploys: list[Deploy]) -> Callable[[float], float]:
    """Return how a number is turned into one whose noise is relative: a logarithm, or parts of the middle where some are not positive."""
    values = [window.value for one in deploys for window in one.windows]
    sign = 1.0 if state.settings.larger_is_worse else -1.0
    if values and min(values) > 0:
        return lambda value: sign * float(np.log(value))
    middle = float(np.median(np.abs(values))) if values else 1.0
    return lambda value: sign * value / (middle or 1.0)
