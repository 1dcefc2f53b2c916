"""Time to open a profile of 20 MB: from its upload to the first chunk of its view, against `pprof -top` on the same file."""

import subprocess
import time
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from bench.benchmark_results import BenchmarkResult
from bench.compare_speed import pprof_binary
from bench.comparison_client import POLL_SECONDS, UNDER_WAY, WAIT_SECONDS, newcomer, upload
from bench.generated_profiles import generated
from bench.stack_benchmarks import beside_stack
from slowpath_cli.collect.upload_client import UploadClient
from support.demo_user import DemoUser

NAME = "profile"
STACKS = 200_000  # 20 MB unpacked
ROUNDS = 3
UPLOADED_GOAL, STORED_GOAL = 2.0, 1.0
"""Seconds to the first chunk, on a machine without other work."""


def run() -> Iterator[BenchmarkResult]:
    """Yield all results; takes a minute."""
    yield from beside_stack("bench.profile_opening")


def inside() -> Iterator[BenchmarkResult]:
    """Yield the results, with a running stack. Each round opens other bytes, so that nothing is stored before."""
    person = newcomer()
    files = [generated(STACKS, 1_000 + number, pooled=True) for number in range(2 * ROUNDS)]
    theirs = median(_pprof_seconds(path) for path in files[:ROUNDS])
    uploaded = median(_open_uploaded(person, path) for path in files[:ROUNDS])
    yield _result("from upload to the first chunk", uploaded, theirs, UPLOADED_GOAL)
    stored = upload(person, files[ROUNDS:])  # together, so that none is opened yet
    opened = median(_seconds_to_first_chunk(person, [artifact_id]) for artifact_id in stored)
    yield _result("a stored one, from the request to the first chunk", opened, theirs, STORED_GOAL)
    again = median(_seconds_to_first_chunk(person, [artifact_id]) for artifact_id in stored)
    yield _result("the same, opened before", again, theirs, STORED_GOAL)


def _result(what: str, ours: float, theirs: float, goal: float) -> BenchmarkResult:
    return BenchmarkResult(
        NAME, f"20 MB unpacked: s {what}", ours, theirs, theirs / ours, f"<= {goal:.0f}", met=ours <= goal
    )


def _open_uploaded(person: DemoUser, path: Path) -> float:
    began = time.monotonic()
    with UploadClient(person.url, person.token) as server:
        artifact_id = server.put_file(path, path.name, {}, batch=str(uuid.uuid4()))
    _seconds_to_first_chunk(person, [artifact_id])
    return time.monotonic() - began


def _seconds_to_first_chunk(person: DemoUser, artifact_ids: Sequence[str]) -> float:
    """Open a set, wait for its first view, and read its first chunk."""
    began = time.monotonic()
    of_it = person.call("POST", "/profile-sets", json={"artifact_ids": list(artifact_ids)})
    while time.monotonic() - began < WAIT_SECONDS:
        views = of_it["views"]
        if views and views[0]["nodes"] is not None:
            path = f"/api/v1/profile-sets/{of_it['id']}/views/{views[0]['id']}/chunks/first"
            person.http.get(path).raise_for_status()
            return time.monotonic() - began
        if of_it["state"] not in UNDER_WAY | {"done"}:
            raise RuntimeError(f"the profile set is {of_it['state']}: {of_it['problem']}")
        time.sleep(POLL_SECONDS)
        of_it = person.call("GET", f"/profile-sets/{of_it['id']}")
    raise RuntimeError(f"the profile set is {of_it['state']} after {WAIT_SECONDS:.0f} s")


def _pprof_seconds(path: Path) -> float:
    """Return the wall seconds of `pprof -top`."""
    began = time.monotonic()
    subprocess.run([str(pprof_binary()), "-symbolize=none", "-top", str(path)], check=True, capture_output=True)
    return time.monotonic() - began
