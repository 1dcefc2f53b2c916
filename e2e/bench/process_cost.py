"""What processes cost, read from /proc: CPU seconds and proportional memory of whole trees of them."""

import os
from pathlib import Path

PROC = Path("/proc")
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def parents() -> dict[int, int]:
    """The parent of every process."""
    found = {}
    for folder in PROC.iterdir():
        if folder.name.isdigit():
            fields = _stat(int(folder.name))
            if fields:
                found[int(folder.name)] = int(fields[1])
    return found


def tree(root: int, parent_of: dict[int, int], without: int | None = None) -> set[int]:
    """A process and all beneath it, but nothing at or beneath `without`."""
    inside = {root}
    grew = True
    while grew:
        more = {pid for pid, parent in parent_of.items() if parent in inside and pid != without} - inside
        inside |= more
        grew = bool(more)
    return inside


def cpu_seconds(pids: set[int]) -> float:
    """User and system time of processes, and of their children that have ended and were waited for."""
    ticks = 0
    for pid in pids:
        fields = _stat(pid)
        if fields:
            ticks += sum(int(field) for field in fields[11:15])
    return ticks / TICKS_PER_SECOND


def proportional_bytes(pid: int) -> int:
    """Proportional set size: what is shared counts by its part. 0 for a process that has gone."""
    try:
        text = (PROC / str(pid) / "smaps_rollup").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("Pss:")), 0)


def _stat(pid: int) -> list[str]:
    """Fields of /proc/PID/stat behind the name, which may hold spaces and brackets: state first, parent second."""
    try:
        return (PROC / str(pid) / "stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return []
