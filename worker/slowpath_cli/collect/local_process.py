"""Read metadata of a process on this machine: the listener of a port, its binary, its CPU time, and the CPU model.

All values are optional: they are missing for processes of other users or in containers, and on systems other than Linux.
"""

import contextlib
import ipaddress
import os
import platform
import socket
import time
from dataclasses import dataclass
from pathlib import Path

from slowpath_cli.collect.buildinfo import BuildInfo, read_build_info

PROC = Path("/proc")
_PROCESS_CPU_CLOCK = 2
"""Clock ID of a process, with the inverted process ID in the upper bits: clock_getcpuclockid(3) on Linux."""
_LISTEN = "0A"
_GOARCH = {
    "x86_64": "amd64",
    "aarch64": "arm64",
    "i686": "386",
    "armv7l": "arm",
    "riscv64": "riscv64",
    "s390x": "s390x",
    "ppc64le": "ppc64le",
}


@dataclass(frozen=True)
class LocalProcess:
    """A process of this machine that listens on a port."""

    pid: int
    started_ticks: int
    build: BuildInfo | None
    gomaxprocs: int | None

    def cpu_ns(self) -> int | None:
        """Return the used CPU time in nanoseconds; None if the process has ended. In steps of 10 ms without its clock."""
        fields = _stat(self.pid)
        if fields is None or int(fields[19]) != self.started_ticks:
            return None
        with contextlib.suppress(OSError):
            return time.clock_gettime_ns((~self.pid << 3) | _PROCESS_CPU_CLOCK)
        return (int(fields[11]) + int(fields[12])) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")

    def age_s(self) -> float | None:
        """Return the time since the start of the process in seconds; None if unknown."""
        try:
            uptime_s = float((PROC / "uptime").read_text(encoding="ascii").split()[0])
        except (OSError, ValueError, IndexError):
            return None
        return max(0.0, uptime_s - self.started_ticks / os.sysconf("SC_CLK_TCK"))

    def command_line(self) -> bytes | None:
        """Return the command line, with NUL between the arguments."""
        try:
            return (PROC / str(self.pid) / "cmdline").read_bytes().rstrip(b"\0")
        except OSError:
            return None


@dataclass(frozen=True)
class HostInfo:
    """This machine, with Go's names of operating system and architecture."""

    goos: str | None
    goarch: str | None
    cpu_model: str | None
    cpu_flags: tuple[str, ...]


def is_local(host: str) -> bool:
    """Return whether a host is `localhost` or a loopback address; other addresses of this machine are not checked."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def this_machine() -> HostInfo:
    """Return the CPU's model and flags from /proc/cpuinfo."""
    fields: dict[str, str] = {}
    try:
        for line in (PROC / "cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            fields.setdefault(name.strip(), value.strip())
    except OSError:
        pass
    flags = fields.get("flags") or fields.get("Features") or ""
    return HostInfo(
        goos=platform.system().lower() or None,
        goarch=_GOARCH.get(platform.machine()),
        cpu_model=fields.get("model name"),
        cpu_flags=tuple(sorted(flags.split())),
    )


def find_listener(port: int) -> LocalProcess | None:
    """Return the process that listens on a TCP port of this machine; None if it is not visible to this user."""
    sockets = {f"socket:[{inode}]" for inode in _listening_inodes(port)}
    for folder in sorted(PROC.glob("[0-9]*")) if sockets else []:
        if any(target in sockets for target in _open_files(folder)):
            return _process(int(folder.name))
    return None


def _listening_inodes(port: int) -> set[str]:
    found = set()
    for table in ("tcp", "tcp6"):
        try:
            lines = (PROC / "net" / table).read_text(encoding="ascii").splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            columns = line.split()
            if columns[3] == _LISTEN and int(columns[1].rpartition(":")[2], 16) == port:
                found.add(columns[9])
    return found


def _open_files(folder: Path) -> list[str]:
    """Return the targets of a process's file descriptors; descriptors closed meanwhile are skipped."""
    found = []
    with contextlib.suppress(OSError):  # another user's process, or one that has just ended
        for name in os.listdir(folder / "fd"):  # noqa: PTH208 - names suffice
            with contextlib.suppress(OSError):
                found.append(os.readlink(folder / "fd" / name))  # noqa: PTH115 - a socket's link is not a path
    return found


def _process(pid: int) -> LocalProcess | None:
    fields = _stat(pid)
    if fields is None:
        return None
    return LocalProcess(pid, int(fields[19]), read_build_info(PROC / str(pid) / "exe"), _gomaxprocs(pid))


def _gomaxprocs(pid: int) -> int | None:
    """Return GOMAXPROCS of the environment, or None: the default depends on the Go version and the container."""
    try:
        entries = (PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return None
    for entry in entries:
        name, _, value = entry.partition(b"=")
        if name == b"GOMAXPROCS" and value.isdigit() and 0 < int(value) <= 65_536:
            return int(value)
    return None


def _stat(pid: int) -> list[str] | None:
    """Return the fields of /proc/PID/stat after the command's name; [11] and [12] are CPU ticks."""
    try:
        text = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()
    return fields if len(fields) > 19 else None


def resolves_here(host: str) -> bool:
    """Return whether a name resolves only to loopback addresses."""
    try:
        found = {str(entry[4][0]) for entry in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    except OSError:
        return False
    return bool(found) and all(is_local(address) for address in found)
