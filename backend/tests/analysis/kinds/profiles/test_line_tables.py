"""Lines of functions: the runtime cost attributed to each, and which calls were inlined."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.formats.column_file import ColumnFileError, read_columns, write_columns
from slowpath.analysis.kinds.profiles.decoded.inlined_calls import InlinedCalls
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable, read_profile_columns
from slowpath.analysis.kinds.profiles.views import stored_view
from slowpath.analysis.kinds.profiles.views.stored_view import SourceLine, lines_of
from tests.analysis.kinds.profiles.compare_helpers import compared
from tests.analysis.kinds.profiles.generated_profiles import artifact, stacks

GOLDEN = Path(__file__).resolve().parents[5] / "worker" / "decode" / "testdata" / "golden"
BASE = """
    main.main:1      main.main:1      main.main:1         main.main:1
    a/x.Serve:10     a/x.Serve:11     a/x.Serve:11        a/x.Serve:12
    runtime.newobject:5 runtime.newobject:5 strings.Clone:3 a/x.Work:20
    runtime.mallocgc:9 runtime.mallocgc:9 runtime.mallocgc:9 .
    3                4                5                   6
"""


def lines(base: Sequence[ProfileArtifact], candidate: Sequence[ProfileArtifact], function: str) -> list[SourceLine]:
    return lines_of(compared(base, candidate).view("cpu", 0, "function").line_columns(), function)


def golden(name: str) -> ProfileTable:
    return ProfileTable.parse((GOLDEN / f"{name}.slowcol").read_bytes())


def test_runtime_cost_is_attributed_to_the_line_of_the_attributed_caller() -> None:
    base, candidate = [artifact(stacks(BASE))], [artifact(stacks(BASE.replace(" 5 ", " 9 ")))]
    found = {each.line: each for each in lines(base, candidate, "a/x.Serve")}
    tick = found[12].base_total / 6
    assert [(found[line].base_attributed, found[line].candidate_attributed) for line in (10, 11, 12)] == [
        (3 * tick, 3 * tick),
        (9 * tick, 13 * tick),
        (0, 0),
    ]
    (clone,) = lines(base, candidate, "strings.Clone")
    assert (clone.base_attributed, clone.base_total) == (0, 5 * tick)


@pytest.mark.parametrize("name", ["go-cpu-1.26", "go-heap-1.26", "go-sample-cpu"])
def test_lines_of_a_real_profile_add_up_to_the_attributed_cost_of_its_functions(name: str) -> None:
    table = golden(name)
    side = [ProfileArtifact("a", table, RunMetadata())]
    view = compared(side, side).view(table.kind, table.default_sample_type, "function")
    functions = read_columns(view.function_columns(), "slowpath.functions")
    by_line = read_columns(view.line_columns(), "slowpath.lines")
    texts = stored_view.strings_of(functions)
    listed = 0
    for row, attributed in enumerate(functions.arrays["base_attributed"].tolist()):
        function = texts[functions.arrays["name"][row]]
        of_lines = [
            each.base_attributed or 0.0 for each in lines_of(write_columns(by_line.header, by_line.arrays), function)
        ]
        assert sum(of_lines) == pytest.approx(attributed)
        listed += attributed > 0
    assert listed > 0


def test_inlined_calls_are_named_on_their_side() -> None:
    side = artifact(stacks(BASE))
    number = {side.table.strings[i]: i for i in range(len(side.table.strings))}
    calls = InlinedCalls(
        caller=np.array([number["a/x.Serve"]], dtype=np.uint32),
        line=np.array([12], dtype=np.int32),
        callee=np.array([number["a/x.Work"]], dtype=np.uint32),
    )
    inlined = replace(side, table=replace(side.table, inlined_calls=calls))
    found = {each.line: (each.base_inlined, each.candidate_inlined) for each in lines([inlined], [side], "a/x.Serve")}
    assert found == {10: ((), ()), 11: ((), ()), 12: (("a/x.Work",), ())}


def test_inlined_calls_of_a_real_profile() -> None:
    table = golden("go-cpu-1.26")
    assert table.inlined_calls is not None
    calls = {
        (table.strings[int(caller)], table.strings[int(callee)])
        for caller, callee in zip(table.inlined_calls.caller, table.inlined_calls.callee, strict=True)
    }
    assert ("compress/gzip.(*Writer).Write", "compress/flate.NewWriter") in calls


def test_columns_of_an_older_decoder_list_no_inlined_calls() -> None:
    read = read_profile_columns((GOLDEN / "go-cpu-1.26.slowcol").read_bytes())
    header = {name: value for name, value in read.header.items() if name != "columns"}
    older = {name: array for name, array in read.arrays.items() if not name.startswith("inlined_")}
    table = ProfileTable.parse(write_columns(header, older))
    assert table.inlined_calls is None
    side = [ProfileArtifact("a", table, RunMetadata())]
    older_lines = lines(side, side, "compress/gzip.(*Writer).Write")
    assert older_lines
    assert {each.base_inlined for each in older_lines} == {()}


def test_views_without_attributed_cost_and_inlined_calls_can_be_read() -> None:
    side = [artifact(stacks(BASE))]
    read = read_columns(compared(side, side).view("cpu", 0, "function").line_columns(), "slowpath.lines")
    older = {
        name: array
        for name, array in read.arrays.items()
        if not name.startswith("inlined_") and not name.endswith("_attributed")
    }
    header = {name: value for name, value in read.header.items() if name != "columns"}
    found = lines_of(write_columns(header, older), "a/x.Serve")
    assert [each.line for each in found] == [10, 11, 12]
    assert {(each.base_attributed, each.base_inlined) for each in found} == {(None, ())}


@pytest.mark.parametrize(
    ("column", "message"),
    [("inlined_line", "columns of inlined calls differ"), ("inlined_callee", "an inlined call refers to string")],
)
def test_damaged_inlined_calls_are_refused(column: str, message: str) -> None:
    read = read_profile_columns((GOLDEN / "go-cpu-1.26.slowcol").read_bytes())
    header = {name: value for name, value in read.header.items() if name != "columns"}
    array = read.arrays[column]
    damaged = array[1:] if column == "inlined_line" else array + np.uint32(1 << 30)
    with pytest.raises(ColumnFileError, match=message):
        ProfileTable.parse(write_columns(header, {**read.arrays, column: damaged}))
