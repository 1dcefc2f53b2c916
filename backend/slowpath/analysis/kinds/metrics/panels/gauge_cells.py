"""Values of a service's gauges in cells of time, as the detection of change points takes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.metrics.panels.service_panels import GaugeSamples
from slowpath.analysis.kinds.metrics.panels.time_grid import scrape_interval_ms
from slowpath.analysis.kinds.metrics.rates.counter_rates import gauges_of, sum_present
from slowpath.analysis.kinds.metrics.rates.prometheus_dialect import PROMETHEUS_3
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesData, Times, Values

LEAST_POINTS: Final = 4
"""Points of a cell at which a gauge is read, if it is scraped less often."""


@dataclass(frozen=True)
class GaugeCells:
    """[M] mean values of a gauge in cells, all series summed; NaN where unknown."""

    values: Values
    is_count: bool
    """Whether all values are whole numbers, such as of requests in a queue."""

    @property
    def offset(self) -> float:
        """Return what is added before ratios are taken: a queue that was empty has none. Of other gauges, 0 is unknown."""
        return 1.0 if self.is_count else 0.0

    @property
    def shifted(self) -> Values:
        """[M] Return the values plus the offset; NaN unless positive."""
        values = self.values + self.offset
        shifted: Values = np.where(values > 0, values, np.nan)
        return shifted


def gauge_cells(gauges: Sequence[GaugeSamples], edges: Times, cell_ms: int) -> dict[str, GaugeCells]:
    """Return the mean of each gauge between neighboring edges [M + 1], as the dashboard draws it, by its metric."""
    out: dict[str, GaugeCells] = {}
    for gauge in gauges:
        series = [one for one in gauge.series if one.values is not None and len(one.values)]
        if not series or len(edges) < 2:
            continue
        points = max(LEAST_POINTS, cell_ms // max(scrape_interval_ms(list(series)), 1))
        times = (edges[:-1, None] + (np.arange(1, points + 1) * cell_ms // points)[None, :]).ravel()
        drawn = sum_present(gauges_of(series, times, PROMETHEUS_3)).reshape(len(edges) - 1, points)
        known = np.isfinite(drawn)
        counted = known.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.where(counted > 0, np.where(known, drawn, 0.0).sum(axis=1) / counted, np.nan)
        out[gauge.key] = GaugeCells(means, all(_is_count(one) for one in series))
    return out


def chosen_gauges(gauges: Mapping[str, GaugeCells], mask: NDArray[np.bool_]) -> dict[str, GaugeCells]:
    """Return only these cells [M]."""
    return {key: GaugeCells(one.values[mask], one.is_count) for key, one in gauges.items()}


def joined_gauges(
    before: Mapping[str, GaugeCells], after: Mapping[str, GaugeCells], sizes: tuple[int, int]
) -> dict[str, GaugeCells]:
    """Append the cells of gauges; one that is missing on a side is unknown there."""
    out: dict[str, GaugeCells] = {}
    for key in dict.fromkeys([*before, *after]):
        parts = [side.get(key) for side in (before, after)]
        values = [
            np.full(size, np.nan) if part is None else part.values for part, size in zip(parts, sizes, strict=True)
        ]
        out[key] = GaugeCells(np.concatenate(values), all(part is None or part.is_count for part in parts))
    return out


def _is_count(series: SeriesData) -> bool:
    if series.values is None:
        return True
    values = series.values[np.isfinite(series.values)]
    return bool((values == np.round(values)).all() and (values >= 0).all())
