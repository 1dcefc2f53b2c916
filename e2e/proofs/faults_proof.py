"""Files, samples, comparisons and bisects go on while the network, the stores, the disks and the clock have faults.

Connections to PostgreSQL, Valkey and the S3 server, and those of the runner to web, are cut, silent and slow; S3 answers 500 and
503; the disk of web and worker is full, and slow; PostgreSQL's write-ahead log is slow; the clock of web and worker jumps by an
hour in both directions. Every failed request is answered by a problem with status 503, in time. After each fault all works again
without help. In the end everything that was acknowledged is there, complete: files with their bytes, samples with their values,
comparisons with their results; each blob of the store has a row; and each bisect named its culprit, with every probe counted once.
Run beside the stores: `bootstrap.py services --durable -- python -m proofs.faults_proof --seconds N --seed N`.
"""

import argparse
import random
import shutil
import signal
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from uuid import UUID

import psycopg

from proofs.faults_judgement import judge
from proofs.faults_load import FaultsLoad
from proofs.faults_stack import SLOW_LOG, SLOW_SCRATCH, Stack, admin_url, running_stack
from proofs.faulty_proxy import Fault
from proofs.kill_proof import say
from slowpath.core.ids import TeamId
from support.demo_user import DemoFailed, DemoUser, sign_up

START_SECONDS = 240.0
RECOVERY_SECONDS = 30.0
BISECT_PATIENCE_SECONDS = 90.0
"""After the last fault, without a deploy or a measurement that begins, or a bisect that ends."""
FAULT_SECONDS = 2.0
LONGER_SECONDS = {Fault.SILENT.value: 7.0, SLOW_SCRATCH: 5.0, SLOW_LOG: 5.0}
"""Silence has to outlast the timeouts of connections; on a slow disk nothing is done sooner."""
LOG_LINES = 60


def play(stack: Stack, rng: random.Random, seconds: float) -> list[str]:
    """Cause each fault once under load; return what is wrong."""
    user = _first_user(stack)
    stack.start_runner(user)
    load = FaultsLoad(stack.url, user.token, rng)
    load.start()
    wrong: list[str] = []
    faults = stack.faults
    rng.shuffle(faults)
    try:
        stack.look_after(2.0)
        for where, what in faults:
            wrong += _keep_a_bisect_open(stack, user)
            wrong += stack.begin(where, what)
            shortest_s = LONGER_SECONDS.get(what, LONGER_SECONDS.get(where, FAULT_SECONDS))
            stack.look_after(max(shortest_s, seconds / len(faults) * 0.5))
            wrong += stack.end(where)
            ended = dict(load.failures)
            wrong += _wait_until_usable(stack, load, f"{where} {what}")
            say(f"  {where} {what}: usable after {stack.recovery_s[f'{where} {what}']:.1f} s; {ended}")
    finally:
        load.end()
    wrong += load.faults[:20]
    wrong += _finish_bisects(stack, user)
    wrong += judge(stack, load, TeamId(UUID(user.call("GET", "/session")["teams"][0]["id"])))
    say(
        f"{len(load.files)} files, {len(load.samples)} samples, {len(load.comparisons)} comparisons acknowledged; failed requests: "
        f"{load.failures}, the slowest after {load.slowest_s:.1f} s; usable again after at most "
        f"{max(stack.recovery_s.values()):.1f} s; {stack.runs.started} bisects with {len(stack.runs.begun())} deploys, a person "
        f"had to go on {stack.runs.paused} times"
    )
    return wrong


def _first_user(stack: Stack) -> DemoUser:
    deadline = time.monotonic() + START_SECONDS
    while True:
        stack.keeper.look_after()
        try:
            return sign_up(stack.url)
        except DemoFailed:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.3)


def _keep_a_bisect_open(stack: Stack, person: DemoUser) -> list[str]:
    """See that a bisect is under way when a fault begins."""
    deadline = time.monotonic() + RECOVERY_SECONDS
    while True:
        try:
            stack.runs.look(person)
            if not stack.runs.open:
                stack.runs.begin(person)
        except DemoFailed as error:
            if time.monotonic() > deadline:
                return [f"no bisect could be started: {error}"]
            stack.look_after(0.3)
        else:
            return []


def _finish_bisects(stack: Stack, person: DemoUser) -> list[str]:
    """Wait until the bisects have ended; return what is wrong with them."""
    runs, moved, moved_at = stack.runs, (0, 0, 0), time.monotonic()
    while runs.open and time.monotonic() - moved_at < BISECT_PATIENCE_SECONDS:
        stack.look_after(0.5)
        with suppress(DemoFailed):
            runs.look(person)
        if (so_far := runs.progress()) != moved:
            moved, moved_at = so_far, time.monotonic()
    runs.faults += [f"bisect {one} does not go on" for one in runs.open]
    runs.judge_deploys(stack.keeper.look_after)
    with psycopg.connect(admin_url(), autocommit=True) as connection:
        runs.judge_probes(connection)
    return runs.faults


def _wait_until_usable(stack: Stack, load: FaultsLoad, fault: str) -> list[str]:
    """Wait until a file that is sent after the fault is acknowledged."""
    begun, before = time.monotonic(), len(load.files)
    while time.monotonic() - begun < RECOVERY_SECONDS:
        stack.look_after(0.1)
        if len(load.files) > before:
            stack.recovery_s[fault] = time.monotonic() - begun
            return []
    stack.recovery_s[fault] = RECOVERY_SECONDS
    return [f"{RECOVERY_SECONDS:.0f} s after {fault} no file could be sent"]


def main() -> int:
    """Play one round; 0 if nothing was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # a proof that is ended unmounts its disks
    rng, folder = random.Random(options.seed), Path(tempfile.mkdtemp(prefix="faults-"))
    try:
        with running_stack(folder, rng) as stack:
            skipped = "; ".join(stack.skipped) or "nothing"
            say(f"seed {options.seed}, {len(stack.faults)} faults; skipped: {skipped}")
            wrong = ["the proof did not end"]
            try:
                wrong = play(stack, rng, options.seconds)
            finally:
                for log in sorted(folder.glob("*.log")) if wrong else []:
                    say(
                        f"--- {log.name}",
                        *log.read_text(errors="replace").splitlines()[-LOG_LINES:],
                        sep="\n",
                        to=sys.stderr,
                    )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for fault in wrong:
        say(f"  {fault}")
    say(f"{int(not wrong)} passed, {int(bool(wrong))} failed")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
