"""Start a complete Slowpath: databases, migration, then worker, relay and web."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from bootstrap_parts.child_processes import ChildProcess, ProcessMark, clean_environment, kill_session, last_line, spawn
from bootstrap_parts.console import ConsoleOutput, StartupError
from bootstrap_parts.machine_checks import make_folder
from bootstrap_parts.postgres import Postgres
from bootstrap_parts.project_paths import BACKEND, DECODE_BINARY, FRONTEND_DIST, PACKAGES, ROOT, VENV_PYTHON, WORKER
from bootstrap_parts.secret_file import Secrets
from bootstrap_parts.supervisor import Service, Supervisor, always_ready
from bootstrap_parts.valkey import Valkey

PACKAGES_VARIABLE = "SLOWPATH_CLI_PACKAGES"
"""The folder with the command line as single files that the server offers."""
_HOST = "127.0.0.1"
_OUTSIDE = ("DATABASE_URL", "MIGRATE_DATABASE_URL", "BROKER_URL", "BLOB_URL")


@dataclass
class Stack:
    """One Slowpath on one data folder. `outside` has the URLs of external services."""

    data: Path
    mark: ProcessMark
    console: ConsoleOutput
    hasty: bool = False
    outside: dict[str, str] = field(default_factory=dict)
    supervisor: Supervisor = field(init=False)
    secrets: Secrets = field(init=False)
    environment: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        """Create the folders and the secrets."""
        make_folder(self.data)
        self.logs = make_folder(self.data / "logs")
        self.secrets = Secrets.of(self.data)
        self.supervisor = Supervisor(self.console, self.data / "processes.json")
        blobs = make_folder(self.data / "blobs")
        self.environment = {
            "SLOWPATH_SECRET_KEY": self.secrets.secret_key,
            "SLOWPATH_DECODE_BIN": str(DECODE_BINARY),
            "SLOWPATH_SCRATCH_DIR": str(make_folder(self.data / "scratch")),
            "SLOWPATH_STATE_FILE": str(self.supervisor.state_file),
            "SLOWPATH_DATA_DIR": str(self.data),
            "BLOB_URL": blobs.as_uri(),
            **self.outside,
        }

    def start_stores(self) -> None:
        """Start PostgreSQL and Valkey, unless they are external, and prepare the database."""
        broker: Service | None = None
        valkey: Valkey | None = None
        if "BROKER_URL" not in self.outside:
            valkey = Valkey(self.data / "valkey", self.logs / "valkey.log", self.secrets.broker_password)
            broker = valkey.service(self.mark)
            self.supervisor.launch(broker)
        if "DATABASE_URL" not in self.outside:
            self._start_postgres()
        if broker and valkey:
            with self.console.timed("Valkey"):
                self.supervisor.wait_until_ready(broker)
            self.environment["BROKER_URL"] = valkey.url
        with self.console.timed("database migrated"):
            self._prepare_database()

    def write_environment_file(self) -> None:
        """Store the environment in a file that only this user can read, for the CLI."""
        path = self.data / "environment.json"
        path.touch(mode=0o600)
        path.write_text(json.dumps(self.environment))

    def _start_postgres(self) -> None:
        postgres = Postgres(self.data / "postgres", self.logs / "postgres.log", self.secrets, hasty=self.hasty)
        with self.console.timed("PostgreSQL") as notes:
            if postgres.initialise():
                notes.append("new cluster")
            self.supervisor.start(postgres.service(self.mark))
        self.environment.update(postgres.urls())

    def _prepare_database(self) -> None:
        log = self.logs / "migrate.log"
        command = [str(VENV_PYTHON), "-m", "bootstrap_parts.prepare_database"]
        child = spawn(
            "migration",
            command,
            mark=self.mark,
            environment={**clean_environment(), **self.environment},
            log=log,
            folder=ROOT,
            death_signal=signal.SIGKILL,  # PostgreSQL rolls back uncommitted changes
        )
        try:
            code = child.process.wait()
        finally:
            if not child.ended:
                kill_session(child)
        if code != 0:
            raise StartupError(f"The database could not be migrated: {last_line(log)} Full log: {log}")

    def start_processes(self, listener: socket.socket, public_url: str) -> None:
        """Start worker, relay and web concurrently; return when web responds."""
        port, descriptor = listener.getsockname()[1], listener.fileno()
        web = ["-m", "bootstrap_parts.serve_web", str(descriptor)]
        self._start_pythons(
            public_url,
            [
                self._python("web", web, is_ready=answers(port, "/healthz"), pass_fds=(descriptor,)),
                self._python("worker", ["-m", "slowpath_worker"]),
                self._python("relay", ["-m", "slowpath_worker.relay"]),
            ],
        )

    def start_reloading_processes(self, port: int, public_url: str) -> None:
        """Start worker, relay and web so that each restarts when its code changes."""
        code, worker_code = str(BACKEND / "slowpath"), str(WORKER / "slowpath_worker")
        web = [
            "-m",
            "uvicorn",
            "slowpath.app:create_app",
            "--factory",
            "--host",
            _HOST,
            "--port",
            str(port),
            "--reload",
            "--reload-dir",
            code,
        ]
        watch = ["-m", "watchfiles", "--filter", "python"]
        self._start_pythons(
            public_url,
            [
                self._python("web", web, is_ready=answers(port, "/healthz")),
                self._python("worker", [*watch, f"{VENV_PYTHON} -m slowpath_worker", code, worker_code]),
                self._python("relay", [*watch, f"{VENV_PYTHON} -m slowpath_worker.relay", code, worker_code]),
            ],
        )

    def _start_pythons(self, public_url: str, services: list[Service]) -> None:
        self.environment |= {
            "SLOWPATH_PUBLIC_URL": public_url,
            "SLOWPATH_FRONTEND_DIST": str(FRONTEND_DIST),
            PACKAGES_VARIABLE: os.environ.get(PACKAGES_VARIABLE, str(PACKAGES)),
        }
        self.environment.pop("ADMIN_DATABASE_URL", None)  # no application process may use the superuser
        with self.console.timed("web, worker, relay"):
            for service in services:
                self.supervisor.launch(service)
            for service in services:
                self.supervisor.wait_until_ready(service)

    def _python(
        self,
        name: str,
        arguments: list[str],
        *,
        is_ready: Callable[[ChildProcess], bool] = always_ready,
        pass_fds: Sequence[int] = (),
    ) -> Service:
        def launch() -> ChildProcess:
            return spawn(
                name,
                [str(VENV_PYTHON), *arguments],
                mark=self.mark,
                environment={**clean_environment(), **self.environment},
                log=self.logs / f"{name}.log",
                folder=ROOT,
                pass_fds=pass_fds,
            )

        return Service(name, launch, is_ready=is_ready)

    def run_beside(self, command: list[str]) -> int:
        """Run a command while the services are supervised; return its exit code.

        It stays in this process group, so that it can read the terminal and receives Ctrl-C.
        """
        child = spawn(
            command[0],
            command,
            mark=self.mark,
            environment={**os.environ, **self.environment},
            log=None,
            folder=Path.cwd(),
            death_signal=signal.SIGTERM,
            new_session=False,
            standard_input=None,
        )
        try:
            self.supervisor.watch(until=lambda: child.ended)
        finally:
            if not child.ended:
                child.process.terminate()
                try:
                    child.process.wait(15)
                except subprocess.TimeoutExpired:
                    child.process.kill()
        code = child.process.returncode
        return 128 - code if code < 0 else code


def outside_parts() -> dict[str, str]:
    """Return the URLs of external services in the environment. Raises `StartupError` for an incomplete set."""
    found = {name: os.environ[name] for name in _OUTSIDE if os.environ.get(name)}
    if "DATABASE_URL" in found and "MIGRATE_DATABASE_URL" not in found:
        raise StartupError(
            "DATABASE_URL is set, but MIGRATE_DATABASE_URL is not. Migrations need the role that owns the tables, "
            "which the application must not use. Set both."
        )
    found.pop("MIGRATE_DATABASE_URL", None) if "DATABASE_URL" not in found else None
    if "DATABASE_URL" in found and os.environ.get("ADMIN_DATABASE_URL"):
        found["ADMIN_DATABASE_URL"] = os.environ["ADMIN_DATABASE_URL"]
    return found


def answers(port: int, path: str) -> Callable[[ChildProcess], bool]:
    """Return a readiness check: whether a server responds with 200 at a path."""

    def is_ready(_child: ChildProcess) -> bool:
        connection = http.client.HTTPConnection(_HOST, port, timeout=0.5)
        try:
            connection.request("GET", path)
            return connection.getresponse().status == http.HTTPStatus.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    return is_ready


def become_python(arguments: list[str], environment: dict[str, str]) -> NoReturn:
    """Replace this process by the project's Python."""
    sys.stdout.flush()
    os.execve(str(VENV_PYTHON), [str(VENV_PYTHON), *arguments], environment)
