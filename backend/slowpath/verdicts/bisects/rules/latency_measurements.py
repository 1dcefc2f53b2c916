"""Latency of a probe from dashboard samples: quantile, required requests, and why a value is missing.

Also decides how long to wait for samples.
"""

import math
import re
from dataclasses import dataclass
from typing import Final

from slowpath.analysis.builds.latency_measurements import LEAST_REQUESTS, NANOSECONDS
from slowpath.analysis.findings.wording import pluralize
from slowpath.analysis.kinds.metrics.changes.probe_latency import ProbeLatencyWindow
from slowpath.analysis.stats.histogram_cells import pooled_quantile

LATENCY: Final = "latency"
QUANTILE: Final = re.compile(r"p([1-9][0-9]?(?:\.[0-9]{1,2})?)")
BEYOND: Final = 10
"""Least requests slower than a reported quantile."""
FIRST_SECONDS: Final = 150.0
"""Wait for the first sample of a probe: SDKs push every minute by default."""
LATE_SECONDS: Final = 30.0
"""Accepted delay of a push."""
LOOK_SECONDS: Final = (0.25, 10.0)
"""Shortest and longest pause before missing samples are read again."""
LEAST_KNOWN: Final = 0.5
"""Least covered share of a measurement window."""
ROOM: Final = 1.3
"""Margin of an extended measurement window over the traffic's requirement."""
STEP_SECONDS: Final = 5
MOST_SECONDS: Final = 3600.0
"""Longest automatic measurement window."""
PUSHES: Final = 2
"""Least pushes in a measurement window."""


@dataclass(frozen=True)
class MeasurementQuery:
    """The measurement window of a probe; `waited_seconds` since it was reported."""

    service: str
    environment: str
    run_id: str
    match: str
    route: str
    quantile: float
    from_ms: int
    to_ms: int
    waited_seconds: float

    @property
    def seconds(self) -> float:
        """Return the length of the measurement window."""
        return (self.to_ms - self.from_ms) / 1000

    @property
    def source_label(self) -> str:
        """Describe the source of the samples."""
        return self.environment if self.match == "environment" else f"run {self.run_id}"


@dataclass(frozen=True)
class MeasurementOutcome:
    """The result of a measurement, or when to read again.

    `longer_seconds`: a sufficient measurement window.
    """

    value_ns: float | None = None
    requests: int | None = None
    problem: str | None = None
    again_seconds: float | None = None
    longer_seconds: float | None = None


def parse_quantile(name: str) -> float | None:
    """Return the quantile of a name such as p99 or p99.9."""
    found = QUANTILE.fullmatch(name)
    return float(found[1]) / 100 if found else None


def required_requests(quantile: float) -> int:
    """Return how many requests a quantile requires, as for series over builds."""
    return max(LEAST_REQUESTS["p50"], math.ceil(round(BEYOND / (1 - quantile), 6)))


def required_window_seconds(quantile: float, per_second: float, interval_ms: int) -> float | None:
    """Return the measurement window that a quantile requires under this traffic; None if too long."""
    if per_second <= 0:
        return None
    seconds = max(ROOM * required_requests(quantile) / per_second, PUSHES * interval_ms / 1000)
    rounded = float(math.ceil(seconds / STEP_SECONDS) * STEP_SECONDS)
    return rounded if rounded <= MOST_SECONDS else None


def read_latency_measurement(seen: ProbeLatencyWindow, why: str | None, asked: MeasurementQuery) -> MeasurementOutcome:
    """Return the value of a measurement from its samples, or how long to wait.

    `why`: why no latency is recognized.
    """
    longest_wait_s = LATE_SECONDS + PUSHES * seen.interval_ms / 1000
    if seen.newest_ms is None:
        if asked.waited_seconds < max(FIRST_SECONDS, longest_wait_s):
            return MeasurementOutcome(again_seconds=_pause(seen))
        return MeasurementOutcome(problem=_nothing(seen, why, asked))
    if seen.newest_ms < asked.to_ms and asked.waited_seconds < longest_wait_s:
        return MeasurementOutcome(again_seconds=_pause(seen))
    if seen.known_ms < LEAST_KNOWN * (asked.to_ms - asked.from_ms):
        return MeasurementOutcome(
            problem=f"The samples of {asked.source_label} cover {seen.known_ms / 1000:.0f} of the {asked.seconds:.0f} s of this "
            f"measurement window. Push more often than every {seen.interval_ms / 1000:g} s, or measure longer."
        )
    return _read(seen, asked)


def _read(seen: ProbeLatencyWindow, asked: MeasurementQuery) -> MeasurementOutcome:
    of_route = f" to {asked.route}" if asked.route else ""
    if seen.counts is None or not seen.requests:
        return MeasurementOutcome(
            requests=0,
            problem=f"{asked.source_label[:1].upper()}{asked.source_label[1:]} answered no requests{of_route} in this measurement window.",
        )
    least = required_requests(asked.quantile)
    if seen.requests < least:
        longer = required_window_seconds(
            asked.quantile, seen.requests / max(seen.known_ms / 1000, 1e-3), seen.interval_ms
        )
        remedy = f"Measure for {longer:.0f} s" if longer else "Increase the load"
        return MeasurementOutcome(
            requests=seen.requests,
            problem=f"{pluralize(seen.requests, 'request')}{of_route} in this measurement window of {asked.seconds:.0f} s; "
            f"{_name(asked)} requires {least:,}. {remedy}.",
            longer_seconds=longer,
        )
    value = float(pooled_quantile(seen.counts.counts, seen.counts.bounds, asked.quantile)[0])
    highest = float(seen.counts.bounds[-2])
    if not 0 < value < highest:
        return MeasurementOutcome(
            requests=seen.requests,
            problem=f"{_name(asked)} is above the highest bucket bound of the histogram, {highest:g} s. Add higher buckets.",
        )
    return MeasurementOutcome(value_ns=value * NANOSECONDS, requests=seen.requests)


def _nothing(seen: ProbeLatencyWindow, why: str | None, asked: MeasurementQuery) -> str:
    if why is not None:
        return f"Cannot read the latency of {asked.service} in {asked.environment}: {why}"
    others = f"{pluralize(seen.others, 'other instance')} of {asked.service} pushed meanwhile" if seen.others else ""
    also = f"; {others}, without an identification of the run" if others else ""
    remedy = {
        "instance": f" Set service.instance.id={asked.run_id} or the label slowpath_run_id on the deployment.",
        "version": " Add a label with the commit or the run to the deployment.",
    }.get(asked.match, "")
    return f"No samples of {asked.source_label} in {asked.environment}{also}.{remedy}"


def _pause(seen: ProbeLatencyWindow) -> float:
    return min(max(seen.interval_ms / 4000, LOOK_SECONDS[0]), LOOK_SECONDS[1])


def _name(asked: MeasurementQuery) -> str:
    return f"p{100 * asked.quantile:g}"
