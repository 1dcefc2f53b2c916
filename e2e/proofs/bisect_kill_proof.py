"""Bisects of a measure without noise go on while server, worker, relay, runner and what is deployed are killed at random moments.

In the end every bisect names the commit that is guilty, as it does undisturbed; no deploy was begun twice for a probe, and
nothing that was deployed is left running. What is deployed writes down that it begins. Run beside the stores:
`bootstrap.py services -- python -m proofs.bisect_kill_proof --seconds N --seed N`.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from bootstrap_parts.machine_checks import free_port
from proofs.bisect_runs import BisectRuns, command_of
from proofs.kill_proof import say
from support.demo_user import DemoFailed, DemoUser, sign_up
from tests.support.worker_supervisor import WORKSHOP, WorkerSupervisor

KILLED = ("web", "worker", "child", "relay", "runner", "runner", "deploy", "keeper", "measure")
BISECTS = 20
EACH_SECONDS = 30.0
"""What a bisect takes of a round, kills and all, on two cores that have other work."""
PATIENCE_SECONDS = 90.0
"""Without a deploy or a measurement that begins, or a bisect that ends."""
BETWEEN_SECONDS = (2.0, 10.0)
"""From one kill to the next."""
STARTING_SECONDS = 240.0


@dataclass
class Proof:
    """One round: bisects, kills, and what is wrong in the end."""

    folder: Path
    rng: random.Random
    bisects: int
    kills: int
    environment: dict[str, str]
    url: str
    runs: BisectRuns
    processes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    killed: list[str] = field(default_factory=list)

    def play(self) -> None:
        """Play it."""
        keeper = WorkerSupervisor(self.environment, self.folder, self.processes)
        try:
            person = _newcomer(keeper, self.url)
            self.runs.prepare()
            self.environment |= self.runs.register(person, self.url)
            self.processes["runner"] = self.runs.runner
            keeper.look_after()
            for _ in range(self.bisects):
                self.runs.begin(person)
            self._kill_while_they_go_on(person, keeper)
            self.runs.judge_deploys(keeper.look_after)
            with psycopg.connect(_admin_url(), autocommit=True) as connection:
                self.runs.judge_probes(connection)
        finally:
            keeper.stop()
            self.runs.clear()

    def _kill_while_they_go_on(self, person: DemoUser, keeper: WorkerSupervisor) -> None:
        left = self._targets()
        next_kill = time.monotonic() + self.rng.uniform(*BETWEEN_SECONDS)
        next_look, moved, moved_at = 0.0, (0, 0, 0), time.monotonic()
        while self.runs.open:
            keeper.look_after()
            now = time.monotonic()
            if left and now >= next_kill and self._kill(left[0], keeper):
                self.killed.append(left.pop(0))
                next_kill = now + self.rng.uniform(*BETWEEN_SECONDS)
            if now > next_look:
                next_look = now + 2.0
                with suppress(DemoFailed, OSError):
                    self.runs.look(person)
                if (so_far := self.runs.progress()) != moved:
                    moved, moved_at = so_far, now
            if now - moved_at > PATIENCE_SECONDS:
                self.runs.faults += [f"bisect {one} does not go on" for one in self.runs.open]
                return
            time.sleep(0.05)

    def _targets(self) -> list[str]:
        return [*self.rng.sample(KILLED, len(KILLED)), *self.rng.choices(KILLED, k=max(0, self.kills - len(KILLED)))][
            : self.kills
        ]

    def _kill(self, target: str, keeper: WorkerSupervisor) -> bool:
        if target in {"deploy", "keeper", "measure"}:
            found = [
                pid for pid in self.runs.deployed("measure" if target == "measure" else "deploy")
                if (b"core/command_supervisor.py" in command_of(pid)) == (target == "keeper")
            ]  # fmt: skip
            if found:
                with suppress(ProcessLookupError):
                    os.kill(self.rng.choice(found), signal.SIGKILL)
            return bool(found)
        return keeper.kill(target, self.rng)


def main() -> int:
    """Play rounds until the time is over; 0 if nothing was wrong."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    options.add_argument("--bisects", type=int, help=f"of a round (default {BISECTS}, fewer where the time is short)")
    options.add_argument("--kills", type=int, help="of a round (default two for each bisect)")
    options.add_argument("--seconds", type=float, default=0.0, help="play more rounds while they fit")
    options.add_argument("--keep", action="store_true", help="print the output of the processes in failed rounds")
    asked = options.parse_args()
    fitting = max(2, min(BISECTS, int(asked.seconds / EACH_SECONDS))) if asked.seconds else BISECTS
    bisects = asked.bisects or fitting
    begun, passed, failed, longest = time.monotonic(), 0, 0, 0.0
    while not passed + failed or time.monotonic() - begun + longest < asked.seconds:
        started, seed = time.monotonic(), asked.seed + passed + failed
        with tempfile.TemporaryDirectory(prefix="kills-") as folder:
            played = proof(Path(folder), seed, bisects, 2 * bisects if asked.kills is None else asked.kills)
            played.play()
            longest = max(longest, time.monotonic() - started)
            print_round(played, seed, time.monotonic() - started)
            if played.runs.faults and asked.keep:
                for log in sorted(Path(folder).glob("*.log")):
                    say(
                        f"-- {log.name}",
                        log.read_text(encoding="utf-8", errors="replace")[-6000:],
                        sep="\n",
                        to=sys.stderr,
                    )
        passed, failed = passed + (not played.runs.faults), failed + bool(played.runs.faults)
    say(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def proof(folder: Path, seed: int, bisects: int, kills: int) -> Proof:
    """Return a round, not yet played."""
    port, rng = free_port(), random.Random(seed)
    runs = BisectRuns(folder, rng)
    url = f"http://127.0.0.1:{port}"
    environment = {
        **os.environ, "SLOWPATH_PUBLIC_URL": url, "SLOWPATH_SIGN_UP": "open", "SLOWPATH_LOG_FORMAT": "text",
        **runs.environment,
    }  # fmt: skip
    web = ("uvicorn", "slowpath.app:create_app", "--factory", "--port", str(port), "--no-access-log")
    return Proof(folder, rng, bisects, kills, environment, url, runs, {"web": web, **WORKSHOP})


def print_round(played: Proof, seed: int, seconds: float) -> None:
    """Print how a round went."""
    targets = " ".join(f"{count} {name}" for name, count in sorted(Counter(played.killed).items()))
    say(
        f"seed {seed}: {played.bisects} bisects, {len(played.runs.begun())} deploys in {seconds:.0f} s; killed: {targets or 'nothing'}; "
        f"a person had to go on {played.runs.paused} times"
    )
    for fault in played.runs.faults:
        say(f"  {fault}")


def _newcomer(keeper: WorkerSupervisor, url: str) -> DemoUser:
    deadline = time.monotonic() + STARTING_SECONDS
    while True:
        keeper.look_after()
        try:
            return sign_up(url)
        except DemoFailed:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)


def _admin_url() -> str:
    database = urlsplit(os.environ["DATABASE_URL"]).path
    return urlsplit(os.environ["ADMIN_DATABASE_URL"])._replace(path=database).geturl()


if __name__ == "__main__":
    sys.exit(main())
