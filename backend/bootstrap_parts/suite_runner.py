"""`npm test`: runs the parts, as many at once as there are cores for, and ends with one table and one line of numbers."""

from __future__ import annotations

import argparse
import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bootstrap_parts.child_processes import ChildProcess, ProcessMark, clean_environment, kill_session, marked, spawn
from bootstrap_parts.console import ConsoleOutput, StartupError
from bootstrap_parts.install_steps import EVERYTHING, set_up
from bootstrap_parts.suite_counts import SuiteCount, go_words
from bootstrap_parts.suite_report import SuiteResult, tell, wording
from bootstrap_parts.suites import RESULTS, Suite, all_parts

GROUPS = ("unit", "py", "go", "web", "e2e", "corpus", "processes", "check")
_ON_REQUEST = frozenset({"corpus", "processes"})
"""Groups that run only when they are named."""
_PART_SECONDS = 2700.0
_WAITING = 1
"""Parts that are begun beyond the number of cores: the long ones wait for processes and pages a third of their time."""
_BEHIND = ("nice", "-n", "10")
"""What a patient part's commands begin with."""
_SHOWN_LINES = 150


def add_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `test` to the commands of bootstrap.py."""
    test = commands.add_parser(
        "test", help=f"run all tests, or a group ({', '.join(GROUPS)}), or a part by name", prefix_chars="\0"
    )
    test.add_argument("words", nargs=argparse.REMAINDER, metavar="PART... ARGUMENTS...")
    test.set_defaults(run=run_tests)


def run_tests(options: argparse.Namespace, voice: ConsoleOutput) -> int:
    """Run the chosen parts. What follows their names goes to the one part that takes arguments."""
    with marked() as mark:
        set_up(voice, mark, "test", EVERYTHING)
        chosen, arguments = choose(options.words, all_parts())
        RESULTS.mkdir(parents=True, exist_ok=True)
        live = len(chosen) == 1 or bool(arguments)
        begun = time.monotonic()
        results = run_parts(chosen, arguments, voice, mark, live=live)
    return tell(results, time.monotonic() - begun, voice)


def choose(words: Sequence[str], parts: Sequence[Suite]) -> tuple[list[Suite], list[str]]:
    """Split words into parts and arguments; with arguments, only parts that take them are left.

    Parts of the corpus and of the process tests run only when they or their groups are named.
    """
    names = {part.name for part in parts}
    leading = next((n for n, word in enumerate(words) if word not in names and word not in GROUPS), len(words))
    wanted, arguments = set(words[:leading]), [word for word in words[leading:] if word != "--"]
    if leading == 0 and words and not words[0].startswith("-"):
        raise StartupError(
            f"There is no part {words[0]}. Groups: {', '.join(GROUPS)}. Parts: {', '.join(sorted(names))}.", exit_code=2
        )
    chosen = (
        [part for part in parts if ({part.name} | part.groups) & wanted]
        if wanted
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


def run_parts(
    parts: Sequence[Suite], arguments: list[str], voice: ConsoleOutput, mark: ProcessMark, *, live: bool
) -> list[SuiteResult]:
    """Run parts while cores are free for them, in order; a part that is too wide waits, smaller ones pass it."""
    cores = os.cpu_count() or 2
    waiting, running, results = list(parts), list[_RunningSuite](), list[SuiteResult]()
    try:
        while waiting or running:
            for part in startable(waiting, [one.part for one in running], cores):
                waiting.remove(part)
                running.append(_begin(part, arguments, mark, live=live))
            for one in [one for one in running if _is_over(one, mark, live=live)]:
                running.remove(one)
                results.append(_conclude(one, voice))
            time.sleep(0.05)
    finally:
        for one in running:
            kill_session(one.child)
    return results


def startable(waiting: Sequence[Suite], running: Sequence[Suite], cores: int) -> list[Suite]:
    """Choose what begins now: parts while there is room, and of the patient one for each core that no other part has.

    One patient part runs even where no core is free.
    """
    used, behind = sum(part.cores for part in running if not part.patient), sum(part.patient for part in running)
    chosen = list[Suite]()
    for part in waiting:
        if not part.patient and (not used or used + part.cores <= cores + _WAITING):
            chosen.append(part)
            used += part.cores
    for part in sorted(waiting, key=lambda part: -part.weight):
        if part.patient and behind < max(1, cores - used):
            chosen.append(part)
            behind += 1
    return chosen


def _begin(part: Suite, arguments: list[str], mark: ProcessMark, *, live: bool) -> _RunningSuite:
    commands = part.commands()
    if part.takes_arguments:
        commands[-1] += arguments
    if part.patient:
        commands = [[*_BEHIND, *command] for command in commands]
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


def _is_over(one: _RunningSuite, mark: ProcessMark, *, live: bool) -> bool:
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


def _conclude(one: _RunningSuite, voice: ConsoleOutput) -> SuiteResult:
    """Count, and show the output of a part that failed."""
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
    voice.step(one.part.name, seconds, wording(count))
    if seconds >= _PART_SECONDS:
        voice.line(f"  {one.part.name} took longer than {_PART_SECONDS:.0f} s and was ended")
    if one.part.prints_output and ok:
        voice.line("\n".join(output.splitlines()[:_SHOWN_LINES]))
    if not ok and output:
        lines = _readable(one.part, output)
        voice.line(f"--- {one.part.name}: the last {min(len(lines), _SHOWN_LINES)} lines of {one.log}")
        voice.line("\n".join(lines[-_SHOWN_LINES:]))
        voice.line("---")
    return SuiteResult(one.part.name, count, seconds, ok and not count.failed)


def _readable(part: Suite, output: str) -> list[str]:
    return go_words(output) if part.name.startswith("go test") else output.splitlines()
