"""A server on this machine that leases probes as the real one does, and records what it receives."""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import uuid4

COMMIT = "a" * 40


def lease(slot: int = 0, **more: object) -> dict[str, Any]:
    return {
        "run_id": str(uuid4()), "bisect_id": str(uuid4()), "bisect_number": 1, "number": 1, "purpose": "probe", "slot": slot,
        "service": {"id": str(uuid4()), "name": "ingester"}, "build": {"commit": COMMIT, "modules": {}, "versions": {}, "settings": {}},
        "repositories": {}, "signature": {"kind": "custom", "subject": "n", "label": "n", "unit": "", "larger_is_worse": True},
        "measurements_requested": 1, "measurements_taken": 0, "measurement_seconds": 0.0, "warm_up_seconds": 0.0, "deployment_seconds": 20.0,
        "lease_seconds": 3.0, "callback": {"url": "http://127.0.0.1:1/x", "token": "x"}, **more,
    }  # fmt: skip


@dataclass
class ProbeServerDouble:
    """The leases, and what was reported about them."""

    leases: list[dict[str, Any]] = field(default_factory=list)
    beats: list[tuple[str, str]] = field(default_factory=list)
    windows: dict[str, dict[int, dict[str, Any]]] = field(default_factory=dict)
    decisions: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """What the compiler decided differently, by run."""
    ends: dict[str, dict[str, Any]] = field(default_factory=dict)
    commands: dict[str, str] = field(default_factory=dict)
    stays: bool = False
    """A probe is to wait when its windows are taken, rather than to be taken down."""
    patch: str = ""
    """The patch of every variant."""
    uploaded: list[str] = field(default_factory=list)
    heartbeat_fields: dict[str, Any] = field(default_factory=dict)
    """What is answered to every beat besides."""
    broken: bool = False
    introduced: list[dict[str, Any]] = field(default_factory=list)
    """Every registration of the runner."""
    taken: int = 0
    """How many times the name is already taken."""
    knows_compilations: bool = True
    knows_executables: bool = True
    executables: dict[str, Any] = field(default_factory=dict)
    """Whether registrations may state that the runner compiles."""
    left: list[dict[str, Any]] = field(default_factory=list)
    """The instances that reported their end."""
    url: str = ""

    def command(self, run_id: str) -> str:
        if run_id in self.commands:
            return self.commands[run_id]
        expected = next(one["measurements_requested"] for one in self.leases if one["run_id"] == run_id)
        if len(self.windows.get(run_id, {})) < expected:
            return "measure"
        return "wait" if self.stays else "stop"

    def answer(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, object]:
        if self.broken:
            return 503, {"title": "broken"}
        if path.endswith("/leases"):
            free = [one for one in self.leases if one["run_id"] not in self.ends and one["slot"] in body["free_slots"]]
            if not free:
                time.sleep(min(body["wait_seconds"], 0.2))
            return 200, {"leases": free}
        if found := re.fullmatch(r"probes/([^/]+)/(heartbeats|measurements|compiler-decisions|result)", path):
            return self._of_probe(found[1], found[2], body)
        if path.endswith("/probes"):
            return 200, [
                {**one, "state": self.state(one["run_id"]), "command": "measure"}
                for one in self.leases
                if one["run_id"] not in self.ends
            ]
        if method == "PUT" and path.startswith("artifacts/"):
            self.uploaded.append(path.removeprefix("artifacts/"))
            return 200, {"id": str(uuid4())}
        return self._of_runner(path, body)

    def _of_runner(self, path: str, body: dict[str, Any]) -> tuple[int, object]:
        if path.endswith("/patch"):
            return 200, {"content": self.patch}
        if path.endswith("/release"):
            self.left.append(body)
            return 204, None
        return self._introduced(path, body)

    def _introduced(self, path: str, body: dict[str, Any]) -> tuple[int, object]:
        self.introduced.append(body)
        if "can_compile" in body and not self.knows_compilations:
            return 422, {"detail": "can_compile is not permitted."}
        if len(self.introduced) > self.taken:
            return 200, {"name": path}
        who = {"detail": "Another runner is called here: it runs on elsewhere.", "resolution": "Name one anew."}
        return 409, {"type": "urn:slowpath:runner-taken", **who, "limit": 0.5, "value": 0.2}

    def state(self, run_id: str) -> str:
        return next((phase for beaten, phase in reversed(self.beats) if beaten == run_id), "leased")

    def _of_probe(self, run_id: str, what: str, body: dict[str, Any]) -> tuple[int, object]:
        if what == "heartbeats":
            self.beats.append((run_id, body["phase"]))
            if run_id not in {one["run_id"] for one in self.leases}:
                return 404, {"title": "not here"}
            expected = next(one["measurements_requested"] for one in self.leases if one["run_id"] == run_id)
            return 200, {
                "command": self.command(run_id), "measurements_requested": expected, "measurements_taken": len(self.windows.get(run_id, {})),
                "lease_seconds": 3.0, "callback": None, **self.heartbeat_fields,
            }  # fmt: skip
        if what == "measurements":
            self.windows.setdefault(run_id, {}).setdefault(body["index"], body)
        elif what == "compiler-decisions":
            if "executables" in body and not self.knows_executables:
                return 422, {"detail": "executables is not permitted."}
            self.decisions[run_id] = body["reasons"]
            self.executables[run_id] = body.get("executables")
        else:
            self.ends.setdefault(run_id, body)
        return 204, None

    def until_ended(self, run_id: str, seconds: float = 20.0) -> dict[str, Any]:
        self.until(lambda: run_id in self.ends, seconds)
        return self.ends[run_id]

    def until(self, condition: Callable[[], bool], seconds: float = 20.0) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, (self.beats[-5:], self.ends, self.windows)
            time.sleep(0.02)


@contextmanager
def lending(*leases: dict[str, Any], stays: bool = False) -> Iterator[ProbeServerDouble]:
    lender = ProbeServerDouble(list(leases), stays=stays)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _do(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            raw = self.rfile.read(length)
            path = self.path.removeprefix("/api/v1/").partition("?")[0]
            is_json = "json" in (self.headers.get("content-type") or "")
            status, response = lender.answer(self.command, path, json.loads(raw) if is_json and raw else {})
            body = b"" if response is None else json.dumps(response).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.send_header("content-type", "application/json")
            self.end_headers()
            with suppress(OSError):  # the runner was killed meanwhile
                self.wfile.write(body)

        do_GET = do_POST = do_PUT = _do  # noqa: N815 - the names that the library calls

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    lender.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield lender
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
