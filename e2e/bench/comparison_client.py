"""A user who uploads sets and compares them; benchmarks measure the waiting times."""

import os
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from slowpath_cli.collect.upload_client import UploadClient
from support.demo_user import DemoUser, sign_up

POLL_SECONDS = 0.01
WAIT_SECONDS = 900.0
UNDER_WAY = frozenset({"received", "decoding", "waiting", "running"})


@dataclass(frozen=True)
class ComparisonTiming:
    """A finished comparison: seconds from the request to the findings, and to the first diff view."""

    comparison: dict[str, Any]
    findings_s: float
    picture_s: float


def newcomer() -> DemoUser:
    """Sign up a new user on the stack's server."""
    return sign_up(os.environ["SLOWPATH_URL"])


def upload(person: DemoUser, paths: Sequence[Path]) -> list[str]:
    """Upload files, wait until all are decoded, and return their IDs."""
    batch = str(uuid.uuid4())
    with UploadClient(person.url, person.token) as server:
        ids = [server.put_file(path, f"{path.parent.name}-{path.name}", {}, batch=batch) for path in paths]
        for artifact_id in ids:
            artifact = server.artifact(artifact_id)
            deadline = time.monotonic() + WAIT_SECONDS
            while artifact["state"] in UNDER_WAY and time.monotonic() < deadline:
                time.sleep(POLL_SECONDS * 10)
                artifact = server.artifact(artifact_id)
            if artifact["state"] != "decoded":
                raise RuntimeError(f"{artifact['name']} is {artifact['state']}: {artifact['error']}")
    return ids


def compare(person: DemoUser, base: Sequence[str], candidate: Sequence[str]) -> ComparisonTiming:
    """Create a comparison, and wait for its findings and its first diff view."""
    asked = {"name": "bench", "base": {"artifact_ids": list(base)}, "candidate": {"artifact_ids": list(candidate)}}
    began = time.monotonic()
    comparison = person.call("POST", "/comparisons", json=asked)
    findings_s = None
    while time.monotonic() - began < WAIT_SECONDS:
        comparison = person.call("GET", f"/comparisons/{comparison['id']}")
        if comparison["state"] not in UNDER_WAY:
            if comparison["state"] != "done":
                raise RuntimeError(f"the comparison has {comparison['state']}: {comparison['problem']}")
            findings_s = findings_s or time.monotonic() - began
            if not any(view["state"] in UNDER_WAY for view in comparison["views"]):
                return ComparisonTiming(comparison, findings_s, time.monotonic() - began)
        time.sleep(POLL_SECONDS)
    raise RuntimeError(f"the comparison is {comparison['state']} after {WAIT_SECONDS:.0f} s")
