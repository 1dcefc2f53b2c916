"""The best recall of steps in autocorrelated series: likelihood-ratio tests that know what the product has to estimate.

Both know the autocorrelation and the variance of the noise, and have the share of false series that the product has on the same
series without a step. One is a scan over all builds, the other knows the build as well. Series are those of `series`
(AR(1) 0.7, 200 builds, CV 3%, a step of 5% between build 20 and 180), of seeds [101, 4] without and [102, 4] with a step.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.random import default_rng

from bench.benchmark_results import BenchmarkResult
from bench.series_noise import CV, F64, MEMORY, noise, stepped
from slowpath.analysis.series.change_points import find_in_many
from slowpath.analysis.series.step_scan import fit_steps

NAME: Final = "series-more"
KIND: Final = "AR(1) 0.7"
UNCHANGED, STEPPED, AT_ONCE = 20_000, 8_000, 500
FIRST, LAST, LEAST, NEAR = 20, 180, 3, 5
RATIO: Final = 1.05


def bounds() -> Iterator[BenchmarkResult]:
    """Yield the share of steps found within five builds by the product and by the tests that know more."""
    unchanged, rng = noise(default_rng([101, 4]), KIND, UNCHANGED), default_rng([102, 4])
    at = rng.integers(FIRST, LAST + 1, STEPPED)
    series = stepped(noise(rng, KIND, STEPPED), at, RATIO)
    false = float(np.mean([len(points) > 0 for points in find_in_many(unchanged)]))
    what = f"{KIND}, 5 % step, {1000 * false:.1f} false of 1,000 series"
    found = [
        any(abs(one.index - place) <= NEAR for one in points)
        for points, place in zip(find_in_many(series), at, strict=True)
    ]
    yield BenchmarkResult(NAME, f"{what}: found within {NEAR} builds, %", 100 * float(np.mean(found)))
    null, scores = _scores(unchanged), _scores(series)
    best = scores.argmax(axis=1)
    certain = scores.max(axis=1) >= np.quantile(null.max(axis=1), 1 - false)
    near = certain & (np.abs(best + LEAST - at) <= NEAR)
    yield BenchmarkResult(NAME, f"{what}: the same if the noise is known, %", 100 * float(near.mean()))
    yield BenchmarkResult(NAME, f"{what}: found at any build if the noise is known, %", 100 * float(certain.mean()))
    limit = np.quantile(null[:, FIRST - LEAST : LAST - LEAST + 1], 1 - false)
    known = scores[np.arange(len(at)), at - LEAST] >= limit
    yield BenchmarkResult(NAME, f"{what}: if the build is known as well, %", 100 * float(known.mean()))


def _scores(series: F64) -> F64:
    """[series, places] Return the distance of the levels before and from each build on, in known standard errors."""
    variance = CV**2 * (1 - MEMORY**2)
    out = []
    for begin in range(0, len(series), AT_ONCE):
        rows = series[begin : begin + AT_ONCE]
        fits = fit_steps(rows, np.ones_like(rows), np.full(len(rows), MEMORY))
        out.append(np.abs(fits.step) * np.sqrt(fits.information / variance))
    return np.concatenate(out)[:, LEAST - 1 : series.shape[1] - LEAST]
