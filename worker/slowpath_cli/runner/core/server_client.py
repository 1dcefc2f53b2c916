"""Requests of the runner to the server. Callers retry while the server is unavailable."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Any, Final, Literal, TypeVar
from uuid import UUID

from pydantic import ValidationError

from slowpath.analysis.builds.compile_report import CompilerReason
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath_cli.collect.upload_client import UploadClient
from slowpath_cli.core.collect_errors import RequestDeclined, ResponseRejected, TargetUnreachable
from slowpath_cli.runner.core.driver_interface import DeploymentStatus
from slowpath_cli.runner.core.leases import HeartbeatResponse

T = TypeVar("T")
FORBIDDEN: Final = frozenset({401, 403})
GONE: Final = frozenset({404, 409, 410})
TAKEN: Final = "urn:slowpath:runner-taken"
LOG_BYTES: Final = 8000


class ServerUnavailable(Exception):
    """The server does not respond, or not as expected; a retry may help."""


class UnknownToServer(Exception):
    """The server does not know the runner or probe, or has ended it."""


class RunnerNameTaken(UnknownToServer):
    """Another process uses this runner's name; it becomes free some seconds after that process's last request."""

    def __init__(self, message: str, free_after_seconds: float) -> None:
        super().__init__(message)
        self.free_after_seconds = free_after_seconds


class TokenForbidden(Exception):
    """The token does not allow this request."""


class ReportRejected(Exception):
    """The server rejects a report; a retry does not help."""


@dataclass(frozen=True)
class RunnerIdentity:
    """The runner's name, process instance and machine."""

    name: str
    instance: str = ""
    host: str = ""


@dataclass(frozen=True)
class HeartbeatReply:
    """The server's reply to a heartbeat."""

    command: Literal["measure", "wait", "stop"]
    measurements_requested: int = 0
    measurements_taken: int = 0
    lease_seconds: float = 30.0
    called_back: DeploymentStatus | None = None
    measurement_seconds: float | None = None
    """Length of the next measurement window, if it changed."""


@dataclass(frozen=True)
class MeasurementReport:
    """One measurement."""

    index: int
    started_at: datetime
    ended_at: datetime
    value: float | None = None
    measures: Mapping[str, float] = field(default_factory=dict)
    verdict: Literal["slower", "not-slower"] | None = None
    problem: str | None = None
    artifact_ids: Sequence[str] = ()
    is_on_dashboard: bool = False
    """Whether the value is measured from metrics that the deployment pushed."""


class ServerClient:
    """Requests to the server, one at a time."""

    def __init__(self, server: UploadClient, runner: RunnerIdentity) -> None:
        self._server, self._runner, self._lock = server, runner, Lock()

    def close(self) -> None:
        """Close the connection."""
        self._server.close()

    def announce(
        self,
        slots: int,
        labels: dict[str, str],
        version: str,
        variants: Sequence[str] = (),
        *,
        can_compile: bool = False,
        measurement_seconds: float | None = None,
    ) -> None:
        """Register the runner. Raises `ServerUnavailable`, `TokenForbidden`, `RunnerNameTaken`."""
        settings: dict[str, Any] = {"slots": slots, "labels": labels, "version": version}
        if variants:  # a server before experiments rejects the field
            settings["variants"] = list(variants)
        if can_compile:
            settings["can_compile"] = True
        if measurement_seconds is not None:
            settings["measurement_seconds"] = measurement_seconds
        identity = {"instance": self._runner.instance, "host": self._runner.host}
        self._send("PUT", f"runners/{self._runner.name}", json={**settings, **identity})

    def leave(self) -> None:
        """Report that the runner stopped and left no deployment.

        Raises `ServerUnavailable`, `UnknownToServer`, `TokenForbidden`, `ReportRejected`.
        """
        self._send("POST", f"runners/{self._runner.name}/release", json={"instance": self._runner.instance})

    def leases(self, free_slots: Sequence[int], wait_seconds: float) -> list[object]:
        """Lease probes and return them unvalidated (see `leases.checked_lease`).

        Raises `ServerUnavailable`, `UnknownToServer`, `RunnerNameTaken`, `TokenForbidden`.
        """
        body = {
            "instance": self._runner.instance, "free_slots": list(free_slots), "wait_seconds": wait_seconds,
        }  # fmt: skip
        found = self._send("POST", f"runners/{self._runner.name}/leases", json=body).get("leases")
        if not isinstance(found, list) or len(found) > len(free_slots):
            raise ServerUnavailable("The server did not respond with leases for the free slots.")
        return found

    def list_assigned_probes(self) -> list[dict[str, Any]]:
        """Return the probes that the server assigns to this runner.

        Raises `ServerUnavailable`, `UnknownToServer`, `RunnerNameTaken`, `TokenForbidden`.
        """
        path_of_probes = f"runners/{self._runner.name}/probes?instance={self._runner.instance}"
        with self._lock:
            return _translate_errors(lambda: self._server.many(path_of_probes))

    def beat(self, run_id: UUID, phase: str, log_tail: str) -> HeartbeatReply:
        """Send a heartbeat of a probe. Raises `ServerUnavailable`, `UnknownToServer`, `RunnerNameTaken`, `TokenForbidden`."""
        body = {**self._identity_fields(), "phase": phase, "log_tail": log_tail[-LOG_BYTES:]}
        response = self._send("POST", f"probes/{run_id}/heartbeats", json=body)
        try:
            reply = HeartbeatResponse.model_validate(response)
        except ValidationError as error:
            raise ServerUnavailable("The server's reply to a heartbeat is invalid.") from error
        callback = reply.callback
        return HeartbeatReply(
            reply.command, reply.measurements_requested, reply.measurements_taken, reply.lease_seconds,
            DeploymentStatus(callback.state, callback.detail or "") if callback else None, reply.measurement_seconds,
        )  # fmt: skip

    def patch(self, run_id: UUID) -> bytes:
        """Return the patch of a run, unchecked. Raises `ServerUnavailable`, `UnknownToServer`, `TokenForbidden`."""
        with self._lock:
            document = _translate_errors(lambda: self._server.once("GET", f"probes/{run_id}/patch"))
        return str(document.get("content", "")).encode()

    def record_decisions(
        self, run_id: UUID, reasons: Sequence[CompilerReason], executables: Mapping[str, str] | None = None
    ) -> None:
        """Report what the compiler decided differently, and the artifacts of both executables by side.

        Raises `ServerUnavailable`, `UnknownToServer`, `TokenForbidden`, `ReportRejected`.
        """
        body: dict[str, Any] = {"reasons": [asdict(one) for one in reasons]}
        if executables:  # a server that does not know them rejects the field
            body["executables"] = dict(executables)
        self._send("POST", f"probes/{run_id}/compiler-decisions", json=body)

    def window(self, run_id: UUID, window: MeasurementReport) -> None:
        """Report a measurement. Raises `ServerUnavailable`, `UnknownToServer`, `TokenForbidden`."""
        body: dict[str, Any] = {
            "index": window.index, "value": window.value, "verdict": window.verdict, "problem": window.problem,
            "artifact_ids": list(window.artifact_ids), "is_on_dashboard": window.is_on_dashboard, "started_at": window.started_at.isoformat(),
            "ended_at": window.ended_at.isoformat(),
        }  # fmt: skip
        if window.measures:
            body["measures"] = dict(window.measures)
        self._send("POST", f"probes/{run_id}/measurements", json=body)

    def end(self, run_id: UUID, how: str, log_tail: str) -> None:
        """Report that a probe's deployment is gone. Raises `ServerUnavailable`, `UnknownToServer`, `TokenForbidden`."""
        self._send("POST", f"probes/{run_id}/result", json={"outcome": how, "log_tail": log_tail[-LOG_BYTES:]})

    def put(self, run_id: UUID, name: str, body: bytes, facts: RunMetadata) -> str:
        """Upload an artifact of a run and return its ID. Raises `CollectError`."""
        with self._lock:
            return self._server.put(name, body, facts.to_json(), batch=str(run_id))

    def put_file(self, run_id: UUID, path: Path, name: str, facts: RunMetadata) -> str:
        """Upload a file of a run and return its ID. Raises `CollectError`."""
        with self._lock:
            return self._server.put_file(path, name, facts.to_json(), batch=str(run_id))

    def _identity_fields(self) -> dict[str, Any]:
        return {"runner": self._runner.name, "instance": self._runner.instance}

    def _send(self, method: str, path: str, *, json: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            return _translate_errors(lambda: self._server.once(method, path, json=json))


def _translate_errors(ask: Callable[[], T]) -> T:
    try:
        return ask()
    except (TargetUnreachable, ResponseRejected) as error:
        raise ServerUnavailable(str(error)) from error
    except RequestDeclined as error:
        if error.is_transient or error.status == 0:
            raise ServerUnavailable(str(error)) from error
        if error.problem.get("type") == TAKEN:
            raise RunnerNameTaken(str(error), _seconds_left(error.problem)) from error
        if error.status in GONE:
            raise UnknownToServer(str(error)) from error
        if error.status in FORBIDDEN:
            raise TokenForbidden(str(error)) from error
        raise ReportRejected(str(error)) from error


def _seconds_left(problem: Mapping[str, Any]) -> float:
    """Return the seconds until the name of the other process becomes free."""
    try:
        return max(float(problem["limit"]) - float(problem["value"]), 0.0)
    except (KeyError, TypeError, ValueError):
        return 0.0
