"""Partitions by month: created before they begin, dropped after the retention of all teams."""

from collections.abc import Iterator
from datetime import UTC, datetime

import psycopg
import pytest

from slowpath.core.ids import TeamId, new_id
from slowpath.core.jobs import JobState
from slowpath.evidence.metrics.jobs import DeleteExpiredSamples
from slowpath.evidence.metrics.rules import MONTHS_AHEAD
from tests.factories.accounts import AccountsFactory
from tests.jobs.conftest import Bench
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.database


@pytest.fixture
def owner(emptied: TestDatabase) -> Iterator[psycopg.Connection]:
    with psycopg.connect(emptied.owner_url, autocommit=True) as connection:
        yield connection


def parts(bench: Bench) -> set[str]:
    found = bench.admin.execute(
        "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'metric_chunk'::regclass"
    ).fetchall()
    return {name.removeprefix("metric_parts.chunk_") for (name,) in found}


def hour_of(year: int, month: int) -> int:
    return int(datetime(year, month, 1, tzinfo=UTC).timestamp()) // 3600


def keep(bench: Bench, team_id: TeamId, days: int) -> None:
    bench.admin.execute(
        "INSERT INTO metric_settings (team_id, id, retention_days) VALUES (%s, %s, %s) "
        "ON CONFLICT (team_id) DO UPDATE SET retention_days = excluded.retention_days",
        (team_id, new_id(), days),
    )


def put(bench: Bench, team_id: TeamId, hour: int) -> None:
    bench.admin.execute(
        "INSERT INTO metric_chunk (team_id, id, hour, samples, content) VALUES (%s, 1, %s, 0, '')", (team_id, hour)
    )


def of_part(bench: Bench, part: str) -> list[int]:
    found = bench.admin.execute(f"SELECT hour FROM metric_parts.chunk_{part}".encode()).fetchall()
    return [hour for (hour,) in found]


def tidied(bench: Bench) -> None:
    row = bench.carry_out(bench.write_down(DeleteExpiredSamples(bench.team.id)))
    assert row["state"] == JobState.DONE, row["problem"]


def now(bench: Bench) -> datetime:
    found = bench.admin.execute("SELECT date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC')").fetchone()
    assert found is not None
    month: datetime = found[0]
    return month


def months_on(month: datetime, months: int) -> tuple[int, int]:
    number = month.year * 12 + month.month - 1 + months
    return number // 12, number % 12 + 1


def test_a_future_partition_is_created_and_takes_early_rows(bench: Bench, owner: psycopg.Connection) -> None:
    year, month = months_on(now(bench), MONTHS_AHEAD)
    part, first = f"{year}_{month:02}", hour_of(year, month)
    keep(bench, bench.team.id, 30)
    owner.execute(f"DROP TABLE metric_parts.chunk_{part}".encode())
    put(bench, bench.team.id, first)
    put(bench, bench.team.id, first - 1)
    assert of_part(bench, "other") == [first]

    tidied(bench)

    assert of_part(bench, part) == [first]
    in_between = {"{}_{:02}".format(*months_on(now(bench), ahead)) for ahead in range(-1, MONTHS_AHEAD + 1)}
    assert in_between <= parts(bench)
    assert of_part(bench, "other") == []
    stored = bench.admin.execute(
        "SELECT count(*) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace "
        "WHERE nspname = 'metric_parts' AND relkind = 'r' AND NOT (relrowsecurity AND relforcerowsecurity)"
    ).fetchone()
    assert stored == (0,)


def test_a_month_is_dropped_after_the_longest_retention_of_any_team(
    bench: Bench, people: AccountsFactory, owner: psycopg.Connection
) -> None:
    year, month = months_on(now(bench), -4)
    part, first = f"{year}_{month:02}", hour_of(year, month)
    existed = part in parts(bench)
    if not existed:
        beyond = hour_of(*months_on(now(bench), -3))
        owner.execute(
            f"CREATE TABLE metric_parts.chunk_{part} PARTITION OF metric_chunk FOR VALUES FROM ({first}) TO ({beyond})".encode()
        )
    keep(bench, bench.team.id, 30)
    other = people.team()
    keep(bench, other.id, 200)
    put(bench, other.id, first)

    tidied(bench)
    assert of_part(bench, part) == [first]

    keep(bench, other.id, 30)
    tidied(bench)
    assert part not in parts(bench)


def test_a_held_lock_does_not_fail_the_job(bench: Bench, emptied: TestDatabase) -> None:
    year, month = months_on(now(bench), -30)
    beyond = hour_of(*months_on(now(bench), -29))
    with psycopg.connect(emptied.owner_url, autocommit=True) as owner:
        owner.execute(
            f"CREATE TABLE metric_parts.chunk_old PARTITION OF metric_chunk FOR VALUES FROM ({hour_of(year, month)}) TO ({beyond})".encode()
        )
    keep(bench, bench.team.id, 30)
    with emptied.as_admin() as reader, reader.transaction():
        reader.execute("SELECT count(*) FROM metric_parts.chunk_old")
        tidied(bench)
    assert "old" in parts(bench)
    tidied(bench)
    assert "old" not in parts(bench)
