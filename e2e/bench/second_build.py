"""Announcements of the comparison of a build with an earlier build: equal builds announced, and changes announced at once.

Equal builds are sets of real captures of one binary without build ID and commit, drawn as in `verdicts`: in order of time, as CI
captures them, at random, and in turns. An announcement is a comment, a message or a failed check. Reserved programs are reported
separately: the level of announcements follows from the error rate and the number of tests alone (`comparison_answer`).
"""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from bench.aa_draws import ROUNDS, WAYS, Way
from bench.benchmark_results import BenchmarkResult
from bench.captures import EXAMPLE, QUOTER, CapturePool, anonymous, cpu_profiles, pools
from bench.counted_shares import Count, wilson
from slowpath.analysis.builds.comparison_answer import ANNOUNCED_ERROR_RATE, ComparisonAnswer
from slowpath.analysis.comparison.build_answer import make_comparison_answer
from slowpath.analysis.comparison.compare_sides import compare
from slowpath.analysis.kinds.comparison_sides import ComparisonSide
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact

NAME: Final = "second-build"
SIZES: Final = (2, 4, 8)
"""Profiles per build."""
POWER_DRAWS: Final = 40 * ROUNDS
POWER: Final = (
    ("+166% stack growth of the example", EXAMPLE, "inlined", "helper", (2, 4, 8), 4),
    ("+15% CPU of a service", QUOTER, "base", "slower", (4, 8), 8),
)
"""What changed, folder, variants, profiles per build, and the number of profiles from which the goal holds."""
GOAL: Final = 0.95


def run() -> Iterator[BenchmarkResult]:
    """Yield all results; takes about four minutes of one core."""
    found = pools()
    whole = Count()
    for reserved in (False, True):
        mine = [pool for pool in found if pool.reserved == reserved]
        for way in WAYS:
            count = Count()
            for pool in mine:
                _draw_equal_builds(pool, way, count)
            if way.alarms is not None:  # another mix of requests costs something else: not equal builds
                whole.add(count.hits, count.trials)
            whose = "reserved programs" if reserved else "tuning programs"
            yield BenchmarkResult(NAME, f"equal builds {way.name}, {whose}: announced ({count.text})", count.share)
    yield BenchmarkResult(
        NAME,
        f"equal builds of {len(found)} programs: announced ({whole.text})",
        whole.share,
        goal=f"<= {ANNOUNCED_ERROR_RATE}",
        met=wilson(whole.hits, whole.trials)[0] <= ANNOUNCED_ERROR_RATE,
    )
    yield from _power()


def answered(base: Sequence[ProfileArtifact], candidate: Sequence[ProfileArtifact]) -> ComparisonAnswer:
    """Compare two builds as the worker does."""
    sides = (ComparisonSide(profiles=tuple(base)), ComparisonSide(profiles=tuple(candidate)))
    return make_comparison_answer(compare(*sides, {}, np.random.default_rng(1), lambda _step, _done: None))


def _draw_equal_builds(pool: CapturePool, way: Way, count: Count) -> None:
    for size in (size for size in SIZES if 2 * size <= len(pool.profiles)):
        for drawn in way.draws(pool, size):
            count.add(answered(drawn.base, drawn.candidate).is_announced)


def _power() -> Iterator[BenchmarkResult]:
    for what, folder, before, after, sizes, least in POWER:
        base, slower = ([anonymous(each) for each in cpu_profiles(folder / variant)] for variant in (before, after))
        for size in sizes:
            count = Count()
            for seed in range(POWER_DRAWS):
                rng = np.random.default_rng([seed, 31, size])
                chosen = ([side[i] for i in rng.permutation(len(side))[:size]] for side in (base, slower))
                answer = answered(*chosen)
                count.add(answer.is_announced and answer.direction == "worse")
            has_goal = size >= least
            yield BenchmarkResult(
                NAME,
                f"{what}, {size} profiles per build: announced at the second build ({count.text})",
                count.share,
                goal=f">= {GOAL}" if has_goal else None,
                met=wilson(count.hits, count.trials)[1] >= GOAL if has_goal else None,
            )
