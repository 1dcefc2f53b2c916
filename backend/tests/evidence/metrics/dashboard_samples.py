"""Services as Prometheus would write them, for tests of the dashboard."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from support.prometheus_oracle import WrittenBlock

BOUNDS = ("0.1", "0.5", "1", "+Inf")
SHARES = (0.4, 0.9, 0.98, 1.0)


@dataclass(frozen=True)
class SomeService:
    """A service that answers steadily. `until_ms` and `from_ms` bound its samples."""

    job: str
    from_ms: int
    until_ms: int
    per_second: float = 100.0
    instances: Sequence[str] = ("a:80", "b:80")
    shares: Sequence[float] = SHARES
    errors: float = 0.02
    histogram: bool = True
    environment: str | None = None
    gauge: bool = False
    queue_depth: float = 7.0
    step_ms: int = 15_000
    routes: Sequence[str] = ()
    """Values of a label `route` of the latency, which share the requests evenly; none: no such label."""

    def written(self) -> Iterator[WrittenBlock]:
        """All series of it."""
        for number, instance in enumerate(self.instances):
            times = range(self.from_ms + number * 1_000, self.until_ms + 1, self.step_ms)
            for name, labels, per_second in self._counters():
                fields = {"__name__": name, "job": self.job, "instance": instance, **labels}
                if self.environment:
                    fields["environment"] = self.environment
                share = per_second / len(self.instances)
                points = [(at, 1_000 + math.floor((at - self.from_ms) / 1000 * share)) for at in times]
                yield WrittenBlock(fields, [(at, float(value)) for at, value in points])
            if self.gauge:
                fields = {"__name__": "queue_depth", "job": self.job, "instance": instance}
                yield WrittenBlock(fields, [(at, self.queue_depth) for at in times])

    def _counters(self) -> Iterator[tuple[str, dict[str, str], float]]:
        yield "http_requests_total", {"code": "200"}, self.per_second * (1 - self.errors)
        yield "http_requests_total", {"code": "503"}, self.per_second * self.errors
        labels: list[dict[str, str]] = [{"route": route} for route in self.routes] or [{}]
        for own in labels if self.histogram else ():
            per_second = self.per_second / len(labels)
            for le, share in zip(BOUNDS, self.shares, strict=True):
                yield "http_request_duration_seconds_bucket", {"le": le, **own}, per_second * share
            yield "http_request_duration_seconds_sum", own, per_second * 0.3
            yield "http_request_duration_seconds_count", own, per_second
