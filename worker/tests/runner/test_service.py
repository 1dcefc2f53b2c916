"""A service that runs until it is ended, and pushes its latency as an OpenTelemetry SDK would: slower where there is a file `slow`.

Run as a program by tests: python test_service.py ENDPOINT TOKEN
"""

import json
import os
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any, Final

PUSH_SECONDS: Final = 0.1
REQUESTS: Final = 100
BOUNDS: Final = (0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.1)
NAMED: Final = {"service.name": "ingester", "deployment.environment.name": "lab"}


def export(counts: list[int], began_ns: int) -> dict[str, Any]:
    """Return what is pushed: a histogram of all requests since it began, under the attributes of the environment."""
    otel_attributes = dict(one.split("=", 1) for one in os.environ["OTEL_RESOURCE_ATTRIBUTES"].split(","))
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in {**NAMED, **otel_attributes}.items()]
    point = {
        "startTimeUnixNano": str(began_ns), "timeUnixNano": str(time.time_ns()), "count": str(sum(counts)), "sum": 1.0,
        "bucketCounts": [str(one) for one in counts], "explicitBounds": list(BOUNDS),
    }  # fmt: skip
    metric = {
        "name": "http.server.request.duration", "unit": "s",
        "histogram": {"aggregationTemporality": 2, "dataPoints": [point]},
    }  # fmt: skip
    return {"resourceMetrics": [{"resource": {"attributes": attributes}, "scopeMetrics": [{"metrics": [metric]}]}]}


def main(endpoint: str, token: str) -> None:
    """Serve, and push."""
    began_ns, bucket = time.time_ns(), 4 if Path("slow").exists() else 2
    counts = [0] * (len(BOUNDS) + 1)
    while True:
        counts[bucket] += REQUESTS
        body = json.dumps(export(counts, began_ns)).encode()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(endpoint, body, headers), timeout=10) as answer:
            answer.read()
        time.sleep(PUSH_SECONDS)


if __name__ == "__main__":
    main(*sys.argv[1:])
