"""The whole of a running Slowpath, put together: databases, then their preparation, then worker, relay and web."""

from __future__ import annotations

import http.client
import os
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from bootstrap_parts.children import Child, Mark, clean_environment, last_line, spawn
from bootstrap_parts.layout import BACKEND, DECODE_BINARY, FRONTEND_DIST, ROOT, VENV_PYTHON, WORKER
from bootstrap_parts.machine import make_folder
from bootstrap_parts.postgres import Postgres
from bootstrap_parts.say import Trouble, Voice
from bootstrap_parts.secretfile import Secrets
from bootstrap_parts.supervisor import Service, Supervisor
from bootstrap_parts.valkey import Valkey

_HOST = "127.0.0.1"
_OUTSIDE = ("DATABASE_URL", "MIGRATE_DATABASE_URL", "BROKER_URL", "BLOB_URL")


@dataclass
class Stack:
    """One Slowpath on one data folder. `outside` holds the URLs of parts that others run."""

    data: Path
    mark: Mark
    voice: Voice
    hasty: bool = False
    reload: bool = False
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
            "SLOWPATH_FRONTEND_DIST": str(FRONTEND_DIST),
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
        with log.open("ab") as output:
            done = subprocess.run(
                command, cwd=ROOT, env={**clean_environment(), **self.environment},
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, check=False,
            )
        if done.returncode != 0:
            raise Trouble(f"The database could not be migrated: {last_line(log)} The whole story: {log}")

    def start_processes(self, listener: socket.socket, public_url: str) -> None:
        """Bring up worker, relay and web, all at once; return when web answers."""
        self.environment["SLOWPATH_PUBLIC_URL"] = public_url
        self.environment.pop("ADMIN_DATABASE_URL", None)  # no process of ours works as superuser
        with self.voice.timed("worker, relay, web"):
            services = [
                self._python_service("web", self._web_command(listener), is_ready=_answers(listener), listener=listener),
                self._python_service("worker", ["-m", "slowpath_worker"], stop_seconds=10.0),
                self._python_service("relay", ["-m", "slowpath_worker.relay"], stop_seconds=5.0),
            ]
            for service in services:
                self.supervisor.launch(service)
            for service in services:
                self.supervisor.wait_until_ready(service)

    def _web_command(self, listener: socket.socket) -> list[str]:
        return ["-m", "bootstrap_parts.serve", str(listener.fileno())]

    def _python_service(
        self,
        name: str,
        arguments: list[str],
        *,
        is_ready: Callable[[Child], bool] | None = None,
        stop_seconds: float = 8.0,
        listener: socket.socket | None = None,
    ) -> Service:
        command = [str(VENV_PYTHON), *arguments]
        if self.reload:
            folders = [str(BACKEND / "slowpath"), str(WORKER / "slowpath_worker")]
            command = [str(VENV_PYTHON), "-m", "watchfiles", "--filter", "python", shlex.join(command), *folders]

        def launch() -> Child:
            return spawn(
                name, command,
                mark=self.mark, environment={**clean_environment(), **self.environment}, log=self.logs / f"{name}.log",
                folder=ROOT, stop_seconds=stop_seconds, pass_fds=[listener.fileno()] if listener else [],
            )

        return Service(name, launch, is_ready=is_ready or (lambda child: not child.ended))

    def run_beside(self, command: list[str]) -> int:
        """Run a command to its end while everything is looked after; returns its exit code.

        It stays in our process group, so that it may read the terminal and hears Ctrl-C itself.
        """
        child = spawn(
            command[0], command,
            mark=self.mark, environment={**os.environ, **self.environment}, log=None, folder=Path.cwd(),
            death_signal=signal.SIGTERM, new_session=False, standard_input=None,
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
        raise Trouble(
            "DATABASE_URL is set and MIGRATE_DATABASE_URL is not: migrations need the owner of the tables, "
            "and Slowpath refuses to work as that role. Set both."
        )
    found.pop("MIGRATE_DATABASE_URL", None) if "DATABASE_URL" not in found else None
    if "DATABASE_URL" in found and os.environ.get("ADMIN_DATABASE_URL"):
        found["ADMIN_DATABASE_URL"] = os.environ["ADMIN_DATABASE_URL"]
    return found


def _answers(listener: socket.socket) -> Callable[[Child], bool]:
    port: int = listener.getsockname()[1]

    def asked(_child: Child) -> bool:
        connection = http.client.HTTPConnection(_HOST, port, timeout=5)
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().status == 200  # noqa: PLR2004 - OK
        except OSError:
            return False
        finally:
            connection.close()

    return asked


def project_python(arguments: list[str], environment: dict[str, str]) -> int:
    """Become the project's Python."""
    sys.stdout.flush()
    os.execve(str(VENV_PYTHON), [str(VENV_PYTHON), *arguments], environment)
