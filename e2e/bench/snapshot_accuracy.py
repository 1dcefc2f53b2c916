"""Verdicts on allocations and mutexes from successive snapshots of one process per side: `--only snapshots`.

Reads captures of `capture_snapshots` in the folder SLOWPATH_SNAPSHOT_CAPTURES, which are too large for the repository.
Draws sides of 4 and 10 differences without a change, and such whose candidate allocates or waits three times as much.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from subprocess import CalledProcessError

import numpy as np

from bench.aa_programs import PROGRAMS
from bench.benchmark_results import BenchmarkResult
from bench.capture_snapshots import PHASES
from bench.captures import anonymous, decoded
from bench.counted_shares import Count
from bench.product_comparison import compared
from bench.resampled_sets import Draw
from slowpath.analysis.findings.findings import CHANGED
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.verdict.compare_profiles import ProfileComparison

NAME = "snapshots"
FOLDER = os.environ.get("SLOWPATH_SNAPSHOT_CAPTURES")
SIZES = (4, 10)
PHASE_OF = [number for number, phase in enumerate(PHASES) for _ in range(phase.profiles)]
FACTOR = 3
MOST_ALARMS = 0.01


@dataclass(frozen=True)
class Layout:
    """A way of drawing: the process and the first snapshot of each side, relative to a window of the captures.

    `may_alarm`: the costs of the sides differ, with the requests that they were sent.
    """

    name: str
    same_process: bool
    new_process: bool
    phases: frozenset[int]
    may_alarm: bool = False


LAYOUTS = (
    Layout("in turns, two processes", same_process=False, new_process=False, phases=frozenset({1, 2})),
    Layout("consecutive, one process", same_process=True, new_process=False, phases=frozenset({1})),
    Layout(
        "consecutive, another load or mix of requests",
        same_process=True,
        new_process=False,
        phases=frozenset({2}),
        may_alarm=True,
    ),
    Layout("consecutive, a new process", same_process=False, new_process=True, phases=frozenset({1})),
)


def run() -> Iterator[BenchmarkResult]:
    """Yield false alarms and found changes of both kinds, of tuning and of reserved programs."""
    folders = sorted(each for each in Path(FOLDER).iterdir() if each.is_dir()) if FOLDER else []
    for reserved in (False, True):
        mine = [folder for folder in folders if PROGRAMS[folder.name].reserved == reserved]
        whose = "reserved programs" if reserved else "tuning programs"
        for kind in ("allocs", "mutex") if mine else ():
            for layout in LAYOUTS:
                alarms, found = Count(), Count()
                for number, drawn in enumerate(each for folder in mine for each in _draws(folder, kind, layout)):
                    alarms.add(_is_alarm(compared(drawn.base, drawn.candidate)))
                    if number % 4 == 0:
                        grown = [_grown(snapshot) for snapshot in drawn.candidate]
                        found.add(compared(drawn.base, grown).verdict == "regressed")
                what = f"{kind}, {layout.name}, {whose}"
                goal = None if layout.may_alarm else f"<= {MOST_ALARMS}"
                is_met = None if layout.may_alarm else alarms.share <= MOST_ALARMS
                yield BenchmarkResult(NAME, f"{what}: alarms ({alarms.text})", alarms.share, goal=goal, met=is_met)
                yield BenchmarkResult(NAME, f"{what}: ×{FACTOR} found ({found.text})", found.share)


def _draws(folder: Path, kind: str, layout: Layout) -> Iterator[Draw]:
    """Yield sides whose differences are within one phase of the load, or two for another load."""
    rounds = sorted({each.name.partition(".")[0] for each in folder.iterdir()})
    for size in SIZES:
        span = size * (2 if layout.same_process else 1)
        for begin in range(0, len(PHASE_OF) - span + 1, max(2, size // 2)):
            if len(set(PHASE_OF[begin : begin + span])) not in layout.phases:
                continue
            for number, each in enumerate(rounds):
                for later in rounds[number + 1 :] if layout.new_process else [each]:
                    second = f"{each}.0" if layout.same_process else f"{later}.1"
                    base = _snapshots(folder / f"{each}.0", kind)[begin : begin + size + 1]
                    second_begin = begin + size if layout.same_process else begin
                    candidate = _snapshots(folder / second, kind)[second_begin : second_begin + size + 1]
                    if min(len(base), len(candidate)) > size:
                        yield Draw(base, candidate)


@lru_cache(maxsize=64)
def _snapshots(folder: Path, kind: str) -> tuple[ProfileArtifact, ...]:
    """Return the snapshots of a process; empty ones, which cannot be decoded, are left out."""
    found = []
    for path in sorted(folder.glob(f"{kind}.*.pb.gz")):
        try:
            snapshot = anonymous(decoded(path))
        except CalledProcessError:
            continue
        found.append(replace(snapshot, facts=replace(snapshot.facts, run=f"{folder.parent.name}/{folder.name}")))
    return tuple(found)


def _grown(snapshot: ProfileArtifact) -> ProfileArtifact:
    values = tuple(np.asarray(each * FACTOR) for each in snapshot.table.values)
    return replace(snapshot, table=replace(snapshot.table, values=values))


def _is_alarm(comparison: ProfileComparison) -> bool:
    findings: Sequence[bool] = [finding.is_significant for finding in comparison.findings]
    return comparison.verdict in CHANGED or comparison.verdict == "mixed" or any(findings)
