"""`npm run test:long -- --minutes N`: divide the minutes between the long proofs in pyproject.toml.

A proof is a table `[tool.slowpath.long.NAME]` with `command` (with the placeholders {python}, {bootstrap}, {seconds} and
{seed}), `weight` (its share, default 1), `cores` (default 1), `needs` ("nothing", "services" or "stack", with options such as
`--durable`), `setup` (a step of the set-up that only this proof needs) and `by_name` (true: it runs only if it is named, because
what it needs takes long to build).
Exit code 0 means passed; a last line "N passed, N failed" gives the counts.

No proof starts when the minutes are over: on a slow machine, proofs of a fixed amount of work use more than their share.
Those left out are listed and counted as skipped; the seed decides which of the short ones these are.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import secrets
import shlex
import subprocess
import sys
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bootstrap_parts.child_processes import ChildProcess, ProcessMark, clean_environment, kill_session, marked, spawn
from bootstrap_parts.console import ConsoleOutput, StartupError
from bootstrap_parts.install_steps import EVERYTHING, find_go, go_environment, set_up
from bootstrap_parts.project_paths import BACKEND, DECODE_BINARY, MADE, ROOT, VENV_PYTHON
from bootstrap_parts.suite_counts import SuiteCount
from bootstrap_parts.suite_report import SuiteResult, print_report, wording

_RESULTS = MADE / "logs" / "long"
_OVERTIME_FACTOR = 2.0
"""A proof that takes {seconds} is ended after this many times its share, and the time of its round."""
_ROUND_SECONDS = 600.0
"""Start and fixed work of a proof: `machines` restarts all its processes and migrates, however short its share is."""
_FIXED_WORK_SECONDS = 1_500.0
"""A proof with a fixed amount of work is ended after this time: its duration depends on the machine only."""
_SHOWN_LINES = 100
_NUMBERS = re.compile(r"^(?:\w+: )?(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", re.MULTILINE)


@dataclass(frozen=True)
class LongProof:
    """One long proof and its share of the time."""

    name: str
    command: str
    weight: float = 1.0
    cores: int = 1
    needs: str = "nothing"
    setup: str = ""
    by_name: bool = False


@dataclass
class _RunningProof:
    proof: LongProof
    seconds: float
    child: ChildProcess
    log: Path
    begun: float


def add_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `long` to the commands of bootstrap.py."""
    proofs = commands.add_parser("long", help="run the long proofs for some minutes in total")
    proofs.add_argument("--minutes", type=float, default=20.0)
    proofs.add_argument("--seed", type=int, help="seed of the random numbers (default: random)")
    proofs.add_argument("names", nargs="*", metavar="NAME")
    proofs.set_defaults(run=run_long)


def registered() -> list[LongProof]:
    """Read the proofs from pyproject.toml."""
    tables = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["slowpath"].get("long", {})
    return [LongProof(name, **table) for name, table in tables.items()]


def shares(proofs: Sequence[LongProof], minutes: float, cores: int) -> dict[str, float]:
    """Return the seconds of each proof, so that all together use `minutes` on `cores`."""
    wide = {proof.name: min(proof.cores, cores) for proof in proofs}
    total = sum(proof.weight * wide[proof.name] for proof in proofs)
    longest = minutes * 60.0
    return {proof.name: min(longest, longest * cores * proof.weight / total) for proof in proofs}


def run_long(options: argparse.Namespace, console: ConsoleOutput) -> int:
    """Run the proofs, as many concurrently as the cores allow."""
    known = registered()
    unknown = set(options.names) - {proof.name for proof in known}
    if unknown:
        raise StartupError(
            f"Unknown long proof {', '.join(sorted(unknown))}; choose from {', '.join(proof.name for proof in known)}.",
            exit_code=2,
        )
    chosen = [proof for proof in known if (proof.name in options.names if options.names else not proof.by_name)]
    seed = options.seed if options.seed is not None else secrets.randbelow(1 << 31)
    with marked() as mark:
        set_up(console, mark, "test", (*EVERYTHING, *(proof.setup for proof in chosen if proof.setup)))
        _RESULTS.mkdir(parents=True, exist_ok=True)
        begun = time.monotonic()
        seconds = shares(chosen, options.minutes, os.cpu_count() or 2)
        console.line(f"long proofs: {len(chosen)}, {options.minutes:g} minutes, seed {seed}")
        results = _run_proofs(
            in_order(chosen, seconds, seed), seconds, seed, console, mark, last_start=begun + options.minutes * 60.0
        )
    return print_report(results, time.monotonic() - begun, console)


def in_order(proofs: Sequence[LongProof], seconds: dict[str, float], seed: int) -> list[LongProof]:
    """Order proofs for their start: those with a large share first, the largest leading, then the others at random."""
    shuffled = random.Random(seed).sample(proofs, len(proofs))  # noqa: S311 - an order, not a secret
    mean = sum(seconds[proof.name] for proof in proofs) / max(len(proofs), 1)
    return sorted(shuffled, key=lambda proof: -seconds[proof.name] if seconds[proof.name] > mean else 0.0)


def _run_proofs(
    proofs: Sequence[LongProof],
    seconds: dict[str, float],
    seed: int,
    console: ConsoleOutput,
    mark: ProcessMark,
    *,
    last_start: float,
) -> list[SuiteResult]:
    """Run the proofs in their order; one that needs more than the free cores waits for them. None starts after `last_start`."""
    cores = os.cpu_count() or 2
    waiting, running, results = list(proofs), list[_RunningProof](), list[SuiteResult]()
    try:
        while running or (waiting and time.monotonic() < last_start):
            used = sum(one.proof.cores for one in running)
            if waiting and time.monotonic() < last_start and (not used or used + waiting[0].cores <= cores):
                proof = waiting.pop(0)
                running.append(_start(proof, seconds[proof.name], seed, mark))
            for one in [one for one in running if one.child.ended or _is_overdue(one)]:
                running.remove(one)
                results.append(_conclude(one, seed, console))
            time.sleep(0.1)
    finally:
        for one in running:
            kill_session(one.child)
    for proof in waiting:
        console.step(proof.name, 0.0, "left out: the minutes are over")
    return [*results, *(SuiteResult(proof.name, SuiteCount(skipped=1), 0.0, ok=True) for proof in waiting)]


def _start(proof: LongProof, seconds: float, seed: int, mark: ProcessMark) -> _RunningProof:
    bootstrap = [sys.executable, str(BACKEND / "bootstrap.py")]
    placeholders = {
        "python": str(VENV_PYTHON),
        "bootstrap": shlex.join(bootstrap),
        "seconds": str(int(seconds)),
        "seed": str(seed),
    }
    command = shlex.split(proof.command.format(**placeholders))
    if proof.needs != "nothing":
        command = [*bootstrap, *shlex.split(proof.needs), "--", *command]
    go = find_go()
    path = f"{go.parent}:{os.environ.get('PATH', '')}" if go else os.environ.get("PATH", "")
    environment = {**clean_environment(), **go_environment(), "PATH": path, "SLOWPATH_DECODE_BIN": str(DECODE_BINARY)}
    log = _RESULTS / f"{proof.name}.log"
    log.unlink(missing_ok=True)
    child = spawn(proof.name, command, mark=mark, environment=environment, log=log, folder=ROOT, stop_seconds=20.0)
    return _RunningProof(proof, seconds, child, log, time.monotonic())


def time_limit(proof: LongProof, seconds: float) -> float:
    """Return after how many seconds a proof with a share of `seconds` is ended."""
    return seconds * _OVERTIME_FACTOR + _ROUND_SECONDS if "{seconds}" in proof.command else _FIXED_WORK_SECONDS


def _is_overdue(one: _RunningProof) -> bool:
    if time.monotonic() - one.begun < time_limit(one.proof, one.seconds):
        return False
    one.child.process.terminate()
    try:
        one.child.process.wait(20)
    except subprocess.TimeoutExpired:
        kill_session(one.child)
    return True


def _conclude(one: _RunningProof, seed: int, console: ConsoleOutput) -> SuiteResult:
    code, output = one.child.process.returncode, one.log.read_text(errors="replace")
    numbers = _NUMBERS.findall(output)
    count = SuiteCount(*(int(number or 0) for number in numbers[-1])) if numbers else SuiteCount(passed=int(code == 0))
    if code != 0 and not count.failed:
        count += SuiteCount(failed=1)
    seconds = time.monotonic() - one.begun
    console.step(one.proof.name, seconds, wording(count))
    if code != 0:
        lines = output.splitlines()[-_SHOWN_LINES:]
        console.line(
            "\n".join(
                [
                    f"--- {one.proof.name} failed ({one.child.how_it_ended()}), seed {seed}; the end of {one.log}",
                    *lines,
                    "---",
                ]
            )
        )
    return SuiteResult(one.proof.name, count, seconds, code == 0 and not count.failed)
