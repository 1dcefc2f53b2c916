"""Pure rules of retention: kinds, limits of days, and the owner of a blob key."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

UNREAD: Final = "unread"
"""Artifacts that are invalid, failed, or of a kind without its own rule."""
SAMPLES: Final = "metrics"
LOG: Final = "audit"


@dataclass(frozen=True)
class RetentionLimits:
    """Limits of the retention of a kind, in days. A default of None is unlimited."""

    is_artifact_kind: bool = False
    can_be_unlimited: bool = True
    default_days: int | None = None
    min_days: int = 1
    max_days: int = 3650


OTHER_LIMITS: Final[Mapping[str, RetentionLimits]] = {
    UNREAD: RetentionLimits(is_artifact_kind=True),
    SAMPLES: RetentionLimits(can_be_unlimited=False, default_days=30, max_days=1000),
    LOG: RetentionLimits(min_days=365),
}
"""Limits of everything but the registered artifact kinds, in display order. Uploaded data has no limit by default."""
MOST_RULES: Final = 64

SWEEP_HOURS: Final = 6
"""Hours between two maintenances of a team."""
AGES: Final = (7, 30, 90, 365)
"""Limits of the age groups in days; the last group has no limit."""
USAGE_DAYS: Final = 90
NEARLY_FULL: Final = 0.8


class BlobFolder(StrEnum):
    """The folders of a team in the blob store, except those of decoded data, which are in the kind registry."""

    ORIGINALS = "originals"
    COMPARISONS = "comparisons"
    EXPORTS = "exports"
    PROFILE_SETS = "profile-sets"
    CUTS = "trace-cuts"
    PARTS = "parts"
    REPORTS = "reports"
    TEAM_EXPORTS = "team-exports"
    """Written by earlier versions: no row owns its blobs, so they are deleted."""


HASH_LENGTH: Final = 64


@dataclass(frozen=True)
class BlobOwner:
    """Owner of a blob: the artifacts with this hash, or the row with this ID."""

    folder: str
    sha256: str | None = None
    row_id: UUID | None = None


def owner_of(key: str, decoded_folders: Collection[str]) -> BlobOwner | None:
    """Return the owner of a blob by its key, or None for an unknown key, whose blob must not be deleted.

    Keys in `decoded_folders` contain the hash of the original file.
    """
    parts = key.split("/")
    if len(parts) <= 2:
        return None
    if parts[1] == BlobFolder.ORIGINALS or parts[1] in decoded_folders:
        sha256 = next((part for part in parts[2:] if len(part) == HASH_LENGTH), None)
        return BlobOwner(parts[1], sha256=sha256) if sha256 else None
    try:
        return BlobOwner(BlobFolder(parts[1]), row_id=UUID(parts[2]))
    except ValueError:
        return None


@dataclass(frozen=True)
class RetainedKind:
    """Retention of one kind, with its number of files and their size."""

    kind: str
    days: int | None
    limits: RetentionLimits
    files: int = 0
    size_bytes: int = 0
    oldest_at: datetime | None = None


@dataclass(frozen=True)
class ExpiryPreview:
    """Artifacts of a kind that would be deleted now, and expired ones retained because they are in use."""

    kind: str
    files: int = 0
    size_bytes: int = 0
    retained_artifacts: int = 0
    retained_bytes: int = 0


@dataclass
class StoredBytes:
    """Number of files and bytes."""

    files: int = 0
    size_bytes: int = 0

    def add(self, files: int, size_bytes: int) -> None:
        """Add files and bytes."""
        self.files += files
        self.size_bytes += size_bytes


@dataclass(frozen=True)
class DailyUsage:
    """Usage on one day (UTC)."""

    day: date
    uploads: int = 0
    upload_bytes: int = 0
    samples: int = 0
    jobs: int = 0
    builds: int = 0


@dataclass
class TeamUsage:
    """Storage and daily usage of a team."""

    kinds: dict[str, StoredBytes] = field(default_factory=dict)
    services: dict[UUID | None, StoredBytes] = field(default_factory=dict)
    service_names: Mapping[UUID, str] = field(default_factory=dict)
    ages: list[StoredBytes] = field(default_factory=lambda: [StoredBytes() for _ in range(len(AGES) + 1)])
    total: StoredBytes = field(default_factory=StoredBytes)
    folders: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    counted_at: datetime | None = None
    deleted_blobs: int = 0
    days: list[DailyUsage] = field(default_factory=list)
