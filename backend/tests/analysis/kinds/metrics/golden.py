"""Results of a real Prometheus 2.42 for the scenario, stored; `python -m tests.analysis.kinds.metrics.golden` queries anew."""

import gzip
import hashlib
import json
import struct
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from slowpath.analysis.kinds.metrics.rates.classic_histograms import classic_buckets
from slowpath.analysis.kinds.metrics.rates.counter_rates import gauges_of, rates_of, sum_present
from slowpath.analysis.kinds.metrics.rates.native_histogram_rates import native_rates
from slowpath.analysis.kinds.metrics.rates.prometheus_dialect import PrometheusDialect
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesData, Times, Values
from support.prometheus_oracle import Prometheus, WrittenBlock, WrittenHistogram, prometheus_binary, running_prometheus
from tests.analysis.kinds.metrics.scraped_scenario import MINUTES, START_MS, as_series, written

FILE = Path(__file__).parent / "testdata" / "prometheus-2.42.json.gz"
REQUESTS, BUCKETS = "http_requests_total", "http_request_duration_seconds_bucket"
SUM, COUNT, NATIVE = "http_request_duration_seconds_sum", "http_request_duration_seconds_count", "rpc_duration_seconds"
STEPS_MS = ((15_000, 60_000), (60_000, 60_000), (300_000, 300_000), (20_000, 100_000))
QUANTILES = (0.0, 0.5, 0.9, 0.99, 1.0)

Answer = dict[str, Values]  # by the text of the labels that are left
Ours = Callable[[Sequence[WrittenBlock], Times, int, PrometheusDialect], Answer]


@dataclass(frozen=True)
class Question:
    """One PromQL expression, WINDOW standing for the range; and the same in our arithmetic."""

    promql: str
    ours: Ours


def _grouped(series: Sequence[SeriesData], table: Values, label: str | None) -> Answer:
    names = sorted({one.labels[label] if label else "" for one in series})
    rows = {name: [i for i, one in enumerate(series) if not label or one.labels[label] == name] for name in names}
    return {name: sum_present(table[rows[name]]) for name in names}


def _summed(name: str, label: str | None) -> Ours:
    def ours(all_written: Sequence[WrittenBlock], grid: Times, width_ms: int, dialect: PrometheusDialect) -> Answer:
        series = as_series(all_written, name)
        return _grouped(series, rates_of(series, grid, width_ms, dialect).per_second, label)

    return ours


def _mean(all_written: Sequence[WrittenBlock], grid: Times, width_ms: int, dialect: PrometheusDialect) -> Answer:
    over = _summed(SUM, None)(all_written, grid, width_ms, dialect)[""]
    return {"": over / _summed(COUNT, None)(all_written, grid, width_ms, dialect)[""]}


def _gauge(all_written: Sequence[WrittenBlock], grid: Times, width_ms: int, dialect: PrometheusDialect) -> Answer:
    series = as_series(all_written, "queue_depth")
    return _grouped(series, gauges_of(series, grid, dialect), "instance")


def _quantile(q: float, label: str | None) -> Ours:
    def ours(all_written: Sequence[WrittenBlock], grid: Times, width_ms: int, dialect: PrometheusDialect) -> Answer:
        series = as_series(all_written, BUCKETS)
        buckets, examples = classic_buckets(series, rates_of(series, grid, width_ms, dialect).per_second)
        out = {}
        for name in sorted({one.labels[label] if label else "" for one in examples}):
            members = [i for i, one in enumerate(examples) if not label or one.labels[label] == name]
            out[name] = buckets.quantiles([q], members, dialect)[0].value
        return out

    return ours


def _native(q: float, label: str | None) -> Ours:
    def ours(all_written: Sequence[WrittenBlock], grid: Times, width_ms: int, dialect: PrometheusDialect) -> Answer:
        series = as_series(all_written, NATIVE)
        rates = native_rates(series, grid, width_ms, dialect)
        if label is None:
            return {"": rates.quantiles([q], None, dialect)[0].value}
        return {one.labels[label]: rates.quantiles([q], [i], dialect)[0].value for i, one in enumerate(series)}

    return ours


def _native_total(of: str) -> Ours:
    def ours(all_written: Sequence[WrittenBlock], grid: Times, width_ms: int, dialect: PrometheusDialect) -> Answer:
        rates = native_rates(as_series(all_written, NATIVE), grid, width_ms, dialect)
        return {"": sum_present(rates.count if of == "count" else rates.sum)}

    return ours


QUESTIONS = (
    Question(f"sum by (code) (rate({REQUESTS}[WINDOW]))", _summed(REQUESTS, "code")),
    Question(f"sum by (instance) (rate({REQUESTS}[WINDOW]))", _summed(REQUESTS, "instance")),
    Question(f"sum(rate({SUM}[WINDOW])) / sum(rate({COUNT}[WINDOW]))", _mean),
    Question("sum by (instance) (queue_depth)", _gauge),
    *(
        Question(f"histogram_quantile({q}, sum by (le) (rate({BUCKETS}[WINDOW])))", _quantile(q, None))
        for q in QUANTILES
    ),
    *(
        Question(f"histogram_quantile({q}, sum by (le, instance) (rate({BUCKETS}[WINDOW])))", _quantile(q, "instance"))
        for q in (0.5, 0.99)
    ),
    *(Question(f"histogram_quantile({q}, sum(rate({NATIVE}[WINDOW])))", _native(q, None)) for q in QUANTILES),
    Question(f"histogram_quantile(0.99, sum by (instance) (rate({NATIVE}[WINDOW])))", _native(0.99, "instance")),
    Question(f"histogram_count(sum(rate({NATIVE}[WINDOW])))", _native_total("count")),
    Question(f"histogram_sum(sum(rate({NATIVE}[WINDOW])))", _native_total("sum")),
)


def digest(all_written: Sequence[WrittenBlock]) -> str:
    """A checksum of the samples: the golden answers hold for these and no others."""
    sha = hashlib.sha256()
    for one in all_written:
        sha.update(json.dumps(sorted(one.labels.items())).encode())
        for at, point in one.points:
            text = repr(point).encode() if isinstance(point, WrittenHistogram) else struct.pack("<d", point)
            sha.update(struct.pack("<q", at) + text)
    return sha.hexdigest()


def grid_of(step_ms: int) -> Times:
    """Evaluation times; the samples' jitter keeps them off the edges of windows, where 2 and 3 differ."""
    start = -(-(START_MS - 60_000) // step_ms) * step_ms
    return np.arange(start, START_MS + (MINUTES + 7) * 60_000, step_ms, dtype=np.int64)


def asked(server: Prometheus, all_written: Sequence[WrittenBlock]) -> dict[str, Any]:
    """Write the samples in slices of twenty minutes and ask all questions on all grids."""
    for slice_start in range(START_MS - 60_000, START_MS + MINUTES * 60_000, 20 * 60_000):
        part = [
            WrittenBlock(one.labels, [p for p in one.points if slice_start <= p[0] < slice_start + 20 * 60_000])
            for one in all_written
        ]
        server.write([one for one in part if one.points])
    answers: dict[str, Any] = {}
    for step_ms, width_ms in STEPS_MS:
        grid = grid_of(step_ms)
        for question in QUESTIONS:
            promql = question.promql.replace("WINDOW", f"{width_ms}ms")
            found = server.query_range(promql, int(grid[0]), int(grid[-1]), step_ms)
            answers[f"{step_ms} {width_ms} {question.promql}"] = {
                "".join(text for name, text in one["metric"].items() if name != "__name__"): _column(one, grid)
                for one in found
            }
    return {"prometheus": "2.42.0+ds-5", "samples_sha256": digest(all_written), "answers": answers}


def _column(one: dict[str, Any], grid: Times) -> list[str | None]:
    by_time = {round(at * 1000): value for at, value in one["values"]}
    return [by_time.get(int(t)) for t in grid]


def main() -> int:
    """Ask a real Prometheus and keep its answers."""
    binary = prometheus_binary()
    if binary is None:
        print("Prometheus 2.42 cannot be had here.")  # noqa: T201 - run by hand
        return 1
    with running_prometheus(binary) as server:
        stored = asked(server, written())
    FILE.write_bytes(gzip.compress(json.dumps(stored, separators=(",", ":")).encode(), mtime=0))
    print(f"{FILE}: {len(stored['answers'])} answers, {FILE.stat().st_size} bytes")  # noqa: T201 - run by hand
    return 0


if __name__ == "__main__":
    sys.exit(main())
