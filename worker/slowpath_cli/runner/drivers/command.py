"""Deploys by a command of the user's: one that stays in the foreground, or one that ends when it has deployed.

Exit codes: 0 deployed (or, of a command that stays, gone), 125 does not build, 75 try again, else failed.
"""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from slowpath_cli.bisecting.measuring import AGAIN, UNBUILDABLE
from slowpath_cli.runner import keeper, processes
from slowpath_cli.runner.driver import (
    BadSection,
    DeployFailed,
    Handle,
    Place,
    Status,
    Target,
    Unbuildable,
    Unhealthy,
)
from slowpath_cli.runner.telemetry import ATTRIBUTES, attributes
from slowpath_cli.runner.words import UnknownPlaceholder, check, filled

SECTION: Final = {"command", "stays", "teardown", "grace_seconds", "abandon_seconds", "teardown_seconds"}
BEGIN_SECONDS: Final = 30.0
DETAIL: Final = 300
OWN_NAMES: Final = frozenset({"url", "token"})
"""SLOWPATH_URL is the server's, and no command is told of it."""
OLD_SECONDS: Final = 30 * 86_400.0


def read(section: Mapping[str, Any], place: Place) -> "CommandDriver":
    """Read the driver's section. Raises `BadSection`."""
    if unknown := sorted(set(section) - SECTION):
        raise BadSection(f"[deploy] has {unknown[0]!r}, which means nothing; known are {', '.join(sorted(SECTION))}.")
    stays = section.get("stays", True)
    command, teardown = _words(section, "command"), _words(section, "teardown")
    if not command:
        raise BadSection('[deploy] command is missing: ["./deploy.sh", "{commit}"].')
    if not isinstance(stays, bool) or (stays and teardown):
        raise BadSection(
            "[deploy] stays is true (the command is ended to take it down) or false (teardown = [...] does)."
        )
    if not stays and not teardown:
        raise BadSection("[deploy] stays = false needs teardown = [...]: what takes down what the command deployed.")
    numbers = [section.get(name, usual) for name, usual in (("grace_seconds", 10), ("abandon_seconds", 900), ("teardown_seconds", 300))]  # fmt: skip
    if not all(isinstance(one, (int, float)) and one > 0 for one in numbers):
        raise BadSection("[deploy] grace_seconds, abandon_seconds and teardown_seconds are numbers above 0.")
    return CommandDriver(place, command, stays, teardown, *map(float, numbers))


def _words(section: Mapping[str, Any], name: str) -> tuple[str, ...]:
    told = section.get(name, [])
    if not isinstance(told, list) or not all(isinstance(word, str) and "\0" not in word for word in told):
        raise BadSection(f"[deploy] {name} is a list of words; there is no shell in between.")
    try:
        check(told)
    except UnknownPlaceholder as error:
        raise BadSection(f"[deploy] {name}: {error}") from error
    return tuple(told)


@dataclass(frozen=True)
class CommandDriver:
    """A command, and how it is ended."""

    place: Place
    command: tuple[str, ...]
    stays: bool = True
    teardown: tuple[str, ...] = ()
    grace_seconds: float = 10.0
    abandon_seconds: float = 900.0
    """When the runner was not there for so long, the command is taken down without it."""
    teardown_seconds: float = 300.0
    poll_seconds: float = 0.2

    def prepare(self) -> None:
        """Forget old runs; nothing is known before it is tried."""
        for folder in self.place.work.glob("*-*-*"):
            if time.time() - folder.stat().st_mtime > OLD_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)

    def deploy(self, target: Target) -> Handle:
        """Start the command, unless this attempt was started before."""
        folder = self._folder(target.run_id)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        values = values_of(target)
        begun = {"attempt": target.attempt, "values": values, "cwd": str(target.dir or target.out)}
        (folder / "begun.json").write_text(json.dumps(begun), encoding="utf-8")
        (folder / "alive").touch()
        claim = folder / f"claim-{target.attempt}"
        if not claim.exists():
            self._begin(target, folder, values)
        handle = {"run_id": str(target.run_id), "attempt": target.attempt, "port": target.port}
        if claim.read_text(encoding="utf-8") == "nobody":
            raise DeployFailed("It was taken down before it began.")
        return handle

    def status(self, handle: Handle, called_back: Status | None) -> Status:
        """Return how the command fares; what it calls back with counts where it does not end."""
        folder, attempt = self._folder(UUID(handle["run_id"])), int(handle["attempt"])
        code = _read(folder / f"exit-{attempt}")
        if code is not None:
            return self._ended(int(code), folder)
        pid, _, started = (_read(folder / f"claim-{attempt}") or "").partition(" ")
        if not pid.isdecimal() or keeper.started(int(pid)) != started:
            code = _read(folder / f"exit-{attempt}")  # it may have ended in between
            return (
                self._ended(int(code), folder) if code is not None else Status("failed", "It was ended from outside.")
            )
        if called_back is not None and called_back.state in {"unbuildable", "failed"}:
            return called_back
        return Status("ready" if self.stays else "building", last_line(folder / "log"))

    def endpoints(self, handle: Handle) -> Mapping[str, str]:
        """Return where it listens, if it listens where it was told to."""
        if handle.get("port") is None:
            return {}
        return {"host": "127.0.0.1", "port": str(handle["port"]), "url": f"http://127.0.0.1:{handle['port']}"}

    def restore(self, run_id: UUID) -> None:
        """See that it can not begin any more, take it down, and end whatever is left of it."""
        folder = self._folder(run_id)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        told = _read(folder / "begun.json")
        attempts = json.loads(told)["attempt"] if told else 0
        taken = [number for number in range(1, attempts + 1) if not keeper.claimed(folder, str(number), "nobody")]
        begun = any(_read(folder / f"claim-{number}") != "nobody" for number in taken)
        try:
            if self.teardown and (begun or told is None):
                self._tear_down(run_id, folder)
            processes.ended(run_id, self.grace_seconds, "deploy")
        except processes.StillRunning as error:
            raise DeployFailed(str(error), passing=True) from error
        _CHILDREN[:] = [child for child in _CHILDREN if child.poll() is None]

    def looked_after(self, run_id: UUID) -> None:
        """Have its keeper go on."""
        if (self._folder(run_id) / "begun.json").exists():
            (self._folder(run_id) / "alive").touch()

    def log(self, run_id: UUID) -> str:
        """Return the end of what the command wrote."""
        return tail(self._folder(run_id) / "log")

    def _begin(self, target: Target, folder: Path, values: Mapping[str, str]) -> None:
        words = filled(self.command, values)
        kept = [
            sys.executable,
            "-I",
            "-S",
            keeper.__file__,
            str(folder),
            str(target.attempt),
            f"{self.abandon_seconds:g}",
        ]
        with (folder / "log").open("ab") as log:
            child = subprocess.Popen(
                [*kept, "--", *words], cwd=target.dir or target.out, env=self._environment(target, values), stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        until = time.monotonic() + BEGIN_SECONDS
        claim = folder / f"claim-{target.attempt}"
        while not claim.exists():
            if child.poll() is not None or time.monotonic() > until:
                raise DeployFailed(f"The command could not be begun: {last_line(folder / 'log')}", passing=True)
            time.sleep(0.01)
        _CHILDREN.append(child)

    def _environment(self, target: Target, values: Mapping[str, str]) -> dict[str, str]:
        told = environment_of(self.place.environment, target, values)
        named = attributes(str(target.run_id), told.get(ATTRIBUTES, ""))
        return {**told, ATTRIBUTES: named, processes.ROLE: "deploy"}

    def _ended(self, code: int, folder: Path) -> Status:
        said = last_line(folder / "log")
        if code == UNBUILDABLE:
            raise Unbuildable(said or "The command says that it does not build.")
        if code == AGAIN:
            raise DeployFailed(said or "The command asks to be tried again.", passing=True)
        if code == 0 and not self.stays:
            return Status("ready", said)
        if self.stays and 0 <= code != keeper.CAN_NOT_RUN:
            raise Unhealthy(f"The command ended with {code}: {said}")
        return Status("failed", f"The command ended {f'by signal {-code}' if code < 0 else f'with {code}'}: {said}")

    def _tear_down(self, run_id: UUID, folder: Path) -> None:
        told = _read(folder / "begun.json")
        begun: dict[str, Any] = (
            json.loads(told) if told else {"values": {**_unknown(), "run_id": str(run_id)}, "cwd": str(folder)}
        )
        values, cwd = begun["values"], begun["cwd"]
        words = filled(self.teardown, values)
        log = folder / "teardown.log"
        with log.open("wb") as said:
            try:
                done = subprocess.run(
                    words, cwd=cwd if Path(cwd).is_dir() else folder, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                    timeout=self.teardown_seconds, check=False, env={**self.place.environment, **_told(values)},
                )  # fmt: skip
            except (OSError, subprocess.TimeoutExpired) as error:
                raise DeployFailed(f"It can not be taken down: {error}", passing=True) from error
        if done.returncode != 0:
            raise DeployFailed(f"The teardown command ended with {done.returncode}: {last_line(log)}", passing=True)

    def _folder(self, run_id: UUID) -> Path:
        return self.place.work / str(run_id)


_CHILDREN: "list[subprocess.Popen[bytes]]" = []
"""Keepers that we started, until they are reaped."""


def values_of(target: Target) -> dict[str, str]:
    """Return what the placeholders become, for a run."""
    overrides = {module: one.to_json() for module, one in target.overrides.items()}
    return {
        "commit": target.commit,
        "dir": "" if target.dir is None else str(target.dir),
        "overrides": json.dumps(overrides),
        "slot": str(target.slot),
        "out": str(target.out),
        "port": "" if target.port is None else str(target.port),
        "run_id": str(target.run_id),
        "service": target.service,
        "callback": "" if target.callback is None else target.callback.url,
    }


def environment_of(let_through: Mapping[str, str], target: Target, values: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a command of a run: what is let through, and what the run is."""
    environment = {**let_through, **_told(values)}
    if any(one.dir is not None or one.version is not None for one in target.overrides.values()):
        # requirements of a replaced module need not be in our go.mod and go.sum
        environment["GOFLAGS"] = f"{environment.get('GOFLAGS', '')} -mod=mod".strip()
    return environment


def _told(values: Mapping[str, str]) -> dict[str, str]:
    named = {**values, "service_url": values["url"]} if "url" in values else values
    return {f"SLOWPATH_{name.upper()}": value for name, value in named.items() if name not in OWN_NAMES}


def _unknown() -> dict[str, str]:
    empty = Target(UUID(int=0), 0, "", "", None, Path())
    return dict.fromkeys(values_of(empty), "")


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return None


def last_line(log: Path) -> str:
    """Return the last line of a log that says something."""
    lines = [line.strip() for line in tail(log).splitlines() if line.strip()]
    return lines[-1][:DETAIL] if lines else ""


def tail(log: Path, most_bytes: int = 8192) -> str:
    """Return the end of a log."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - most_bytes))
            return file.read(most_bytes).decode("utf-8", "replace").replace("\0", "\ufffd")
    except OSError:
        return ""
