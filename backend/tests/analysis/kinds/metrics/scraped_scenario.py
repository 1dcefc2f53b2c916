"""Forty minutes of a small service as Prometheus would have scraped it, with all kinds of faults.

Jittered scrapes, lost scrapes, a restart, an instance that goes away with stale markers and comes back, one that is born
in between, a gauge; classic histograms, and native ones that lose resolution. Drawn from Python's own random generator, whose sequence
is guaranteed, so the samples need not be stored beside what Prometheus answered to them.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from slowpath.analysis.kinds.metrics.samples.series_data import SeriesData
from support.prometheus_oracle import WrittenBlock, WrittenHistogram
from tests.analysis.kinds.metrics.promqltest import Histogram, native_series
from tests.analysis.kinds.metrics.stale_samples import STALE_NAN

START_MS = 1_763_640_000_000  # 2025-11-20 12:00:00 UTC
MINUTES = 40
SCRAPE_MS = 15_000
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
CODES = ("200", "404", "500")


@dataclass(frozen=True)
class Instance:
    name: str
    offset_ms: int
    born_min: float = -30.0
    restarts_min: tuple[float, ...] = ()
    away_min: tuple[float, float] | None = None
    lost: float = 0.02
    per_scrape: float = 900.0


INSTANCES = (
    Instance("a:9090", 120),
    Instance("b:9090", 5_433, restarts_min=(17.3, 31.1), lost=0.05),
    Instance("c:9090", 9_871, away_min=(20.2, 25.9)),
    Instance("d:9090", 14_007, born_min=29.4, per_scrape=40.0),
)


@dataclass
class Counters:
    """What one process has counted since it started."""

    codes: dict[str, int]
    buckets: dict[str, list[int]]
    sums: dict[str, float]
    native: dict[int, int]
    native_zero: int = 0
    native_sum: float = 0.0
    schema: int = 3

    @classmethod
    def fresh(cls) -> "Counters":
        return cls(
            dict.fromkeys(CODES, 0), {code: [0] * (len(BOUNDS) + 1) for code in CODES}, dict.fromkeys(CODES, 0.0), {}
        )

    def observe(self, code: str, seconds: float) -> None:
        self.codes[code] += 1
        self.sums[code] += seconds
        for i, bound in enumerate((*BOUNDS, math.inf)):
            self.buckets[code][i] += seconds <= bound
        self.native_sum += seconds
        if seconds < 1e-4:
            self.native_zero += 1
            return
        index = math.ceil(math.log2(seconds) * 2**self.schema)
        self.native[index] = self.native.get(index, 0) + 1

    def narrow(self) -> None:
        merged: dict[int, int] = {}
        for index, count in self.native.items():
            coarse = ((index - 1) >> 1) + 1
            merged[coarse] = merged.get(coarse, 0) + count
        self.native, self.schema = merged, self.schema - 1


def written(seed: int = 7) -> list[WrittenBlock]:
    """All series of the scenario."""
    points: dict[tuple[tuple[str, str], ...], list[tuple[int, float | WrittenHistogram]]] = {}
    for number, instance in enumerate(INSTANCES):
        _live(instance, random.Random(seed * 100 + number), points)
    return [WrittenBlock(dict(labels), samples) for labels, samples in points.items()]


def _live(
    instance: Instance,
    rng: random.Random,
    points: dict[tuple[tuple[str, str], ...], list[tuple[int, float | WrittenHistogram]]],
) -> None:
    counters, stale_marked = Counters.fresh(), False
    if instance.born_min < 0:
        _work(counters, rng, instance.per_scrape * 3, 0.0)
    for k in range(MINUTES * 60_000 // SCRAPE_MS):
        at = START_MS + k * SCRAPE_MS + instance.offset_ms + rng.randrange(-40, 40)
        minute = (at - START_MS) / 60_000
        if minute < instance.born_min:
            continue
        before = minute - SCRAPE_MS / 60_000
        if any(before < restart <= minute for restart in instance.restarts_min):
            counters = Counters.fresh()
        _work(counters, rng, instance.per_scrape, minute)
        if counters.schema == 3 and minute > 11.5 and instance.name == "a:9090":
            counters.narrow()
        away = instance.away_min is not None and instance.away_min[0] <= minute < instance.away_min[1]
        if not away and rng.random() < instance.lost:
            continue
        if away and stale_marked:
            continue
        stale_marked = away
        for labels, value in _scraped(instance, counters, rng):
            stale: float | WrittenHistogram = float(STALE_NAN)
            if isinstance(value, WrittenHistogram):
                stale = WrittenHistogram(0, 0, float(STALE_NAN), 0.0, 0, {}, {})
            points.setdefault(labels, []).append((at, stale if away else value))


def _work(counters: Counters, rng: random.Random, mean: float, minute: float) -> None:
    slow = 1.0 if minute < 23 else 2.6
    for _ in range(int(mean * (0.05 + 0.03 * rng.random()))):
        code = CODES[0] if rng.random() < 0.97 else CODES[1 if rng.random() < 0.7 else 2]
        counters.observe(code, slow * 0.03 * math.exp(1.1 * (sum(rng.random() for _ in range(12)) - 6)))


def _scraped(
    instance: Instance, counters: Counters, rng: random.Random
) -> list[tuple[tuple[tuple[str, str], ...], float | WrittenHistogram]]:
    def named(name: str, **labels: str) -> tuple[tuple[str, str], ...]:
        return (("__name__", name), ("instance", instance.name), ("job", "shop"), *labels.items())

    out: list[tuple[tuple[tuple[str, str], ...], float | WrittenHistogram]] = []
    for code in CODES:
        out.append((named("http_requests_total", code=code), float(counters.codes[code])))
        out.append((named("http_request_duration_seconds_sum", code=code), counters.sums[code]))
        out.append((named("http_request_duration_seconds_count", code=code), float(counters.codes[code])))
        for i, bound in enumerate((*BOUNDS, math.inf)):
            le = "+Inf" if bound == math.inf else repr(bound)
            bucket = named("http_request_duration_seconds_bucket", code=code, le=le)
            out.append((bucket, float(counters.buckets[code][i])))
    out.append((named("queue_depth"), float(rng.randrange(0, 50))))
    native = WrittenHistogram(
        counters.schema, sum(counters.native.values()) + counters.native_zero, counters.native_sum, 1e-4,
        counters.native_zero, dict(sorted(counters.native.items())), {},
    )  # fmt: skip
    out.append((named("rpc_duration_seconds"), native))
    return out


def as_series(all_written: Sequence[WrittenBlock], name: str) -> list[SeriesData]:
    """The written series of one name, as storage would give them."""
    out = []
    for number, one in enumerate(all_written):
        if one.labels["__name__"] != name:
            continue
        labels = {key: text for key, text in one.labels.items() if key != "__name__"}
        times = np.array([at for at, _ in one.points], np.int64)
        natives = [point for _, point in one.points if isinstance(point, WrittenHistogram)]
        if natives:
            table = native_series([_read(point) for point in natives])
            out.append(SeriesData(number, name, labels, "histogram", times, None, table))
        else:
            bits = [point for _, point in one.points if isinstance(point, float)]
            out.append(SeriesData(number, name, labels, "counter", times, np.array(bits, np.float64)))
    return out


def _read(point: WrittenHistogram) -> Histogram:
    return Histogram(
        point.schema, float(point.count), point.sum, float(point.zero_count), point.zero_threshold,
        {k: float(n) for k, n in point.positive.items()}, {k: float(n) for k, n in point.negative.items()},
    )  # fmt: skip
