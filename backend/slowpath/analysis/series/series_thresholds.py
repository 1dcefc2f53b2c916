"""The thresholds for series over builds: a change point is meaningless without them."""

from dataclasses import dataclass, replace
from math import log, sqrt


@dataclass(frozen=True)
class SeriesThresholds:
    """Error rates and floors (`npm run bench -- --only series` measures the resulting error rates).

    A *score* is the distance of two levels in standard errors. *Surprise* is how unlikely it is that builds before the change would
    rank as those after it, as -log10: it does not depend on the distribution of the noise.
    """

    score_whole: float = 4.0
    """For a complete series, tested once."""
    score_newest: float = 4.7
    """For the newest builds, tested after each build."""
    score_expected: float = 3.95
    """The same with as many new builds as in `expected_builds` and increased costs: where most error rate is spent."""
    expected_builds: tuple[int, ...] = (3, 10, 12)
    score_less: float = 5.0
    """For decreased costs, which are less urgent."""
    score_two_builds: float = 5.0
    score_remeasured: float = 5.0
    """For one build that was measured repeatedly."""
    score_candidate: float = 3.0
    """From here on a newest build is a candidate, without a notification."""
    score_memory: float = 1.5
    """Maximum increase of the requirement with autocorrelation, which is an estimate too."""
    heavy_from: float = 0.6
    """L-kurtosis above that of normal noise, times the root of the builds, that means heavy tails, and"""
    score_heavy: float = 0.5
    """the increase of the requirement for those."""
    surprise: float = 2.4
    surprise_two_builds: float = 3.0
    surprise_unruly: float = 5.0
    """For series with outliers before, or too young to have shown them: some in a row are no change."""
    young_builds: int = 50
    soon_builds: int = 6
    """Young series: a step is tested at three up to this many new builds; two never suffice."""
    score_soon: float = 4.75
    """The requirement for those, if costs increased."""
    score_young: float = 1.8
    """Increase of the requirement for twice as many new builds after none, decreasing with the age of the series."""
    plain_from: float = 5.0
    """A step of this many standard deviations between builds is clear: drift does not cause it."""
    score_plain: float = 4.5
    """Maximum requirement for a clear step of a young series."""
    least_before: float = 3.0
    """Ratio of builds before to new builds: in shorter stretches, drift looks like a step."""
    short_builds: int = 24
    """This many new builds are tested although there are not enough before them, with"""
    score_short: float = 0.6
    """this increase of the requirement for each time that they are too many."""
    least_relative: float = 0.02
    """Smaller steps are not a change, however certain."""
    confidence: float = 0.95
    power: float = 0.9
    least_builds: int = 8
    """Before a change; with fewer the noise is unknown."""
    least_side: int = 3
    """Builds on each side of a change in a complete series."""
    most_new_builds: int = 40
    """An earlier change was found before, or is left to the test of the complete series."""
    agreeing_within: float = 4.5
    """Standard deviations of the noise: two to six new builds that differ more are not at one level."""
    outlier_from: float = 5.0
    """Robust standard deviations from the running median from which on a series has had an outlier."""
    winsorised_at: float = 4.0
    """Robust standard deviations from the running median to which values are winsorized."""
    winsorised_unruly: float = 2.5
    """The same for series with such outliers."""
    least_noise: float = 0.0025
    """Smallest relative standard deviation of the noise: equal values are chance, not certainty."""

    def for_family(self, series: int) -> "SeriesThresholds":
        """Return thresholds for each of this many series, so that all together have the error rate of one.

        Bonferroni: for a normal deviate, P(Z > sqrt(h^2 + 2 log m)) is about P(Z > h) / m.
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
