"""Can the verdicts be believed? False alarms, power, coverage, and cases whose truth is known.

Everything is drawn from real captures. Sets are disjoint splits of profiles of one binary, or drawn with
replacement; effects are put in by adding Poisson-many of a function's own samples. Goals of power are for profiles
of 30 s of one busy core (3,000 samples), joined from as many captures as that takes; single captures of 10 s are
measured too, and told without a goal, since no judge can see in 200 samples what is not in them. The goals of +10 %
and +20 % are for programs whose runs are steady: where CPU per request itself differs by 17 % from run to run, +10 %
is beyond anyone's reach. There, as everywhere, the judge says how large an effect it would find, and is held to that.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bench.captures import Case, Pool, cases, pools
from bench.resampling import Draw, inclusive_share, lengthened, redrawn, split, with_effect
from bench.results import Result
from slowpath.analysis.profiles.artifact import ProfileArtifact
from slowpath.analysis.profiles.compare import ProfileComparison, compare_profiles
from slowpath.analysis.profiles.kind_comparison import KindComparison
from slowpath.analysis.profiles.thresholds import DEFAULT_THRESHOLDS
from slowpath.analysis.profiles.verdicts import detectable_of_functions

NAME = "verdicts"
SPLITS = 40
REDRAWS = 20
LONGER = 40
SINGLES = 40
EFFECTS, EFFECTS_WITH_GOAL = 30, 60
SAMPLES = 3_000
# Runs are steady if their CPU per request varies by less than this between them (0 to 4 % here, the example's 16 %).
STEADY = 0.10


def run() -> Iterator[Result]:
    """All results; about a minute and a half of one core."""
    found = pools()
    yield from _false_alarms(found)
    yield from _singles(found)
    for pool in found:
        yield Result(NAME, f"{pool.name}: spread of CPU per request between runs", pool.spread)
        yield from _effects(pool)
        yield _promised(pool)
    yield from _cases(cases())


def compared(base: Sequence[ProfileArtifact], candidate: Sequence[ProfileArtifact]) -> ProfileComparison:
    """A comparison as the product makes it."""
    return compare_profiles(base, candidate, DEFAULT_THRESHOLDS, np.random.default_rng(1), lambda _step, _done: None)


def _false_alarms(found: Sequence[Pool]) -> Iterator[Result]:
    """A/A: no comparison of one binary with itself may show anything."""
    alarms = trials = covered = intervals = 0
    for pool in found:
        ways: list[tuple[str, Callable[..., Draw], int, tuple[int, ...]]] = [
            ("split", split, SPLITS, (3, 5, 8, 10)),
            ("drawn with replacement", redrawn, REDRAWS, (3, 5, 8, 10)),
            (f"{SAMPLES:,} samples a profile", _longer, LONGER, (10,)),
        ]
        for way, draw, count, sizes in ways:
            for size in (size for size in sizes if draw is _longer or 2 * size <= len(pool.profiles)):
                mine = 0
                for seed in range(count):
                    drawn = draw(pool.profiles, size, np.random.default_rng([seed, size]))
                    comparison = compared(drawn.base, drawn.candidate)
                    mine += bool(comparison.findings)
                    hits, of = _coverage(comparison)
                    covered, intervals = covered + hits, intervals + of
                alarms, trials = alarms + mine, trials + count
                yield Result(NAME, f"A/A {pool.name}, {way}, {size} a side: share with any finding", mine / count)
    yield Result(
        NAME,
        f"A/A, all {trials:,}: share with any finding",
        alarms / trials,
        goal="<= 0.01",
        met=alarms / trials <= 0.01,
    )
    share = covered / intervals
    yield Result(
        NAME,
        f"A/A: share of {intervals:,} 95 % intervals that hold 1",
        share,
        goal="0.93 to 0.97",
        met=0.93 <= share <= 0.97,
    )


def _coverage(comparison: ProfileComparison) -> tuple[int, int]:
    """How many of the ratio intervals of functions with 5 counts a profile or more hold the truth, which is 1."""
    kind = comparison.kinds[0].comparison
    estimates = kind.functions.estimates
    counts = kind.functions.rows.sum(axis=1) / kind.quantum / len(kind.sets.artifacts)
    known = (counts >= 5) & np.isfinite(estimates.low)
    return int(((estimates.low <= 1) & (estimates.high >= 1) & known).sum()), int(known.sum())


def _singles(found: Sequence[Pool]) -> Iterator[Result]:
    """One profile against one: never regressed, whatever differs."""
    regressed = trials = 0
    for pool in found:
        for seed in range(SINGLES):
            rng = np.random.default_rng([seed, 1])
            drawn = split(pool.profiles, 1, rng)
            doubled = tuple(with_effect(a, pool.half, 1.0, rng) for a in drawn.candidate)
            regressed += compared(drawn.base, drawn.candidate).verdict == "regressed"
            regressed += compared(drawn.base, doubled).verdict == "regressed"
            trials += 2
    yield Result(
        NAME,
        f"1 against 1, {trials}, half of them doubled: regressed",
        regressed / trials,
        goal="0",
        met=regressed == 0,
    )


@dataclass(frozen=True)
class _Effect:
    key: str
    size: float
    goal: float


def _effects(pool: Pool) -> Iterator[Result]:
    for effect in (_Effect(pool.half, 0.10, 0.95), _Effect(pool.fifth, 0.20, 0.90)):
        share = inclusive_share(pool.profiles, effect.key)
        for samples in (None, SAMPLES):
            judged = samples is not None and pool.spread < STEADY
            count = EFFECTS_WITH_GOAL if judged else EFFECTS
            found = covered = 0
            for seed in range(count):
                rng = np.random.default_rng([seed, 7])
                drawn = _drawn(pool, samples, rng)
                grown = tuple(with_effect(a, effect.key, effect.size, rng) for a in drawn.candidate)
                comparison = compared(drawn.base, grown)
                found += _names(comparison, effect.key)
                covered += _holds(comparison, effect.key, 1 + effect.size)
            size = f"{samples:,} samples a profile" if samples else "as captured"
            where = f"{_short(effect.key)} ({share:.0%} of {pool.name})"
            what = f"+{effect.size:.0%} on {where}, 10 a side, {size}"
            power = found / count
            goal = f">= {effect.goal}" if judged else None
            yield Result(NAME, f"{what}: found", power, goal=goal, met=power >= effect.goal if judged else None)
            yield Result(NAME, f"{what}: interval holds the truth", covered / count)


def _promised(pool: Pool) -> Result:
    """An effect as large as the judge says it would find is found as often as it says, however much the runs differ."""
    found, sizes = 0, []
    for seed in range(EFFECTS_WITH_GOAL):
        rng = np.random.default_rng([seed, 8])
        drawn = _drawn(pool, SAMPLES, rng)
        kind = compared(drawn.base, drawn.candidate).kinds[0].comparison
        effect = float(detectable_of_functions(kind)[_row(kind, pool.half)]) - 1
        grown = tuple(with_effect(a, pool.half, effect, rng) for a in drawn.candidate)
        found += _names(compared(drawn.base, grown), pool.half)
        sizes.append(effect)
    power, goal = found / EFFECTS_WITH_GOAL, DEFAULT_THRESHOLDS.power
    what = f"the effect said to be detectable on {_short(pool.half)} of {pool.name} (+{np.median(sizes):.0%}): found"
    return Result(NAME, what, power, goal=f">= {goal}", met=power >= goal)


def _short(key: str) -> str:
    return key.rsplit("/", 1)[-1]


def _drawn(pool: Pool, samples: int | None, rng: np.random.Generator) -> Draw:
    size = min(10, len(pool.profiles) // 2)
    return split(pool.profiles, size, rng) if samples is None else _longer(pool.profiles, 10, rng)


def _longer(pool: Sequence[ProfileArtifact], size: int, rng: np.random.Generator) -> Draw:
    profiles = lengthened(pool, 2 * size, SAMPLES, rng)
    return Draw(profiles[:size], profiles[size:])


def _names(comparison: ProfileComparison, key: str) -> bool:
    """Some finding that got worse is this function, or is paid on a path through it."""
    return any(
        finding.direction == "worse" and (finding.subject == key or any(key in payer.path for payer in finding.payers))
        for finding in comparison.findings
    )


def _holds(comparison: ProfileComparison, key: str, truth: float) -> bool:
    kind = comparison.kinds[0].comparison
    row = _row(kind, key)
    return bool(kind.functions.estimates.low[row] <= truth <= kind.functions.estimates.high[row])


def _row(kind: KindComparison, key: str) -> int:
    return [label.key for label in kind.labels].index(key)


def _cases(known: Sequence[Case]) -> Iterator[Result]:
    """Cases with a truth: the verdict, the causes among findings and payers, and what must not be told."""
    for case in known:
        if not case.base or not case.candidate:
            continue
        comparison = compared(case.base, case.candidate)
        told = {finding.subject for finding in comparison.findings}
        told |= {name for f in comparison.findings for payer in f.payers for name in (payer.function, *payer.path)}
        right = comparison.verdict == case.verdict and set(case.where) <= told
        right &= not set(case.must_not_flag) & {finding.subject for finding in comparison.findings}
        yield Result(NAME, f"case {case.name}: {case.verdict}, its causes told", float(right), goal="1", met=right)
