"""The events of a round in order of time: kills, changes recorded by the database, logs of the processes."""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from operator import itemgetter
from pathlib import Path

from proofs.journal import Journal

REPEATED = ("received [", "] succeeded in", "job.started", "job.finished")
"""Log events of every job; the journal has them too."""
UNSTAMPED = ("Process ", "worker: ", "billiard.exceptions.", "psycopg.", "redis.exceptions.", "sqlalchemy.exc.")
"""Prefixes of lines without a time that belong to the line above."""


def timeline(killed: Iterable[tuple[float, str]], journal: Journal, logs: Iterable[Path]) -> list[str]:
    """Return one line for each thing that happened; jobs are named by the end of their id."""
    happened = [(at, f"KILLED {target}") for at, target in killed]
    for subject, entries in journal.entries.items():
        happened += [(entry.at, f"{str(subject)[-4:]} {entry.what}") for entry in entries if entry.what != "sent"]
    sent = Counter(
        int(entry.at * 10) for entries in journal.entries.values() for entry in entries if entry.what == "sent"
    )
    happened += [(tenths / 10, f"{count} sent") for tenths, count in sent.items()]
    for log in logs:
        happened += [(at, f"{log.stem}: {line}") for at, line in _dated_lines(log)]
    return [f"{datetime.fromtimestamp(at, UTC):%H:%M:%S.%f} {what}" for at, what in sorted(happened, key=itemgetter(0))]


def _dated_lines(log: Path) -> Iterable[tuple[float, str]]:
    at = 0.0
    for line in log.read_text(errors="replace").splitlines():
        stamp, _, rest = line.partition(" ")
        try:
            at = datetime.fromisoformat(stamp).timestamp()
        except ValueError:
            rest = line if line.startswith(UNSTAMPED) else ""  # else it is in the midst of a traceback
        if at and rest and not any(words in rest for words in REPEATED):
            yield at, " ".join(rest.split())[:200]
