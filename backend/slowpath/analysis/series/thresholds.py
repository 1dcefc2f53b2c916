"""The numbers that a series over builds is judged by, in one value: a change point cannot be read without them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SeriesThresholds:
    """How sure is sure, and how small is too small.

    A *score* is how many standard errors two levels lie apart. `score_*` are for one series; of many that are watched
    together (`family`) each must be surer, so that all of them together are as rarely wrong as one.
    """

    score_whole: float = 4.0
    """Of a series as it stands, looked at once."""
    score_online: float = 4.4
    """Of the newest builds, looked at after each build."""
    score_candidate: float = 3.0
    """From here on a newest build is worth another look; nobody is told."""
    family: int = 1
    """How many series are watched together."""
    least_relative: float = 0.02
    """Smaller steps are no change, however sure."""
    confidence: float = 0.95
    power: float = 0.9
    least_builds: int = 8
    """Before a change; with fewer nothing is known of the noise."""
    most_new_builds: int = 40
    """A change further back was seen by earlier looks, or is left to the look at the whole series."""
    winsorised_at: float = 4.0
    """Robust standard deviations from the running median; what lies further counts as lying there."""
    least_noise: float = 0.0025
    """Standard deviation (of the logarithm) below which no noise is believed: equal values have luck, not certainty."""


DEFAULT_SERIES_THRESHOLDS = SeriesThresholds()
