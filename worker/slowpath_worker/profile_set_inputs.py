"""Find the artifacts of a profile set in the database, and map their profiles into memory."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Final

from slowpath.analysis.findings.decoded_columns import DecodedColumns
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact, read_artifact
from slowpath.analysis.kinds.registry import PROFILE, STACK_GROWTH
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ArtifactId, BlobKey, ProfileSetId
from slowpath.evidence.artifacts.rules import ArtifactState
from slowpath.evidence.kind_registry import columns_keys
from slowpath.evidence.profiles.errors import NoProfiles
from slowpath.evidence.profiles.service import profile_sets
from slowpath_worker.job_context import JobContext, Postponed
from slowpath_worker.readers.reader_types import mapped

WITH_STACKS: Final = frozenset({PROFILE.id, STACK_GROWTH.id})
"""Kinds whose columns are read as a profile. Stacks of traces and spans are stored as profiles beside theirs."""


@dataclass(frozen=True)
class StoredProfile:
    """The columns of one profile: those of a file, or the stacks of a trace, of spans or of a growth log."""

    artifact_id: ArtifactId
    name: str
    facts: RunMetadata
    key: BlobKey


def find_set_profiles(session: ReadSession, set_id: ProfileSetId) -> list[StoredProfile]:
    """Return the profiles of a set. Raises `Postponed` while artifacts are decoded, `NoProfiles`."""
    rows = profile_sets.list_set_artifacts(session, set_id)
    if any(row.state in (ArtifactState.RECEIVED, ArtifactState.DECODING) for row in rows):
        raise Postponed
    keys = columns_keys(session, [ArtifactId(row.id) for row in rows])
    found = [
        StoredProfile(ArtifactId(row.id), row.name, RunMetadata.from_json(row.run_metadata), key)
        for row in rows
        for kind, key in keys[ArtifactId(row.id)]
        if kind.id in WITH_STACKS
    ]
    if not found:
        raise NoProfiles(
            "No artifact of the set has profiles or stacks.", remedy="See the errors of the artifacts, or open others."
        )
    return found


@contextmanager
def open_profiles(context: JobContext, stored: Sequence[StoredProfile]) -> Iterator[list[ProfileArtifact]]:
    """Open profiles with their columns mapped into memory; they were validated when they were decoded."""
    with ExitStack() as stack:
        artifacts = []
        for number, each in enumerate(stored):
            context.progress(f"loading {len(stored)} profiles", 0.1 * number / len(stored))
            columns = mapped(stack.enter_context(context.blobs.local(each.key)))
            source = DecodedColumns(each.name, columns, each.facts, str(each.artifact_id), is_validated=True)
            artifacts.append(read_artifact(source))
        yield artifacts
