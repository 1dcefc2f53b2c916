"""Test inputs: span sets written span by span, or drawn by lot as a distributor that pushes to ingesters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.formats.column_file import pack_strings, write_columns
from slowpath.analysis.formats.column_sections import NONE
from slowpath.analysis.kinds.spans.span_artifact import SpanArtifact
from slowpath.analysis.kinds.spans.span_columns import CLIENT, INTERNAL, SERVER
from slowpath.analysis.kinds.spans.span_table import SpanTable

MS, US = 1_000_000, 1_000


@dataclass(frozen=True)
class Drawn:
    """A span; children are inside it. Times as given, skew as the decoder reports it."""

    op: str
    start: int
    end: int
    children: tuple["Drawn", ...] = ()
    service: str = "api"
    kind: int = INTERNAL
    status: int = 0
    flags: int = 0
    skew: int = 0
    is_async: bool = False
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass
class _Rows:
    texts: dict[str, int] = field(default_factory=lambda: {"": 0})
    spans: list[tuple[Drawn, int, int]] = field(default_factory=list)

    def text(self, text: str) -> int:
        return self.texts.setdefault(text, len(self.texts))

    def add(self, root: Drawn) -> None:
        stack = [(root, -1, 0)]
        while stack:
            span, parent, depth = stack.pop()
            row = len(self.spans)
            self.spans.append((span, parent, depth))
            ordered = sorted(span.children, key=lambda child: (child.start, -child.end))
            stack += [(child, row, depth + 1) for child in reversed(ordered)]


def buffer_of(traces: Sequence[Sequence[Drawn]]) -> bytes:
    """A decoded file of traces, each of which is one or more roots."""
    rows = _Rows()
    offsets = [0]
    for trace in traces:
        for root in sorted(trace, key=lambda span: (span.start, -span.end)):
            rows.add(root)
        offsets.append(len(rows.spans))
    spans = [span for span, _, _ in rows.spans]
    attributes = [(rows.text(k), rows.text(v)) for span in spans for k, v in span.attributes.items()]
    attr_offset = np.cumsum([0, *(len(span.attributes) for span in spans)])
    columns = {
        "service": np.array([rows.text(span.service) for span in spans], dtype=np.uint32),
        "instance": np.zeros(len(spans), dtype=np.uint32),
        "op": np.array([rows.text(span.op) for span in spans], dtype=np.uint32),
    }
    none = np.zeros(0, dtype=np.uint64)
    return write_columns(
        {"format": "slowpath.spans", "format_version": 1, "dialect": "drawn", "counts": {}, "warnings": []},
        {
            **pack_strings(list(rows.texts)),
            "trace_hi": np.zeros(len(traces), dtype=np.uint64),
            "trace_lo": np.arange(1, len(traces) + 1, dtype=np.uint64),
            "trace_offset": np.array(offsets, dtype=np.uint32),
            "span_id": np.arange(1, len(spans) + 1, dtype=np.uint64),
            "span_parent": np.array([NONE if p < 0 else p for _, p, _ in rows.spans], dtype=np.uint32),
            "span_depth": np.array([depth for _, _, depth in rows.spans], dtype=np.uint16),
            **{f"span_{name}": column for name, column in columns.items()},
            "span_kind": np.array([span.kind for span in spans], dtype=np.uint8),
            "span_start_ns": np.array([span.start for span in spans], dtype=np.int64),
            "span_end_ns": np.array([span.end for span in spans], dtype=np.int64),
            "span_skew_ns": np.array([span.skew for span in spans], dtype=np.int64),
            "span_status": np.array([span.status for span in spans], dtype=np.uint8),
            "span_flags": np.array([span.flags for span in spans], dtype=np.uint8),
            "span_async": np.array([span.is_async for span in spans], dtype=np.uint8),
            "attr_offset": attr_offset.astype(np.uint32),
            "attr_key": np.array([key for key, _ in attributes], dtype=np.uint32),
            "attr_value": np.array([value for _, value in attributes], dtype=np.uint32),
            "event_offset": np.zeros(len(spans) + 1, dtype=np.uint32),
            "event_time_ns": np.zeros(0, dtype=np.int64),
            "event_name": np.zeros(0, dtype=np.uint32),
            "link_offset": np.zeros(len(spans) + 1, dtype=np.uint32),
            "link_hi": none,
            "link_lo": none,
            "link_span": none,
        },
    )


def table_of(*traces: Sequence[Drawn]) -> SpanTable:
    """A decoded set of traces."""
    return SpanTable.parse(buffer_of(traces))


def artifact_of(*traces: Sequence[Drawn], name: str = "spans", facts: RunMetadata | None = None) -> SpanArtifact:
    """A set that can be compared."""
    return SpanArtifact(name, table_of(*traces), facts or RunMetadata())


@dataclass(frozen=True)
class Service:
    """How requests are: `calls` pushes at once after a gap (log-normal, median `gap_ns`); sets differ by `mood`."""

    calls: float = 3
    gap_ns: float = 400 * US
    gap_sigma: float = 0.5
    push_ns: float = 2 * MS
    work_ns: float = 800 * US
    mood: float = 0.1
    slow_tenant: float = 1.0


def request(service: Service, rng: Generator, start: int, factor: float) -> Drawn:
    """One push: decoding, a gap, `calls` clients with servers behind them, an end."""
    tenant = f"tenant-{rng.integers(5)}"
    slow = service.slow_tenant if tenant == "tenant-0" else 1.0
    at = start + int(rng.lognormal(np.log(100 * US), 0.3) * factor)
    work = Drawn("decode", at, at + int(rng.lognormal(np.log(service.work_ns), 0.2) * factor))
    at = work.end + int(rng.lognormal(np.log(service.gap_ns), service.gap_sigma) * factor * slow)
    calls = int(service.calls) + int(rng.random() < service.calls % 1)
    pushes = []
    for number in range(calls):
        begin = at + 10 * US * number
        lasts = int(rng.lognormal(np.log(service.push_ns), 0.4) * factor)
        server = Drawn("Push", begin + 100 * US, begin + 100 * US + lasts, (), f"ingester-{number}", SERVER)
        pushes.append(Drawn("Push", begin, server.end + 100 * US, (server,), "distributor", CLIENT))
    end = max([work.end, *(push.end for push in pushes)]) + int(rng.lognormal(np.log(50 * US), 0.3) * factor)
    children = (Drawn(work.op, work.start, work.end, (), "distributor"), *pushes)
    return Drawn("push", start, end, children, "distributor", SERVER, attributes={"tenant": tenant})


def drawn_set(service: Service, rng: Generator, traces: int = 300, name: str = "spans") -> SpanArtifact:
    """A set of so many requests, 20 ms apart, with a mood of its own."""
    factor = float(rng.lognormal(0, service.mood))
    return artifact_of(*([request(service, rng, 20 * MS * n, factor)] for n in range(traces)), name=name)
