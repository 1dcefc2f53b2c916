"""Record and get decoded profiles and the blob keys of their columns."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any
from uuid import UUID

from sqlalchemy import select

from slowpath.analysis.kinds.profiles.decoded.profile_header import ProfileHeader
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ArtifactId, BlobKey, TeamId
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.evidence.profiles.tables import Profile

COLUMNS_VERSION = 1
"""Version of the decoder's format. It is part of the key, so columns of different versions are never mixed."""


def columns_key(team_id: TeamId, sha256: str) -> BlobKey:
    """Return the blob key of the columns of a file; equal bytes are decoded once per team."""
    return BlobKey(f"{team_id}/profiles/v{COLUMNS_VERSION}/{sha256[:2]}/{sha256}")


def record(
    session: WriteSession, artifact_id: ArtifactId, header: ProfileHeader, key: BlobKey, columns_bytes: int
) -> Profile:
    """Record a decoded profile from the header of its columns; decoding again replaces it."""
    profile = Profile(
        team_id=session.team_id,
        id=artifact_id,
        kind=header.kind,
        sample_types=[asdict(each) for each in header.sample_types],
        default_sample_type=header.default_sample_type,
        period=header.period,
        period_type=asdict(header.period_type),
        time_ns=header.time_ns,
        duration_ns=header.duration_ns,
        mappings=[asdict(each) for each in header.mappings],
        counts={**asdict(header.counts), "truncated_samples": header.cut_samples},
        warnings=list(header.warnings),
        columns_key=key,
        columns_bytes=columns_bytes,
    )
    return session.merge(profile)


def list_build_ids(session: ReadSession, artifact_ids: Collection[UUID]) -> set[str]:
    """Return the build IDs of the programs that profiles are of: of each, that of the first mapping."""
    found = session.scalars(select(Profile.mappings).where(Profile.id.in_(artifact_ids)))
    return {str(mappings[0]["build_id"]) for mappings in found if mappings}


MOST_RECORDED = 20
"""Profiles of a build whose uploaded files are read for addresses."""


def list_of_build_id(
    session: ReadSession, build_id: str, kind: str | None = None, among: Collection[UUID] | None = None
) -> Sequence[tuple[Artifact, str]]:
    """Return the newest profiles of the program with a build ID, with their kinds, by ix_profile_mappings; at most 20.

    `kind`: those of one kind. `among`: those of these artifacts.
    """
    if not build_id:
        return []
    found = select(Artifact, Profile.kind).join(Profile, Profile.id == Artifact.id)
    found = found.where(Profile.mappings.contains([{"build_id": build_id}]))
    if kind is not None:
        found = found.where(Profile.kind == kind)
    if among is not None:
        found = found.where(Profile.id.in_(among))
    newest = found.order_by(Artifact.created_at.desc(), Artifact.id).limit(MOST_RECORDED)
    return [(artifact, of_kind) for artifact, of_kind in session.execute(newest)]


def summary(header: ProfileHeader, labels: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the summary of a profile for its artifact; `labels` are its largest ones, of `sum_largest_labels`."""
    return {
        "kind": header.kind,
        "sample_types": [asdict(each) for each in header.sample_types],
        "default_sample_type": header.default_sample_type,
        "time_ns": header.time_ns,
        "duration_ns": header.duration_ns,
        "period": header.period,
        "samples": header.counts.samples,
        "stacks": header.counts.stacks,
        "functions": header.counts.functions,
        "truncated_samples": header.cut_samples,
        "warnings": list(header.warnings),
        "labels": labels,
    }
