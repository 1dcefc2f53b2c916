"""The numbers that a series over builds is judged by, in one value: a change point cannot be read without them."""

from dataclasses import dataclass, replace
from math import log, sqrt


@dataclass(frozen=True)
class SeriesThresholds:
    """How sure is sure, and how small is too small (`npm run bench -- --only series` measures what they come to).

    A *score* is how many standard errors two levels lie apart. *Surprise* is how unlikely it is that builds before the
    change would rank as those after it do, as -log10: it knows nothing of the shape of the noise.
    """

    score_whole: float = 4.0
    """Of a series as it stands, looked at once."""
    score_newest: float = 4.7
    """Of the newest builds, looked at after each build."""
    score_expected: float = 3.95
    """The same when there are as many new builds as `expected_builds` says and costs went up: there most is looked for."""
    expected_builds: tuple[int, ...] = (3, 10, 12)
    score_less: float = 5.0
    """Of costs that went down: nobody waits for that."""
    score_two_builds: float = 5.0
    score_remeasured: float = 5.0
    """Of one single build that was measured again and again."""
    score_candidate: float = 3.0
    """From here on a newest build is worth another look; nobody is told."""
    score_memory: float = 1.5
    """Up to so much more is asked where noise has a memory: how much is an estimate too."""
    heavy_from: float = 0.6
    """L-kurtosis so much over the root of the builds above that of normal noise: tails are heavy, and"""
    score_heavy: float = 0.5
    """so much more is asked."""
    surprise: float = 2.4
    surprise_two_builds: float = 3.0
    surprise_unruly: float = 5.0
    """Where the series had outliers before, or is too young to have shown that it has none: some in a row are no change."""
    young_builds: int = 50
    soon_builds: int = 6
    """Of a young series three to so many new builds are where a step is looked for: two are never enough there."""
    score_soon: float = 4.75
    """What is asked of so many, if costs went up."""
    score_young: float = 1.8
    """So much more would be asked of twice as many after no build at all, evenly less until a series is no longer young."""
    plain_from: float = 5.0
    """A step of so many standard deviations between builds is plain: no drift makes it."""
    score_plain: float = 4.5
    """More is never asked of a plain step of a young series."""
    least_before: float = 3.0
    """So many times the new builds should be before them: of short stretches, drift looks like a step."""
    short_builds: int = 24
    """So many new builds may be looked at although there are not as many before them, and"""
    score_short: float = 0.6
    """so much more is asked of them for each time that they are too many."""
    least_relative: float = 0.02
    """Smaller steps are no change, however sure."""
    confidence: float = 0.95
    power: float = 0.9
    least_builds: int = 8
    """Before a change; with fewer nothing is known of the noise."""
    least_side: int = 3
    """Builds on each side of a change in a whole series."""
    most_new_builds: int = 40
    """A change further back was seen by earlier looks, or is left to the look at the whole series."""
    agreeing_within: float = 4.5
    """Standard deviations of the noise: two to six new builds that lie further from one another are no level."""
    outlier_from: float = 5.0
    """Robust standard deviations from the running median from which on a series has had an outlier."""
    winsorised_at: float = 4.0
    """Robust standard deviations from the running median; what lies further counts as lying there."""
    winsorised_unruly: float = 2.5
    """The same where there are such outliers."""
    least_noise: float = 0.0025
    """Relative standard deviation below which no noise is believed: equal values have luck, not certainty."""

    def for_family(self, series: int) -> "SeriesThresholds":
        """The same for each of so many series that are watched together, so that all are as rarely wrong as one.

        Bonferroni: of a normal deviate, P(Z > sqrt(h^2 + 2 log m)) is about P(Z > h) / m.
        """
        more = 2 * log(max(series, 1))
        return replace(
            self,
            score_whole=sqrt(self.score_whole**2 + more),
            score_newest=sqrt(self.score_newest**2 + more),
            score_expected=sqrt(self.score_expected**2 + more),
            score_plain=sqrt(self.score_plain**2 + more),
            score_soon=sqrt(self.score_soon**2 + more),
            score_less=sqrt(self.score_less**2 + more),
            score_two_builds=sqrt(self.score_two_builds**2 + more),
            score_remeasured=sqrt(self.score_remeasured**2 + more),
            surprise=self.surprise + more / 2 / log(10) / 2,
            surprise_unruly=self.surprise_unruly + more / 2 / log(10),
        )


DEFAULT_SERIES_THRESHOLDS = SeriesThresholds()
