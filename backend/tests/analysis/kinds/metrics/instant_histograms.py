"""Native histograms as an instant selector of PromQL gives them: the product asks for rates only."""

from collections.abc import Sequence

import numpy as np

from slowpath.analysis.kinds.metrics.rates import native_histogram_rates
from slowpath.analysis.kinds.metrics.rates.native_histogram_sums import BucketSegment
from slowpath.analysis.kinds.metrics.rates.prometheus_dialect import LOOKBACK_MS, PrometheusDialect
from slowpath.analysis.kinds.metrics.rates.rate_windows import newest_before
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesData, Times


def native_now(
    series: Sequence[SeriesData], grid_times: Times, dialect: PrometheusDialect
) -> native_histogram_rates.NativeRates:
    """The histograms as they stand at each grid time (gauge histograms; an instant selector), not their rate."""
    points = len(grid_times)
    count, summed = np.full((len(series), points), np.nan), np.full((len(series), points), np.nan)
    parts: list[BucketSegment] = []
    for row, one in enumerate(series):
        newest_of_all, found = newest_before(grid_times, one.times_ms, LOOKBACK_MS, dialect)
        for times, native in native_histogram_rates._clean_epochs(one):
            newest, _ = newest_before(grid_times, times, LOOKBACK_MS, dialect)
            here = found & (times[newest] == one.times_ms[newest_of_all])
            count[row, here], summed[row, here] = native.count[newest[here]], native.sum[newest[here]]
            for columns, schema, threshold in native_histogram_rates._layouts(native, newest, newest, here):
                rows, place = np.unique(newest[columns], return_inverse=True)
                parts.append(
                    native_histogram_rates._part(
                        row, columns, native, (rows, schema, threshold), native_histogram_rates._SelectedRows(place)
                    )
                )
    return native_histogram_rates.NativeRates(
        count, summed, tuple(np.zeros(0, np.int64) for _ in series), tuple(parts), points
    )
