"""Bisects of a measure without noise go on while server, worker, relay, runner and what is deployed are killed at random moments.

In the end every bisect names the commit that is guilty, as it does undisturbed; no deploy was begun twice for a probe, and
nothing that was deployed is left running. What is deployed writes down that it begins. Run beside the stores:
`bootstrap.py services -- python -m proofs.bisect_kill_proof --seconds N --seed N`.
"""

import argparse
import os
import random
import signal
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from proofs.kill_proof import say
from support.demo_user import DemoFailed, DemoUser, sign_up
from tests.support.git_repositories import new_repository
from tests.support.worker_supervisor import WORKSHOP, WorkerSupervisor

KILLED = ("web", "worker", "child", "relay", "runner", "runner", "deploy", "keeper", "measure")
COMMITS = 40
BISECTS = 20
EACH_SECONDS = 30.0
"""What a bisect takes of a round, kills and all, on two cores that have other work."""
SLOTS = 4
PATIENCE_SECONDS = 90.0
"""Without a deploy that begins or a bisect that ends."""
BETWEEN_SECONDS = (2.0, 10.0)
"""From one kill to the next."""
STARTING_SECONDS = 60.0
LEFT_SECONDS = 30.0
OPEN = frozenset({"planned", "waiting-approval", "searching", "paused"})
DEPLOY = """#!/bin/sh
echo "$SLOWPATH_RUN_ID $SLOWPATH_COMMIT" >> "$LEDGER"
sleep 0.2
touch "$SLOWPATH_OUT/up"
exec sleep 1000
"""
MEASURE = """#!/bin/sh
sleep 0.3
test -e slow && echo 11 || echo 10
"""
CONFIG = """
[runner]
name = "proof"
slots = {slots}
work = "runner"
environment = ["LEDGER"]
[repositories]
"" = "repository"
[deploy]
command = ["{folder}/deploy.sh"]
health = {{ command = ["test", "-e", "{{out}}/up"], within = 30 }}
[measure]
command = ["{folder}/measure.sh"]
"""


@dataclass
class Proof:
    """One round: bisects, kills, and what is wrong in the end."""

    folder: Path
    rng: random.Random
    bisects: int
    kills: int
    environment: dict[str, str]
    url: str
    processes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    killed: list[str] = field(default_factory=list)
    paused: int = 0

    def play(self) -> None:
        """Play it."""
        keeper = WorkerSupervisor(self.environment, self.folder, self.processes)
        try:
            person = _newcomer(keeper, self.url)
            expected = self._start(person, keeper)
            self._kill_while_they_go_on(person, keeper, expected)
            self._judge_deploys(keeper)
        finally:
            keeper.stop()
            for pid in _ours(self.folder, ""):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def _start(self, person: DemoUser, keeper: WorkerSupervisor) -> dict[str, str]:
        """Start the bisects and the runner; returns the culprit of each bisect."""
        shas, guilty = self._history()
        service = person.call("POST", "/services", json={"name": "proof"})["id"]
        asked = {"name": "proof", "url": f"file://{self.folder}/repository", "services": [{"service_id": service}]}
        repository = person.call("POST", "/repositories", json=asked)["id"]
        team = person.call("GET", "/session")["teams"][0]["id"]
        token = person.call(
            "POST", f"/teams/{team}/tokens", json={"name": "r", "scopes": ["runner"], "expires_in_days": 1}
        )
        self.environment |= {"SLOWPATH_URL": self.url, "SLOWPATH_TOKEN": token["secret"]}
        self.processes["runner"] = ("slowpath_cli.main", "runner", "--config", str(self.folder / "runner.toml"))
        keeper.look_after()
        expected = {}
        for _ in range(self.bisects):
            low, high = self.rng.randrange(guilty), self.rng.randrange(guilty, COMMITS)
            bisect = person.call(
                "POST", "/bisects",
                json={
                    "service_id": service, "repository_id": repository, "good_sha": shas[low], "bad_sha": shas[high],
                    "signature": {"kind": "custom", "subject": "number"},
                    "settings": {"measurement_seconds": 0, "warm_up_seconds": 0, "slots": 2, "lease_timeout_seconds": 20},
                },
            )  # fmt: skip
            expected[str(bisect["id"])] = shas[guilty]
        return expected

    def _history(self) -> tuple[list[str], int]:
        repository, guilty = new_repository(self.folder / "repository"), self.rng.randrange(1, COMMITS)
        shas = [
            repository.commit({"n": f"{one}\n", **({"slow": "1\n"} if one == guilty else {})}, f"Step {one}")
            for one in range(COMMITS)
        ]
        for name, text in (("deploy.sh", DEPLOY), ("measure.sh", MEASURE)):
            (self.folder / name).write_text(text, encoding="utf-8")
            (self.folder / name).chmod(0o755)
        (self.folder / "runner.toml").write_text(CONFIG.format(slots=SLOTS, folder=self.folder), encoding="utf-8")
        return shas, guilty

    def _kill_while_they_go_on(self, person: DemoUser, keeper: WorkerSupervisor, expected: dict[str, str]) -> None:
        left, open_ = self._targets(), dict(expected)
        next_kill = time.monotonic() + self.rng.uniform(*BETWEEN_SECONDS)
        next_look, moved, moved_at = 0.0, (0, 0), time.monotonic()
        while open_:
            keeper.look_after()
            now = time.monotonic()
            if left and now >= next_kill and self._kill(left[0], keeper):
                self.killed.append(left.pop(0))
                next_kill = now + self.rng.uniform(*BETWEEN_SECONDS)
            if now > next_look:
                next_look = now + 2.0
                with suppress(DemoFailed, OSError):
                    self._look(person, open_)
                if (so_far := (len(self.begun()), len(open_))) != moved:
                    moved, moved_at = so_far, now
            if now - moved_at > PATIENCE_SECONDS:
                self.faults += [f"bisect {one} does not go on" for one in open_]
                return
            time.sleep(0.05)

    def _targets(self) -> list[str]:
        return [*self.rng.sample(KILLED, len(KILLED)), *self.rng.choices(KILLED, k=max(0, self.kills - len(KILLED)))][
            : self.kills
        ]

    def _kill(self, target: str, keeper: WorkerSupervisor) -> bool:
        if target in {"deploy", "keeper", "measure"}:
            found = [
                pid for pid in _ours(self.folder, "measure" if target == "measure" else "deploy")
                if (b"core/command_supervisor.py" in _command(pid)) == (target == "keeper")
            ]  # fmt: skip
            if found:
                with suppress(ProcessLookupError):
                    os.kill(self.rng.choice(found), signal.SIGKILL)
            return bool(found)
        return keeper.kill(target, self.rng)

    def _look(self, person: DemoUser, open_: dict[str, str]) -> None:
        for row in person.call("GET", "/bisects", params={"limit": 100})["items"]:
            if row["id"] not in open_:
                continue
            if row["state"] == "paused":  # three deploys were killed one after another: a person looks, and goes on
                person.call("POST", f"/bisects/{row['id']}/actions", json={"action": "resume"})
                self.paused += 1
            elif row["state"] not in OPEN:
                guilty = open_.pop(row["id"])
                found = (row["culprit"] or {}).get("sha")
                if row["state"] != "found" or found != guilty:
                    self.faults.append(f"bisect {row['number']} ended as {row['state']} at {found}, not at {guilty}")

    def _judge_deploys(self, keeper: WorkerSupervisor) -> None:
        """See that nothing is left running, and that nothing was begun twice."""
        deadline = time.monotonic() + LEFT_SECONDS
        while (left := _ours(self.folder, "")) and time.monotonic() < deadline:
            keeper.look_after()
            time.sleep(0.2)
        self.faults += [f"left running: {_command(pid)!r}" for pid in left]
        begun = Counter(line.split()[0] for line in self.begun())
        self.faults += [f"{run_id} was begun {times} times" for run_id, times in begun.items() if times > 1]
        if not begun:
            self.faults.append("nothing was deployed")

    def begun(self) -> Sequence[str]:
        """Return the lines of what was deployed."""
        ledger = Path(self.environment["LEDGER"])
        return ledger.read_text(encoding="utf-8").splitlines() if ledger.exists() else []


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
            if played.faults and asked.keep:
                for log in sorted(Path(folder).glob("*.log")):
                    say(
                        f"-- {log.name}",
                        log.read_text(encoding="utf-8", errors="replace")[-6000:],
                        sep="\n",
                        to=sys.stderr,
                    )
        passed, failed = passed + (not played.faults), failed + bool(played.faults)
    say(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def proof(folder: Path, seed: int, bisects: int, kills: int) -> Proof:
    """Return a round, not yet played."""
    port = _free_port()
    url = f"http://127.0.0.1:{port}"
    environment = {
        **os.environ, "SLOWPATH_PUBLIC_URL": url, "SLOWPATH_SIGN_UP": "open", "SLOWPATH_LOG_FORMAT": "text",
        "SLOWPATH_LOCAL_REPOSITORIES": str(folder), "LEDGER": str(folder / "ledger"),
    }  # fmt: skip
    web = ("uvicorn", "slowpath.app:create_app", "--factory", "--port", str(port), "--no-access-log")
    return Proof(folder, random.Random(seed), bisects, kills, environment, url, {"web": web, **WORKSHOP})


def print_round(played: Proof, seed: int, seconds: float) -> None:
    """Print how a round went."""
    targets = " ".join(f"{count} {name}" for name, count in sorted(Counter(played.killed).items()))
    say(
        f"seed {seed}: {played.bisects} bisects, {len(played.begun())} deploys in {seconds:.0f} s; killed: {targets or 'nothing'}; "
        f"a person had to go on {played.paused} times"
    )
    for fault in played.faults:
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


def _ours(folder: Path, role: str) -> list[int]:
    """Return what runs of this round's deploys; `role` is theirs, or any."""
    expected = {f"LEDGER={folder / 'ledger'}".encode(), *([f"SLOWPATH_ROLE={role}".encode()] if role else [])}
    found = []
    for path in Path("/proc").iterdir():
        with suppress(OSError):
            environment = set((path / "environ").read_bytes().split(b"\0")) if path.name.isdecimal() else set()
            if expected <= environment and any(one.startswith(b"SLOWPATH_RUN_ID=") for one in environment):
                found.append(int(path.name))
    return found


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
    except OSError:
        return b""


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


if __name__ == "__main__":
    sys.exit(main())
