"""What can be seen of a process on this very machine: which one listens, its binary, its CPU time, the CPU's model.

Everything here is optional. A process of another user, a container, another system than Linux: then there is simply
less known, and the facts say nothing instead of something wrong.
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
"""With the process id in the upper bits: the clock of another process, clock_getcpuclockid(3) on Linux."""
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
        """CPU time used so far, in nanoseconds; None once it has ended. Without its clock, in steps of 10 ms."""
        fields = _stat(self.pid)
        if fields is None or int(fields[19]) != self.started_ticks:
            return None
        with contextlib.suppress(OSError):
            return time.clock_gettime_ns((~self.pid << 3) | _PROCESS_CPU_CLOCK)
        return (int(fields[11]) + int(fields[12])) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")

    def command_line(self) -> bytes | None:
        """Its words with NUL between them."""
        try:
            return (PROC / str(self.pid) / "cmdline").read_bytes().rstrip(b"\0")
        except OSError:
            return None


@dataclass(frozen=True)
class HostInfo:
    """The machine we are on, in Go's words."""

    goos: str | None
    goarch: str | None
    cpu_model: str | None
    cpu_flags: tuple[str, ...]


def is_local(host: str) -> bool:
    """Tells whether a host is this machine by its name or a loopback address; other own addresses are not asked for."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def this_machine() -> HostInfo:
    """The CPU's model and flags, from the kernel."""
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
    """The process that listens on a TCP port of this machine, as far as we may see it."""
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
            words = line.split()
            if words[3] == _LISTEN and int(words[1].rpartition(":")[2], 16) == port:
                found.add(words[9])
    return found


def _open_files(folder: Path) -> list[str]:
    """Where the descriptors of a process lead; those that are closed meanwhile are left out."""
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
    """GOMAXPROCS if its environment sets it; the default depends on Go's version and the container, so it is not guessed."""
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
    """The fields of /proc/PID/stat behind the command's name, which may hold anything; [11] and [12] are CPU ticks."""
    try:
        text = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()
    return fields if len(fields) > 19 else None


def resolves_here(host: str) -> bool:
    """Tells whether a name resolves to loopback addresses only."""
    try:
        found = {str(entry[4][0]) for entry in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    except OSError:
        return False
    return bool(found) and all(is_local(address) for address in found)
