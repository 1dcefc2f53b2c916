"""The upgrade in the proof on several machines: a release with three more versions of the schema migrates under load.

It is a copy of `migrations` and of the program that the compose file and the Helm chart run to migrate, as the owner of the
tables and past PgBouncer. The versions do what those of releases do: a column of a table that the load writes, a new table of
teams, an index of many rows. Meanwhile one transaction reads the first table for some seconds, as a backup does.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles
from uuid import uuid4

import psycopg
from alembic.script import ScriptDirectory

from proofs.kill_proof import say
from proofs.machines_load import Read
from tests.support.databases import ROOT, TestDatabase, alembic_config

ROWS = 50_000
"""Artifacts of another team, so that the index and the new column are of a table with rows."""
READ_SECONDS = 6.0
"""How long the transaction reads on after the migration began to wait for it."""
MIGRATION_SECONDS = 100.0
FEWEST = 2
"""Reads and uploads while the schema is migrated: without them it was not under load."""
SLOWEST_READ_SECONDS = 2.0
"""A read may queue behind a migration that waits for its lock, but not for longer."""

COLUMN = """
ALTER TABLE artifact ADD COLUMN storage_class varchar DEFAULT 'standard' NOT NULL;
"""
TABLE = """
CREATE TABLE artifact_note (
    team_id uuid NOT NULL, id uuid NOT NULL, artifact_id uuid NOT NULL, text varchar NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_artifact_note PRIMARY KEY (team_id, id),
    CONSTRAINT fk_artifact_note_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_artifact_note_team_id_artifact_id FOREIGN KEY (team_id, artifact_id)
        REFERENCES artifact (team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_artifact_note_artifact ON artifact_note (team_id, artifact_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON artifact_note TO slowpath_app;
ALTER TABLE artifact_note ENABLE ROW LEVEL SECURITY;
ALTER TABLE artifact_note FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON artifact_note FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
"""
DROP_INDEX = "DROP INDEX CONCURRENTLY IF EXISTS ix_artifact_storage_class"
INDEX = "CREATE INDEX CONCURRENTLY ix_artifact_storage_class ON artifact (team_id, storage_class, created_at)"
VERSION = '''"""A version of the proof. The code before it runs with it."""

from alembic import op

revision = "{revision}"
down_revision = "{down_revision}"
branch_labels = None
depends_on = None


def upgrade() -> None:
{body}
'''
CONCURRENT = """    with op.get_context().autocommit_block():
        op.execute("SET lock_timeout = 0")
        op.execute({drop!r})
        op.execute({create!r})
        op.execute("RESET lock_timeout")"""
BODIES = (
    f"    op.execute({COLUMN!r})",
    f"    op.execute({TABLE!r})",
    CONCURRENT.format(drop=DROP_INDEX, create=INDEX),
)
MANY_ROWS = """
INSERT INTO artifact (team_id, id, name, size_bytes, sha256, run_metadata, state, kind)
SELECT %s, gen_random_uuid(), 'cpu.' || number || '.pb.gz', 1000, md5(number::text), '{}', 'decoded', 'pprof'
FROM generate_series(1, %s) AS number
"""
WAITING = """
SELECT count(*) FROM pg_stat_activity WHERE application_name = 'slowpath migrations' AND wait_event_type = 'Lock'
    AND wait_event <> 'advisory'
"""


@dataclass
class Upgrade:
    """When the schema was migrated and the last process restarted, and what is wrong."""

    begun: float = 0.0
    migrated: float = 0.0
    ended: float = 0.0
    fault: str = ""

    def meanwhile(self, reads: Sequence[Read], end: float) -> list[Read]:
        """Return the reads from the begin of the upgrade to `end`."""
        return [read for read in reads if self.begun <= read.at + read.seconds and read.at <= end]


def add_rows(database: TestDatabase) -> None:
    """Give the table that gets a column and an index many rows."""
    team = uuid4()
    with database.as_admin() as admin:
        admin.execute("SET session_replication_role = replica")  # no triggers
        admin.execute("INSERT INTO team (id, slug, name) VALUES (%s, 'many-rows', 'Many rows')", (team,))
        admin.execute(MANY_ROWS, (team, ROWS))


def write_release(folder: Path) -> str:
    """Write the release, and return the newest version of its schema."""
    shutil.copytree(ROOT / "migrations", folder / "migrations")
    shutil.copytree(ROOT / "backend" / "bootstrap_parts", folder / "backend" / "bootstrap_parts")
    shutil.copy(ROOT / "pyproject.toml", folder)
    newest = ScriptDirectory.from_config(alembic_config("")).get_current_head()
    assert newest is not None
    for number, body in enumerate(BODIES, 1):
        revision = f"20991231_{number:04}"
        (folder / "migrations" / "versions" / f"{revision}_proof.py").write_text(
            VERSION.format(revision=revision, down_revision=newest, body=body)
        )
        newest = revision
    return newest


def migrate(database: TestDatabase, folder: Path, look_after: Callable[[], None]) -> Upgrade:
    """Migrate to the new release while a transaction reads; call `look_after` meanwhile."""
    newest = write_release(folder)
    environment = {name: text for name, text in os.environ.items() if name != "ADMIN_DATABASE_URL"}
    environment |= {"MIGRATE_DATABASE_URL": database.owner_url, "DATABASE_URL": database.app_url}
    upgrade, deadline = Upgrade(begun=time.time()), time.monotonic() + MIGRATION_SECONDS
    log = folder / "migrate.log"
    with log.open("wb") as output, psycopg.connect(database.admin_url) as reader:
        reader.execute("SELECT FROM artifact LIMIT 1")
        process = subprocess.Popen(
            [sys.executable, "-m", "bootstrap_parts.prepare_database"],
            cwd=folder / "backend", env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
        )  # fmt: skip
        has_waited = _read_on(database, process, look_after)
        reader.rollback()
        while process.poll() is None and time.monotonic() < deadline:
            look_after()
            time.sleep(0.05)
    if process.poll() is None:
        process.kill()
    upgrade.migrated = time.time()
    if process.wait() != 0:
        upgrade.fault = f"the migration failed: {log.read_text(errors='replace')[-1000:]}"
    elif not has_waited:
        upgrade.fault = "the migration waited for no transaction"
    else:
        upgrade.fault = _incomplete(database, newest)
    return upgrade


def _read_on(database: TestDatabase, process: subprocess.Popen[bytes], look_after: Callable[[], None]) -> bool:
    """Wait until the migration has waited for a lock for some seconds; return whether it has, and goes on."""
    has_waited, deadline = False, time.monotonic() + MIGRATION_SECONDS / 2
    with database.as_admin() as admin:
        while process.poll() is None and time.monotonic() < deadline:
            look_after()
            if not has_waited and admin.execute(WAITING).fetchone() != (0,):
                has_waited, deadline = True, time.monotonic() + READ_SECONDS
            time.sleep(0.05)
    return has_waited and process.poll() is None


def _incomplete(database: TestDatabase, newest: str) -> str:
    with database.as_admin() as admin:
        found = admin.execute("SELECT version_num FROM alembic_version").fetchone()
        valid = admin.execute(
            "SELECT indisvalid FROM pg_index WHERE indexrelid = 'ix_artifact_storage_class'::regclass"
        ).fetchone()
    return (
        "" if (found, valid) == ((newest,), (True,)) else f"after the migration: version {found}, valid index {valid}"
    )


def judge_upgrade(
    upgrade: Upgrade, reads: Sequence[Read], uploads: Sequence[float], *, slowest_p95: float
) -> list[str]:
    """Print how long migration and reads took; return what is wrong."""
    if upgrade.fault:
        return [upgrade.fault]
    of_migration, of_upgrade = (upgrade.meanwhile(reads, end) for end in (upgrade.migrated, upgrade.ended))
    uploaded = sum(upgrade.begun <= at <= upgrade.migrated for at in uploads)
    if len(of_migration) < FEWEST or uploaded < FEWEST:
        return [f"only {len(of_migration)} reads and {uploaded} uploads while the schema was migrated"]
    slowest, slowest_of_migration = (max(read.seconds for read in some) for some in (of_upgrade, of_migration))
    p95 = quantiles([read.seconds for read in of_upgrade], n=20)[-1]
    say(
        f"schema migrated in {upgrade.migrated - upgrade.begun:.1f} s (slowest of {len(of_migration)} reads meanwhile "
        f"{slowest_of_migration:.2f} s, {uploaded} uploads), all processes restarted {upgrade.ended - upgrade.migrated:.1f} s "
        f"later ({len(of_upgrade)} reads, p95 {p95:.2f} s, slowest {slowest:.2f} s)"
    )
    faults = []
    if p95 > slowest_p95:
        faults.append(f"p95 of reads during the upgrade is {p95:.2f} s, not at most {slowest_p95:.0f} s")
    if slowest_of_migration > SLOWEST_READ_SECONDS:
        faults.append(
            f"a read during the migration took {slowest_of_migration:.2f} s, not at most {SLOWEST_READ_SECONDS:.0f} s"
        )
    return faults
