"""Measure decoded artifacts of a build, or of one measurement window of a probe."""

import mmap
from collections.abc import Sequence
from contextlib import ExitStack

from slowpath.analysis.findings.build_measurements import KindMeasurement
from slowpath.analysis.findings.decoded_columns import DecodedColumns
from slowpath.analysis.kinds.registry import kind_of
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ArtifactId, BlobKey
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.evidence.kind_registry import columns_keys
from slowpath.verdicts.regressions.service.build_measurements import PendingBuildMeasurement
from slowpath_worker.job_context import JobContext


def find_columns_keys(session: ReadSession, artifacts: Sequence[Artifact]) -> dict[ArtifactId, BlobKey]:
    """Return the blob key of each artifact's columns."""
    keys = columns_keys(session, [ArtifactId(row.id) for row in artifacts])
    kinds = {ArtifactId(row.id): kind_of(row.kind) for row in artifacts}
    return {one: key for one, of_kinds in keys.items() for kind, key in of_kinds if kind is kinds[one]}


def measure_artifacts(
    pending: PendingBuildMeasurement, columns: Sequence[memoryview], max_functions: int
) -> Sequence[KindMeasurement]:
    """Measure artifacts of one kind; `columns` has the columns of each artifact."""
    kind = kind_of(pending.kind)
    assert kind is not None
    assert kind.read_artifact is not None
    assert kind.measure_build is not None
    artifacts = [
        kind.read_artifact(DecodedColumns(row.name, each, facts, is_validated=True))
        for row, each, facts in zip(pending.artifacts, columns, pending.facts, strict=True)
    ]
    return kind.measure_build(pending.kind, artifacts, max_functions)


def map_blob(context: JobContext, key: BlobKey, stack: ExitStack) -> memoryview:
    """Map a blob into memory, without reading it, until the stack is closed."""
    path = stack.enter_context(context.blobs.local(key))
    with path.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
