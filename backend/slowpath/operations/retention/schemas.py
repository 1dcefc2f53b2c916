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
    max_days,
    min_days,
)

MOST_DAYS_ON_WIRE = 100_000


class RetentionRuleIn(BaseModel):
    """For how long one kind is to be kept."""

    kind: Annotated[str, Field(max_length=40, examples=["profile.cpu"])]
    retention_days: Annotated[int, Field(ge=1, le=MOST_DAYS_ON_WIRE)] | None
    """Null is for ever."""


class RetentionIn(BaseModel):
    """What changes; kinds that are not named stay as they are."""

    rules: Annotated[list[RetentionRuleIn], Field(min_length=1, max_length=len(KINDS))]


class RetentionRuleOut(BaseModel):
    """One kind: for how long it is kept, and what there is of it."""

    kind: str
    retention_days: int | None
    default_days: int | None
    min_days: int
    max_days: int
    can_be_unlimited: bool
    is_artifact_kind: bool
    files: int
    bytes: int
    oldest_at: AwareDatetime | None

    @classmethod
    def of(cls, one: RetainedKind) -> "RetentionRuleOut":
        """Tell one kind."""
        return cls(
            kind=one.kind,
            retention_days=one.days,
            default_days=DEFAULT_DAYS[one.kind],
            min_days=min_days(one.kind),
            max_days=max_days(one.kind),
            can_be_unlimited=one.kind != "metrics",
            is_artifact_kind=one.kind in FILE_KINDS,
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
    retained_artifacts: int
    retained_bytes: int


class RetentionPreviewOut(BaseModel):
    """What would be deleted now."""

    files: int
    bytes: int
    retained_artifacts: int
    kinds: list[ExpiryPreviewOut]

    @classmethod
    def of(cls, found: list[ExpiryPreview]) -> "RetentionPreviewOut":
        """Tell it with its sums."""
        return cls(
            files=sum(one.files for one in found),
            bytes=sum(one.size_bytes for one in found),
            retained_artifacts=sum(one.retained_artifacts for one in found),
            kinds=[
                ExpiryPreviewOut(
                    kind=one.kind,
                    files=one.files,
                    bytes=one.size_bytes,
                    retained_artifacts=one.retained_artifacts,
                    retained_bytes=one.retained_bytes,
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

    resource: Literal["bytes", "series"]
    limit: int
    used: int
    state: Literal["ok", "near-limit", "reached"]

    @classmethod
    def of(cls, what: Literal["bytes", "series"], limit: int, used: int) -> "UsageLimit":
        """Tell a limit."""
        state: Literal["ok", "near-limit", "reached"] = "near-limit" if used >= NEARLY_FULL * limit else "ok"
        return cls(resource=what, limit=limit, used=used, state="reached" if used >= limit else state)


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
    deleted_blobs: int
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
            deleted_blobs=told.swept,
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
