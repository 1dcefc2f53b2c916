"""Cost of bisects through three repositories in deployments, rate of wrong culprits, and the same for other methods.

4,096 / 203 / 43 commits (25 bits; 128 / 38 / 5 classes after pruning). A deployment is every start of a build: the control, probes, repeated
measurements and the final verification. Only the production baseline of both boundaries (four windows each) is known before. A single window
is wrong at the stated rate; a tenth of its variance is the deployment's unless stated otherwise. The noise is estimated in each run.

A probe is a measured deployment of a candidate, including deployments that confirm a suspect. The control is not a probe: it is the good
boundary, deployed once per search for any range; neither are the two boundaries, which are measured before a search.

The search assumes that 1% of the deployments show the opposite before it has data. One such deployment of the culprit or of the build before
it would give a wrong culprit, which only a second deployment detects. Without such deployments, the search is right more often than stated.
`bounds` shows the cost for a search that knows the noise exactly, and how often that one is right.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.random import default_rng
from scipy.stats import binomtest

from bench.benchmark_results import BenchmarkResult
from bench.bisect_bounds import informed_search, least_probes, probe_of
from bench.bisect_histories import ReplayedHistory, history
from bench.bisect_peers import PeerResult, bayesect, git_bisect
from bench.bisect_simulation import PRUNED, SimulatedHistory, SimulationResult, SimulationSettings, searched
from slowpath.analysis.bisect.likelihood import ODD
from slowpath.analysis.bisect.limits import LIMIT_FACTOR

NAME: Final = "bisect"
MANY, SOME, PEERS = 200, 60, 100
SEED: Final = 20261122
"""Seed. No constant of the search was tuned on these draws."""
UNPRUNED: Final = {(49,): 7.0, (75, 14, 7): 15.0, (218, 51): 16.0, (273, 3, 86): 18.0}
"""Commits of each repository, and the allowed mean number of probes for one of them."""
WRONG: Final = 0.03
ODD_DEPLOYS: Final = 0.02
"""Share of deployments that show the opposite, in the scenarios with such deployments."""
THREE: Final = SimulationSettings(slots=3)


def run() -> Iterator[BenchmarkResult]:
    """Yield all results; takes about fifteen minutes."""
    yield from unpruned()
    yield from goals()
    yield from harder()
    yield from replayed()
    yield from peers()


def ended(setting: SimulationSettings, many: int, seed: int = SEED) -> list[SimulationResult]:
    """Run this number of searches."""
    return [searched(SimulatedHistory(setting, default_rng([seed, number]))) for number in range(many)]


def peers() -> Iterator[BenchmarkResult]:
    """Yield the costs of plain bisection and of git_bayesect's method."""
    for error in (0.05, 0.10, 0.20):
        setting = SimulationSettings(error=error)
        for looks in (1, 3, 5):
            for windows in (1, 4):
                some = [
                    git_bisect(SimulatedHistory(setting, default_rng([8, one])), looks, windows) for one in range(PEERS)
                ]
                yield from _peer(f"{_percent(error)}: git bisect, best of {looks}, {_windows(windows)} a look", some)
        for windows in (1, 4):
            some = [bayesect(SimulatedHistory(setting, default_rng([8, one])), windows) for one in range(SOME)]
            yield from _peer(f"{_percent(error)}: git_bayesect's method, {_windows(windows)} a look", some)


def _peer(what: str, some: Sequence[PeerResult]) -> Iterator[BenchmarkResult]:
    yield BenchmarkResult(NAME, f"{what}: deploys (mean)", float(np.mean([one.deploys for one in some])))
    yield BenchmarkResult(NAME, f"{what}: wrong culprit, %", 100 * float(np.mean([not one.right for one in some])))


def unpruned() -> Iterator[BenchmarkResult]:
    """Yield results for ranges of a week or a month, without a prior; seeds [SEED, number]."""
    every: list[SimulationResult] = []
    odd: list[SimulationResult] = []
    for sizes, most in UNPRUNED.items():
        setting = SimulationSettings(sizes=sizes)
        some = ended(setting, MANY)
        every += some
        what = f"10 %, {'/'.join(map(str, sizes))} commits"
        yield _probes(what, some, most)
        yield from _results(what, some, wrong=100 * WRONG)
        yield from bounds(what, setting)
        some = ended(replace(setting, bad_deploys=ODD_DEPLOYS, all_hide=True), MANY)
        odd += some
        what = f"{what}, {_percent(ODD_DEPLOYS)} of deploys say the opposite"
        yield BenchmarkResult(NAME, f"{what}: probes (mean)", _probes_of(some))
        yield _wrong(what, some)
    yield from _right("10 %, 49 to 400 commits", every, is_open=True)
    yield from _right(f"10 %, 49 to 400 commits, {_percent(ODD_DEPLOYS)} of deploys say the opposite", odd)
    noisy = ended(SimulationSettings(sizes=(49,), deploy_share=0.5), MANY)
    yield from _results("10 %, 49 commits, half of the variance is the deploy's", noisy)
    yield from _right("10 %, 49 commits, half of the variance is the deploy's", noisy)
    longest = max(one.deploys for one in noisy)
    limit = LIMIT_FACTOR * 9  # 49 commits with a control
    yield _at_most("10 %, 49 commits, half of the variance is the deploy's: deploys (most)", longest, limit)


def bounds(what: str, setting: SimulationSettings) -> Iterator[BenchmarkResult]:
    """Yield the costs of a search that knows the noise exactly and expects odd deployments like the real search."""
    probe = probe_of(setting.error, setting.deploy_share, setting.most_windows, ODD)
    candidates = int(np.prod(setting.sizes))
    for odd in (0.0, ODD_DEPLOYS):
        where = f"{what}, {_percent(odd)} of deploys say the opposite, noise known exactly"
        some = [informed_search(candidates, probe, odd, 0.95, default_rng([SEED, one])) for one in range(PEERS)]
        yield BenchmarkResult(NAME, f"{where}: probes (mean)", float(np.mean([probes for probes, _ in some])))
        yield BenchmarkResult(
            NAME, f"{where}: wrong culprit, %", 100 * float(np.mean([not right for _, right in some]))
        )
    yield BenchmarkResult(
        NAME, f"{where}: probes by information theory, at least", least_probes(candidates, probe, WRONG)
    )


def _probes_of(some: Sequence[SimulationResult]) -> float:
    """Return the mean number of probes; one deployment of each search is the control."""
    return float(np.mean([one.deploys - 1 for one in some]))


def _probes(what: str, some: Sequence[SimulationResult], most: float) -> BenchmarkResult:
    mean = _probes_of(some)
    return BenchmarkResult(NAME, f"{what}: probes (mean)", mean, goal=f"<= {most:g}", met=mean <= most, is_open=True)


def _wrong(what: str, some: Sequence[SimulationResult], *, is_open: bool = False) -> BenchmarkResult:
    """Check the rate of wrong culprits by its 95% interval."""
    lost = sum(not one.right and one.outcome == "found" for one in some)
    interval = binomtest(lost, len(some)).proportion_ci(method="wilson")
    return BenchmarkResult(
        NAME, f"{what}: wrong culprit, % ({100 * interval.low:.1f} to {100 * interval.high:.1f})", 100 * lost / len(some),
        goal=f"<= {100 * WRONG:g}", met=bool(interval.low <= WRONG), is_open=is_open,
    )  # fmt: skip


def _right(what: str, some: Sequence[SimulationResult], *, is_open: bool = False) -> Iterator[BenchmarkResult]:
    """Yield how often a named culprit is right, with Wilson's interval, and the stated probability."""
    found = [one for one in some if one.outcome == "found"]
    right = sum(one.right for one in found)
    interval = binomtest(right, len(found)).proportion_ci(method="wilson")
    low, high = 100 * float(interval.low), 100 * float(interval.high)
    stated = 100 * float(np.mean([one.believed for one in found]))
    yield BenchmarkResult(NAME, f"{what}: stated when named (mean), %", stated)
    yield BenchmarkResult(NAME, f"{what}: undecided, %", 100 * (1 - len(found) / len(some)))
    yield BenchmarkResult(
        NAME, f"{what}: right when named, 95 % requested, % ({low:.1f} to {high:.1f})", 100 * right / len(found), goal="94 to 98",
        met=low <= 98 and high >= 94, is_open=is_open,
    )  # fmt: skip


def goals() -> Iterator[BenchmarkResult]:
    """Yield the results with goals, at an error of 10%."""
    plain = ended(SimulationSettings(), MANY)
    yield from _results("10 %", plain, deploys=31.0)
    yield _belief("10 %", plain)
    yield _named("10 %", plain)
    yield from _results("10 %, 3 slots", ended(THREE, SOME), rounds=17.0)
    pruned = SimulationSettings(sizes=PRUNED)
    alone = ended(pruned, MANY)
    yield from _results("10 %, pruned", alone)
    yield from _results("10 %, pruned, truthful prior", ended(replace(pruned, prior="truthful"), MANY), deploys=20.0)
    misled = ended(replace(pruned, prior="misleading"), MANY)
    yield from _results("10 %, pruned, misleading prior", misled)
    more = float(np.mean([one.deploys for one in misled]) - np.mean([one.deploys for one in alone]))
    yield BenchmarkResult(
        NAME, "10 %, pruned: what a misleading prior adds, deploys (mean)", more, goal="<= 2", met=more <= 2
    )
    three = replace(pruned, prior="truthful", slots=3)
    yield from _results("10 %, pruned, truthful prior, 3 slots", ended(three, MANY), rounds=13.0)
    absent = ended(SimulationSettings(present=False), SOME)
    yield from _results("10 %, culprit not in range", absent, deploys=8.0, wrong=1.0)


def harder() -> Iterator[BenchmarkResult]:
    """Yield results where assumptions of the search are violated."""
    yield from _results("5 %", ended(SimulationSettings(error=0.05), SOME))
    yield from _results("20 %", ended(SimulationSettings(error=0.20), SOME))
    for share in (0.0, 0.3, 0.5):
        yield from _results(
            f"10 %, {_percent(share)} of the variance is the deploy's",
            ended(SimulationSettings(deploy_share=share), SOME),
        )
    for spread in (0.5, 2.0):
        some = ended(SimulationSettings(sizes=PRUNED, known_spread=spread), MANY)
        yield from _results(f"10 %, pruned, production {spread:g} times as noisy", some)
        yield _belief(f"10 %, pruned, production {spread:g} times as noisy", some, 90.0)
    yield from _results("10 %, pruned, heavy tails", ended(SimulationSettings(sizes=PRUNED, heavy=True), MANY))
    odd = ended(SimulationSettings(sizes=PRUNED, bad_deploys=ODD_DEPLOYS, all_hide=True), MANY)
    what = f"10 %, pruned, {_percent(ODD_DEPLOYS)} of deploys say the opposite"
    yield from _results(what, odd)
    yield _belief(what, odd)
    yield _named(what, odd)
    what += ", only guilty candidates hide others"
    yield _wrong(what, ended(SimulationSettings(sizes=PRUNED, bad_deploys=ODD_DEPLOYS), MANY), is_open=True)
    drifting = SimulationSettings(sizes=PRUNED, drift=0.7)
    yield from _results("10 %, pruned, the environment drifts", ended(drifting, SOME))
    blind = ended(replace(drifting, control=False), SOME)
    yield from _results("10 %, pruned, the environment drifts, no control", blind, wrong=None)
    yield _named("10 %, pruned, the environment drifts, no control", blind)
    broken = ended(SimulationSettings(unbuildable=0.2), SOME)
    yield from _results("10 %, 20 % do not build", broken)
    yield BenchmarkResult(
        NAME, "10 %, 20 % do not build: builds tried (mean)", float(np.mean([one.attempts for one in broken]))
    )
    yield BenchmarkResult(
        NAME, "10 %, 20 % do not build: suspects (mean)", float(np.mean([one.suspects for one in broken]))
    )


def replayed() -> Iterator[BenchmarkResult]:
    """Yield results for public histories with their real versions, alone and behind a monorepo of 4,096 commits."""
    series = history("m3")
    for what, commits in (("M3, 7/38/5 commits", None), ("M3 behind 4,096 commits, 4,096/203/5 commits", 4_096)):
        for error in (0.05, 0.10):
            setting = SimulationSettings(error=error)
            some = [searched(ReplayedHistory(setting, default_rng([8, one]), series, commits)) for one in range(SOME)]
            yield from _results(f"{what}, {_percent(error)}", some)
            for level, line in enumerate(series.lines):
                mean = float(np.mean([one.levels[level] for one in some]))
                yield BenchmarkResult(NAME, f"{what}, {_percent(error)}: deploys in {line.repository} (mean)", mean)
            for looks in (3, 5):
                others = [
                    git_bisect(ReplayedHistory(setting, default_rng([8, one]), series, commits).plain(), looks)
                    for one in range(SOME)
                ]
                yield from _peer(f"{what}, {_percent(error)}: git bisect, best of {looks}", others)


def _results(
    what: str,
    some: Sequence[SimulationResult],
    *,
    deploys: float | None = None,
    rounds: float | None = None,
    wrong: float | None = 3.0,
) -> Iterator[BenchmarkResult]:
    counts = np.array([one.deploys for one in some])
    mean = float(counts.mean())
    yield _at_most(f"{what}: deploys (mean)", mean, deploys)
    yield BenchmarkResult(NAME, f"{what}: deploys (p90)", float(np.quantile(counts, 0.9)))
    yield _at_most(f"{what}: rounds (mean)", float(np.mean([one.rounds for one in some])), rounds)
    yield BenchmarkResult(NAME, f"{what}: windows (mean)", float(np.mean([one.windows for one in some])))
    lost = sum(not one.right for one in some)
    if wrong is None:
        yield BenchmarkResult(NAME, f"{what}: wrong culprit, %", 100 * lost / len(some))
        return
    met = binomtest(lost, len(some), wrong / 100, alternative="greater").pvalue > 0.01
    yield BenchmarkResult(
        NAME, f"{what}: wrong culprit, %", 100 * lost / len(some), goal=f"<= {wrong:g}", met=bool(met)
    )


def _belief(what: str, some: Sequence[SimulationResult], least: float = 93.0) -> BenchmarkResult:
    listed = [one.claim_right for one in some if one.claim_right is not None]
    right = 100 * float(np.mean(listed))
    most = 99.0 if least == 93.0 else 100.0
    wide = 250 / np.sqrt(len(listed)) * np.sqrt(max(right, 1) / 100 * (1 - min(right, 99) / 100))  # 2.5 standard errors
    return BenchmarkResult(
        NAME, f"{what}: right when 95 % is first believed, %", right, goal=f"{least:g} to {most:g}",
        met=bool(least - wide <= right <= most + wide),
    )  # fmt: skip


def _named(what: str, some: Sequence[SimulationResult]) -> BenchmarkResult:
    """Yield, for named culprits, the share of right ones less the stated probability, in percentage points."""
    found = [one for one in some if one.outcome == "found"]
    right, stated = (
        100 * float(np.mean(one)) for one in ([each.right for each in found], [each.believed for each in found])
    )
    wide = 250 / np.sqrt(len(found)) * np.sqrt(max(100 - stated, 0.5) / 100 * stated / 100)  # 2.5 standard errors
    return BenchmarkResult(
        NAME, f"{what}: right when named, %", right, goal=f"as stated, {stated:.1f}", met=bool(right >= stated - wide)
    )


def _at_most(what: str, value: float, most: float | None) -> BenchmarkResult:
    return BenchmarkResult(
        NAME, what, value, goal=None if most is None else f"<= {most:g}", met=None if most is None else value <= most
    )  # fmt: skip


def _percent(part: float) -> str:
    return f"{100 * part:g} %"


def _windows(windows: int) -> str:
    return "a window" if windows == 1 else f"{windows} windows"
