"""A set of spans becomes columns, a page of its own, and its critical paths as a profile."""

import gzip
import json
from pathlib import Path

import numpy as np

from slowpath.analysis.facts import Facts
from slowpath.analysis.spans.artifact import SpanArtifact
from slowpath.analysis.spans.critical_profile import critical_profile
from slowpath.analysis.spans.page import page_of_one
from slowpath.analysis.spans.span_table import SpanTable
from slowpath.analysis.spans.topology import edges_of
from slowpath.analysis.spans.trace_index import TraceIndex
from slowpath.catalog import service as catalog
from slowpath.catalog.errors import NotASlug
from slowpath.catalog.rules import Edge
from slowpath.catalog.service.deploys import DEFAULT_ENVIRONMENT
from slowpath.core.ids import ArtifactId, BlobKey, EnvironmentId, ServiceId
from slowpath.core.sessions import WriteSession
from slowpath.spans.service import reading as spans
from slowpath.spans.service.reading import StoredSpans
from slowpath_worker.context import Context
from slowpath_worker.decoding import DecodeHelper, Limits
from slowpath_worker.readers.reading import Decoded, Original, mapped

GZIP_LEVEL = 5
ENVIRONMENT_KEYS = ("deployment.environment.name", "deployment.environment", "environment", "env")
"""Attributes that say where a span's service runs, the newest convention first."""


def read_spans(original: Original, helper: DecodeHelper, context: Context) -> Decoded:
    """Decode a set of spans; what is wrong with single spans is mended and counted."""
    columns = original.folder / "columns"
    helper.spans(original.path, columns, Limits.for_file(original.path, original.encoding, context.settings))
    context.progress("reading traces", 0.5)
    table = SpanTable.parse(mapped(columns))
    artifact = SpanArtifact(original.name, table, Facts.from_json(original.facts))
    stored = _stored(artifact, columns, original, context)

    def record(session: WriteSession, artifact_id: ArtifactId) -> object:
        environment_id = _record_edges(session, artifact)
        return spans.record(session, artifact_id, table, stored, environment_id)

    return Decoded(kind="spans", summary=spans.summary(table), record=record)


def _stored(artifact: SpanArtifact, columns: Path, original: Original, context: Context) -> StoredSpans:
    folder = spans.folder(context.team_id, original.sha256)

    def put(name: str, content: Path | bytes) -> BlobKey:
        key = BlobKey(f"{folder}/{name}")
        context.blobs.put(key, content)
        return key

    page = json.dumps(page_of_one(artifact), ensure_ascii=False, allow_nan=False).encode()
    critical = critical_profile(artifact.table)
    put("traces", TraceIndex.of(artifact.table).columns())
    context.progress("storing", 0.9)
    return StoredSpans(
        columns_key=put("columns", columns),
        columns_bytes=columns.stat().st_size,
        page_key=put("page", gzip.compress(page, GZIP_LEVEL, mtime=0)),
        critical_key=put("critical", critical) if len(artifact.table) else None,
    )


def _record_edges(session: WriteSession, artifact: SpanArtifact) -> EnvironmentId | None:
    """Tell the catalog who calls whom: services are made known as the spans name them."""
    try:
        environment = catalog.ensure_environment(session, _environment(artifact.table) or DEFAULT_ENVIRONMENT)
    except NotASlug:
        return None
    known: dict[str, ServiceId] = {}
    edges = []
    for edge in edges_of([artifact]):
        try:
            for name in (edge.caller, edge.callee):
                if name not in known:
                    known[name] = ServiceId(catalog.ensure_service(session, name).id)
        except NotASlug:
            continue  # a name without a letter has no place in the catalog; the page of the set shows it
        edges.append(Edge(known[edge.caller], known[edge.callee], edge.calls, edge.requests))
    environment_id = EnvironmentId(environment.id)
    catalog.record_edges(session, environment_id, edges, spans.moment(artifact.table.end_ns))
    return environment_id


def _environment(table: SpanTable) -> str | None:
    """Return the environment that most spans name."""
    named = {table.strings[int(number)]: number for number in np.unique(table.attributes.key)}
    for key in ENVIRONMENT_KEYS:
        if key in named:
            values = table.attributes.value[table.attributes.key == named[key]]
            return table.strings[int(np.bincount(values).argmax())]
    return None
