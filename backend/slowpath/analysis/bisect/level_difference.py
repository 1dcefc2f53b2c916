"""Decide whether the probes of two builds differ, and whether single probes can be relied on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from slowpath.analysis.bisect import measurement_normalization
from slowpath.analysis.bisect.likelihood import ODD, NoiseEstimate
from slowpath.analysis.bisect.posterior import Posterior
from slowpath.analysis.bisect.search_state import ProbeRecord, SearchState

DRIFT_AT: Final = 0.5
"""Probability of drift from which on probes at other times do not count."""
OUTLIERS_AT: Final = 0.5
"""Probability of outlying values from which on a single probe cannot be relied on."""
OPPOSITE_AT: Final = 0.5
"""Expected number of probes that showed the opposite from which on a single probe cannot be relied on."""


def is_disturbed(noise: NoiseEstimate) -> bool:
    """Return whether a single probe of a build cannot be relied on."""
    return noise.walks > DRIFT_AT or noise.outliers > OUTLIERS_AT or noise.opposite > OPPOSITE_AT


def levels_differ(
    state: SearchState, belief: Posterior, good: Sequence[ProbeRecord], bad: Sequence[ProbeRecord]
) -> bool:
    """Return whether the latest probes alone show that the suspect is bad and the build before it good."""
    if belief.noise is None:
        return _share_of_bad_verdicts(bad) > _share_of_bad_verdicts(good)
    counted = [one for one in state.deploys if one.is_measured]
    values = {
        deploy.number: float(np.mean(readings.values))
        for deploy, readings in zip(counted, measurement_normalization.usual_readings(state, belief.noise), strict=True)
        if readings.values
    }
    goods, bads = ([values[one.number] for one in side if one.number in values] for side in (good, bad))
    return bool(goods and bads) and float(np.median(bads) - np.median(goods)) > belief.noise.step / 2


def _share_of_bad_verdicts(probes: Sequence[ProbeRecord]) -> float:
    """Return the share of bad verdicts; 0 without any. A flaky test may pass in most runs of a bad build."""
    bad, good = sum(one.bad for one in probes), sum(one.good for one in probes)
    return bad / (bad + good) if bad else 0.0


def show_bad_level(state: SearchState, noise: NoiseEstimate, probes: Sequence[ProbeRecord]) -> bool:
    """Return whether values of one build show the bad level rather than the good one, with the requested belief."""
    return _bad_log_odds(state, noise, probes) >= float(np.log(state.settings.belief / (1 - state.settings.belief)))


def _bad_log_odds(state: SearchState, noise: NoiseEstimate, probes: Sequence[ProbeRecord]) -> float:
    """Return the log odds of the bad level against the good one, by the distance of the values from both.

    Values near the middle count little, other than in a comparison of medians. A probe shows the opposite with the
    probability `ODD`, so one odd probe does not decide.
    """
    numbers, odd, usual = {one.number for one in probes}, float(np.log(ODD)), float(np.log(1 - ODD))
    return float(
        sum(
            np.logaddexp(usual + one.nats, odd) - np.logaddexp(usual, odd + one.nats)
            for one in level_odds(state, noise)
            if one.number in numbers
        )
    )


@dataclass(frozen=True)
class LevelOdds:
    """How much more probable the values of a probe are at the bad level than at the good one."""

    number: int
    position: int
    nats: float
    """Logarithm of the ratio of both likelihoods, of two normal distributions at the estimated distance."""
    distance: float
    """From the nearer level, in standard deviations."""


def level_odds(state: SearchState, noise: NoiseEstimate, *, leave_out: bool = True) -> list[LevelOdds]:
    """Return the odds of the levels by each probe, unless `leave_out` is false without the values left out."""
    counted = [one for one in state.deploys if one.is_measured]
    usual = measurement_normalization.usual_readings(state, noise, leave_out=leave_out)
    out = []
    for deploy, readings in zip(counted, usual, strict=True):
        if readings.values:
            above = (float(np.mean(readings.values)) - noise.level) / noise.step
            apart = noise.apart(len(readings.values))
            distance = min(abs(above), abs(above - 1)) * apart
            out.append(LevelOdds(deploy.number, readings.position, (above - 0.5) * apart**2, distance))
    return out
