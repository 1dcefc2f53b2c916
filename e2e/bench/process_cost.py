"""Cost of processes, read from /proc: CPU seconds and proportional memory of process trees."""

import os
from pathlib import Path

PROC = Path("/proc")
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def parents() -> dict[int, int]:
    """Return the parent of every process."""
    found = {}
    for folder in PROC.iterdir():
        if folder.name.isdigit():
            fields = _stat(int(folder.name))
            if fields:
                found[int(folder.name)] = int(fields[1])
    return found


def tree(root: int, parent_of: dict[int, int], without: int | None = None) -> set[int]:
    """Return a process and its descendants, except `without` and its descendants."""
    inside = {root}
    grew = True
    while grew:
        more = {pid for pid, parent in parent_of.items() if parent in inside and pid != without} - inside
        inside |= more
        grew = bool(more)
    return inside


def cpu_seconds(pids: set[int]) -> float:
    """Return the user and system time of processes and of their ended children."""
    ticks = 0
    for pid in pids:
        fields = _stat(pid)
        if fields:
            ticks += sum(int(field) for field in fields[11:15])
    return ticks / TICKS_PER_SECOND


def proportional_bytes(pid: int) -> int:
    """Return the proportional set size, in which shared memory counts by its share; 0 if the process has ended."""
    try:
        text = (PROC / str(pid) / "smaps_rollup").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("Pss:")), 0)


def _stat(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat after the name, which may contain spaces and brackets: state first, parent second."""
    try:
        return (PROC / str(pid) / "stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return []
