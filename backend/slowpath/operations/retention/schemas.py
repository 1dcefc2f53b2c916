"""Wire shapes of retention and usage."""

from dataclasses import asdict
from datetime import date
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, Field

from slowpath.operations.retention.rules import (
    AGES,
    MOST_RULES,
    NEARLY_FULL,
    ExpiryPreview,
    RetainedKind,
    StoredBytes,
    TeamUsage,
)
from slowpath.platform.http.request_types import JsonInt

MOST_DAYS_ON_WIRE = 100_000


class RetentionRuleIn(BaseModel):
    """New retention of one kind."""

    kind: Annotated[str, Field(max_length=40, examples=["profile.cpu"])]
    retention_days: Annotated[JsonInt, Field(ge=1, le=MOST_DAYS_ON_WIRE)] | None
    """Null means unlimited."""


class RetentionIn(BaseModel):
    """Changed retention rules; other kinds are unchanged."""

    rules: Annotated[list[RetentionRuleIn], Field(min_length=1, max_length=MOST_RULES)]


class RetentionRuleOut(BaseModel):
    """Retention of one kind, with its number of items (artifacts, reports, audit events, ...) and their size."""

    kind: str
    retention_days: int | None
    default_days: int | None
    min_days: int
    max_days: int
    can_be_unlimited: bool
    is_artifact_kind: bool
    item_count: int
    bytes: int
    oldest_at: AwareDatetime | None

    @classmethod
    def of(cls, one: RetainedKind) -> "RetentionRuleOut":
        """Return the wire shape of one kind."""
        return cls(
            kind=one.kind,
            retention_days=one.days,
            default_days=one.limits.default_days,
            min_days=one.limits.min_days,
            max_days=one.limits.max_days,
            can_be_unlimited=one.limits.can_be_unlimited,
            is_artifact_kind=one.limits.is_artifact_kind,
            item_count=one.files,
            bytes=one.size_bytes,
            oldest_at=one.oldest_at,
        )


class RetentionOut(BaseModel):
    """Retention rules of a team, one per kind."""

    rules: list[RetentionRuleOut]


class ExpiryPreviewOut(BaseModel):
    """Artifacts of a kind that would be deleted now, and expired ones retained because they are in use."""

    kind: str
    files: int
    bytes: int
    retained_artifacts: int
    retained_bytes: int


class RetentionPreviewOut(BaseModel):
    """Artifacts that would be deleted now, in total and by kind."""

    files: int
    bytes: int
    retained_artifacts: int
    kinds: list[ExpiryPreviewOut]

    @classmethod
    def of(cls, found: list[ExpiryPreview]) -> "RetentionPreviewOut":
        """Return the wire shape of a preview, with totals."""
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
    """Files and bytes of one kind or folder."""

    name: str
    files: int
    bytes: int


class ServiceStorageOut(BaseModel):
    """Files and bytes of a service; `service_id` is null for artifacts without a build."""

    service_id: UUID | None
    name: str | None
    files: int
    bytes: int


class AgeStorageOut(BaseModel):
    """Files and bytes up to an age in days; null is the last age group."""

    days: int | None
    files: int
    bytes: int


class UsageDayOut(BaseModel):
    """Usage on one day (UTC)."""

    day: date
    uploads: int
    upload_bytes: int
    samples: int
    jobs: int
    builds: int


class UsageLimit(BaseModel):
    """A limit set by the operator, and its current use."""

    resource: Literal["bytes", "series"]
    limit: int
    used: int
    state: Literal["ok", "near-limit", "reached"]

    @classmethod
    def of(cls, what: Literal["bytes", "series"], limit: int, used: int) -> "UsageLimit":
        """Return the wire shape of a limit with its state."""
        state: Literal["ok", "near-limit", "reached"] = "near-limit" if used >= NEARLY_FULL * limit else "ok"
        return cls(resource=what, limit=limit, used=used, state="reached" if used >= limit else state)


class UsageOut(BaseModel):
    """Storage and daily usage of a team."""

    files: int
    bytes: int
    kinds: list[StoredBytesOut]
    services: list[ServiceStorageOut]
    ages: list[AgeStorageOut]
    folders: list[StoredBytesOut]
    """Blobs by folder at the last count, including derived data."""
    counted_at: AwareDatetime | None
    deleted_blobs: int
    days: list[UsageDayOut]
    limits: list[UsageLimit]

    @classmethod
    def of(cls, usage: TeamUsage, limits: list[UsageLimit]) -> "UsageOut":
        """Return the wire shape of usage, largest first."""

        def largest(one: tuple[object, StoredBytes]) -> int:
            return -one[1].size_bytes

        return cls(
            files=usage.total.files,
            bytes=usage.total.size_bytes,
            kinds=[
                StoredBytesOut(name=kind, files=one.files, bytes=one.size_bytes)
                for kind, one in sorted(usage.kinds.items(), key=largest)
            ],
            services=[
                ServiceStorageOut(
                    service_id=service_id,
                    name=usage.service_names.get(service_id) if service_id else None,
                    files=one.files,
                    bytes=one.size_bytes,
                )
                for service_id, one in sorted(usage.services.items(), key=largest)
            ],
            ages=[
                AgeStorageOut(days=days, files=one.files, bytes=one.size_bytes)
                for days, one in zip((*AGES, None), usage.ages, strict=True)
            ],
            folders=[
                StoredBytesOut(name=name, files=both[0], bytes=both[1])
                for name, both in sorted(usage.folders.items(), key=lambda one: -one[1][1])
            ],
            counted_at=usage.counted_at,
            deleted_blobs=usage.deleted_blobs,
            days=[UsageDayOut(**asdict(day)) for day in usage.days],
            limits=limits,
        )
