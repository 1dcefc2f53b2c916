"""A decoded span set is checked when it is read: damage is rejected with a reason, or harmless."""

import os
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from slowpath.analysis.formats.column_file import ColumnFileError, read_columns, write_columns
from slowpath.analysis.kinds.spans.span_table import SpanTable
from tests.analysis.kinds.spans.generated_spans import Drawn, buffer_of, table_of

ROOT = Path(__file__).resolve().parents[5]
GOLDEN = ROOT / "worker" / "decode" / "testdata" / "golden"
TRACE = [Drawn("a", 0, 100, (Drawn("b", 10, 20, (Drawn("c", 12, 14),)), Drawn("d", 30, 40)), attributes={"k": "v"})]


def changed(**columns: object) -> bytes:
    read = read_columns(buffer_of([TRACE, TRACE]), "slowpath.spans")
    arrays = {name: np.array(array) for name, array in read.arrays.items()}
    for name, change in columns.items():
        arrays[name] = np.array(change, dtype=arrays[name].dtype)
    header = {key: value for key, value in read.header.items() if key != "columns"}
    return write_columns(header, arrays)


def test_what_the_decoder_wrote_is_read() -> None:
    pushes = SpanTable.parse((GOLDEN / "spans-pushes.slowcol").read_bytes())
    assert (len(pushes), pushes.trace_count, pushes.dialect) == (96, 12, "otlp")
    assert pushes.counts["outside"] == 10
    assert pushes.trace_id(0) == "a545650cc5e38ffd8ab3a3082da12fde"
    assert pushes.find(pushes.trace_id(3)) == 3
    assert (pushes.service(0), pushes.op(0), int(pushes.duration_ns[0])) == ("distributor", "/api/v1/push", 4_234_451)
    shared = SpanTable.parse((GOLDEN / "spans-yelp.slowcol").read_bytes())
    assert shared.counts["shared"] == 3
    recorded = SpanTable.parse((GOLDEN / "spans-distributor.slowcol").read_bytes())
    assert ("service.version", "v3.0.0") in recorded.attributes_of(0)


@pytest.mark.parametrize("name", ["x", "-1", "", "f" * 33, "f" * 32])
def test_an_id_that_is_not_there_is_not_found(name: str) -> None:
    assert table_of(TRACE).find(name) is None


@pytest.mark.parametrize(
    ("slug", "columns"),
    [
        ("index-outside", {"span_op": [99] * 8}),
        ("index-outside", {"span_kind": [6] * 8}),
        ("index-outside", {"span_status": [3] * 8}),
        ("index-outside", {"attr_value": [99, 99]}),
        ("order-damaged", {"span_parent": [1, 0, 1, 0, 0xFFFFFFFF, 4, 5, 4]}),
        ("order-damaged", {"span_parent": [0xFFFFFFFF, 0, 1, 1, 0xFFFFFFFF, 4, 5, 4]}),
        ("order-damaged", {"span_parent": [0xFFFFFFFF, 0, 1, 0, 0, 4, 5, 4]}),
        ("order-damaged", {"span_depth": [0, 1, 2, 2, 0, 1, 2, 1]}),
        ("order-damaged", {"span_depth": [1, 1, 2, 1, 0, 1, 2, 1]}),
        ("order-damaged", {"trace_offset": [0, 5, 8]}),
        ("offsets-damaged", {"trace_offset": [0, 9, 8]}),
        ("offsets-damaged", {"attr_offset": [0, 1, 1, 1, 1, 2, 2, 2, 1]}),
        ("times-damaged", {"span_end_ns": [-0, 1, 2, 3, 4, 5, 6, 7]}),
        ("value-outside", {"span_start_ns": [-1, 10, 12, 30, 0, 10, 12, 30]}),
        ("length-differs", {"span_skew_ns": [0]}),
        ("length-differs", {"span_service": [0]}),
        ("length-differs", {"link_offset": [0]}),
    ],
)
def test_damage_is_refused_by_name(slug: str, columns: dict[str, object]) -> None:
    with pytest.raises(ColumnFileError) as refused:
        SpanTable.parse(changed(**columns))
    assert refused.value.slug == slug


def test_any_byte_may_be_wrong() -> None:
    whole = buffer_of([TRACE])
    rng = np.random.default_rng(int(os.environ.get("SLOWPATH_SEED", "5")))
    for _ in range(300):
        broken = bytearray(whole)
        broken[int(rng.integers(len(broken)))] ^= int(rng.integers(1, 256))
        with suppress(ColumnFileError):  # any other error fails the test
            SpanTable.parse(bytes(broken))


def test_one_trace_alone_is_a_table() -> None:
    table = table_of(TRACE, [Drawn("x", 5, 9, (Drawn("y", 6, 7),), attributes={"p": "q", "r": "s"})], TRACE)
    one = table.only(1)
    assert (len(one), one.trace_count, one.start_ns, one.end_ns) == (2, 1, 5, 9)
    assert one.parent.tolist() == [-1, 0]
    assert one.attributes_of(0) == [("p", "q"), ("r", "s")]
    assert one.trace_id(0) == table.trace_id(1)
