"""Reliability of verdicts: false alarms, coverage, power, wrong directions, and cases with known results.

All sets are drawn from real captures of one binary each; effects are injected by adding a Poisson-distributed number of a
function's own samples. Build ID and commit are removed first, so that only the statistics matter; "as captured" is the product
without this change. A/A sets are drawn at random, from consecutive captures, and in turns. Consecutive sides of which only one got
the heavy requests of a phase are counted separately, without a goal: there a request costs more, as after a change of the code.

A goal for a share is missed if its 95% confidence interval excludes it. Pools marked reserved are reported separately: no
threshold, shape or prior was tuned on them. Goals of power apply to steady programs and profiles of 30 s of one busy core
(3,000 samples), joined from as many captures as needed, captured in turns. `SLOWPATH_BENCH_ROUNDS` multiplies the size (from 3,
over 10,000 comparisons).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.random import Generator

from bench.aa_draws import ROUNDS, WAYS, Way
from bench.benchmark_results import BenchmarkResult
from bench.captures import CaptureCase, CapturePool, cases, pools
from bench.counted_shares import ClusteredShare, Count, wilson
from bench.product_comparison import compared, is_wrong
from bench.resampled_sets import (
    Draw,
    consecutive,
    in_turns,
    inclusive_share,
    lengthened,
    split,
    with_effect,
)
from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import ProfileKindComparison
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.estimates.profile_thresholds import DEFAULT_THRESHOLDS
from slowpath.analysis.kinds.profiles.verdict.compare_profiles import ProfileComparison
from slowpath.analysis.kinds.profiles.verdict.profile_verdict import detectable_of_functions

NAME = "verdicts"
SINGLES, EFFECTS, PROMISES = 10 * ROUNDS, 30 * ROUNDS, 90 * ROUNDS
# Sides captured one after the other: draws a program, and effects.
CONSECUTIVES, CONSECUTIVE_EFFECTS = 3 * ROUNDS, (0.5, 1.0)
SIZES = (2, 4, 6, 8)
SAMPLES = 3_000
# Runs are steady if the dispersion of their CPU per request is below this value.
STEADY = 0.10
# (profiles per side, effect on half of the service, share that must be found)
POWER = ((6, 0.10, 0.80), (8, 0.10, 0.95), (20, 0.05, 0.80))
MANY = 20  # profiles per side from which a third of the draws must suffice, because a comparison takes long


def run() -> Iterator[BenchmarkResult]:
    """Yield all results; takes about eight minutes of one core."""
    found = pools()
    wrong = Count()
    yield from _false_alarms(found)
    yield from _singles(found)
    yield from _power(found, wrong)
    yield from _promises(found, wrong)
    yield from _consecutive_power(found, wrong)
    yield BenchmarkResult(
        NAME,
        f"effects reported in the wrong direction, in any order of capture ({wrong.text})",
        wrong.share,
        goal="0",
        met=wrong.hits == 0,
    )
    yield from _cases(cases())


@dataclass
class _Alarms:
    alarms: Count = field(default_factory=Count)
    coverage: ClusteredShare = field(default_factory=ClusteredShare)
    totals: Count = field(default_factory=Count)

    def add(self, comparison: ProfileComparison) -> None:
        self.alarms.add(_alarmed(comparison))
        self.coverage.clusters.append(_coverage(comparison))
        total = comparison.kinds[0].comparison.categories.estimates
        if np.isfinite(total.low[-1]):
            self.totals.add(total.low[-1] <= 1 <= total.high[-1])

    def join(self, others: "_Alarms") -> None:
        """Add the counts of another draw."""
        self.alarms.add(others.alarms.hits, others.alarms.trials)
        self.coverage.clusters += others.coverage.clusters
        self.totals.add(others.totals.hits, others.totals.trials)


def _alarmed(comparison: ProfileComparison) -> bool:
    return comparison.verdict in {"regressed", "improved"} or any(each.is_significant for each in comparison.findings)


def _false_alarms(found: Sequence[CapturePool]) -> Iterator[BenchmarkResult]:
    """Yield A/A results: no comparison of a binary with itself may have a significant finding."""
    locked = Count()
    for reserved in (False, True):
        whose = "reserved programs" if reserved else "tuning programs"
        mine = [pool for pool in found if pool.reserved == reserved]
        for way in WAYS:
            all_of_way = _Alarms()
            for pool in mine:
                counted = _drawn_alarms(pool, way)
                if not counted.alarms.trials:
                    continue
                yield BenchmarkResult(
                    NAME, f"A/A {pool.name}, {way.name}: alarms ({counted.alarms.text})", counted.alarms.share
                )
                if pool.lockstep:
                    locked.add(counted.alarms.hits, counted.alarms.trials)
                    continue
                all_of_way.join(counted)
            if all_of_way.alarms.trials:
                found_in = f"A/A {way.name}, {whose}"
                yield from _reported_alarms(found_in, way, all_of_way)
    if locked.trials:
        what = f"A/A in lockstep with the sampling clock: alarms ({locked.text})"
        yield BenchmarkResult(NAME, what, locked.share, goal="0", met=locked.hits == 0)
    yield from _as_captured(found)


def _reported_alarms(what: str, way: Way, counted: _Alarms) -> Iterator[BenchmarkResult]:
    alarms, coverage, totals = counted.alarms, counted.coverage, counted.totals
    yield BenchmarkResult(
        NAME,
        f"{what}: alarms ({alarms.text})",
        alarms.share,
        goal=None if way.alarms is None else f"<= {way.alarms}",
        met=None if way.alarms is None else wilson(alarms.hits, alarms.trials)[0] <= way.alarms,
    )
    if way.alarms is None:
        return
    low, high = way.coverage or (0.0, 1.0)
    yield BenchmarkResult(
        NAME,
        f"{what}: 95% intervals of functions that hold 1 ({coverage.text})",
        coverage.share,
        goal=f"{low} to {high}" if way.coverage else None,
        met=coverage.interval()[0] <= high and coverage.interval()[1] >= low if way.coverage else None,
    )
    yield BenchmarkResult(NAME, f"{what}: 95% intervals of totals that hold 1 ({totals.text})", totals.share)


def _drawn_alarms(pool: CapturePool, way: Way) -> _Alarms:
    counted = _Alarms()
    for size in (size for size in SIZES if 2 * size <= len(pool.profiles)):
        for drawn in way.draws(pool, size):
            counted.add(compared(drawn.base, drawn.candidate))
    return counted


def _as_captured(found: Sequence[CapturePool]) -> Iterator[BenchmarkResult]:
    """Yield comparisons of the earlier half of everything with the later one, with build IDs, like a user would compare them."""
    alarms = Count()
    for pool in found:
        known = [_identified(each, pool.name) for each in pool.profiles]
        middle = len(known) // 2
        alarms.add(_alarmed(compared(known[:middle], known[middle:])))
        alarms.add(_alarmed(compared(known[middle:], known[:middle])))
    yield BenchmarkResult(
        NAME, f"A/A as captured, halves: alarms ({alarms.text})", alarms.share, goal="0", met=alarms.hits == 0
    )


def _identified(artifact: ProfileArtifact, name: str) -> ProfileArtifact:
    return replace(artifact, facts=replace(artifact.facts, build_id=name))


def _coverage(comparison: ProfileComparison) -> tuple[int, int]:
    """Return how many ratio intervals of functions with 5 or more counts per profile contain the true value 1."""
    kind = comparison.kinds[0].comparison
    estimates = kind.functions.estimates
    counts = kind.functions.rows.sum(axis=1) / kind.quantum / len(kind.sets.artifacts)
    known = (counts >= 5) & np.isfinite(estimates.low)
    return int(((estimates.low <= 1) & (estimates.high >= 1) & known).sum()), int(known.sum())


def _singles(found: Sequence[CapturePool]) -> Iterator[BenchmarkResult]:
    """Yield comparisons of one profile with one, which must never be regressed."""
    regressed = Count()
    for pool in found:
        for seed in range(SINGLES):
            rng = np.random.default_rng([seed, 1])
            drawn = split(pool.profiles, 1, rng)
            doubled = tuple(with_effect(a, pool.half, 1.0, rng) for a in drawn.candidate)
            regressed.add(compared(drawn.base, drawn.candidate).verdict == "regressed")
            regressed.add(compared(drawn.base, doubled).verdict == "regressed")
    yield BenchmarkResult(
        NAME,
        f"1 against 1, half of them doubled: regressed ({regressed.text})",
        regressed.share,
        goal="0",
        met=regressed.hits == 0,
    )


def _power(found: Sequence[CapturePool], wrong: Count) -> Iterator[BenchmarkResult]:
    steady = [pool for pool in found if pool.quiet and not pool.lockstep and pool.spread < STEADY]
    for size, effect, goal in POWER:
        all_found, covered = Count(), Count()
        for pool in steady:
            mine = Count()
            for seed in range(max(1, EFFECTS // 3) if size >= MANY else EFFECTS):
                rng = np.random.default_rng([seed, 7, size])
                drawn = _longer(pool, size, rng)
                grown = tuple(with_effect(each, pool.half, effect, rng) for each in drawn.candidate)
                backward = seed % 2 == 1
                comparison = compared(grown, drawn.base) if backward else compared(drawn.base, grown)
                mine.add(_names(comparison, pool.half, "better" if backward else "worse"))
                wrong.add(is_wrong(comparison, "better" if backward else "worse"))
                covered.add(_holds(comparison, pool.half, 1 / (1 + effect) if backward else 1 + effect))
            all_found.add(mine.hits, mine.trials)
            share = inclusive_share(pool.profiles, pool.half)
            where = f"{_short(pool.half)} ({share:.0%} of {pool.name})"
            yield BenchmarkResult(NAME, f"+{effect:.0%} on {where}, {size} a side: found ({mine.text})", mine.share)
        what = f"+{effect:.0%} on half of a quiet service, {size} a side"
        yield BenchmarkResult(
            NAME,
            f"{what}: found ({all_found.text})",
            all_found.share,
            goal=f">= {goal}",
            met=wilson(all_found.hits, all_found.trials)[1] >= goal,
        )
        yield BenchmarkResult(NAME, f"{what}: interval holds the truth ({covered.text})", covered.share)


def _promises(found: Sequence[CapturePool], wrong: Count) -> Iterator[BenchmarkResult]:
    """Yield how often an effect of the stated minimum detectable size is found, which must match, for any dispersion between runs."""
    found_count, sizes = Count(), []
    for pool in (pool for pool in found if not pool.lockstep):
        for seed in range(max(1, PROMISES // len(found))):
            rng = np.random.default_rng([seed, 8])
            drawn = _longer(pool, 8, rng)
            kind = compared(drawn.base, drawn.candidate).kinds[0].comparison
            effect = detectable_of_functions(kind, [_row(kind, pool.half)])[0] - 1
            grown = tuple(with_effect(a, pool.half, effect, rng) for a in drawn.candidate)
            comparison = compared(drawn.base, grown)
            found_count.add(_names(comparison, pool.half, "worse"))
            wrong.add(is_wrong(comparison, "worse"))
            sizes.append(effect)
    goal = DEFAULT_THRESHOLDS.power
    what = f"the effect called detectable (median +{np.median(sizes):.0%}), 8 a side: found ({found_count.text})"
    yield BenchmarkResult(
        NAME, what, found_count.share, goal=f">= {goal}", met=wilson(found_count.hits, found_count.trials)[1] >= goal
    )


def _consecutive_power(found: Sequence[CapturePool], wrong: Count) -> Iterator[BenchmarkResult]:
    """Yield large effects on half of a service whose sides were captured one after the other, without changes."""
    for effect in CONSECUTIVE_EFFECTS:
        all_found = Count()
        for pool in (pool for pool in found if not pool.lockstep and len(pool.profiles) >= 2 * SIZES[-1]):
            for seed in range(CONSECUTIVES):
                rng = np.random.default_rng([seed, 9])
                begin = int(rng.integers(0, len(pool.profiles) - 2 * SIZES[-1] + 1))
                drawn = consecutive(pool.profiles, SIZES[-1], begin)
                grown = tuple(with_effect(a, pool.half, effect, rng) for a in drawn.candidate)
                comparison = compared(drawn.base, grown)
                all_found.add(_names(comparison, pool.half, "worse"))
                wrong.add(is_wrong(comparison, "worse"))
        what = (
            f"+{effect:.0%} on half of any service, {SIZES[-1]} consecutive captures a side: found ({all_found.text})"
        )
        yield BenchmarkResult(NAME, what, all_found.share)


def _short(key: str) -> str:
    return key.rsplit("/", 1)[-1]


def _longer(pool: CapturePool, size: int, rng: Generator) -> Draw:
    return in_turns(lengthened(pool.profiles, 2 * size, SAMPLES, rng), size)


def _names(comparison: ProfileComparison, key: str, direction: str) -> bool:
    """Return whether a significant finding of this direction is this function, is attributed to a path through it, or is the total."""
    return any(
        finding.is_significant
        and finding.direction == direction
        and (finding.subject in {key, "total"} or any(key in caller.path for caller in finding.attributed_callers))
        for finding in comparison.findings
    )


def _holds(comparison: ProfileComparison, key: str, expected: float) -> bool:
    kind = comparison.kinds[0].comparison
    row = _row(kind, key)
    return bool(kind.functions.estimates.low[row] <= expected <= kind.functions.estimates.high[row])


def _row(kind: ProfileKindComparison, key: str) -> int:
    return [label.key for label in kind.labels].index(key)


def _cases(known: Sequence[CaptureCase]) -> Iterator[BenchmarkResult]:
    """Yield the cases with known results: the verdict, the causes in findings and attributions, and forbidden findings."""
    for case in known:
        if not case.base or not case.candidate:
            continue
        comparison = compared(case.base, case.candidate)
        reported = {finding.subject for finding in comparison.findings}
        reported |= {
            name
            for f in comparison.findings
            for caller in f.attributed_callers
            for name in (caller.function, *caller.path)
        }
        right = comparison.verdict == case.verdict and set(case.where) <= reported
        right &= not set(case.must_not_flag) & {finding.subject for finding in comparison.findings}
        yield BenchmarkResult(
            NAME, f"case {case.name}: {case.verdict}, its causes named", float(right), goal="1", met=right
        )
