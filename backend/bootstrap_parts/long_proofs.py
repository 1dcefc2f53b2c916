"""`npm run test:long -- --minutes N`: shares the minutes between the long proofs registered in pyproject.toml.

A proof is a table `[tool.slowpath.long.NAME]` with `command` (where {python}, {bootstrap}, {seconds} and {seed} are
filled in), `weight` (its share, 1 if unset), `cores` (1 if unset) and `needs` ("nothing", "services" or "stack").
It passes by exit code 0; a last line "N passed, N failed" is counted as such.
"""

from __future__ import annotations

import argparse
import os
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
from bootstrap_parts.suite_report import SuiteResult, tell, wording

_RESULTS = MADE / "logs" / "long"
_PATIENCE = 1.3  # a proof that takes this many times its share, and a minute for its own start, is ended
_START_SECONDS = 60.0
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


@dataclass
class _RunningProof:
    proof: LongProof
    seconds: float
    child: ChildProcess
    log: Path
    begun: float


def add_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `long` to the commands of bootstrap.py."""
    proofs = commands.add_parser("long", help="share some minutes between the long proofs")
    proofs.add_argument("--minutes", type=float, default=20.0)
    proofs.add_argument("--seed", type=int, help="draw from this number instead of a fresh one")
    proofs.add_argument("names", nargs="*", metavar="NAME")
    proofs.set_defaults(run=run_long)


def registered() -> list[LongProof]:
    """Read the proofs from pyproject.toml."""
    tables = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["slowpath"].get("long", {})
    return [LongProof(name, **table) for name, table in tables.items()]


def shares(proofs: Sequence[LongProof], minutes: float, cores: int) -> dict[str, float]:
    """Return the seconds of each proof, so that all together fill the minutes on that many cores."""
    wide = {proof.name: min(proof.cores, cores) for proof in proofs}
    total = sum(proof.weight * wide[proof.name] for proof in proofs)
    longest = minutes * 60.0
    return {proof.name: min(longest, longest * cores * proof.weight / total) for proof in proofs}


def run_long(options: argparse.Namespace, voice: ConsoleOutput) -> int:
    """Run the proofs, as many at once as there are cores for."""
    known = registered()
    unknown = set(options.names) - {proof.name for proof in known}
    if unknown:
        raise StartupError(
            f"There is no long proof {', '.join(sorted(unknown))}; there are: {', '.join(proof.name for proof in known)}.",
            exit_code=2,
        )
    chosen = [proof for proof in known if not options.names or proof.name in options.names]
    seed = options.seed if options.seed is not None else secrets.randbelow(1 << 31)
    with marked() as mark:
        set_up(voice, mark, "test", EVERYTHING)
        _RESULTS.mkdir(parents=True, exist_ok=True)
        begun = time.monotonic()
        seconds = shares(chosen, options.minutes, os.cpu_count() or 2)
        voice.line(f"long proofs: {len(chosen)}, {options.minutes:g} minutes, seed {seed}")
        results = _run_proofs(chosen, seconds, seed, voice, mark)
    return tell(results, time.monotonic() - begun, voice)


def _run_proofs(
    proofs: Sequence[LongProof], seconds: dict[str, float], seed: int, voice: ConsoleOutput, mark: ProcessMark
) -> list[SuiteResult]:
    """Run them, the longest first; a proof too wide for the free cores waits."""
    cores = os.cpu_count() or 2
    waiting = sorted(proofs, key=lambda proof: -seconds[proof.name])
    running, results = list[_RunningProof](), list[SuiteResult]()
    try:
        while waiting or running:
            for proof in list(waiting):
                used = sum(one.proof.cores for one in running)
                if not used or used + proof.cores <= cores:
                    waiting.remove(proof)
                    running.append(_begin(proof, seconds[proof.name], seed, mark))
            for one in [one for one in running if one.child.ended or _is_too_late(one)]:
                running.remove(one)
                results.append(_conclude(one, seed, voice))
            time.sleep(0.1)
    finally:
        for one in running:
            kill_session(one.child)
    return results


def _begin(proof: LongProof, seconds: float, seed: int, mark: ProcessMark) -> _RunningProof:
    bootstrap = [sys.executable, str(BACKEND / "bootstrap.py")]
    fillings = {
        "python": str(VENV_PYTHON),
        "bootstrap": shlex.join(bootstrap),
        "seconds": str(int(seconds)),
        "seed": str(seed),
    }
    command = shlex.split(proof.command.format(**fillings))
    if proof.needs != "nothing":
        command = [*bootstrap, proof.needs, "--", *command]
    go = find_go()
    path = f"{go.parent}:{os.environ.get('PATH', '')}" if go else os.environ.get("PATH", "")
    environment = {**clean_environment(), **go_environment(), "PATH": path, "SLOWPATH_DECODE_BIN": str(DECODE_BINARY)}
    log = _RESULTS / f"{proof.name}.log"
    log.unlink(missing_ok=True)
    child = spawn(proof.name, command, mark=mark, environment=environment, log=log, folder=ROOT, stop_seconds=20.0)
    return _RunningProof(proof, seconds, child, log, time.monotonic())


def _is_too_late(one: _RunningProof) -> bool:
    if time.monotonic() - one.begun < one.seconds * _PATIENCE + _START_SECONDS:
        return False
    one.child.process.terminate()
    try:
        one.child.process.wait(20)
    except subprocess.TimeoutExpired:
        kill_session(one.child)
    return True


def _conclude(one: _RunningProof, seed: int, voice: ConsoleOutput) -> SuiteResult:
    code, output = one.child.process.returncode, one.log.read_text(errors="replace")
    numbers = _NUMBERS.findall(output)
    count = SuiteCount(*(int(number or 0) for number in numbers[-1])) if numbers else SuiteCount(passed=int(code == 0))
    if code != 0 and not count.failed:
        count += SuiteCount(failed=1)
    seconds = time.monotonic() - one.begun
    voice.step(one.proof.name, seconds, wording(count))
    if code != 0:
        lines = output.splitlines()[-_SHOWN_LINES:]
        voice.line(
            "\n".join(
                [
                    f"--- {one.proof.name} failed ({one.child.how_it_ended()}), seed {seed}; the end of {one.log}",
                    *lines,
                    "---",
                ]
            )
        )
    return SuiteResult(one.proof.name, count, seconds, code == 0 and not count.failed)
