"""The database as the start prepares it: roles and tables from nothing, and again without harm."""

import os
from collections.abc import Iterator

import psycopg
import pytest

from bootstrap_parts.prepare_database import is_up_to_date, prepare
from tests.support.databases import PREPARING, TestDatabase, made_database

pytestmark = pytest.mark.processes


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[TestDatabase]:
    """Give an empty database, and an environment that names it."""
    admin_url = os.environ["ADMIN_DATABASE_URL"]
    with made_database(f"slowpath_prepare_{os.getpid()}") as database:
        monkeypatch.setenv("MIGRATE_DATABASE_URL", database.owner_url)
        monkeypatch.setenv("DATABASE_URL", database.app_url)
        with psycopg.connect(admin_url, autocommit=True) as other:  # roles are the whole cluster's: one test at a time
            other.execute("SELECT pg_advisory_lock(%s)", (PREPARING,))
            yield database


def test_preparing_again_changes_nothing(fresh: TestDatabase) -> None:
    assert not is_up_to_date(fresh.owner_url)
    prepare()
    assert is_up_to_date(fresh.owner_url)
    prepare()
    with fresh.as_app() as connection:
        assert connection.execute("SELECT count(*) FROM team").fetchone() == (0,)
        connection.execute("SET LOCAL ROLE slowpath_cross_team")
        with pytest.raises(psycopg.errors.UndefinedTable):  # it cannot even look into the schema
            connection.execute("SELECT count(*) FROM team")


def test_an_older_database_is_not_up_to_date(fresh: TestDatabase) -> None:
    prepare()
    fresh.migrate_down("-1")
    assert not is_up_to_date(fresh.owner_url)
    prepare()
    assert is_up_to_date(fresh.owner_url)


def test_a_url_without_a_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MIGRATE_DATABASE_URL", "postgresql://owner@localhost/slowpath")
    with pytest.raises(SystemExit, match="MIGRATE_DATABASE_URL has no password"):
        prepare()
