"""Kinds of what is kept and for how long, and what a key of the blob store tells of who needs it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

UNREAD: Final = "unread"
"""Files that were refused, failed, or are of a kind that nothing is kept of."""
SAMPLES: Final = "metrics"
LOG: Final = "audit"

FILE_KINDS: Final = (
    "profile.cpu",
    "profile.heap",
    "profile.allocs",
    "profile.mutex",
    "profile.block",
    "profile.goroutine",
    "profile.threadcreate",
    "profile.other",
    "trace",
    "spans",
    "growth",
    "bench",
    UNREAD,
)
KINDS: Final = (*FILE_KINDS, SAMPLES, LOG)
"""In the order in which they are shown."""
DEFAULT_DAYS: Final[Mapping[str, int | None]] = dict.fromkeys(KINDS) | {SAMPLES: 30}
"""None is for ever: nothing that somebody brought goes unless a team says so."""

LEAST_DAYS: Final[Mapping[str, int]] = {LOG: 365}
MOST_DAYS: Final = 3650
MOST_SAMPLE_DAYS: Final = 1000

SWEEP_HOURS: Final = 6
YOUNG_HOURS: Final = 6
"""Bytes without a row that are younger are left alone: their row may be on its way.

With `SWEEP_HOURS` between two looks they are gone half a day after their row at the latest.
"""
AGES: Final = (7, 30, 90, 365)
"""Days by which what is stored is told apart by age; the last class is all that is older."""
USAGE_DAYS: Final = 90
NEARLY_FULL: Final = 0.8


class BlobFolder(StrEnum):
    """The folders of a team in the blob store."""

    ORIGINALS = "originals"
    PROFILES = "profiles"
    BENCHMARKS = "benchmarks"
    TRACES = "traces"
    SPANS = "spans"
    COMPARISONS = "comparisons"
    EXPORTS = "exports"
    CUTS = "trace-cuts"
    PARTS = "parts"
    REPORTS = "reports"
    TEAM_EXPORTS = "team-exports"
    """Of earlier versions: no row owns its blobs, so the storage check deletes them."""


OF_A_FILE: Final = frozenset(
    {BlobFolder.ORIGINALS, BlobFolder.PROFILES, BlobFolder.BENCHMARKS, BlobFolder.TRACES, BlobFolder.SPANS}
)
"""Their keys hold the hash of the file they were made of."""
HASH_LETTERS: Final = 64


@dataclass(frozen=True)
class BlobOwner:
    """Who needs a blob: the artifacts with this hash, or the row with this id."""

    folder: BlobFolder
    sha256: str | None = None
    row_id: UUID | None = None


def folder_of(key: str) -> str:
    """Return the folder of a key: what stands after the team."""
    return key.split("/", 2)[1] if key.count("/") > 1 else ""


def owner_of(key: str) -> BlobOwner | None:
    """Return who needs what lies under a key; None if the key says nothing that is known here: then it is left alone."""
    parts = key.split("/")
    if len(parts) <= 2:
        return None
    try:
        folder = BlobFolder(parts[1])
    except ValueError:
        return None
    if folder in OF_A_FILE:
        sha256 = next((part for part in parts[2:] if len(part) == HASH_LETTERS), None)
        return BlobOwner(folder, sha256=sha256) if sha256 else None
    try:
        return BlobOwner(folder, row_id=UUID(parts[2]))
    except ValueError:
        return None


def rule_kind(kind: str | None) -> str:
    """Return under which kind a file is kept."""
    return kind if kind in FILE_KINDS else UNREAD


def min_days(kind: str) -> int:
    """Return the shortest time that something of this kind may be kept."""
    return LEAST_DAYS.get(kind, 1)


def max_days(kind: str) -> int:
    """Return the longest time that can be asked for, but for ever."""
    return MOST_SAMPLE_DAYS if kind == SAMPLES else MOST_DAYS


@dataclass(frozen=True)
class RetainedKind:
    """One kind, for how long it is kept, and what there is of it."""

    kind: str
    days: int | None
    files: int = 0
    size_bytes: int = 0
    oldest_at: datetime | None = None


@dataclass(frozen=True)
class ExpiryPreview:
    """What of a kind would go now, and what is as old and stays because something open needs it."""

    kind: str
    files: int = 0
    size_bytes: int = 0
    retained_artifacts: int = 0
    retained_bytes: int = 0


@dataclass
class StoredBytes:
    """Files and bytes of one class."""

    files: int = 0
    size_bytes: int = 0

    def add(self, files: int, size_bytes: int) -> None:
        """Count some more."""
        self.files += files
        self.size_bytes += size_bytes


@dataclass(frozen=True)
class DailyUsage:
    """What one day (UTC) brought."""

    day: date
    uploads: int = 0
    upload_bytes: int = 0
    samples: int = 0
    jobs: int = 0
    builds: int = 0


@dataclass
class TeamUsage:
    """All that the page of usage shows."""

    kinds: dict[str, StoredBytes] = field(default_factory=dict)
    services: dict[UUID | None, StoredBytes] = field(default_factory=dict)
    service_names: Mapping[UUID, str] = field(default_factory=dict)
    ages: list[StoredBytes] = field(default_factory=lambda: [StoredBytes() for _ in range(len(AGES) + 1)])
    total: StoredBytes = field(default_factory=StoredBytes)
    folders: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    counted_at: datetime | None = None
    swept: int = 0
    days: list[DailyUsage] = field(default_factory=list)
