"""How many deploys a search through three repositories costs, how often it names the wrong one, and what others need.

4,096 / 203 / 43 commits (25 bits; 128 / 38 / 5 classes after pruning). A deploy is every start of a build: the control, probes, measuring again and the final
verification; only the two ends as they were in production (four windows each) are known before. A window judged alone is wrong as often as
is said; a tenth of its variance is the deploy's unless said otherwise. The noise is estimated inside each run.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.random import default_rng
from scipy.stats import binomtest

from bench.bisect_histories import Replayed, history
from bench.bisect_peers import PeerEnded, bayesect, git_bisect
from bench.bisect_world import PRUNED, Ended, Setting, World, searched
from bench.results import Result

NAME: Final = "bisect"
MANY, SOME, PEERS = 200, 60, 100
THREE: Final = Setting(slots=3)


def run() -> Iterator[Result]:
    """All results; about fifteen minutes."""
    yield from goals()
    yield from harder()
    yield from replayed()
    yield from peers()


def ended(setting: Setting, many: int, seed: int = 8) -> list[Ended]:
    """Search so many histories."""
    return [searched(World(setting, default_rng([seed, number]))) for number in range(many)]


def peers() -> Iterator[Result]:
    """What plain bisection and git_bayesect's method need."""
    for error in (0.05, 0.10, 0.20):
        setting = Setting(error=error)
        for looks in (1, 3, 5):
            for windows in (1, 4):
                some = [git_bisect(World(setting, default_rng([8, one])), looks, windows) for one in range(PEERS)]
                yield from _peer(f"{_percent(error)}: git bisect, best of {looks}, {_windows(windows)} a look", some)
        for windows in (1, 4):
            some = [bayesect(World(setting, default_rng([8, one])), windows) for one in range(SOME)]
            yield from _peer(f"{_percent(error)}: git_bayesect's method, {_windows(windows)} a look", some)


def _peer(what: str, some: Sequence[PeerEnded]) -> Iterator[Result]:
    yield Result(NAME, f"{what}: deploys (mean)", float(np.mean([one.deploys for one in some])))
    yield Result(NAME, f"{what}: wrong culprit, %", 100 * float(np.mean([not one.right for one in some])))


def goals() -> Iterator[Result]:
    """What was asked for, at 10 % error."""
    plain = ended(Setting(), MANY)
    yield from _told("10 %", plain, deploys=31.0)
    yield _belief("10 %", plain)
    yield _named("10 %", plain)
    yield from _told("10 %, 3 slots", ended(THREE, SOME), rounds=17.0)
    pruned = Setting(sizes=PRUNED)
    alone = ended(pruned, MANY)
    yield from _told("10 %, pruned", alone)
    yield from _told("10 %, pruned, truthful prior", ended(replace(pruned, prior="truthful"), MANY), deploys=20.0)
    misled = ended(replace(pruned, prior="misleading"), MANY)
    yield from _told("10 %, pruned, misleading prior", misled)
    more = float(np.mean([one.deploys for one in misled]) - np.mean([one.deploys for one in alone]))
    yield Result(NAME, "10 %, pruned: what a misleading prior adds, deploys (mean)", more, goal="<= 2", met=more <= 2)
    three = replace(pruned, prior="truthful", slots=3)
    yield from _told("10 %, pruned, truthful prior, 3 slots", ended(three, MANY), rounds=13.0)
    absent = ended(Setting(present=False), SOME)
    yield from _told("10 %, culprit not in range", absent, deploys=8.0, wrong=1.0)


def harder() -> Iterator[Result]:
    """What is not as the search believes it to be."""
    yield from _told("5 %", ended(Setting(error=0.05), SOME))
    yield from _told("20 %", ended(Setting(error=0.20), SOME))
    for share in (0.0, 0.3, 0.5):
        yield from _told(
            f"10 %, {_percent(share)} of the variance is the deploy's", ended(Setting(deploy_share=share), SOME)
        )
    for spread in (0.5, 2.0):
        some = ended(Setting(sizes=PRUNED, known_spread=spread), MANY)
        yield from _told(f"10 %, pruned, production {spread:g} times as noisy", some)
        yield _belief(f"10 %, pruned, production {spread:g} times as noisy", some, 90.0)
    yield from _told("10 %, pruned, heavy tails", ended(Setting(sizes=PRUNED, heavy=True), MANY))
    odd = ended(Setting(sizes=PRUNED, bad_deploys=0.02), MANY)
    yield from _told("10 %, pruned, 2 % of deploys say the opposite", odd)
    yield _belief("10 %, pruned, 2 % of deploys say the opposite", odd)
    yield _named("10 %, pruned, 2 % of deploys say the opposite", odd)
    drifting = Setting(sizes=PRUNED, drift=0.7)
    yield from _told("10 %, pruned, the environment drifts", ended(drifting, SOME))
    blind = ended(replace(drifting, control=False), SOME)
    yield from _told("10 %, pruned, the environment drifts, no control", blind, wrong=None)
    yield _named("10 %, pruned, the environment drifts, no control", blind)
    broken = ended(Setting(unbuildable=0.2), SOME)
    yield from _told("10 %, 20 % do not build", broken)
    yield Result(NAME, "10 %, 20 % do not build: builds tried (mean)", float(np.mean([one.attempts for one in broken])))
    yield Result(NAME, "10 %, 20 % do not build: suspects (mean)", float(np.mean([one.suspects for one in broken])))


def replayed() -> Iterator[Result]:
    """Public histories with their own pins: as they were, and behind a monorepo of 4,096 commits."""
    told = history("m3")
    for what, commits in (("M3, 7/38/5 commits", None), ("M3 behind 4,096 commits, 4,096/203/5 commits", 4_096)):
        for error in (0.05, 0.10):
            setting = Setting(error=error)
            some = [searched(Replayed(setting, default_rng([8, one]), told, commits)) for one in range(SOME)]
            yield from _told(f"{what}, {_percent(error)}", some)
            for level, line in enumerate(told.lines):
                mean = float(np.mean([one.levels[level] for one in some]))
                yield Result(NAME, f"{what}, {_percent(error)}: deploys in {line.repository} (mean)", mean)
            for looks in (3, 5):
                others = [
                    git_bisect(Replayed(setting, default_rng([8, one]), told, commits).plain(), looks)
                    for one in range(SOME)
                ]
                yield from _peer(f"{what}, {_percent(error)}: git bisect, best of {looks}", others)


def _told(
    what: str,
    some: Sequence[Ended],
    *,
    deploys: float | None = None,
    rounds: float | None = None,
    wrong: float | None = 3.0,
) -> Iterator[Result]:
    counts = np.array([one.deploys for one in some])
    mean = float(counts.mean())
    yield _at_most(f"{what}: deploys (mean)", mean, deploys)
    yield Result(NAME, f"{what}: deploys (p90)", float(np.quantile(counts, 0.9)))
    yield _at_most(f"{what}: rounds (mean)", float(np.mean([one.rounds for one in some])), rounds)
    yield Result(NAME, f"{what}: windows (mean)", float(np.mean([one.windows for one in some])))
    lost = sum(not one.right for one in some)
    if wrong is None:
        yield Result(NAME, f"{what}: wrong culprit, %", 100 * lost / len(some))
        return
    met = binomtest(lost, len(some), wrong / 100, alternative="greater").pvalue > 0.01
    yield Result(NAME, f"{what}: wrong culprit, %", 100 * lost / len(some), goal=f"<= {wrong:g}", met=bool(met))


def _belief(what: str, some: Sequence[Ended], least: float = 93.0) -> Result:
    said = [one.claim_right for one in some if one.claim_right is not None]
    right = 100 * float(np.mean(said))
    most = 99.0 if least == 93.0 else 100.0
    wide = 250 / np.sqrt(len(said)) * np.sqrt(max(right, 1) / 100 * (1 - min(right, 99) / 100))  # 2.5 standard errors
    return Result(
        NAME, f"{what}: right when 95 % is first believed, %", right, goal=f"{least:g} to {most:g}",
        met=bool(least - wide <= right <= most + wide),
    )  # fmt: skip


def _named(what: str, some: Sequence[Ended]) -> Result:
    """Of those where one was named: how often it was the right one less how often that was said, in points."""
    found = [one for one in some if one.outcome == "found"]
    right, said = (
        100 * float(np.mean(one)) for one in ([each.right for each in found], [each.believed for each in found])
    )
    wide = 250 / np.sqrt(len(found)) * np.sqrt(max(100 - said, 0.5) / 100 * said / 100)  # 2.5 standard errors
    return Result(
        NAME, f"{what}: right when named, %", right, goal=f"as said, {said:.1f}", met=bool(right >= said - wide)
    )


def _at_most(what: str, value: float, most: float | None) -> Result:
    return Result(
        NAME, what, value, goal=None if most is None else f"<= {most:g}", met=None if most is None else value <= most
    )  # fmt: skip


def _percent(part: float) -> str:
    return f"{100 * part:g} %"


def _windows(windows: int) -> str:
    return "a window" if windows == 1 else f"{windows} windows"
