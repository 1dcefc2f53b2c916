"""Samples are selected by label, and the values of labels are listed with their shares."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowpath.analysis.formats.column_file import ColumnFileError, write_columns
from slowpath.analysis.kinds.profiles.decoded.label_values import (
    MOST_VALUES,
    LabelMatcher,
    LabelValue,
    list_label_values,
    select_samples,
)
from slowpath.analysis.kinds.profiles.decoded.profile_header import SampleType
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable, read_profile_columns
from slowpath.analysis.kinds.profiles.stacks.distinct_stacks import unite_line_stacks, unite_stacks
from tests.analysis.kinds.profiles.generated_profiles import TICK, file_of, labelled_stacks, table

PARCA = Path(__file__).parents[5] / "worker/decode/testdata/golden/parca-labels-cpu.slowcol"
CPU = SampleType("cpu", "nanoseconds")
DRAWING = """
    main          main                     main                     main
    serve         serve                    serve                    idle
    decode        decode                   write                    .
    endpoint=/a   endpoint=/b,tenant=acme  endpoint=/a,tenant=acme  .
    4             3                        2                        1
"""


def drawn(drawing: str = DRAWING) -> ProfileTable:
    """The profile of a labelled drawing."""
    samples, labels = labelled_stacks(drawing)
    return table(samples, labels=labels)


def described(profile: ProfileTable) -> dict[str, int]:
    """Ticks by stack, `a;b;c`."""
    stacks = unite_stacks([profile])
    [(where, values)] = stacks.values([profile], [0])
    frames = stacks.frames
    return {
        ";".join(stacks.labels[row].name for row in frames.label[frames.start[at] : frames.start[at + 1]]): round(value)
        for at, value in zip(where.tolist(), values.tolist(), strict=True)
    }


@pytest.mark.parametrize(
    ("matchers", "expected"),
    [
        ([LabelMatcher("endpoint", "/a")], {"main;serve;decode": 4, "main;serve;write": 2}),
        ([LabelMatcher("endpoint", "/a"), LabelMatcher("tenant", "acme")], {"main;serve;write": 2}),
        (
            [LabelMatcher("endpoint", "/a"), LabelMatcher("tenant", "acme"), LabelMatcher("endpoint", "/b")],
            {"main;serve;decode": 3, "main;serve;write": 2},
        ),
        (
            [LabelMatcher("endpoint", "/b"), LabelMatcher("endpoint", None)],
            {"main;serve;decode": 3, "main;idle": 1},
        ),
        ([LabelMatcher("tenant", None)], {"main;serve;decode": 4, "main;idle": 1}),
        ([LabelMatcher("endpoint", "/c")], {}),
        ([LabelMatcher("unknown", None)], {"main;serve;decode": 7, "main;serve;write": 2, "main;idle": 1}),
        ([], {"main;serve;decode": 7, "main;serve;write": 2, "main;idle": 1}),
    ],
)
def test_samples_that_match_one_value_of_each_key_stay(matchers: list[LabelMatcher], expected: dict[str, int]) -> None:
    assert described(select_samples(drawn(), matchers)) == expected


def test_a_profile_without_labels_has_only_samples_without_the_key() -> None:
    plain = table([(("main", "serve"), 3)])
    assert select_samples(plain, [LabelMatcher("endpoint", None)]) is plain
    assert select_samples(plain, [LabelMatcher("endpoint", "/a")]).total(0) == 0


Drawn = tuple[tuple[str, ...], int, dict[str, str]]
names = st.lists(st.sampled_from(["f", "g", "h:1", "h:2"]), min_size=1, max_size=4).map(tuple)
sets_of_labels = st.dictionaries(st.sampled_from(["endpoint", "tenant"]), st.sampled_from(["/a", "/b"]))


@given(st.lists(st.tuples(names, st.integers(1, 5), sets_of_labels), min_size=1, max_size=12))
def test_a_selection_equals_a_profile_recorded_that_way(drawn_samples: Sequence[Drawn]) -> None:
    whole = table([(stack, n) for stack, n, _ in drawn_samples], labels=[labels for _, _, labels in drawn_samples])
    matching = [each for each in drawn_samples if each[2].get("endpoint") == "/a"]
    selected = select_samples(whole, [LabelMatcher("endpoint", "/a")])
    recorded = table([(stack, n) for stack, n, _ in matching])
    assert described(selected) == described(recorded)
    assert [selected.total(number) for number in (0, 1)] == [recorded.total(number) for number in (0, 1)]
    np.testing.assert_array_equal(selected.node_parent, recorded.node_parent)
    np.testing.assert_array_equal(selected.stacks.hash, recorded.stacks.hash)
    for name in ("parent", "line"):
        np.testing.assert_array_equal(getattr(selected.lines.nodes, name), getattr(recorded.lines.nodes, name))
    assert [selected.strings[int(key)] for key in selected.node_key] == [
        recorded.strings[int(key)] for key in recorded.node_key
    ]
    if matching:
        assert unite_line_stacks([selected]).frames.count == unite_line_stacks([recorded]).frames.count


def test_values_are_listed_with_their_share_largest_first() -> None:
    endpoint, tenant = list_label_values([drawn(), drawn()], CPU)
    assert (endpoint.key, endpoint.unit, endpoint.other_values) == ("endpoint", None, 0)
    assert endpoint.without_share == pytest.approx(0.1)
    assert endpoint.values == (LabelValue("/a", 12 * TICK, 0.6, 2), LabelValue("/b", 6 * TICK, 0.3, 2))
    assert (tenant.key, tenant.without_share) == ("tenant", 0.5)


def test_a_selection_lists_only_the_values_that_it_has() -> None:
    [endpoint, _] = list_label_values([select_samples(drawn(), [LabelMatcher("endpoint", "/b")])], CPU)
    assert endpoint.values == (LabelValue("/b", 3 * TICK, 1.0, 1),)


def test_numeric_labels_have_a_unit() -> None:
    profile = table([(("main",), 1), (("main",), 2)], labels=[{"bytes": "16 bytes"}, {"bytes": "4096 bytes"}])
    assert list_label_values([profile], CPU)[0].unit == "bytes"


def test_more_values_than_the_limit_are_counted() -> None:
    count = MOST_VALUES + 5
    profile = table([(("main",), 1)] * count, labels=[{"user": str(number)} for number in range(count)])
    [user] = list_label_values([profile], CPU)
    assert (len(user.values), user.other_values, user.without_share) == (MOST_VALUES, 5, 0.0)


def test_profiles_without_the_sample_type_do_not_count() -> None:
    heap = table([(("main",), 1)], types=[("inuse_space", "bytes")], ticks=[1], labels=[{"endpoint": "/a"}])
    assert list_label_values([heap], CPU) == ()


def test_labels_of_a_real_profile_are_read() -> None:
    """Of Parca's server, whose queries have the label `api`."""
    profile = ProfileTable.parse(PARCA.read_bytes())
    [api] = list_label_values([profile], profile.sample_types[0])
    assert (api.key, [(each.value, each.raw) for each in api.values]) == ("api", [("query", 14)])
    assert api.without_share == pytest.approx(159 / 173)
    assert select_samples(profile, [LabelMatcher("api", "query")]).total(0) == 14
    assert select_samples(profile, [LabelMatcher("api", None)]).total(0) == profile.total(0) - 14


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("sample_labelset", [0, 1], "columns of labels differ"),
        ("sample_labelset", [0, 1, 2, 9], "sample_labelset refers to 9 of 4"),
        ("labelset_offset", [0, 4, 2, 3, 5], "do not ascend"),
        ("labelset_label", [9, 0, 0, 0, 0], "labelset_label refers to 9 of 3"),
        ("label_key", [900, 0, 0], "label_key refers to 900"),
        ("label_value", [900, 0, 0], "label_value refers to 900"),
    ],
)
def test_damaged_labels_are_refused(column: str, values: list[int], message: str) -> None:
    samples, labels = labelled_stacks(DRAWING)
    read = read_profile_columns(file_of(samples, labels=labels))
    header = {name: value for name, value in read.header.items() if name != "columns"}
    with pytest.raises(ColumnFileError, match=message):
        ProfileTable.parse(write_columns(header, {**read.arrays, column: np.array(values, dtype=np.uint32)}))
