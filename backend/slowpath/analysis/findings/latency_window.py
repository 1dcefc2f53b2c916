"""Latency, requests and instances of a service in a time range."""

from dataclasses import dataclass

from slowpath.analysis.stats.histogram_cells import HistogramCells


@dataclass(frozen=True)
class LatencyWindow:
    """Latency of one service from `from_ms` to `to_ms`: cells with samples only, None without a histogram.

    `instances` is the number of instances that the histograms name, None if they name none.
    """

    service: str
    environment: str
    from_ms: int
    to_ms: int
    cell_ms: int
    latency: HistogramCells | None
    instances: int | None

    @property
    def requests(self) -> int:
        """Return the number of requests with a known latency."""
        return 0 if self.latency is None else round(float(self.latency.requests.sum()))

    @property
    def known_ms(self) -> int:
        """Return for how many milliseconds of the time range there are samples."""
        return 0 if self.latency is None else len(self.latency.times_ms) * self.cell_ms

    @property
    def per_second(self) -> float:
        """Return requests per second over the time with samples; 0 without any."""
        return self.requests * 1000 / self.known_ms if self.known_ms else 0.0
