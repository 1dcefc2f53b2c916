"""Reads come from a streaming replica of a real primary, and see every write before them, whatever the replica does."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from pydantic import SecretStr
from sqlalchemy import text

from bootstrap_parts.child_processes import marked
from bootstrap_parts.console import ConsoleOutput
from bootstrap_parts.postgres import Postgres
from bootstrap_parts.secret_file import Secrets
from bootstrap_parts.supervisor import Supervisor
from slowpath.adapters.postgres import create_postgres_engine, create_replica
from slowpath.core import db_sessions
from slowpath.core.db_sessions import Database, TeamScope
from tests.support.app_under_test import settings_for
from tests.support.postgres_replica import copy_as_replica

pytestmark = pytest.mark.processes


@dataclass(frozen=True)
class TwoServers:
    """A database with a replica, and the server of the replica."""

    database: Database
    replica: Supervisor

    def write(self) -> int:
        with self.database.writing(TeamScope()) as session:
            return int(session.scalar(text("INSERT INTO note DEFAULT VALUES RETURNING id")) or 0)

    def read(self) -> tuple[int, bool]:
        """Return the newest row, and whether the replica answered."""
        with self.database.reading(TeamScope()) as session:
            newest, from_replica = session.execute(text("SELECT max(id), pg_is_in_recovery() FROM note")).one()
            return newest, from_replica

    def replay(self, what: str) -> None:
        assert self.database.replica is not None
        with self.database.replica.engine.begin() as connection:
            connection.execute(text(f"SELECT pg_wal_replay_{what}()"))

    def is_read_from_replica_within(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.read()[1]:
                return True
            time.sleep(0.1)
        return False


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoServers]:
    folder = tmp_path_factory.mktemp("replica")
    secrets = Secrets.of(folder)
    primary = Postgres(folder / "primary", folder / "primary.log", secrets, hasty=True)
    standby = Postgres(folder / "standby", folder / "standby.log", secrets, hasty=True)
    primary.initialise()
    copy_as_replica(primary, standby, secrets)
    console = ConsoleOutput(quiet=True)
    first, second = Supervisor(console, folder / "primary.json"), Supervisor(console, folder / "standby.json")
    url = primary.url("postgres", secrets.superuser_password, "postgres")
    settings = settings_for(url, database_read_url=SecretStr(url.replace(str(primary.port), str(standby.port))))
    with marked() as mark:
        try:
            first.start(primary.service(mark))
            second.start(standby.service(mark))
            database = Database(create_postgres_engine(settings), replica=create_replica(settings))
            with database.engine.begin() as connection:
                connection.execute(text("CREATE TABLE note (id serial PRIMARY KEY)"))
            yield TwoServers(database, second)
            database.dispose()
        finally:
            second.stop()
            first.stop()


def test_every_read_sees_the_write_before_it(servers: TwoServers, monkeypatch: pytest.MonkeyPatch) -> None:
    """The replica answers most; it is given time, because the machine may be busy."""
    monkeypatch.setattr(db_sessions, "PATIENCE_SECONDS", 2.0)
    assert servers.is_read_from_replica_within(20)
    answers = [(servers.write(), *servers.read()) for _ in range(50)]
    assert [newest for written, newest, _ in answers] == [written for written, _, _ in answers]
    assert sum(from_replica for _, _, from_replica in answers) > 25


def test_a_replica_that_lags_serves_no_read(servers: TwoServers) -> None:
    servers.replay("pause")
    try:
        written = servers.write()
        assert servers.read() == (written, False)
    finally:
        servers.replay("resume")
    assert servers.is_read_from_replica_within(20)


def test_without_the_replica_reads_come_from_the_primary(servers: TwoServers) -> None:
    servers.replica.stop()
    written = servers.write()
    assert [servers.read() for _ in range(3)] == [(written, False)] * 3
