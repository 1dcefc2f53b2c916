"""What a window of a service's metrics holds: its latency in cells of time, its requests, its instances."""

from dataclasses import dataclass

from slowpath.analysis.metrics.histogram_cells import HistogramCells


@dataclass(frozen=True)
class LatencyWindow:
    """Latency of one service from `from_ms` to `to_ms`: known cells only, None without a histogram.

    `instances` is how many the histograms name, None when they name none.
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
        """Requests whose latency is known."""
        return 0 if self.latency is None else round(float(self.latency.requests.sum()))

    @property
    def known_ms(self) -> int:
        """How much of the window is known."""
        return 0 if self.latency is None else len(self.latency.times_ms) * self.cell_ms

    @property
    def per_second(self) -> float:
        """Requests a second while anything is known; 0 when nothing is."""
        return self.requests * 1000 / self.known_ms if self.known_ms else 0.0
