"""Every build watched: how long from CI's last word to the judgement of a build, and how many builds a minute are judged.

The builds are those of the example: commits pushed, three profiles each uploaded, the end of the run told, all by signed
messages, as `npm run demo:builds` plays them. There is nobody to compare with: value and goal.
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
    """All results; four minutes."""
    with tempfile.TemporaryDirectory(prefix="slowpath-bench-") as folder:
        os.environ["SLOWPATH_LOCAL_REPOSITORIES"] = folder
        yield from beside_stack("bench.build_evaluation_latency")


def inside() -> Iterator[BenchmarkResult]:
    """The results, beside a stack."""
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)  # noqa: TID251 - commits are of these days
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
    for step in history.steps[TOGETHER:]:  # the branch is as long as is looked at
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
