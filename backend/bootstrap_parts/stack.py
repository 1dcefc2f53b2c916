"""The whole of a running Slowpath, put together: databases, then their preparation, then worker, relay and web."""

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
from bootstrap_parts.project_paths import BACKEND, DECODE_BINARY, FRONTEND_DIST, ROOT, VENV_PYTHON, WORKER
from bootstrap_parts.secret_file import Secrets
from bootstrap_parts.supervisor import Service, Supervisor, always_ready
from bootstrap_parts.valkey import Valkey

_HOST = "127.0.0.1"
_OUTSIDE = ("DATABASE_URL", "MIGRATE_DATABASE_URL", "BROKER_URL", "BLOB_URL")


@dataclass
class Stack:
    """One Slowpath on one data folder. `outside` holds the URLs of parts that others run."""

    data: Path
    mark: ProcessMark
    voice: ConsoleOutput
    hasty: bool = False
    outside: dict[str, str] = field(default_factory=dict)
    supervisor: Supervisor = field(init=False)
    secrets: Secrets = field(init=False)
    environment: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        """Make the folders, draw the secrets."""
        make_folder(self.data)
        self.logs = make_folder(self.data / "logs")
        self.secrets = Secrets.of(self.data)
        self.supervisor = Supervisor(self.voice, self.data / "processes.json")
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
        """Bring up PostgreSQL and Valkey, unless others run them, and prepare the database."""
        broker: Service | None = None
        valkey: Valkey | None = None
        if "BROKER_URL" not in self.outside:
            valkey = Valkey(self.data / "valkey", self.logs / "valkey.log", self.secrets.broker_password)
            broker = valkey.service(self.mark)
            self.supervisor.launch(broker)
        if "DATABASE_URL" not in self.outside:
            self._start_postgres()
        if broker and valkey:
            with self.voice.timed("Valkey"):
                self.supervisor.wait_until_ready(broker)
            self.environment["BROKER_URL"] = valkey.url
        with self.voice.timed("database migrated"):
            self._prepare_database()

    def tell_others(self) -> None:
        """Write down, for our eyes only, how this Slowpath is reached: the command line works on it while it runs."""
        path = self.data / "environment.json"
        path.touch(mode=0o600)
        path.write_text(json.dumps(self.environment))

    def _start_postgres(self) -> None:
        postgres = Postgres(self.data / "postgres", self.logs / "postgres.log", self.secrets, hasty=self.hasty)
        with self.voice.timed("PostgreSQL") as notes:
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
            death_signal=signal.SIGKILL,  # PostgreSQL takes back what it has not committed
        )
        try:
            code = child.process.wait()
        finally:
            if not child.ended:
                kill_session(child)
        if code != 0:
            raise StartupError(f"The database could not be migrated: {last_line(log)} The whole story: {log}")

    def start_processes(self, listener: socket.socket, public_url: str) -> None:
        """Bring up worker, relay and web, all at once; return when web answers."""
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
        """Bring them up so that each starts anew when its code changes."""
        code, workshop = str(BACKEND / "slowpath"), str(WORKER / "slowpath_worker")
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
        again = ["-m", "watchfiles", "--filter", "python"]
        self._start_pythons(
            public_url,
            [
                self._python("web", web, is_ready=answers(port, "/healthz")),
                self._python("worker", [*again, f"{VENV_PYTHON} -m slowpath_worker", code, workshop]),
                self._python("relay", [*again, f"{VENV_PYTHON} -m slowpath_worker.relay", code, workshop]),
            ],
        )

    def _start_pythons(self, public_url: str, services: list[Service]) -> None:
        self.environment |= {"SLOWPATH_PUBLIC_URL": public_url, "SLOWPATH_FRONTEND_DIST": str(FRONTEND_DIST)}
        self.environment.pop("ADMIN_DATABASE_URL", None)  # no process of ours works as superuser
        with self.voice.timed("web, worker, relay"):
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
        """Run a command to its end while everything is looked after; returns its exit code.

        It stays in our process group, so that it may read the terminal and hears Ctrl-C itself.
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
    """Return the URLs by which the environment replaces embedded parts; refuse half a replacement."""
    found = {name: os.environ[name] for name in _OUTSIDE if os.environ.get(name)}
    if "DATABASE_URL" in found and "MIGRATE_DATABASE_URL" not in found:
        raise StartupError(
            "DATABASE_URL is set and MIGRATE_DATABASE_URL is not: migrations need the owner of the tables, "
            "and Slowpath refuses to work as that role. Set both."
        )
    found.pop("MIGRATE_DATABASE_URL", None) if "DATABASE_URL" not in found else None
    if "DATABASE_URL" in found and os.environ.get("ADMIN_DATABASE_URL"):
        found["ADMIN_DATABASE_URL"] = os.environ["ADMIN_DATABASE_URL"]
    return found


def answers(port: int, path: str) -> Callable[[ChildProcess], bool]:
    """Return a question to a server: whether it answers 200 there."""

    def asked(_child: ChildProcess) -> bool:
        connection = http.client.HTTPConnection(_HOST, port, timeout=0.5)
        try:
            connection.request("GET", path)
            return connection.getresponse().status == http.HTTPStatus.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    return asked


def become_python(arguments: list[str], environment: dict[str, str]) -> NoReturn:
    """Become the project's Python."""
    sys.stdout.flush()
    os.execve(str(VENV_PYTHON), [str(VENV_PYTHON), *arguments], environment)
