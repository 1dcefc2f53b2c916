"""Totals of the decoder equal the sums of the stacks, on its own golden files."""

import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.formats.column_file import ColumnFileError, write_columns
from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import compare_kind
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable, read_profile_columns
from slowpath.analysis.kinds.profiles.estimates.profile_thresholds import ProfileThresholds
from slowpath.analysis.kinds.profiles.sets.precomputed_totals import function_totals, line_totals, repeated_labels
from slowpath.analysis.kinds.profiles.sets.profile_sets import ProfileSets, make_sets
from slowpath.analysis.kinds.profiles.sets.stack_values import FunctionOccurrences, lay_out_stack_values, own_rows
from slowpath.analysis.kinds.profiles.stacks.distinct_stacks import unite_stacks
from slowpath.analysis.kinds.profiles.views.diff_view_tables import counted_lines
from slowpath.analysis.kinds.profiles.views.diff_views import DiffViewBuilder
from tests.analysis.kinds.profiles.test_verdict_corpus import DECODE

GOLDEN = Path(__file__).resolve().parents[5] / "worker" / "decode" / "testdata" / "golden"
NAMES = ("go-sample-cpu", "go-goroutine-1.21", "go-heap-1.26", "go-mutex-1.26", "parca-labels-cpu", "java-heap")


def table_of(name: str) -> ProfileTable:
    return ProfileTable.parse((GOLDEN / f"{name}.slowcol").read_bytes())


def without_summary(table: ProfileTable) -> ProfileTable:
    return replace(table, summary=None)


def sets_of(table: ProfileTable) -> ProfileSets:
    halved = replace(table, values=tuple(each // 2 + 1 for each in table.values), summary=None)
    sets = make_sets(
        [ProfileArtifact("a", table, RunMetadata())],
        [ProfileArtifact("b", halved if table.summary is None else table, RunMetadata())],
        table.sample_types[table.default_sample_type],
    )
    assert sets is not None
    return sets


@pytest.mark.parametrize("name", NAMES)
def test_distinct_stacks_are_those_of_the_samples(name: str) -> None:
    added, counted = table_of(name).stacks, without_summary(table_of(name)).stacks
    assert np.array_equal(added.node, counted.node)
    assert np.array_equal(added.hash, counted.hash)
    assert np.array_equal(added.depth, counted.depth)
    for mine, theirs in zip(added.values, counted.values, strict=True):
        assert np.array_equal(mine, theirs)


@pytest.mark.parametrize("name", NAMES)
def test_totals_of_functions_are_those_of_the_stacks(name: str) -> None:
    sets = sets_of(table_of(name))
    stacks = unite_stacks([a.table for a in sets.artifacts])
    added = function_totals(stacks, sets)
    assert added is not None
    measured = lay_out_stack_values(stacks, sets)
    assert np.array_equal(added, FunctionOccurrences.of(stacks.frames, len(stacks.labels)).rows(measured))
    own = own_rows(measured, stacks.frames, len(stacks.labels))
    names = sets.artifacts[0].table.summary
    assert names is not None
    rows = stacks.label_of_string[0][names.functions.key]
    assert np.array_equal(own[rows, 0], names.functions.own[sets.sample_type_of[0]].astype(float))


@pytest.mark.parametrize("name", NAMES)
def test_lines_are_those_of_the_stacks(name: str) -> None:
    sets = sets_of(table_of(name))
    comparison = compare_kind(sets.artifacts[0].table.kind, sets, ProfileThresholds())
    ground = DiffViewBuilder(comparison).view(sets.sample_type, "function").ground
    added, counted = line_totals(comparison.measured.stacks, sets), counted_lines(ground)
    assert added is not None
    stored = counted.label > 0
    assert np.array_equal(added.label, counted.label[stored])
    assert np.array_equal(added.line, counted.line[stored])
    assert np.array_equal(added.own, counted.own[stored])
    assert np.array_equal(added.total, counted.total[stored])


def test_stacks_put_back_are_counted_again() -> None:
    sets = sets_of(table_of("go-cpu-1.26"))
    assert sets.artifacts[0].table.cut_samples
    stacks = unite_stacks([a.table for a in sets.artifacts])
    assert function_totals(stacks, sets) is None
    assert line_totals(stacks, sets) is None


def test_other_values_have_no_summary() -> None:
    table = table_of("go-cpu-1.26")
    doubled = replace(table, values=tuple(each * 2 for each in table.values))
    assert doubled.sums is None
    assert np.array_equal(doubled.stacks.values[0], table.stacks.values[0] * 2)
    sets = sets_of(without_summary(table))
    stacks = unite_stacks([a.table for a in sets.artifacts])
    assert function_totals(stacks, sets) is None
    assert line_totals(stacks, sets) is None


def test_a_summary_that_does_not_fit_is_refused() -> None:
    read = read_profile_columns((GOLDEN / "go-cpu-1.26.slowcol").read_bytes())
    header = {name: value for name, value in read.header.items() if name != "columns"}
    for name, array, message in (
        ("stack_depth", read.arrays["stack_depth"][1:], "columns of stacks differ"),
        ("key_total_0", read.arrays["key_total_0"][1:], "columns of totals differ"),
        ("spot_line", read.arrays["spot_line"][1:], "columns of totals differ"),
        ("key_string", read.arrays["key_string"] + np.uint32(1 << 30), "a total refers to string"),
        ("stack_node", read.arrays["stack_node"] + np.uint32(1 << 30), "stack_node refers to"),
    ):
        with pytest.raises(ColumnFileError, match=message):
            ProfileTable.parse(write_columns(header, {**read.arrays, name: array}))


def test_a_brief_file_compares_like_the_whole() -> None:
    whole = read_profile_columns((GOLDEN / "go-cpu-1.26.slowcol").read_bytes())
    header = {name: value for name, value in whole.header.items() if name != "columns"}
    left = ("line_", "sample_", "value_", "spot_", "frame_", "label")
    brief = ProfileTable.parse(
        write_columns(header, {name: each for name, each in whole.arrays.items() if not name.startswith(left)})
    )
    assert brief.total(1) == table_of("go-cpu-1.26").total(1)
    rows = []
    for table in (brief, table_of("go-cpu-1.26")):
        sets = sets_of(table)
        rows.append(compare_kind("cpu", sets, ProfileThresholds()))
    assert np.array_equal(rows[0].functions.rows, rows[1].functions.rows)
    assert np.array_equal(rows[0].categories.rows, rows[1].categories.rows)
    sets = sets_of(brief)
    with pytest.raises(ColumnFileError, match="decoded without lines"):
        DiffViewBuilder(rows[0]).view(sets.sample_type, "line").diff_columns()


@pytest.mark.parametrize("name", NAMES)
def test_recursion_is_detected_from_the_totals(name: str) -> None:
    """Frames of functions that the totals call free of recursion repeat on no stack."""
    sets = sets_of(table_of(name))
    stacks = unite_stacks([a.table for a in sets.artifacts])
    suspects = repeated_labels(stacks, sets)
    sorted_ones = FunctionOccurrences.of(stacks.frames, len(stacks.labels)).first
    known = FunctionOccurrences.of(stacks.frames, len(stacks.labels), suspects).first
    assert (known is None) == (sorted_ones is None)
    if known is not None and sorted_ones is not None:
        assert np.array_equal(known, sorted_ones)


def test_recursion_of_a_generated_profile_is_detected_from_the_totals(tmp_path: Path) -> None:
    """A random call graph of few functions recurs often."""
    packed, out = tmp_path / "p.pb.gz", tmp_path / "p.col"
    subprocess.run([str(DECODE), "generate", "-samples", "300", "-functions", "60", str(packed)], check=True)
    subprocess.run([str(DECODE), "profile", "--brief", str(packed), str(out)], check=True)
    sets = sets_of(ProfileTable.parse(out.read_bytes()))
    only_read = replace(sets, artifacts=(sets.artifacts[0],) * 2)
    stacks = unite_stacks([a.table for a in only_read.artifacts])
    suspects = repeated_labels(stacks, only_read)
    assert suspects is not None
    assert 0 < int(suspects.sum()) < len(stacks.labels)
    sorted_ones = FunctionOccurrences.of(stacks.frames, len(stacks.labels)).first
    known = FunctionOccurrences.of(stacks.frames, len(stacks.labels), suspects).first
    assert known is not None
    assert sorted_ones is not None
    assert np.array_equal(known, sorted_ones)
