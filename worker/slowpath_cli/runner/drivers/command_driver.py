"""Driver that deploys by a command: one that keeps running, or one that exits after deploying.

Exit codes: 0 deployed (for a command that keeps running: gone), 125 does not build, 75 retry, else failed.
"""

import json
import shutil
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from slowpath_cli.local_bisect.script_runner import RETRY, UNBUILDABLE
from slowpath_cli.core.supervise_command import supervisor_command
from slowpath_cli.runner.core import command_supervisor, run_processes
from slowpath_cli.runner.core.driver_environment import _as_variables, make_environment, placeholder_values
from slowpath_cli.runner.core.driver_interface import (
    BuildFailed,
    DeploymentFailed,
    DeploymentStatus,
    DeploymentTarget,
    DeploymentUnhealthy,
    DriverEnvironment,
    Handle,
    InvalidDriverConfig,
)
from slowpath_cli.runner.core.otel_resource import ATTRIBUTES, attributes
from slowpath_cli.runner.core.placeholders import UnknownPlaceholder, fill_placeholders, validate_placeholders

SECTION: Final = {"command", "stays", "teardown", "grace_seconds", "abandon_seconds", "teardown_seconds"}
START_SECONDS: Final = 30.0
MAX_DETAIL: Final = 300
OLD_SECONDS: Final = 30 * 86_400.0


def read(section: Mapping[str, Any], place: DriverEnvironment) -> "CommandDriver":
    """Read the driver's section. Raises `InvalidDriverConfig`."""
    if unknown := sorted(set(section) - SECTION):
        raise InvalidDriverConfig(
            f"[deploy] has an unknown key {unknown[0]!r}; known keys are {', '.join(sorted(SECTION))}."
        )
    stays = section.get("stays", True)
    command, teardown = _words(section, "command"), _words(section, "teardown")
    if not command:
        raise InvalidDriverConfig('[deploy] command is missing: ["./deploy.sh", "{commit}"].')
    if not isinstance(stays, bool) or (stays and teardown):
        raise InvalidDriverConfig(
            "[deploy] stays must be true (stopping the command removes the deployment) or false (with teardown = [...])."
        )
    if not stays and not teardown:
        raise InvalidDriverConfig(
            "[deploy] stays = false needs teardown = [...], a command that removes the deployment."
        )
    numbers = [section.get(name, usual) for name, usual in (("grace_seconds", 10), ("abandon_seconds", 900), ("teardown_seconds", 300))]  # fmt: skip
    if not all(isinstance(one, (int, float)) and one > 0 for one in numbers):
        raise InvalidDriverConfig(
            "[deploy] grace_seconds, abandon_seconds and teardown_seconds must be numbers above 0."
        )
    return CommandDriver(place, command, stays, teardown, *map(float, numbers))


def _words(section: Mapping[str, Any], name: str) -> tuple[str, ...]:
    words = section.get(name, [])
    if not isinstance(words, list) or not all(isinstance(word, str) and "\0" not in word for word in words):
        raise InvalidDriverConfig(f"[deploy] {name} must be a list of words; no shell is used.")
    try:
        validate_placeholders(words)
    except UnknownPlaceholder as error:
        raise InvalidDriverConfig(f"[deploy] {name}: {error}") from error
    return tuple(words)


@dataclass(frozen=True)
class CommandDriver:
    """Deploys builds by a command; implements `DeploymentDriver`."""

    place: DriverEnvironment
    command: tuple[str, ...]
    stays: bool = True
    teardown: tuple[str, ...] = ()
    grace_seconds: float = 10.0
    abandon_seconds: float = 900.0
    """The supervisor stops the command when the runner has been gone for this long."""
    teardown_seconds: float = 300.0
    poll_seconds: float = 0.2

    def prepare(self) -> None:
        """Delete the folders of old runs."""
        for folder in self.place.work.glob("*-*-*"):
            if time.time() - folder.stat().st_mtime > OLD_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)

    def deploy(self, target: DeploymentTarget) -> Handle:
        """Start the command, unless this attempt was already started."""
        folder = self._folder(target.run_id)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        values = placeholder_values(target)
        started = {"attempt": target.attempt, "values": values, "cwd": str(target.dir or target.out)}
        (folder / "begun.json").write_text(json.dumps(started), encoding="utf-8")
        (folder / "alive").touch()
        claim = folder / f"claim-{target.attempt}"
        if not claim.exists():
            self._start(target, folder, values)
        handle = {"run_id": str(target.run_id), "attempt": target.attempt, "port": target.port}
        if claim.read_text(encoding="utf-8") == "nobody":
            raise DeploymentFailed("The command was stopped before it started.")
        return handle

    def status(self, handle: Handle, called_back: DeploymentStatus | None) -> DeploymentStatus:
        """Return the status of the command, or of its callback while the command runs."""
        folder, attempt = self._folder(UUID(handle["run_id"])), int(handle["attempt"])
        code = _read(folder / f"exit-{attempt}")
        if code is not None:
            return self._make_exit_status(int(code), folder)
        pid, _, started = (_read(folder / f"claim-{attempt}") or "").partition(" ")
        if not pid.isdecimal() or command_supervisor.process_start_time(int(pid)) != started:
            code = _read(folder / f"exit-{attempt}")  # it may have exited meanwhile
            return (
                self._make_exit_status(int(code), folder)
                if code is not None
                else DeploymentStatus("failed", "The command was killed by another process.")
            )
        if called_back is not None and called_back.state in {"unbuildable", "failed"}:
            return called_back
        return DeploymentStatus("ready" if self.stays else "building", last_line(folder / "log"))

    def endpoints(self, handle: Handle) -> Mapping[str, str]:
        """Return the address of the slot's port, if there is one."""
        if handle.get("port") is None:
            return {}
        return {"host": "127.0.0.1", "port": str(handle["port"]), "url": f"http://127.0.0.1:{handle['port']}"}

    def restore(self, run_id: UUID) -> None:
        """Prevent further starts, stop the command, and kill its remaining processes."""
        folder = self._folder(run_id)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        content = _read(folder / "begun.json")
        attempts = json.loads(content)["attempt"] if content else 0
        claimed = [
            number
            for number in range(1, attempts + 1)
            if not command_supervisor.claim_attempt(folder, str(number), "nobody")
        ]
        was_started = any(_read(folder / f"claim-{number}") != "nobody" for number in claimed)
        try:
            if self.teardown and (was_started or content is None):
                self._tear_down(run_id, folder)
            run_processes.terminate_run(run_id, self.grace_seconds, "deploy")
        except run_processes.StillRunning as error:
            raise DeploymentFailed(str(error), is_transient=True) from error
        _CHILDREN[:] = [child for child in _CHILDREN if child.poll() is None]

    def keep_alive(self, run_id: UUID) -> None:
        """Renew the command at its supervisor."""
        if (self._folder(run_id) / "begun.json").exists():
            (self._folder(run_id) / "alive").touch()

    def log(self, run_id: UUID) -> str:
        """Return the end of the command's log."""
        return tail(self._folder(run_id) / "log")

    def _start(self, target: DeploymentTarget, folder: Path, values: Mapping[str, str]) -> None:
        words = fill_placeholders(self.command, values)
        supervised = [
            *supervisor_command(command_supervisor.__file__),
            str(folder),
            str(target.attempt),
            f"{self.abandon_seconds:g}",
        ]
        with (folder / "log").open("ab") as log:
            child = subprocess.Popen(
                [*supervised, "--", *words], cwd=target.dir or target.out, env=self._environment(target, values), stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        until = time.monotonic() + START_SECONDS
        claim = folder / f"claim-{target.attempt}"
        while not claim.exists():
            if child.poll() is not None or time.monotonic() > until:
                raise DeploymentFailed(
                    f"The command could not be started: {last_line(folder / 'log')}", is_transient=True
                )
            time.sleep(0.01)
        _CHILDREN.append(child)

    def _environment(self, target: DeploymentTarget, values: Mapping[str, str]) -> dict[str, str]:
        environment = make_environment(self.place.environment, target, values)
        named = attributes(str(target.run_id), environment.get(ATTRIBUTES, ""))
        return {**environment, ATTRIBUTES: named, run_processes.ROLE: "deploy"}

    def _make_exit_status(self, code: int, folder: Path) -> DeploymentStatus:
        message = last_line(folder / "log")
        if code == UNBUILDABLE:
            raise BuildFailed(message or "The command reports that the build failed.")
        if code == RETRY:
            raise DeploymentFailed(message or "The command requests a retry.", is_transient=True)
        if code == 0 and not self.stays:
            return DeploymentStatus("ready", message)
        if self.stays and 0 <= code != command_supervisor.CANNOT_RUN:
            raise DeploymentUnhealthy(f"The command exited with {code}: {message}")
        return DeploymentStatus(
            "failed", f"The command {f'was killed by signal {-code}' if code < 0 else f'exited with {code}'}: {message}"
        )

    def _tear_down(self, run_id: UUID, folder: Path) -> None:
        content = _read(folder / "begun.json")
        begun: dict[str, Any] = (
            json.loads(content) if content else {"values": {**_unknown(), "run_id": str(run_id)}, "cwd": str(folder)}
        )
        values, cwd = begun["values"], begun["cwd"]
        words = fill_placeholders(self.teardown, values)
        log = folder / "teardown.log"
        with log.open("wb") as output:
            try:
                done = subprocess.run(
                    words, cwd=cwd if Path(cwd).is_dir() else folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                    timeout=self.teardown_seconds, check=False, env={**self.place.environment, **_as_variables(values)},
                )  # fmt: skip
            except (OSError, subprocess.TimeoutExpired) as error:
                raise DeploymentFailed(f"The teardown command failed: {error}", is_transient=True) from error
        if done.returncode != 0:
            raise DeploymentFailed(
                f"The teardown command exited with {done.returncode}: {last_line(log)}", is_transient=True
            )

    def _folder(self, run_id: UUID) -> Path:
        return self.place.work / str(run_id)


_CHILDREN: "list[subprocess.Popen[bytes]]" = []
"""Supervisors started by this process, until they are reaped."""


def _unknown() -> dict[str, str]:
    empty = DeploymentTarget(UUID(int=0), 0, "", "", None, Path())
    return dict.fromkeys(placeholder_values(empty), "")


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return None


def last_line(log: Path) -> str:
    """Return the last non-empty line of a log."""
    lines = [line.strip() for line in tail(log).splitlines() if line.strip()]
    return lines[-1][:MAX_DETAIL] if lines else ""


def tail(log: Path, most_bytes: int = 8192) -> str:
    """Return the end of a log."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - most_bytes))
            return file.read(most_bytes).decode("utf-8", "replace").replace("\0", "\ufffd")
    except OSError:
        return ""
