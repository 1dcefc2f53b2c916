"""Bisects of a measure without noise, with a runner that deploys scripts: what the proofs start, follow and judge in the end.

Every bisect must name the commit that is guilty. No deploy may begin twice for a probe, no probe may be lost, ended or measured
twice, and nothing that was deployed may be left running. What is deployed and what measures it write down that they begin.
"""

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import LiteralString

import psycopg

from support.demo_user import DemoUser
from tests.support.git_repositories import new_repository

COMMITS = 40
LEFT_SECONDS = 30.0
OPEN = frozenset({"planned", "waiting-approval", "searching", "paused"})
FAST, SLOW = 10.0, 11.0
"""What is measured before the guilty commit, and from it on."""
DEPLOY = """#!/bin/sh
echo "$SLOWPATH_RUN_ID $SLOWPATH_COMMIT" >> "$LEDGER"
sleep 0.2
touch "$SLOWPATH_OUT/up"
exec sleep 1000
"""
MEASURE = """#!/bin/sh
echo "$SLOWPATH_RUN_ID" >> "$LEDGER.measured"
sleep 0.3
test -e slow && echo {slow:g} || echo {fast:g}
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
EVENTS: LiteralString = (
    "SELECT b.number, e.kind, e.details->>'number', count(*) FROM bisect_event e JOIN bisect b ON b.id = e.bisect_id"
    " WHERE b.service_id = %s AND e.kind IN ('lost', 'ended', 'measured') GROUP BY 1, 2, 3, e.details->>'index'"
)
"""What happens to a probe at most once; it is measured more often, each time under another index."""
MEASURED: LiteralString = (
    "SELECT p.run_id::text, array_agg(m.value) FROM probe_measurement m JOIN probe p ON p.id = m.probe_id"
    " JOIN bisect b ON b.id = p.bisect_id WHERE b.service_id = %s AND m.problem IS NULL GROUP BY 1"
)


@dataclass
class BisectRuns:
    """The bisects of a round and their runner."""

    folder: Path
    rng: random.Random
    slots: int = 4
    shas: list[str] = field(default_factory=list)
    guilty: int = 0
    service: str = ""
    repository: str = ""
    open: dict[str, str] = field(default_factory=dict)
    """The culprit of each bisect that has not ended."""
    started: int = 0
    faults: list[str] = field(default_factory=list)
    paused: int = 0
    """How often a person had to go on."""

    @property
    def environment(self) -> dict[str, str]:
        """Return what web, worker and runner need."""
        return {"SLOWPATH_LOCAL_REPOSITORIES": str(self.folder), "LEDGER": str(self.folder / "ledger")}

    @property
    def runner(self) -> tuple[str, ...]:
        """Return the command of the runner."""
        return ("slowpath_cli.main", "runner", "--config", str(self.folder / "runner.toml"))

    def prepare(self) -> None:
        """Make the history, the scripts and the configuration of the runner."""
        repository, self.guilty = new_repository(self.folder / "repository"), self.rng.randrange(1, COMMITS)
        self.shas = [
            repository.commit({"n": f"{one}\n", **({"slow": "1\n"} if one == self.guilty else {})}, f"Step {one}")
            for one in range(COMMITS)
        ]
        for name, text in (("deploy.sh", DEPLOY), ("measure.sh", MEASURE.format(slow=SLOW, fast=FAST))):
            (self.folder / name).write_text(text, encoding="utf-8")
            (self.folder / name).chmod(0o755)
        config = CONFIG.format(slots=self.slots, folder=self.folder)
        (self.folder / "runner.toml").write_text(config, encoding="utf-8")

    def register(self, person: DemoUser, url: str) -> dict[str, str]:
        """Make service, repository and token; return the environment of a runner that reaches the server at `url`."""
        self.service = person.call("POST", "/services", json={"name": "proof"})["id"]
        services = [{"service_id": self.service}]
        asked = {"name": "proof", "url": f"file://{self.folder}/repository", "services": services}
        self.repository = person.call("POST", "/repositories", json=asked)["id"]
        team = person.call("GET", "/session")["teams"][0]["id"]
        token = person.call(
            "POST", f"/teams/{team}/tokens", json={"name": "r", "scopes": ["runner"], "expires_in_days": 1}
        )
        return {"SLOWPATH_URL": url, "SLOWPATH_TOKEN": token["secret"]}

    def begin(self, person: DemoUser) -> None:
        """Start a bisect between two commits around the guilty one. Raises `DemoFailed`."""
        low, high = self.rng.randrange(self.guilty), self.rng.randrange(self.guilty, COMMITS)
        bisect = person.call(
            "POST", "/bisects",
            json={
                "service_id": self.service, "repository_id": self.repository,
                "good_sha": self.shas[low], "bad_sha": self.shas[high],
                "signature": {"kind": "custom", "subject": "number"},
                "settings": {"measurement_seconds": 0, "warm_up_seconds": 0, "slots": 2, "lease_timeout_seconds": 20},
            },
        )  # fmt: skip
        self.open[str(bisect["id"])] = self.shas[self.guilty]
        self.started += 1

    def look(self, person: DemoUser) -> None:
        """Judge the bisects that ended, and let those go on that wait for a person. Raises `DemoFailed`."""
        for row in person.call("GET", "/bisects", params={"limit": 100})["items"]:
            if row["id"] not in self.open:
                continue
            if row["state"] == "paused":  # three deploys failed one after another: a person looks, and goes on
                person.call("POST", f"/bisects/{row['id']}/actions", json={"action": "resume"})
                self.paused += 1
            elif row["state"] not in OPEN:
                guilty = self.open.pop(row["id"])
                found = (row["culprit"] or {}).get("sha")
                if row["state"] != "found" or found != guilty:
                    self.faults.append(f"bisect {row['number']} ended as {row['state']} at {found}, not at {guilty}")

    def judge_deploys(self, look_after: Callable[[], None]) -> None:
        """See that nothing is left running, and that nothing was begun twice."""
        deadline = time.monotonic() + LEFT_SECONDS
        while (left := self.deployed()) and time.monotonic() < deadline:
            look_after()
            time.sleep(0.2)
        self.faults += [f"left running: {command_of(pid)!r}" for pid in left]
        begun = Counter(line.split()[0] for line in self.begun())
        self.faults += [f"{run_id} was begun {times} times" for run_id, times in begun.items() if times > 1]
        if not begun:
            self.faults.append("nothing was deployed")

    def judge_probes(self, connection: psycopg.Connection) -> None:
        """See that each probe was counted once, with what was measured of its commit. Row-level security must not hold."""
        for bisect, what, probe, times in connection.execute(EVENTS, (self.service,)).fetchall():
            if times > 1:
                self.faults.append(f"probe {probe} of bisect {bisect} was {what} {times} times")
        commits = dict(line.split() for line in self.begun())
        runs = Counter(_lines(self.folder / "ledger.measured"))
        for run_id, values in connection.execute(MEASURED, (self.service,)).fetchall():
            expected = SLOW if self.shas.index(commits[run_id]) >= self.guilty else FAST
            if set(values) != {expected}:
                self.faults.append(f"run {run_id} has the values {values}, not {expected:g}")
            if len(values) > runs[run_id]:
                self.faults.append(f"run {run_id} was measured {runs[run_id]} times and counted {len(values)} times")

    def begun(self) -> Sequence[str]:
        """Return a line with run and commit for each deploy that began."""
        return _lines(self.folder / "ledger")

    def progress(self) -> tuple[int, int, int]:
        """Return how many deploys and measurements began and how many bisects are open: what changes while they go on."""
        return len(self.begun()), len(_lines(self.folder / "ledger.measured")), len(self.open)

    def deployed(self, role: str = "") -> list[int]:
        """Return the processes of this round's deploys; `role` is theirs, or any."""
        expected = {
            f"LEDGER={self.folder / 'ledger'}".encode(),
            *([f"SLOWPATH_ROLE={role}".encode()] if role else []),
        }
        found = []
        for path in Path("/proc").iterdir():
            with suppress(OSError):
                environment = set((path / "environ").read_bytes().split(b"\0")) if path.name.isdecimal() else set()
                if expected <= environment and any(one.startswith(b"SLOWPATH_RUN_ID=") for one in environment):
                    found.append(int(path.name))
        return found

    def clear(self) -> None:
        """Kill what is still deployed."""
        for pid in self.deployed():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def command_of(pid: int) -> bytes:
    """Return the command of a process, empty if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
    except OSError:
        return b""


def _lines(file: Path) -> Sequence[str]:
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []
