"""Latency from the end of CI to a build's verdict, and builds evaluated per minute.

The builds are those of the example: commits, three profiles per build and the end of the CI run, sent by signed webhooks as in
`npm run demo:builds`. There is no peer: results are a value and a goal.
"""

import os
import random
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from bench.benchmark_results import BenchmarkResult
from bench.comparison_client import newcomer
from bench.stack_benchmarks import beside_stack
from support.ci_double import Ci, quantile, set_up
from support.demo_repository import History, Plan

NAME = "builds"
ALONE = 20
TOGETHER = 180
SEED = 1
GOAL_S = 15.0
GOAL_A_MINUTE = 40.0


def run() -> Iterator[BenchmarkResult]:
    """Yield all results; takes four minutes."""
    with tempfile.TemporaryDirectory(prefix="slowpath-bench-") as folder:
        os.environ["SLOWPATH_LOCAL_REPOSITORIES"] = folder
        yield from beside_stack("bench.build_evaluation_latency")


def inside() -> Iterator[BenchmarkResult]:
    """Yield the results, with a running stack."""
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)  # noqa: TID251 - the commits end now
    history = History(Path(os.environ["SLOWPATH_LOCAL_REPOSITORIES"], "bench"), Plan(ALONE + TOGETHER), SEED, today)
    history.push(history.steps[0])
    team = set_up(newcomer(), history.host, None)
    ci = Ci(team, random.Random(SEED))
    began = time.monotonic()
    for step in history.steps[:TOGETHER]:
        ci.send(step, history.push)
    ci.finish()
    rate = TOGETHER / (time.monotonic() - began) * 60
    yield BenchmarkResult(
        NAME,
        f"{TOGETHER} builds of three profiles one after the other: judged a minute",
        rate,
        goal=f">= {GOAL_A_MINUTE:.0f}",
        met=rate >= GOAL_A_MINUTE,
    )
    for step in history.steps[TOGETHER:]:  # the branch has as many builds as an evaluation uses
        ci.send(step, history.push)
        ci.finish()
    alone = team.watched[TOGETHER:]
    half, most = quantile(alone, 0.5), quantile(alone, 0.95)
    yield BenchmarkResult(NAME, "a build on its own: s from CI's last word to the judgement, median", half)
    yield BenchmarkResult(
        NAME,
        "a build on its own: s from CI's last word to the judgement, p95",
        most,
        goal=f"< {GOAL_S:.0f} s",
        met=most < GOAL_S,
    )
