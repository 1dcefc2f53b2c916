"""What deployed instances push: cumulative histograms of latency as an SDK exports them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from fastapi.testclient import TestClient

from tests.factories.otlp import attributes, export

BOUNDS: Final = (0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.075, 0.1, 0.25, 0.5, 1.0)
NAME: Final = "http.server.request.duration"


def counts(latency_s: float, requests: int) -> "np.ndarray[Any, np.dtype[np.int64]]":
    """Return requests by bucket, spread around a latency."""
    spread = latency_s * np.exp(np.linspace(-0.4, 0.4, requests))
    return np.bincount(np.searchsorted(BOUNDS, spread), minlength=len(BOUNDS) + 1)


@dataclass
class Instance:
    """One process of a service, its histograms by route."""

    client: TestClient
    name: str
    began_ms: int
    service: str = "ingester"
    environment: str = "lab"
    labels: Mapping[str, str] = field(default_factory=dict)
    reached: "dict[str, np.ndarray[Any, np.dtype[np.int64]]]" = field(default_factory=dict)

    def answer(self, latency_s: float, requests: int, route: str = "/") -> None:
        """Answer some requests."""
        before = self.reached.get(route, np.zeros(len(BOUNDS) + 1, np.int64))
        self.reached[route] = before + counts(latency_s, requests)

    def push(self, at_ms: int) -> None:
        """Send what is reached."""
        points = [
            {
                "timeUnixNano": str(at_ms * 1_000_000), "startTimeUnixNano": str(self.began_ms * 1_000_000),
                "attributes": attributes({"http.route": route, **self.labels}), "explicitBounds": list(BOUNDS),
                "bucketCounts": [str(one) for one in reached.tolist()], "count": str(int(reached.sum())), "sum": 1.0,
            }
            for route, reached in self.reached.items()
        ]  # fmt: skip
        metric = {"name": NAME, "unit": "s", "histogram": {"dataPoints": points, "aggregationTemporality": 2}}
        resource = {
            "service__name": self.service, "service__instance__id": self.name, "deployment__environment__name": self.environment,
        }  # fmt: skip
        answer = self.client.post("/v1/metrics", json=export([metric], **resource))
        assert answer.status_code == 200, answer.text

    def run(self, times_ms: Sequence[int], latency_s: float, requests: int, route: str = "/") -> None:
        """Answer so many requests before each push."""
        for at_ms in times_ms:
            self.answer(latency_s, requests, route)
            self.push(at_ms)
