"""The columns of a decoded span set by section: name, type, and the table they index."""

from dataclasses import dataclass
from typing import Annotated

from slowpath.analysis.formats.column_sections import I64, U8, U16, U32, U64, Column

# Span kinds, as OTLP numbers them.
UNSPECIFIED, INTERNAL, SERVER, CLIENT, PRODUCER, CONSUMER = range(6)
KINDS = ("unspecified", "internal", "server", "client", "producer", "consumer")
# Statuses.
UNSET, OK, ERROR = range(3)
STATUSES = ("unset", "ok", "error")
# Flags: what the decoder repaired, and how a span relates to its parent.
PARENT_MISSING, FOLLOWS_FROM, NEGATIVE_MENDED, OUTSIDE_PARENT, DUPLICATE_ID, CYCLE_CUT = 1, 2, 4, 8, 16, 32
FLAGS = {
    PARENT_MISSING: "parent missing",
    FOLLOWS_FROM: "follows from",
    NEGATIVE_MENDED: "negative duration",
    OUTSIDE_PARENT: "outside its parent",
    DUPLICATE_ID: "duplicate id",
    CYCLE_CUT: "cycle cut",
}


@dataclass(frozen=True)
class TraceColumns:
    """One row per trace: its 128-bit id in two halves."""

    hi: Annotated[U64, Column("u64")]
    lo: Annotated[U64, Column("u64")]


@dataclass(frozen=True)
class SpanColumns:
    """One row per span, by trace, parents before their children (preorder), siblings by start.

    Times are Unix nanoseconds, corrected for clock skew.
    """

    id: Annotated[U64, Column("u64")]
    parent: Annotated[U32, Column("u32", "spans", or_none=True)]
    depth: Annotated[U16, Column("u16")]
    service: Annotated[U32, Column("u32", "strings")]
    instance: Annotated[U32, Column("u32", "strings")]
    op: Annotated[U32, Column("u32", "strings")]
    kind: Annotated[U8, Column("u8", "kinds")]
    start_ns: Annotated[I64, Column("i64")]
    end_ns: Annotated[I64, Column("i64")]
    status: Annotated[U8, Column("u8", "statuses")]
    flags: Annotated[U8, Column("u8")]
    async_: Annotated[U8, Column("u8")]


@dataclass(frozen=True)
class AttributeColumns:
    """Keys and values of spans."""

    key: Annotated[U32, Column("u32", "strings")]
    value: Annotated[U32, Column("u32", "strings")]


@dataclass(frozen=True)
class EventColumns:
    """Events of spans."""

    time_ns: Annotated[I64, Column("i64")]
    name: Annotated[U32, Column("u32", "strings")]


@dataclass(frozen=True)
class LinkColumns:
    """Links of spans to spans of other traces."""

    hi: Annotated[U64, Column("u64")]
    lo: Annotated[U64, Column("u64")]
    span: Annotated[U64, Column("u64")]
