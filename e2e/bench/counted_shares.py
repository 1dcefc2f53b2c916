"""Shares of events in trials, with 95% confidence intervals."""

from dataclasses import dataclass, field


@dataclass
class Count:
    """A count of events in a number of trials."""

    hits: int = 0
    trials: int = 0

    def add(self, hits: float, trials: int = 1) -> None:
        """Add a trial."""
        self.hits += int(hits)
        self.trials += trials

    @property
    def share(self) -> float:
        """Return the share, 0 without trials."""
        return self.hits / self.trials if self.trials else 0.0

    @property
    def text(self) -> str:
        """Format the count and the 95% confidence interval."""
        low, high = wilson(self.hits, self.trials)
        return f"{self.hits:,} of {self.trials:,}, 95% CI {100 * low:.1f}-{100 * high:.1f}%"


@dataclass
class ClusteredShare:
    """A share over clusters whose results are correlated: the functions of one comparison."""

    clusters: list[tuple[int, int]] = field(default_factory=list)
    """Hits and trials of each cluster."""

    @property
    def share(self) -> float:
        """Return the share, 0 without trials."""
        hits, trials = self._sums()
        return hits / trials if trials else 0.0

    def interval(self, z: float = 1.96) -> tuple[float, float]:
        """Return the 95% confidence interval, from the variation between clusters (ratio estimate, Cochran 1977, section 6.3)."""
        _, trials = self._sums()
        count = len(self.clusters)
        if count < 2 or trials == 0:
            return 0.0, 1.0
        squares = sum((mine - self.share * of) ** 2 for mine, of in self.clusters)
        reach = z * (squares * count / (count - 1)) ** 0.5 / trials
        return max(0.0, self.share - reach), min(1.0, self.share + reach)

    @property
    def text(self) -> str:
        """Format the count and the 95% confidence interval."""
        hits, trials = self._sums()
        low, high = self.interval()
        count = len(self.clusters)
        return f"{hits:,} of {trials:,} in {count:,} comparisons, 95% CI {100 * low:.1f}-{100 * high:.1f}%"

    def _sums(self) -> tuple[int, int]:
        return sum(mine for mine, _ in self.clusters), sum(of for _, of in self.clusters)


def wilson(hits: int, trials: int, z: float = 1.96) -> tuple[float, float]:
    """Return the 95% confidence interval of a share (Wilson 1927)."""
    if trials == 0:
        return 0.0, 1.0
    share, square = hits / trials, z * z
    middle = (share + square / (2 * trials)) / (1 + square / trials)
    reach = z / (1 + square / trials) * (share * (1 - share) / trials + square / (4 * trials**2)) ** 0.5
    return max(0.0, middle - reach), min(1.0, middle + reach)
