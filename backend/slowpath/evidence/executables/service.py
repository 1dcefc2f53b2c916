"""Record and find decoded Go executables and the blob keys of their columns."""

from collections.abc import Collection, Sequence

from sqlalchemy import select

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.formats.executable_header import ExecutableHeader
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.errors import NotFound
from slowpath.core.ids import ArtifactId, BlobKey, BuildId, TeamId
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.evidence.executables.tables import Executable
from slowpath.inventory.catalog.tables import Build

COLUMNS_VERSION = 1
"""Version of the decoder's format; it is part of the key."""


def columns_key(team_id: TeamId, sha256: str) -> BlobKey:
    """Return the blob key of the columns of a file."""
    return BlobKey(f"{team_id}/executables/v{COLUMNS_VERSION}/{sha256[:2]}/{sha256}")


def record(
    session: WriteSession, artifact_id: ArtifactId, header: ExecutableHeader, key: BlobKey, columns_bytes: int
) -> Executable:
    """Record a decoded executable from the header of its columns; decoding again replaces it."""
    executable = Executable(
        team_id=session.team_id,
        id=artifact_id,
        build_id=header.build_id,
        arch=header.arch,
        functions=header.functions,
        inlined=header.inlined,
        calls=header.calls,
        damaged=header.damaged,
        columns_key=key,
        columns_bytes=columns_bytes,
    )
    return session.merge(executable)


def get_executable(session: ReadSession, artifact_id: ArtifactId) -> Executable:
    """Return the executable of an artifact, by primary key. Raises `NotFound`."""
    row = session.get(Executable, (session.team_id, artifact_id))
    if row is None:
        raise NotFound("No functions of this artifact are stored.")
    return row


def list_by_build_ids(session: ReadSession, build_ids: Collection[str]) -> Sequence[Executable]:
    """Return the executables with these build IDs (the IDs that profiles name), newest first, by ix_executable_build_id."""
    wanted = [build_id for build_id in build_ids if build_id]
    found = select(Executable).where(Executable.build_id.in_(wanted))
    return session.scalars(found.order_by(Executable.created_at.desc(), Executable.id)).all()


def list_by_builds(session: ReadSession, builds: Collection[BuildId]) -> Sequence[Executable]:
    """Return the executables of builds, newest first, by ix_artifact_build."""
    found = select(Executable).join(Artifact, Artifact.id == Executable.id).where(Artifact.build_id.in_(builds))
    return session.scalars(found.order_by(Executable.created_at.desc(), Executable.id)).all()


def list_of_services(session: ReadSession, builds: Collection[BuildId], limit: int) -> Sequence[Executable]:
    """Return the newest executables of the services that builds are of, newest first, by ix_artifact_build."""
    services = select(Build.service_id).where(Build.id.in_(builds))
    of_services = select(Build.id).where(Build.service_id.in_(services))
    found = select(Executable).join(Artifact, Artifact.id == Executable.id).where(Artifact.build_id.in_(of_services))
    return session.scalars(found.order_by(Executable.created_at.desc(), Executable.id).limit(limit)).all()


def find_pgo_sha256(session: ReadSession, artifact_id: ArtifactId) -> str | None:
    """Return the SHA-256 of the PGO profile that an executable was built with, from its run metadata; None if unknown."""
    artifact = session.get(Artifact, (session.team_id, artifact_id))
    return RunMetadata.from_json(artifact.run_metadata).pgo_sha256 if artifact is not None else None
