"""Latency of a deploy by the board's window: which quantile, of how many requests, and what is said where there is no number.

How long samples are waited for is decided here, too.
"""

import math
import re
from dataclasses import dataclass
from typing import Final

from slowpath.analysis.builds.latency_measurements import LEAST_REQUESTS, NANOSECONDS
from slowpath.analysis.findings.wording import pluralize
from slowpath.analysis.kinds.metrics.probe_latency import ProbeLatencyWindow
from slowpath.analysis.stats.histogram_cells import pooled_quantile

LATENCY: Final = "latency"
QUANTILE: Final = re.compile(r"p([1-9][0-9]?(?:\.[0-9]{1,2})?)")
BEYOND: Final = 10
"""So many requests at least took longer than a quantile that is told."""
FIRST_SECONDS: Final = 150.0
"""So long is waited for the first sample of a deploy: SDKs push every minute unless they are told otherwise."""
LATE_SECONDS: Final = 30.0
"""So much later than it is due a push may come."""
LOOK_SECONDS: Final = (0.25, 10.0)
"""How soon is looked again for samples that are missing."""
LEAST_KNOWN: Final = 0.5
"""Of a window: of less, nothing is said."""
ROOM: Final = 1.3
"""A window is made so much longer than the traffic of another one says."""
STEP_SECONDS: Final = 5
MOST_SECONDS: Final = 3600.0
"""No window is made longer by itself."""
PUSHES: Final = 2
"""At least so many lie in a window."""


@dataclass(frozen=True)
class MeasurementQuery:
    """Which window of which deploy: `waited_seconds` since it was told of."""

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
        """How long the window is."""
        return (self.to_ms - self.from_ms) / 1000

    @property
    def whose(self) -> str:
        """Whose latency it is, in words."""
        return self.environment if self.match == "environment" else f"run {self.run_id}"


@dataclass(frozen=True)
class MeasurementOutcome:
    """What is to be written down of a window, or when to look again. `longer_seconds`: so long a window would have been enough."""

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
    """Return of how many requests a quantile can be told: as series over builds do, with some requests beyond it."""
    return max(LEAST_REQUESTS["p50"], math.ceil(round(BEYOND / (1 - quantile), 6)))


def required_window_seconds(quantile: float, per_second: float, interval_ms: int) -> float | None:
    """Return how long a window must be for a quantile under this traffic; None where no window would be."""
    if per_second <= 0:
        return None
    seconds = max(ROOM * required_requests(quantile) / per_second, PUSHES * interval_ms / 1000)
    rounded = float(math.ceil(seconds / STEP_SECONDS) * STEP_SECONDS)
    return rounded if rounded <= MOST_SECONDS else None


def read_latency_measurement(seen: ProbeLatencyWindow, why: str | None, asked: MeasurementQuery) -> MeasurementOutcome:
    """Say what a window's samples say, or how long to wait for more of them. `why`: why nothing can be recognised at all."""
    patience = LATE_SECONDS + PUSHES * seen.interval_ms / 1000
    if seen.newest_ms is None:
        if asked.waited_seconds < max(FIRST_SECONDS, patience):
            return MeasurementOutcome(again_seconds=_pause(seen))
        return MeasurementOutcome(problem=_nothing(seen, why, asked))
    if seen.newest_ms < asked.to_ms and asked.waited_seconds < patience:
        return MeasurementOutcome(again_seconds=_pause(seen))
    if seen.known_ms < LEAST_KNOWN * (asked.to_ms - asked.from_ms):
        return MeasurementOutcome(
            problem=f"What {asked.whose} pushed covers {seen.known_ms / 1000:.0f} of the {asked.seconds:.0f} s of this window: "
            f"have it push more often than every {seen.interval_ms / 1000:g} s, or measure longer."
        )
    return _read(seen, asked)


def _read(seen: ProbeLatencyWindow, asked: MeasurementQuery) -> MeasurementOutcome:
    of_route = f" to {asked.route}" if asked.route else ""
    if seen.counts is None or not seen.requests:
        return MeasurementOutcome(
            requests=0,
            problem=f"{asked.whose[:1].upper()}{asked.whose[1:]} answered no requests{of_route} in this window.",
        )
    least = required_requests(asked.quantile)
    if seen.requests < least:
        longer = required_window_seconds(
            asked.quantile, seen.requests / max(seen.known_ms / 1000, 1e-3), seen.interval_ms
        )
        remedy = f"windows of {longer:.0f} s would do" if longer else "give it more load"
        return MeasurementOutcome(
            requests=seen.requests,
            problem=f"{pluralize(seen.requests, 'request')}{of_route} in this window of {asked.seconds:.0f} s, and {_name(asked)} needs "
            f"{least:,}: {remedy}.",
            longer_seconds=longer,
        )
    value = float(pooled_quantile(seen.counts.counts, seen.counts.bounds, asked.quantile)[0])
    highest = float(seen.counts.bounds[-2])
    if not 0 < value < highest:
        return MeasurementOutcome(
            requests=seen.requests,
            problem=f"{_name(asked)} lies beyond the highest bound of the histogram, {highest:g} s: how far is not known.",
        )
    return MeasurementOutcome(value_ns=value * NANOSECONDS, requests=seen.requests)


def _nothing(seen: ProbeLatencyWindow, why: str | None, asked: MeasurementQuery) -> str:
    if why is not None:
        return f"No latency of {asked.service} can be read from {asked.environment}: {why}"
    others = f"{pluralize(seen.others, 'other instance')} of {asked.service} pushed meanwhile" if seen.others else ""
    also = f"; {others}, and none names it" if others else ""
    remedy = {
        "instance": f" Give what is deployed service.instance.id={asked.run_id} or the label slowpath_run_id.",
        "version": " Give what is deployed a label with its commit or run.",
    }.get(asked.match, "")
    return f"Nothing was pushed by {asked.whose} in {asked.environment}{also}.{remedy}"


def _pause(seen: ProbeLatencyWindow) -> float:
    return min(max(seen.interval_ms / 4000, LOOK_SECONDS[0]), LOOK_SECONDS[1])


def _name(asked: MeasurementQuery) -> str:
    return f"p{100 * asked.quantile:g}"
