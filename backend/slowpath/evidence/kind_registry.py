"""The registry of stored artifact kinds: the table of each, the place of its blobs, and the limits of its retention."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import select

from slowpath.analysis.kinds import registry
from slowpath.analysis.kinds.artifact_kind import ArtifactKind
from slowpath.analysis.kinds.benchmarks.benchmark_page_document import BenchmarkPage
from slowpath.analysis.kinds.exec_traces.trace_page_document import TracePage
from slowpath.analysis.kinds.growth_logs.growth_page_document import GrowthPage
from slowpath.analysis.kinds.spans.spans_page_document import SpansPage
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ArtifactId, BlobKey, TeamId
from slowpath.evidence.benchmarks import service as benchmarks
from slowpath.evidence.benchmarks.tables import BenchmarkOutput
from slowpath.evidence.exec_traces.service import execution_traces
from slowpath.evidence.exec_traces.tables import ExecutionTrace
from slowpath.evidence.executables import service as executables
from slowpath.evidence.executables.tables import Executable
from slowpath.evidence.growth_logs.tables import GrowthLog
from slowpath.evidence.profiles.service import profiles
from slowpath.evidence.profiles.tables import Profile
from slowpath.evidence.spans.service import span_sets
from slowpath.evidence.spans.tables import SpanSet

PROFILES: Final = "profiles"
KindDocument = TracePage | SpansPage | GrowthPage | BenchmarkPage
"""The documents of the pages, one of each kind whose comparison has a page."""


@dataclass(frozen=True)
class StoredKind:
    """A kind whose columns are stored; limits of the retention are in days, None is unlimited."""

    kind: ArtifactKind
    table: Any
    """Mapped class with the artifact's ID as `id`, and the blob key of its columns as `columns_key`."""
    folder: str
    """Folder of a team with the decoded data."""
    blob_prefix: Callable[[TeamId, str], str]
    """Blob key of the decoded data of a file with this hash, or their folder, which is inside `folder`."""
    profile_keys: tuple[str, ...] = ()
    """Columns of the table with blob keys of stacks, which are stored as profiles."""
    default_days: int | None = None
    min_days: int = 1
    max_days: int = 3650


STORED_KINDS: Final[dict[str, StoredKind]] = {
    stored.kind.id: stored
    for stored in (
        StoredKind(registry.PROFILE, Profile, PROFILES, profiles.columns_key),
        StoredKind(
            registry.EXECUTION_TRACE,
            ExecutionTrace,
            "traces",
            execution_traces.folder,
            profile_keys=("cpu_key", "delays_key"),
        ),
        StoredKind(registry.SPAN_SET, SpanSet, "spans", span_sets.folder, profile_keys=("critical_key",)),
        StoredKind(registry.STACK_GROWTH, GrowthLog, PROFILES, profiles.columns_key),
        StoredKind(registry.BENCHMARK, BenchmarkOutput, "benchmarks", benchmarks.columns_key),
        StoredKind(registry.BINARY, Executable, "executables", executables.columns_key),
    )
}
"""By id, in the order of `ARTIFACT_KINDS`."""


def retained_kinds() -> dict[str, StoredKind]:
    """Return the kinds that have a retention of their own by the ids that artifacts are stored with, in display order."""
    return {stored_id: stored for stored in STORED_KINDS.values() for stored_id in stored.kind.measurements}


def blob_folders() -> set[str]:
    """Return the folders of a team with decoded data, whose blob keys contain the hash of the file."""
    return {stored.folder for stored in STORED_KINDS.values()}


def columns_keys(
    session: ReadSession, artifact_ids: Sequence[ArtifactId]
) -> Mapping[ArtifactId, Sequence[tuple[ArtifactKind, BlobKey]]]:
    """Return the blob keys of each artifact's columns with the kind they are read as; derived stacks are profiles."""
    found: dict[ArtifactId, list[tuple[ArtifactKind, BlobKey]]] = {artifact_id: [] for artifact_id in artifact_ids}
    for stored in STORED_KINDS.values():
        for row in session.scalars(select(stored.table).where(stored.table.id.in_(artifact_ids))):
            keys = found[ArtifactId(row.id)]
            keys.append((stored.kind, BlobKey(row.columns_key)))
            derived = (getattr(row, name) for name in stored.profile_keys)
            keys += [(registry.PROFILE, BlobKey(key)) for key in derived if key]
    return found
