"""What the runner says to the server and hears from it. A server that does not answer is waited for, by whoever asks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Any, Final, Literal, TypeVar
from uuid import UUID

from pydantic import ValidationError

from slowpath.analysis.facts import Facts
from slowpath_cli.collecting.errors import AnswerRefused, Declined, NotReachable
from slowpath_cli.collecting.server import Server
from slowpath_cli.runner.driver import Status
from slowpath_cli.runner.leases import HeardBeat

T = TypeVar("T")
FORBIDDEN: Final = frozenset({401, 403})
GONE: Final = frozenset({404, 409, 410})
TAKEN: Final = "urn:slowpath:runner-taken"
LOG_BYTES: Final = 8000


class Silent(Exception):
    """The server does not answer just now, or not as it should; asking again may help."""


class Gone(Exception):
    """The server knows nothing of this, or wants no more of it."""


class Taken(Gone):
    """Another process has this runner's name; it may be free after some seconds of the other one's silence."""

    def __init__(self, message: str, free_after_seconds: float) -> None:
        super().__init__(message)
        self.free_after_seconds = free_after_seconds


class Forbidden(Exception):
    """The token may not do this."""


class NotTaken(Exception):
    """The server does not take what was said, however often it is said."""


@dataclass(frozen=True)
class Identity:
    """Who speaks: the runner's name, which process of that name it is, and on which machine."""

    name: str
    instance: str = ""
    host: str = ""


@dataclass(frozen=True)
class Beat:
    """What the server wants of a probe."""

    command: Literal["measure", "wait", "tear-down"]
    windows_wanted: int = 0
    windows_taken: int = 0
    lease_seconds: float = 30.0
    called_back: Status | None = None
    window_seconds: float | None = None
    """Of the next window, where it is said anew."""


@dataclass(frozen=True)
class Window:
    """One measurement."""

    index: int
    started_at: datetime
    ended_at: datetime
    value: float | None = None
    verdict: Literal["slower", "not-slower"] | None = None
    problem: str | None = None
    artifact_ids: Sequence[str] = ()
    board: bool = False
    """What the deploy pushed meanwhile says the value."""


class Control:
    """The server, for one thread after another."""

    def __init__(self, server: Server, runner: Identity) -> None:
        self._server, self._runner, self._lock = server, runner, Lock()

    def close(self) -> None:
        """Let go of the connection."""
        self._server.close()

    def announce(self, slots: int, labels: dict[str, str], version: str) -> None:
        """Make the runner known. Raises `Silent`, `Forbidden`, `Taken`."""
        told = {"slots": slots, "labels": labels, "version": version}
        who = {"instance": self._runner.instance, "host": self._runner.host}
        self._ask("PUT", f"runners/{self._runner.name}", json={**told, **who})

    def leave(self) -> None:
        """Say that the runner has ended and left nothing deployed. Raises `Silent`, `Gone`, `Forbidden`, `NotTaken`."""
        self._ask("POST", "runner-departures", json=self._own())

    def leases(self, free_slots: Sequence[int], wait_seconds: float) -> list[object]:
        """Return what is to be deployed, as the server says it: see `leases.checked_lease`. Raises `Silent`, `Gone`, `Taken`, `Forbidden`."""
        body = {**self._own(), "free_slots": list(free_slots), "wait_seconds": wait_seconds}
        found = self._ask("POST", "runner-leases", json=body).get("leases")
        if not isinstance(found, list) or len(found) > len(free_slots):
            raise Silent("The server does not answer with leases for the free slots.")
        return found

    def believed(self) -> list[dict[str, Any]]:
        """Return what the server believes this runner runs. Raises `Silent`, `Gone`, `Taken`, `Forbidden`."""
        asked = f"runners/{self._runner.name}/probes?instance={self._runner.instance}"
        with self._lock:
            return _heard(lambda: self._server.many(asked))

    def beat(self, run_id: UUID, phase: str, log_tail: str) -> Beat:
        """Say that a probe is looked after. Raises `Silent`, `Gone`, `Taken`, `Forbidden`."""
        body = {**self._own(), "phase": phase, "log_tail": log_tail[-LOG_BYTES:]}
        told = self._ask("POST", f"probes/{run_id}/beats", json=body)
        try:
            heard = HeardBeat.model_validate(told)
        except ValidationError as error:
            raise Silent("The server does not answer a beat as a Slowpath server does.") from error
        said = heard.callback
        return Beat(
            heard.command, heard.windows_wanted, heard.windows_taken, heard.lease_seconds,
            Status(said.state, said.detail or "") if said else None, heard.window_seconds,
        )  # fmt: skip

    def window(self, run_id: UUID, window: Window) -> None:
        """Tell a measurement. Raises `Silent`, `Gone`, `Forbidden`."""
        body = {
            "index": window.index, "value": window.value, "verdict": window.verdict, "problem": window.problem,
            "artifact_ids": list(window.artifact_ids), "board": window.board, "started_at": window.started_at.isoformat(),
            "ended_at": window.ended_at.isoformat(),
        }  # fmt: skip
        self._ask("POST", f"probes/{run_id}/windows", json=body)

    def end(self, run_id: UUID, how: str, log_tail: str) -> None:
        """Say that nothing of a probe runs any more. Raises `Silent`, `Gone`, `Forbidden`."""
        self._ask("POST", f"probes/{run_id}/ends", json={"how": how, "log_tail": log_tail[-LOG_BYTES:]})

    def put(self, run_id: UUID, name: str, body: bytes, facts: Facts) -> str:
        """Upload an artifact of a run; returns its id. Raises the errors of `collecting`."""
        with self._lock:
            return self._server.put(name, body, facts.to_json(), batch=str(run_id))

    def put_file(self, run_id: UUID, path: Path, name: str, facts: Facts) -> str:
        """Upload a file of a run; returns its id. Raises the errors of `collecting`."""
        with self._lock:
            return self._server.put_file(path, name, facts.to_json(), batch=str(run_id))

    def _own(self) -> dict[str, Any]:
        return {"runner": self._runner.name, "instance": self._runner.instance}

    def _ask(self, method: str, path: str, *, json: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            return _heard(lambda: self._server.once(method, path, json=json))


def _heard(ask: Callable[[], T]) -> T:
    try:
        return ask()
    except (NotReachable, AnswerRefused) as error:
        raise Silent(str(error)) from error
    except Declined as error:
        if error.passing or error.status == 0:
            raise Silent(str(error)) from error
        if error.problem.get("type") == TAKEN:
            raise Taken(str(error), _seconds_left(error.problem)) from error
        if error.status in GONE:
            raise Gone(str(error)) from error
        if error.status in FORBIDDEN:
            raise Forbidden(str(error)) from error
        raise NotTaken(str(error)) from error


def _seconds_left(problem: Mapping[str, Any]) -> float:
    """Return after how long the other one will have been silent for long enough, if it is silent from now on."""
    try:
        return max(float(problem["limit"]) - float(problem["actual"]), 0.0)
    except (KeyError, TypeError, ValueError):
        return 0.0
