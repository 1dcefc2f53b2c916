"""Measure two commits alternately with a script or a Go benchmark, until the pairs decide."""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Final

from slowpath.analysis.bisect.pair_settings import PairSettings
from slowpath.analysis.bisect.paired_measurements import (
    PairDecision,
    combine_decisions,
    compare_pair,
    decide_subjects,
    is_candidate_first,
)
from slowpath.commit_names import short_commit
from slowpath.verdicts.bisects.rules.candidates import BuildInputs
from slowpath.verdicts.bisects.service.candidate_discovery import MultiRepositoryHistory
from slowpath_cli.local_bisect.local_repositories import LocalRepository
from slowpath_cli.local_bisect.progress_lines import format_si
from slowpath_cli.local_bisect.script_runner import MeasureScript, ScriptProtocolError, run_until_result

SIDES: Final = ("base", "candidate")
BENCHMARK: Final = re.compile(r"^(Benchmark\S*?)(?:-\d+)?\s+\d+\s+([0-9.eE+]+) ns/op", re.MULTILINE)
MAX_OUTPUT_BYTES: Final = 1 << 20
SCRIPT_SUBJECT: Final = ""
"""Name of the subject of a script that prints a number."""


class SideNotMeasured(Exception):
    """A side does not build or has no value, so that no pair is complete; the message gives the reason."""


@dataclass(frozen=True)
class PairedRuns:
    """What is measured, and for how long."""

    base: str
    candidate: str
    settings: PairSettings
    seconds: float | None
    """No pair begins after this time; None: without limit."""
    key: str
    """Random: the order within each pair follows from it."""
    is_benchmark: bool


@dataclass
class PairedResult:
    """The decisions by subject, and what was measured."""

    decisions: dict[str, PairDecision]
    values: list[dict[str, dict[str, float]]] = field(default_factory=list)
    """Of each pair: values by side and subject."""
    stopped_early: bool = False
    """Whether the time was used up."""


def run_pairs(
    history: MultiRepositoryHistory[LocalRepository],
    script: MeasureScript,
    runs: PairedRuns,
    folder: Path,
    report: Callable[[str], None],
) -> PairedResult:
    """Measure pairs until they decide. Raises `SideNotMeasured`, `ScriptProtocolError`, `InvalidRepository`."""
    result, began = PairedResult({}), time.monotonic()
    differences: dict[str, list[float]] = {}
    while combine_decisions(result.decisions) is None:
        if runs.seconds is not None and time.monotonic() - began > runs.seconds:
            result.stopped_early = True
            result.decisions = _close(differences, runs.settings)
            break
        pair = _measure_pair(history, script, runs, folder, len(result.values))
        if not differences:
            differences = {name: [] for name in pair["base"] if name in pair["candidate"]}
            if not differences:
                raise SideNotMeasured("The sides have no benchmark in common.")
        for name, one in differences.items():
            one.append(_difference(pair, name, runs.settings))
        result.values.append(pair)
        result.decisions = decide_subjects(differences, runs.settings)
        report(_describe_pair(result))
    return result


def _close(differences: Mapping[str, list[float]], settings: PairSettings) -> dict[str, PairDecision]:
    """Return the decisions if no more pairs are allowed."""
    count = len(next(iter(differences.values()), []))
    return decide_subjects(
        differences, PairSettings(settings.smallest_change, count, larger_is_worse=settings.larger_is_worse)
    )


def _measure_pair(
    history: MultiRepositoryHistory[LocalRepository], script: MeasureScript, runs: PairedRuns, folder: Path, pair: int
) -> dict[str, dict[str, float]]:
    """Return the values of both sides. Both use one work tree, so that their paths are equal."""
    order = SIDES[::-1] if is_candidate_first(runs.key, pair) else SIDES
    values = {}
    for side in order:
        commit, out = (runs.base if side == "base" else runs.candidate), folder / "out" / f"{pair:04}-{side}"
        answer, _ = run_until_result(history, script, BuildInputs(commit), 0, out)
        if answer.kind in {"unbuildable", "bad", "nothing"}:
            reason = answer.reason or "it has no value"
            raise SideNotMeasured(f"The {side} {short_commit(commit)} cannot be measured: {reason} (log: {out}).")
        if runs.is_benchmark:
            values[side] = _read_benchmarks(out)
        elif answer.number is None:
            raise ScriptProtocolError(f"the script printed no number; its output is in {out}.")
        else:
            values[side] = {SCRIPT_SUBJECT: answer.number}
    return values


def _read_benchmarks(out: Path) -> dict[str, float]:
    """Return nanoseconds per operation by benchmark; of several runs of one, their median."""
    with (out / "stdout").open("rb") as file:
        text = file.read(MAX_OUTPUT_BYTES).decode("utf-8", "replace")
    found: dict[str, list[float]] = {}
    for name, value in BENCHMARK.findall(text):
        found.setdefault(name, []).append(float(value))
    if not found:
        raise SideNotMeasured(f"No benchmark matches; the output of go test is in {out}.")
    return {name: median(values) for name, values in found.items()}


def _difference(pair: Mapping[str, Mapping[str, float]], name: str, settings: PairSettings) -> float:
    base, candidate = pair["base"].get(name), pair["candidate"].get(name)
    if base is None or candidate is None:
        raise SideNotMeasured(f"{name} has no result in every pair.")
    try:
        return compare_pair(base, candidate, larger_is_worse=settings.larger_is_worse)
    except ValueError as error:
        raise SideNotMeasured(f"{name or 'The script'} printed {base:g} and {candidate:g}: {error}.") from error


def _describe_pair(result: PairedResult) -> str:
    pair = result.values[-1]
    listed = [
        f"{name or 'value'} {format_si(pair['base'][name])} and {format_si(pair['candidate'][name])} (×{one.ratio or 0:.3g} so far)"
        for name, one in list(result.decisions.items())[:3]
    ]
    return f"pair {len(result.values)}: {', '.join(listed)}"
