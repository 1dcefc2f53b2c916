"""`npm test`: run the parts, as many concurrently as the cores allow, and print a table and the total counts."""

from __future__ import annotations

import argparse
import os
import subprocess
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bootstrap_parts.child_processes import ChildProcess, ProcessMark, clean_environment, kill_session, marked, spawn
from bootstrap_parts.console import ConsoleOutput, StartupError
from bootstrap_parts.install_steps import EVERYTHING, set_up
from bootstrap_parts.suite_counts import SuiteCount, go_words
from bootstrap_parts.suite_report import SuiteResult, print_report, wording
from bootstrap_parts.suites import ALL, RESULTS, Suite, all_parts

GROUPS = ("unit", "py", "go", "web", "e2e", "corpus", "processes", "check")
_ON_REQUEST = frozenset({"corpus", "processes"})
"""Groups that run only when they are named."""
_BUDGETS = {(): 600.0, ("processes",): 1800.0}
"""Seconds that a lane may take on two cores, with its set-up, by the words that choose it."""
_PART_SECONDS = 2700.0
_EXTRA_PARTS = 1
"""Number of parts started beyond the cores: the long ones wait a third of their time for processes and pages."""
_LOW_PRIORITY = ("nice", "-n", "10")
"""Prefix of the commands of a patient part."""
_SHOWN_LINES = 150


def add_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `test` to the commands of bootstrap.py."""
    test = commands.add_parser(
        "test", help=f"run all tests, or a group ({', '.join(GROUPS)}), or a part by name", prefix_chars="\0"
    )
    test.add_argument("words", nargs=argparse.REMAINDER, metavar="PART... ARGUMENTS...")
    test.set_defaults(run=run_tests)


def run_tests(options: argparse.Namespace, console: ConsoleOutput) -> int:
    """Run the chosen parts; words after their names are arguments of the part that accepts them."""
    with marked() as mark, running_parts(console, mark) as run:
        set_up(console, mark, "test", EVERYTHING, meanwhile=None if options.words else run.advance_beside_set_up)
        run.waiting.clear()
        chosen, run.arguments = choose(options.words, all_parts())
        run.live = len(chosen) == 1 or bool(run.arguments)
        results = run.complete(chosen)
    seconds = time.monotonic() - console.started
    return print_report(results, seconds, console, budget_seconds=_BUDGETS.get(tuple(options.words)))


def choose(words: Sequence[str], parts: Sequence[Suite]) -> tuple[list[Suite], list[str]]:
    """Split words into parts and arguments; with arguments, only parts that accept them are chosen.

    Parts of the corpus and of the process tests are chosen only by name.
    """
    names = {part.name for part in parts}
    leading = next((n for n, word in enumerate(words) if word not in names and word not in GROUPS), len(words))
    requested, arguments = set(words[:leading]), [word for word in words[leading:] if word != "--"]
    if leading == 0 and words and not words[0].startswith("-"):
        raise StartupError(
            f"Unknown part {words[0]}. Groups: {', '.join(GROUPS)}. Parts: {', '.join(sorted(names))}.", exit_code=2
        )
    chosen = (
        [part for part in parts if ({part.name} | part.groups) & requested]
        if requested
        else [part for part in parts if not part.groups & _ON_REQUEST]
    )
    if arguments:
        chosen = [part for part in chosen if part.takes_arguments]
    return chosen, arguments


@dataclass
class _RunningSuite:
    part: Suite
    commands: list[list[str]]
    child: ChildProcess
    log: Path
    begun: float
    codes: list[int]


@dataclass
class SuiteRun:
    """The parts of one run: those that wait, those that run, and the results of those that ended."""

    console: ConsoleOutput
    mark: ProcessMark
    arguments: list[str] = field(default_factory=list)
    live: bool = False
    waiting: list[Suite] = field(default_factory=list)
    running: list[_RunningSuite] = field(default_factory=list)
    results: list[SuiteResult] = field(default_factory=list)
    _finished_steps: set[str] = field(default_factory=set)

    def advance(self, cores: int) -> None:
        """Start the parts that fit on so many cores, and conclude those that have ended."""
        for part in startable(self.waiting, [one.part for one in self.running], cores):
            self.waiting.remove(part)
            self.running.append(_start(part, self.arguments, self.mark, live=self.live))
        for one in [one for one in self.running if _is_finished(one, self.mark, live=self.live)]:
            self.running.remove(one)
            self.results.append(_conclude(one, self.console))

    def complete(self, parts: Sequence[Suite]) -> list[SuiteResult]:
        """Run the parts that have not begun yet; return the results of all when the last one has ended."""
        self.waiting += self._not_begun(parts)
        while self.waiting or self.running:
            self.advance(os.cpu_count() or 2)
            time.sleep(0.05)
        return self.results

    def advance_beside_set_up(self, finished: Collection[str]) -> None:
        """Start the parts whose steps of the set-up are finished, on one core: the set-up uses the others."""
        if self._finished_steps != set(finished):
            self._finished_steps = set(finished)
            ready = [part for part in all_parts() if part.needs is not None and part.needs <= self._finished_steps]
            self.waiting = self._not_begun(ready)
        self.advance(cores=1)

    def _not_begun(self, parts: Sequence[Suite]) -> list[Suite]:
        begun = {one.part.name for one in self.running} | {result.name for result in self.results}
        return [part for part in parts if part.name not in begun]


@contextmanager
def running_parts(console: ConsoleOutput, mark: ProcessMark) -> Iterator[SuiteRun]:
    """Give a run whose processes are killed when the block ends."""
    run = SuiteRun(console, mark)
    try:
        yield run
    finally:
        for one in run.running:
            kill_session(one.child)


def startable(waiting: Sequence[Suite], running: Sequence[Suite], cores: int) -> list[Suite]:
    """Return the parts to start now: as many as fit, and one patient part per unused core.

    One patient part runs even if no core is free. Nothing overtakes a first part that waits for all cores.
    """
    used, patient_count = sum(part.cores for part in running if not part.patient), sum(part.patient for part in running)
    chosen, timed = list[Suite](), [part for part in waiting if not part.patient]
    if timed and timed[0].cores == ALL and used:
        timed = []
    for part in timed:
        if not used or used + part.cores <= cores + _EXTRA_PARTS:
            chosen.append(part)
            used += part.cores
    for part in sorted(waiting, key=lambda part: -part.weight):
        if part.patient and patient_count < max(1, cores - used):
            chosen.append(part)
            patient_count += 1
    return chosen


def _start(part: Suite, arguments: list[str], mark: ProcessMark, *, live: bool) -> _RunningSuite:
    commands = part.commands()
    if part.takes_arguments:
        commands[-1] += arguments
    if part.patient:
        commands = [[*_LOW_PRIORITY, *command] for command in commands]
    RESULTS.mkdir(parents=True, exist_ok=True)
    log = RESULTS / f"{part.name.replace(' ', '-').replace(',', '')}.log"
    log.unlink(missing_ok=True)
    return _RunningSuite(
        part, commands[1:], _launch(part, commands[0], log, mark, live=live), log, time.monotonic(), []
    )


def _launch(part: Suite, command: list[str], log: Path, mark: ProcessMark, *, live: bool) -> ChildProcess:
    environment = {**clean_environment(), "NO_COLOR": "1", **part.environment}
    shown = live and part.count is not None and not part.name.startswith("go test")
    return spawn(
        part.name,
        command,
        mark=mark,
        environment=environment,
        log=None if shown else log,
        folder=part.folder,
        stop_seconds=20.0,
    )


def _is_finished(one: _RunningSuite, mark: ProcessMark, *, live: bool) -> bool:
    if not one.child.ended:
        if time.monotonic() - one.begun < _PART_SECONDS:
            return False
        one.child.process.terminate()
        try:
            one.child.process.wait(20)
        except subprocess.TimeoutExpired:
            kill_session(one.child)
        one.commands.clear()
    one.codes.append(one.child.process.returncode)
    if one.commands:
        one.child = _launch(one.part, one.commands.pop(0), one.log, mark, live=live)
        return False
    return True


def _conclude(one: _RunningSuite, console: ConsoleOutput) -> SuiteResult:
    """Count the tests of a finished part, and print the output if it failed."""
    seconds, ok = time.monotonic() - one.begun, not any(one.codes)
    output = one.log.read_text(errors="replace") if one.log.exists() else ""
    counted = (
        one.part.count(output)
        if one.part.count
        else SuiteCount(passed=one.codes.count(0), failed=sum(map(bool, one.codes)))
    )
    count = counted or SuiteCount()
    if not ok and not count.failed:
        count += SuiteCount(failed=1)
    console.step(one.part.name, seconds, wording(count))
    if seconds >= _PART_SECONDS:
        console.line(f"  {one.part.name} exceeded the limit of {_PART_SECONDS:.0f} s and was stopped")
    if one.part.prints_output and ok:
        console.line("\n".join(output.splitlines()[:_SHOWN_LINES]))
    if not ok and output:
        lines = _readable(one.part, output)
        console.line(f"--- {one.part.name}: the last {min(len(lines), _SHOWN_LINES)} lines of {one.log}")
        console.line("\n".join(lines[-_SHOWN_LINES:]))
        console.line("---")
    return SuiteResult(one.part.name, count, seconds, ok and not count.failed)


def _readable(part: Suite, output: str) -> list[str]:
    return go_words(output) if part.name.startswith("go test") else output.splitlines()
