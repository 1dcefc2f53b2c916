"""Classic histograms: one counter per bucket; rates added over instances where their bounds agree."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from slowpath.analysis.kinds.metrics.rates.histogram_quantiles import ClassicColumns, QuantileEstimate
from slowpath.analysis.kinds.metrics.rates.prometheus_dialect import PrometheusDialect
from slowpath.analysis.kinds.metrics.rates.rate_windows import Indices
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesData, Values


def bound_of(le: str | None) -> float | None:
    """Return the upper bound in a label `le`; None if it has none."""
    try:
        bound = float(le) if le is not None and "_" not in le else np.nan
    except ValueError:
        return None
    return None if np.isnan(bound) else bound


@dataclass(frozen=True, slots=True)
class ClassicBuckets:
    """[S, P] a value of each bucket series (a rate, or a count at a time), with its bound and histogram."""

    bound: Values  # [S]
    histogram: Indices  # [S] 0..H-1
    value: Values  # [S, P]
    histograms: int

    def quantiles(
        self, qs: Sequence[float], members: Sequence[int] | None, dialect: PrometheusDialect
    ) -> list[QuantileEstimate]:
        """Return histogram_quantile(q, sum by (le) (...)) over the histograms `members` (all if None), for each q."""
        bounds, cumulative = self.summed(members)
        columns = ClassicColumns.of(bounds, cumulative, dialect)
        return [columns.quantile(q) for q in qs]

    def summed(self, members: Sequence[int] | None) -> tuple[Values, Values]:
        """Return bounds [U] and the sums [U, P] up to each, NaN where a bound cannot be used.

        Like sum by (le), but if histograms with different bounds meet (a deployment changes them; two libraries) only their common
        bounds are used: counts up to a bound can be added, counts of overlapping buckets cannot. PromQL would smooth the resulting
        dips and return values that are too high or too low.
        """
        rows = np.arange(len(self.bound)) if members is None else np.flatnonzero(np.isin(self.histogram, list(members)))
        bounds = np.unique(self.bound[rows])
        cumulative = np.zeros((len(bounds), self.value.shape[1]))
        present_count = np.zeros((len(bounds), self.value.shape[1]), np.int64)
        place = np.searchsorted(bounds, self.bound[rows])
        seen: set[tuple[int, int]] = set()
        for row, at in zip(rows.tolist(), place.tolist(), strict=True):
            value = self.value[row]
            is_present = ~np.isnan(value)
            cumulative[at] += np.where(is_present, value, 0.0)
            key = (int(self.histogram[row]), at)
            if key not in seen:  # "0.2" and "2e-1" in one histogram are one bucket
                seen.add(key)
                present_count[at] += is_present
        if len(bounds):
            shared = (
                (present_count == present_count[-1]) & (present_count > 0)
                if np.isposinf(bounds[-1])
                else present_count > 0
            )
            cumulative[~shared] = np.nan
        return bounds, cumulative


def classic_buckets(series: Sequence[SeriesData], value: Values) -> tuple[ClassicBuckets, list[SeriesData]]:
    """Group bucket series (rows of `value`, [S, P]) into histograms.

    Those of one name whose labels agree except `le`. Return the buckets and, for each histogram, one of its series (for
    its labels). Series without a valid `le` are omitted.
    """
    rows: list[int] = []
    bounds: list[float] = []
    belongs: list[int] = []
    known: dict[tuple[str, frozenset[tuple[str, str]]], int] = {}
    examples: list[SeriesData] = []
    for row, one in enumerate(series):
        bound = bound_of(one.labels.get("le"))
        if bound is None:
            continue
        key = (one.name, frozenset((name, text) for name, text in one.labels.items() if name != "le"))
        if key not in known:
            known[key] = len(known)
            examples.append(one)
        rows.append(row)
        bounds.append(bound)
        belongs.append(known[key])
    buckets = ClassicBuckets(np.array(bounds, np.float64), np.array(belongs, np.int64), value[rows], len(known))
    return buckets, examples
