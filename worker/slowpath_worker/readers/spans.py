"""Reader of span sets: stores columns, a page document, and critical paths as a profile."""

import gzip
from pathlib import Path

import numpy as np

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.formats.document_json import dump_document
from slowpath.analysis.kinds.registry import SPAN_SET
from slowpath.analysis.kinds.spans.critical_profile import critical_profile
from slowpath.analysis.kinds.spans.service_topology import edges_of
from slowpath.analysis.kinds.spans.span_artifact import SpanArtifact
from slowpath.analysis.kinds.spans.span_table import SpanTable
from slowpath.analysis.kinds.spans.spans_page import page_of_one
from slowpath.analysis.kinds.spans.trace_index import TraceIndex
from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import ArtifactId, BlobKey, EnvironmentId, ServiceId
from slowpath.evidence.spans.service import span_sets as spans
from slowpath.evidence.spans.service.span_sets import StoredSpanSet
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.errors import InvalidSlug
from slowpath.inventory.catalog.rules import CallEdge
from slowpath.inventory.catalog.service.deployments import DEFAULT_ENVIRONMENT
from slowpath_worker.decode_helper import DecodeHelper
from slowpath_worker.decode_limits import DecodeLimits
from slowpath_worker.job_context import JobContext
from slowpath_worker.readers.reader_types import DecodedArtifact, OriginalFile, mapped

GZIP_LEVEL = 5
ENVIRONMENT_KEYS = ("deployment.environment.name", "deployment.environment", "environment", "env")
"""Attributes with the environment of a span's service, the newest convention first."""


def read_spans(original: OriginalFile, helper: DecodeHelper, context: JobContext) -> DecodedArtifact:
    """Decode a set of spans; errors of single spans are corrected and counted."""
    columns = original.folder / "columns"
    helper.spans(original.path, columns, DecodeLimits.for_file(original.path, original.encoding, context.settings))
    context.progress("reading traces", 0.5)
    table = SpanTable.parse(mapped(columns))
    artifact = SpanArtifact(original.name, table, RunMetadata.from_json(original.facts))
    stored = _stored(artifact, columns, original, context)

    def record(session: WriteSession, artifact_id: ArtifactId) -> object:
        environment_id = _record_edges(session, artifact)
        return spans.record(session, artifact_id, table, stored, environment_id)

    return DecodedArtifact(kind=SPAN_SET.id, summary=spans.summary(table), record=record)


def _stored(artifact: SpanArtifact, columns: Path, original: OriginalFile, context: JobContext) -> StoredSpanSet:
    folder = spans.folder(context.team_id, original.sha256)

    def put(name: str, content: Path | bytes) -> BlobKey:
        key = BlobKey(f"{folder}/{name}")
        context.blobs.put(key, content)
        return key

    page = dump_document(page_of_one(artifact)).encode()
    critical = critical_profile(artifact.table)
    put("traces", TraceIndex.of(artifact.table).columns())
    context.progress("storing", 0.9)
    return StoredSpanSet(
        columns_key=put("columns", columns),
        columns_bytes=columns.stat().st_size,
        page_key=put("page", gzip.compress(page, GZIP_LEVEL, mtime=0)),
        critical_key=put("critical", critical) if len(artifact.table) else None,
    )


def _record_edges(session: WriteSession, artifact: SpanArtifact) -> EnvironmentId | None:
    """Record service edges in the catalog; services are created under the names in the spans."""
    try:
        environment = catalog.ensure_environment(session, _environment(artifact.table) or DEFAULT_ENVIRONMENT)
    except InvalidSlug:
        return None
    known: dict[str, ServiceId] = {}
    edges = []
    for edge in edges_of([artifact]):
        try:
            for name in (edge.caller, edge.callee):
                if name not in known:
                    known[name] = ServiceId(catalog.ensure_service(session, name).id)
        except InvalidSlug:
            continue  # names without letters are invalid in the catalog; the page of the span set shows them
        edges.append(CallEdge(known[edge.caller], known[edge.callee], edge.calls, edge.requests))
    environment_id = EnvironmentId(environment.id)
    catalog.record_edges(session, environment_id, edges, spans.moment(artifact.table.end_ns))
    return environment_id


def _environment(table: SpanTable) -> str | None:
    """Return the most frequent environment of the spans, or None."""
    named = {table.strings[int(number)]: number for number in np.unique(table.attributes.key)}
    for key in ENVIRONMENT_KEYS:
        if key in named:
            values = table.attributes.value[table.attributes.key == named[key]]
            return table.strings[int(np.bincount(values).argmax())]
    return None
