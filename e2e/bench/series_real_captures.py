"""Series of real captures with known steps: builds are sampled from pools of captures, so the change is known.

A build has three captures of one variant. "Unchanged" is a series of one variant, evaluated after each build from the ninth, like a
branch: all series of the service together, as in `analysis.builds`. A step is a number of builds of one variant followed by another
variant; results are the number of builds until it is reported, and the named functions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator, default_rng

from bench.benchmark_results import BenchmarkResult
from bench.captures import EXAMPLE, ROOT, cpu_profiles
from slowpath.analysis.builds.change_detection import scan_history
from slowpath.analysis.builds.regression_groups import RegressionGroup
from slowpath.analysis.builds.series_matrix import SeriesMatrix, lay_out
from slowpath.analysis.findings.build_measurements import KindMeasurement
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.sets.profile_measurements import measure_profiles

NAME: Final = "series-real"
BUILDS: Final = ROOT / "worker" / "example" / "builds" / "artifacts"
PROFILES: Final = 3
FUNCTIONS: Final = 256
LEAST_SHARE: Final = 0.004
FIRST_LOOK: Final = 9
UNCHANGED_LINES, UNCHANGED_BUILDS, EVERY = 20, 60, 3
LINES: Final = 10
LONGEST: Final = 12
HISTORIES: Final = (8, 12, 20, 50)


@dataclass(frozen=True)
class LabeledSeries:
    """A known step from one variant to another, with the function to name ("": nothing must be reported)."""

    name: str
    before: tuple[ProfileArtifact, ...]
    after: tuple[ProfileArtifact, ...]
    named: tuple[str, ...]


def labelled() -> list[LabeledSeries]:
    """All known steps of the included captures."""
    quoter = {each: cpu_profiles(BUILDS / each) for each in ("base", "moved", "slower")}
    example = {each: cpu_profiles(EXAMPLE / each) for each in ("inlined", "helper")}
    return [
        LabeledSeries("quoter: 15 % more", quoter["base"], quoter["slower"], ("quoter/discount.",)),
        LabeledSeries("quoter: a move", quoter["base"], quoter["moved"], ()),
        LabeledSeries("ingester: stacks grow", example["inlined"], example["helper"], ("ingester/ident.cloneBytes",)),
    ]


def run() -> Iterator[BenchmarkResult]:
    """Yield all results; takes about two minutes."""
    for number, each in enumerate(labelled()):
        yield from _steps(each, number)
    yield from unchanged()


def unchanged() -> Iterator[BenchmarkResult]:
    """Yield unchanged series of one variant: the share with a reported change."""
    pools = {"quoter": cpu_profiles(BUILDS / "base"), "ingester": cpu_profiles(EXAMPLE / "helper")}
    for number, (name, pool) in enumerate(pools.items()):
        rng = default_rng([21, number])
        reported = 0
        for _ in range(UNCHANGED_LINES):
            builds = [_build(pool, rng) for _ in range(UNCHANGED_BUILDS)]
            reported += any(_reported_groups(builds[:count]) for count in range(FIRST_LOOK, len(builds) + 1, EVERY))
        value = 100 * reported / UNCHANGED_LINES
        yield BenchmarkResult(
            NAME, f"{name}: {UNCHANGED_LINES} lines of {UNCHANGED_BUILDS} equal builds, ever reported, %", value, None, None, "0",
            reported == 0,
        )  # fmt: skip


def _steps(known: LabeledSeries, number: int) -> Iterator[BenchmarkResult]:
    for history in HISTORIES:
        rng = default_rng([22, number, history])
        delays, names = [], []
        for _ in range(LINES):
            builds = [_build(known.before, rng) for _ in range(history)]
            delay = LONGEST + 1
            for after in range(1, LONGEST + 1):
                builds.append(_build(known.after, rng))
                stories = _reported_groups(builds) if len(builds) >= FIRST_LOOK else []
                if stories:
                    delay = after
                    names.append(stories[0].lead.subject)
                    break
            delays.append(delay)
        reported_percent = 100 * float(np.mean(np.array(delays) <= LONGEST))
        where = f"{known.name}, after {history} builds"
        if not known.named:
            yield BenchmarkResult(
                NAME, f"{where}: reported within {LONGEST}, %", reported_percent, None, None, "0", reported_percent == 0
            )
            continue
        yield BenchmarkResult(NAME, f"{where}: reported within {LONGEST}, %", reported_percent)
        if names:
            yield BenchmarkResult(NAME, f"{where}: builds until it is reported (median)", float(np.median(delays)))
            right = 100 * float(np.mean([name.startswith(known.named) for name in names]))
            yield BenchmarkResult(
                NAME, f"{where}: the right function is named, %", right, None, None, ">= 90", right >= 90
            )


def _reported_groups(builds: Sequence[tuple[KindMeasurement, ...]]) -> list[RegressionGroup]:
    lines: list[SeriesMatrix] = []
    for kind in ("profile.category", "profile.function"):
        of_kind = [next((each for each in build if each.kind == kind), None) for build in builds]
        line = lay_out(of_kind, least_share=LEAST_SHARE)
        if line is not None:
            lines.append(line)
    return [group for group in scan_history(lines, {}, [], frozenset()).groups if group.is_reported]


def _build(pool: tuple[ProfileArtifact, ...], rng: Generator) -> tuple[KindMeasurement, ...]:
    chosen = rng.choice(len(pool), PROFILES, replace=False)
    return measure_profiles([pool[number] for number in chosen.tolist()], FUNCTIONS)
