"""Supervise services: start them in order, wait until each is ready, restart those that die, stop all in reverse order.

A service that dies before it is ready ends the start. One that dies later is restarted after a pause that doubles each
time; the supervisor fails after `_DEATHS_IN_A_ROW` deaths without `_LIVED_SECONDS` of running in between, or stops
restarting the service if it is not required.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bootstrap_parts.child_processes import ChildProcess, stop
from bootstrap_parts.console import ConsoleOutput, StartupError

_DEATHS_IN_A_ROW = 6
_LIVED_SECONDS = 5.0
_FIRST_PAUSE_SECONDS = 0.2
_MAX_PAUSE_SECONDS = 5.0
_POLL_SECONDS = 0.05
_LOG_LIMIT_BYTES = 64 << 20
_TRIMMED_LOG_BYTES = 8 << 20


def always_ready(_child: ChildProcess) -> bool:
    """Return True: a service without a readiness check is ready when it runs."""
    return True


@dataclass
class Service:
    """A supervised service. `launch` starts it; `is_ready` checks whether it responds."""

    name: str
    launch: Callable[[], ChildProcess]
    is_ready: Callable[[ChildProcess], bool] = always_ready
    ready_seconds: float = 120.0
    before_retry: Callable[[ChildProcess], bool] | None = None
    is_required: bool = True
    child: ChildProcess | None = None
    ready: bool = False
    started_at: float = 0.0
    deaths_in_a_row: int = 0
    next_try_at: float = 0.0
    died_at: float = 0.0


@dataclass
class Supervisor:
    """The running services, in the order of their start."""

    console: ConsoleOutput
    state_file: Path
    services: list[Service] = field(default_factory=list)
    _logs_seen_at: float = 0.0

    def launch(self, service: Service) -> None:
        """Start a service without waiting for it."""
        self.services.append(service)
        self._begin(service)

    def start(self, service: Service) -> None:
        """Start a service and wait until it is ready."""
        self.launch(service)
        self.wait_until_ready(service)

    def wait_until_ready(self, service: Service) -> None:
        """Wait until a service is ready. Raises `StartupError` if it dies before, unless `before_retry` returns True."""
        deadline = time.monotonic() + service.ready_seconds
        retries = 0
        while not self._is_up(service):
            child = service.child
            if child is not None and child.ended:
                if service.before_retry is not None and retries < 5 and service.before_retry(child):
                    retries += 1
                    self._begin(service)
                    continue
                raise StartupError(_describe_death(service.name, child))
            if time.monotonic() > deadline:
                log = f" Log: {child.log}" if child and child.log else ""
                raise StartupError(f"{service.name} did not become ready within {service.ready_seconds:.0f} s.{log}")
            time.sleep(_POLL_SECONDS / 2)

    def watch(self, until: Callable[[], bool]) -> None:
        """Supervise all services until `until()` is true. Raises `StartupError` if one dies repeatedly."""
        while not until():
            for service in self.services:
                self._check_service(service)
            self._trim_logs()
            time.sleep(_POLL_SECONDS)

    def stop(self, except_for: Sequence[str] = ()) -> None:
        """Stop all services in reverse order: the application's together, then the databases."""
        running = [service for service in self.services if service.name not in except_for and service.child is not None]
        front = [service for service in running if not _is_store(service)]
        stop([service.child for service in reversed(front) if service.child])
        for service in reversed([service for service in running if _is_store(service)]):
            stop([service.child] if service.child else [])
        self.services = [service for service in self.services if service not in running]

    def _begin(self, service: Service) -> None:
        service.child = service.launch()
        service.ready = False
        service.started_at = time.monotonic()
        self._write_state()

    def _is_up(self, service: Service) -> bool:
        child = service.child
        if child is not None and not child.ended and service.is_ready(child):
            service.ready = True
        return service.ready

    def _check_service(self, service: Service) -> None:
        now = time.monotonic()
        child = service.child
        if child is None:
            if now >= service.next_try_at:
                self._begin(service)
            return
        if not child.ended:
            if not service.ready and self._is_up(service) and service.deaths_in_a_row:
                self.console.line(f"  {service.name} is running again, {now - service.died_at:.1f} s after it died")
            if service.ready and now - service.started_at > _LIVED_SECONDS:
                service.deaths_in_a_row = 0
            return
        service.deaths_in_a_row += 1
        if service.deaths_in_a_row >= _DEATHS_IN_A_ROW:
            text = f"{_describe_death(service.name, child)} It died {service.deaths_in_a_row} times in a row and is not restarted."
            if service.is_required:
                raise StartupError(text)
            self.console.line(f"  {text}")
            service.child, service.next_try_at = None, math.inf
            return
        pause = min(_FIRST_PAUSE_SECONDS * 2 ** (service.deaths_in_a_row - 1), _MAX_PAUSE_SECONDS)
        self.console.line(f"  {service.name} died ({child.how_it_ended()}); restarting in {pause:.1f} s")
        service.child, service.died_at, service.next_try_at = None, now, now + pause

    def _write_state(self) -> None:
        """Write the process IDs by service to the state file, for tests and users."""
        state = {service.name: service.child.process.pid for service in self.services if service.child}
        fresh = self.state_file.with_suffix(".new")
        fresh.write_text(json.dumps(state))
        fresh.replace(self.state_file)

    def _trim_logs(self) -> None:
        now = time.monotonic()
        if now - self._logs_seen_at < 60:
            return
        self._logs_seen_at = now
        for service in self.services:
            if service.child and service.child.log:
                trim(service.child.log)


def trim(log: Path) -> None:
    """Shorten a log above the limit to its end. Writers append, so truncating an open log is safe."""
    try:
        if log.stat().st_size <= _LOG_LIMIT_BYTES:
            return
        with log.open("r+b") as file:
            file.seek(-_TRIMMED_LOG_BYTES, 2)
            end = file.read()
            file.seek(0)
            file.truncate()
            file.write(end)
    except OSError:
        return  # a log must not stop the services


def _is_store(service: Service) -> bool:
    return service.name in {"PostgreSQL", "Valkey"}


def _describe_death(name: str, child: ChildProcess) -> str:
    words = child.last_words()
    log = f" Log: {child.log}." if child.log else ""
    return f"{name} died ({child.how_it_ended()}){': ' + words if words else ''}.{log}"
