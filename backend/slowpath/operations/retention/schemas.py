"""Keeping on the wire."""

from datetime import date
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, Field

from slowpath.operations.retention.rules import (
    AGES,
    DEFAULT_DAYS,
    FILE_KINDS,
    KINDS,
    NEARLY_FULL,
    ExpiryPreview,
    RetainedKind,
    StoredBytes,
    TeamUsage,
    least_days,
    most_days,
)

MOST_DAYS_ON_WIRE = 100_000


class RetentionRuleIn(BaseModel):
    """For how long one kind is to be kept."""

    kind: Annotated[str, Field(max_length=40, examples=["profile.cpu"])]
    days: Annotated[int, Field(ge=1, le=MOST_DAYS_ON_WIRE)] | None
    """Null is for ever."""


class RetentionIn(BaseModel):
    """What changes; kinds that are not named stay as they are."""

    rules: Annotated[list[RetentionRuleIn], Field(min_length=1, max_length=len(KINDS))]


class RetentionRuleOut(BaseModel):
    """One kind: for how long it is kept, and what there is of it."""

    kind: str
    days: int | None
    default_days: int | None
    least_days: int
    most_days: int
    may_be_for_ever: bool
    is_file: bool
    files: int
    bytes: int
    oldest_at: AwareDatetime | None

    @classmethod
    def of(cls, one: RetainedKind) -> "RetentionRuleOut":
        """Tell one kind."""
        return cls(
            kind=one.kind,
            days=one.days,
            default_days=DEFAULT_DAYS[one.kind],
            least_days=least_days(one.kind),
            most_days=most_days(one.kind),
            may_be_for_ever=one.kind != "metrics",
            is_file=one.kind in FILE_KINDS,
            files=one.files,
            bytes=one.size_bytes,
            oldest_at=one.oldest_at,
        )


class RetentionOut(BaseModel):
    """For how long a team keeps what."""

    rules: list[RetentionRuleOut]


class ExpiryPreviewOut(BaseModel):
    """What of a kind would be deleted now, and what is as old but still needed."""

    kind: str
    files: int
    bytes: int
    held_files: int
    held_bytes: int


class RetentionPreviewOut(BaseModel):
    """What would be deleted now."""

    files: int
    bytes: int
    held_files: int
    kinds: list[ExpiryPreviewOut]

    @classmethod
    def of(cls, found: list[ExpiryPreview]) -> "RetentionPreviewOut":
        """Tell it with its sums."""
        return cls(
            files=sum(one.files for one in found),
            bytes=sum(one.size_bytes for one in found),
            held_files=sum(one.held_files for one in found),
            kinds=[
                ExpiryPreviewOut(
                    kind=one.kind,
                    files=one.files,
                    bytes=one.size_bytes,
                    held_files=one.held_files,
                    held_bytes=one.held_bytes,
                )
                for one in found
            ],
        )


class StoredBytesOut(BaseModel):
    """Files and bytes of one class."""

    name: str
    files: int
    bytes: int


class ServiceStorageOut(BaseModel):
    """Files and bytes of a service; of none where a file has no build."""

    service_id: UUID | None
    name: str | None
    files: int
    bytes: int


class AgeStorageOut(BaseModel):
    """Files and bytes up to so many days old; null is all that is older."""

    days: int | None
    files: int
    bytes: int


class UsageDayOut(BaseModel):
    """What one day (UTC) brought."""

    day: date
    uploads: int
    upload_bytes: int
    samples: int
    jobs: int
    builds: int


class UsageLimit(BaseModel):
    """A limit that the operator has set, and how far it is reached."""

    what: Literal["bytes", "series"]
    limit: int
    used: int
    state: Literal["free", "nearly", "reached"]

    @classmethod
    def of(cls, what: Literal["bytes", "series"], limit: int, used: int) -> "UsageLimit":
        """Tell a limit."""
        state: Literal["free", "nearly", "reached"] = "nearly" if used >= NEARLY_FULL * limit else "free"
        return cls(what=what, limit=limit, used=used, state="reached" if used >= limit else state)


class UsageOut(BaseModel):
    """What a team uses."""

    files: int
    bytes: int
    kinds: list[StoredBytesOut]
    services: list[ServiceStorageOut]
    ages: list[AgeStorageOut]
    folders: list[StoredBytesOut]
    """What lay in the store when it was last counted, of everything that was made of files too."""
    counted_at: AwareDatetime | None
    swept: int
    days: list[UsageDayOut]
    limits: list[UsageLimit]

    @classmethod
    def of(cls, told: TeamUsage, limits: list[UsageLimit]) -> "UsageOut":
        """Tell it, largest first."""

        def largest(one: tuple[object, StoredBytes]) -> int:
            return -one[1].size_bytes

        return cls(
            files=told.total.files,
            bytes=told.total.size_bytes,
            kinds=[
                StoredBytesOut(name=kind, files=one.files, bytes=one.size_bytes)
                for kind, one in sorted(told.kinds.items(), key=largest)
            ],
            services=[
                ServiceStorageOut(
                    service_id=service_id,
                    name=told.service_names.get(service_id) if service_id else None,
                    files=one.files,
                    bytes=one.size_bytes,
                )
                for service_id, one in sorted(told.services.items(), key=largest)
            ],
            ages=[
                AgeStorageOut(days=days, files=one.files, bytes=one.size_bytes)
                for days, one in zip((*AGES, None), told.ages, strict=True)
            ],
            folders=[
                StoredBytesOut(name=name, files=both[0], bytes=both[1])
                for name, both in sorted(told.folders.items(), key=lambda one: -one[1][1])
            ],
            counted_at=told.counted_at,
            swept=told.swept,
            days=[
                UsageDayOut(
                    day=day.day,
                    uploads=day.uploads,
                    upload_bytes=day.upload_bytes,
                    samples=day.samples,
                    jobs=day.jobs,
                    builds=day.builds,
                )
                for day in told.days
            ],
            limits=limits,
        )
