"""Profiles as they were uploaded: only they have the addresses of stacks, which are read where an executable needs them."""

from collections.abc import Collection
from contextlib import ExitStack
from pathlib import Path
from uuid import UUID

from slowpath.evidence.artifacts.service import artifact_ingest
from slowpath.evidence.profiles.service import profiles
from slowpath_worker.job_context import JobContext


def open_recorded(
    context: JobContext, stack: ExitStack, build_id: str, kind: str, artifact_ids: Collection[UUID]
) -> list[Path]:
    """Open the files of profiles of a kind, among artifacts, that are of the program with a build ID."""
    with context.reading() as session:
        found = profiles.list_of_build_id(session, build_id, kind, artifact_ids)
        keys = [artifact_ingest.original_key(context.team_id, artifact.sha256) for artifact, _ in found]
    return [stack.enter_context(context.blobs.local(key)) for key in keys]
