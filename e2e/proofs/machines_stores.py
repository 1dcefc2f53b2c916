"""The stores of the proof on several machines: PostgreSQL with a synchronous replica behind PgBouncer, and a fail-over to it."""

import os
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from bootstrap_parts.child_processes import marked
from bootstrap_parts.console import ConsoleOutput
from bootstrap_parts.machine_checks import give_to, unprivileged
from bootstrap_parts.postgres import Postgres
from bootstrap_parts.prepare_database import make_database, make_roles
from bootstrap_parts.secret_file import Secrets
from bootstrap_parts.supervisor import Service, Supervisor
from tests.support.databases import TestDatabase
from tests.support.postgres_replica import copy_as_replica

PROMOTED_SECONDS = 60
RESTARTED_SECONDS = 60.0
DIRECT = "direct"
POOLER = """[databases]
{direct} = host={host} port={port} dbname={name} pool_mode=session
* = host={host} port={port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen}
auth_type = scram-sha-256
auth_file = {users}
pool_mode = transaction
max_client_conn = 500
default_pool_size = 20
server_login_retry = 1
logfile =
"""


@dataclass
class PostgresPair:
    """A primary whose commits wait for its replica, and what runs them."""

    databases: Mapping[str, TestDatabase]
    services: Mapping[str, Service]
    supervisors: Mapping[str, Supervisor]
    primary: str = "primary"

    @property
    def database(self) -> TestDatabase:
        """Return the database on the present primary."""
        return self.databases[self.primary]

    def kill(self) -> None:
        """Kill the primary, and wait until it has recovered."""
        service = self.services[self.primary]
        former, deadline = service.child, time.monotonic() + RESTARTED_SECONDS
        self._kill_primary()
        self.supervisors[self.primary].watch(
            lambda: (
                (service.child is not None and service.child is not former and service.ready)
                or time.monotonic() > deadline
            )
        )

    def fail_over(self) -> None:
        """Kill the primary for good, and promote the replica."""
        self._kill_primary()
        self.primary = "replica"
        with self.database.as_admin() as connection:
            promoted = connection.execute("SELECT pg_promote(wait_seconds => %s)", (PROMOTED_SECONDS,)).fetchone()
        if promoted != (True,):
            raise RuntimeError("the replica was not promoted")

    def _kill_primary(self) -> None:
        child = self.services[self.primary].child
        assert child is not None
        with suppress(ProcessLookupError):
            os.kill(child.process.pid, signal.SIGKILL)


@contextmanager
def postgres_pair(folder: Path, name: str) -> Iterator[PostgresPair]:
    """Run both servers with a migrated database."""
    secrets, console = Secrets.of(folder), ConsoleOutput(quiet=True)
    servers = {which: Postgres(folder / which, folder / f"{which}.pglog", secrets) for which in ("primary", "replica")}
    servers["primary"].initialise()
    copy_as_replica(servers["primary"], servers["replica"], secrets, synchronous=True)
    supervisors = {which: Supervisor(console, folder / f"{which}.json") for which in servers}
    databases = {which: _database_on(server, secrets, name) for which, server in servers.items()}
    with marked() as mark:
        services = {which: server.service(mark) for which, server in servers.items()}
        try:
            for which, service in services.items():
                supervisors[which].start(service)
            _prepare(databases["primary"], secrets)
            yield PostgresPair(databases, services, supervisors)
        finally:
            for which in ("replica", "primary"):
                supervisors[which].stop()


def _database_on(server: Postgres, secrets: Secrets, name: str) -> TestDatabase:
    return TestDatabase(
        name,
        server.url("postgres", secrets.superuser_password, name),
        server.url("slowpath_owner", secrets.owner_password, name),
        server.url("slowpath_app", secrets.app_password, name),
    )


def _prepare(database: TestDatabase, secrets: Secrets) -> None:
    server = replace(database, admin_url=urlsplit(database.admin_url)._replace(path="/postgres").geturl())
    with server.as_admin() as connection:
        make_database(connection, database.name)
    with database.as_admin() as connection:
        make_roles(connection, {"slowpath_owner": secrets.owner_password, "slowpath_app": secrets.app_password})
    database.migrate()


@dataclass(frozen=True)
class Pooler:
    """PgBouncer: transactions of the application, and a session for what listens."""

    program: Path
    folder: Path
    port: int

    def url_of(self, database: TestDatabase, *, direct: bool = False) -> str:
        """Return the URL of the application through the pooler."""
        parts = urlsplit(database.app_url)
        path = f"/{DIRECT}" if direct else parts.path
        return parts._replace(netloc=f"{parts.username}:{parts.password}@127.0.0.1:{self.port}", path=path).geturl()

    def lead_to(self, database: TestDatabase) -> None:
        """Write the configuration; a running PgBouncer reads it on SIGHUP."""
        url = urlsplit(database.app_url)
        self.folder.mkdir(mode=0o700, exist_ok=True)
        users = self.folder / "users"
        users.write_text(f'"{url.username}" "{url.password}"\n')
        self._configuration.write_text(
            POOLER.format(
                direct=DIRECT, host=url.hostname, port=url.port, name=database.name, listen=self.port, users=users
            )
        )
        give_to(unprivileged(), self.folder, ours={self.folder.parent})

    @property
    def command(self) -> tuple[str, ...]:
        """Return the command; PgBouncer must not run as root."""
        run_as = unprivileged()
        as_user = () if run_as.user is None else ("--user", "nobody")
        return (*run_as.prefix, str(self.program), "--quiet", *as_user, str(self._configuration))

    @property
    def _configuration(self) -> Path:
        return self.folder / "pgbouncer.ini"
