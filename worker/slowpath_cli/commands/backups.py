"""`slowpath admin backup` and `restore`: database and blobs in a folder.

A backup dumps the database first, then copies the blobs: what is uploaded meanwhile is only in the blobs, and harmless
there. A later backup into the same folder copies new blobs only. The secret key is not in it; restore checks that it is
the same, because stored credentials cannot be read with another.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict

from bootstrap_parts.prepare_database import make_database, make_roles
from slowpath.adapters.obstore_blobs import PROBE, ObstoreBlobs
from slowpath.adapters.system_clock import SystemClock
from slowpath.core.errors import NotFound, SlowpathError
from slowpath.core.ids import BlobKey

FORMAT = "slowpath.backup/1"
LIST_BLOBS_AGAIN = """
DO $$ BEGIN
    UPDATE derived_storage_total SET listed_at = NULL;
EXCEPTION WHEN undefined_column THEN NULL;
END $$
"""
"""The backup may have blobs that are newer than its database, without rows: the next maintenance lists the store once.

A database of an earlier version has no such column, and is listed after its migration.
"""
PROGRAM_FOLDERS = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql@*/bin")
NEEDED = {
    "ADMIN_DATABASE_URL": "the database server as a superuser: row-level security hides rows from every other role",
    "MIGRATE_DATABASE_URL": "the database as slowpath_owner",
    "DATABASE_URL": "the database as slowpath_app",
    "BLOB_URL": "the blob store",
    "SLOWPATH_SECRET_KEY": "the key of stored credentials",
}


class BackupFailed(Exception):
    """Why there is no backup, or no restored database; the message has the remedy."""


@dataclass(frozen=True)
class Manifest:
    """What a backup contains."""

    format: str
    created_at: str
    server_version: int
    """Major version of PostgreSQL."""
    schema_version: str
    key_fingerprint: str
    blob_count: int
    blob_bytes: int


def add_arguments(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare both commands."""
    for name, act, text in (
        ("backup", back_up, "copy database and blobs to a folder; blobs that it has are not copied again"),
        ("restore", restore, "restore database and blobs of a backup into an empty database"),
    ):
        command = commands.add_parser(name, help=text, description=f"{text}. Needs {', '.join(NEEDED)}.")
        command.add_argument("folder", type=Path, metavar="DIR")
        command.add_argument("--pg-bin", type=Path, metavar="DIR", help="folder of pg_dump and pg_restore")
        command.set_defaults(admin=lambda options, act=act: _run_command(act, options))


def _run_command(act: Callable[[Path, Path | None], str], options: argparse.Namespace) -> int:
    try:
        print(act(options.folder, options.pg_bin))
    except (BackupFailed, SlowpathError, OSError, psycopg.Error) as error:
        print(f"slowpath: {getattr(error, 'detail', None) or str(error).strip()}", file=sys.stderr)
        return 1
    return 0


def back_up(folder: Path, pg_bin: Path | None) -> str:
    """Write a backup and return a sentence about it. Raises `BackupFailed`."""
    settings = _settings()
    url = _admin_url(settings)
    with psycopg.connect(url, autocommit=True) as connection:
        server = connection.info.server_version // 10_000
        found = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    dump = folder / "database.dump.unfinished"
    dump.touch(mode=0o600)
    _run_program(find_program("pg_dump", server, pg_bin), url, "--format=custom", f"--file={dump}")
    dump.replace(folder / "database.dump")
    target = ObstoreBlobs((folder / "blobs").resolve().as_uri())
    count, size = _copy_blobs(ObstoreBlobs(settings["BLOB_URL"]), target)
    manifest = Manifest(
        format=FORMAT,
        created_at=SystemClock().now().astimezone(UTC).isoformat(timespec="seconds"),
        server_version=server,
        schema_version=str(found[0]) if found else "",
        key_fingerprint=_fingerprint(settings["SLOWPATH_SECRET_KEY"]),
        blob_count=count,
        blob_bytes=size,
    )
    (folder / "manifest.json").write_text(json.dumps(asdict(manifest), indent=1) + "\n")
    return f"{folder} has the database (schema {manifest.schema_version}) and {count} blobs of {size} bytes."


def restore(folder: Path, pg_bin: Path | None) -> str:
    """Restore a backup and return a sentence about it. Raises `BackupFailed`."""
    settings, manifest = _settings(), _read_manifest(folder)
    if manifest.key_fingerprint != _fingerprint(settings["SLOWPATH_SECRET_KEY"]):
        raise BackupFailed(
            "SLOWPATH_SECRET_KEY is not that of the backup: stored credentials could not be read. Set the former key."
        )
    url, owner, app = _admin_url(settings), *map(_parts, (settings["MIGRATE_DATABASE_URL"], settings["DATABASE_URL"]))
    with psycopg.connect(settings["ADMIN_DATABASE_URL"], autocommit=True) as connection:
        server = connection.info.server_version // 10_000
        if server < manifest.server_version:
            raise BackupFailed(
                f"The backup is of PostgreSQL {manifest.server_version}, this server has {server}. Use {manifest.server_version} or newer."
            )
        program = find_program("pg_restore", server, pg_bin)
        make_database(connection, app["dbname"])
    with psycopg.connect(url, autocommit=True) as connection:
        tables = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
        if tables != (0,):
            raise BackupFailed(
                f"The database {app['dbname']} has {tables[0] if tables else 0} tables. Restore into an empty one."
            )
        make_roles(connection, {owner["user"]: owner["password"], app["user"]: app["password"]})
    _run_program(
        program,
        url,
        "--exit-on-error",
        "--single-transaction",
        f"--dbname={app['dbname']}",
        str(folder / "database.dump"),
    )
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(LIST_BLOBS_AGAIN)
    source = ObstoreBlobs((folder / "blobs").resolve().as_uri())
    count, size = _copy_blobs(source, ObstoreBlobs(settings["BLOB_URL"]))
    if count < manifest.blob_count:
        raise BackupFailed(
            f"The backup has {count} blobs, its manifest names {manifest.blob_count}: some were deleted. The database is restored."
        )
    return f"Restored the database (schema {manifest.schema_version}) and {count} blobs of {size} bytes. Migrate, then start web, worker and relay."


def find_program(name: str, server: int, pg_bin: Path | None) -> Path:
    """Return the newest pg_dump or pg_restore that can handle a server. Raises `BackupFailed` with what was found."""
    on_path = shutil.which(name)
    folders = [pg_bin] if pg_bin else [place for pattern in PROGRAM_FOLDERS for place in Path("/").glob(pattern[1:])]
    candidates = [folder / name for folder in folders] + ([Path(on_path)] if on_path and not pg_bin else [])
    versions = {program: version for program in candidates if (version := _major(program)) is not None}
    newest = max(versions, key=lambda program: versions[program], default=None)
    if newest is None or versions[newest] < server:
        found = ", ".join(f"{program} of {version}" for program, version in versions.items()) or "none"
        raise BackupFailed(
            f"{name} of PostgreSQL {server} or newer is needed for this server; found: {found}. Install the client programs of "
            f"PostgreSQL {server} (Debian: postgresql-client-{server}), and name their folder by --pg-bin."
        )
    return newest


def _major(program: Path) -> int | None:
    if not os.access(program, os.X_OK):
        return None
    done = subprocess.run([str(program), "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"\) (\d+)", done.stdout)
    return int(found[1]) if found else None


def _run_program(program: Path, url: str, *arguments: str) -> None:
    """Run a program of PostgreSQL; the password is not in its arguments, which all users can read."""
    parts = _parts(url)
    variables = {"PGHOST": "host", "PGPORT": "port", "PGUSER": "user", "PGPASSWORD": "password", "PGDATABASE": "dbname"}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    environment |= {name: parts[key] for name, key in variables.items() if key in parts}
    done = subprocess.run(
        [str(program), "--no-password", *arguments], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise BackupFailed(f"{program.name} failed: {done.stderr.strip()[-500:]}")


def _copy_blobs(source: ObstoreBlobs, target: ObstoreBlobs) -> tuple[int, int]:
    """Copy the blobs that the target lacks; return number and size of all. Blobs never change under their key."""
    there = {blob.key: blob.size_bytes for page in target.listed("") for blob in page}
    count = size = 0
    for key, size_bytes in _all_blobs(source):
        if there.get(key) != size_bytes:
            try:
                target.put(key, source.stream(key))
            except NotFound:
                continue  # deleted since it was listed
        count, size = count + 1, size + size_bytes
    return count, size


def _all_blobs(store: ObstoreBlobs) -> Iterator[tuple[BlobKey, int]]:
    for page in store.listed(""):
        yield from ((blob.key, blob.size_bytes) for blob in page if blob.key != PROBE)


def _settings() -> dict[str, str]:
    missing = [f"{name} ({text})" for name, text in NEEDED.items() if not os.environ.get(name)]
    if missing:
        raise BackupFailed(f"Not set: {'; '.join(missing)}.")
    return {name: os.environ[name].replace("+psycopg", "", 1) for name in NEEDED}


def _admin_url(settings: dict[str, str]) -> str:
    """Return the URL of the superuser with the database of the application."""
    return psycopg.conninfo.make_conninfo(
        settings["ADMIN_DATABASE_URL"], dbname=_parts(settings["DATABASE_URL"])["dbname"]
    )


def _parts(url: str) -> dict[str, str]:
    return {name: str(value) for name, value in conninfo_to_dict(url).items() if value is not None}


def _fingerprint(key: str) -> str:
    return hashlib.sha256(b"slowpath.backup " + key.encode()).hexdigest()[:16]


def _read_manifest(folder: Path) -> Manifest:
    try:
        manifest = Manifest(**json.loads((folder / "manifest.json").read_text()))
    except (OSError, ValueError, TypeError) as error:
        raise BackupFailed(f"{folder} has no readable manifest.json: it is not a finished backup.") from error
    if manifest.format != FORMAT:
        raise BackupFailed(f"The backup has the format {manifest.format}, this release reads {FORMAT}.")
    return manifest
