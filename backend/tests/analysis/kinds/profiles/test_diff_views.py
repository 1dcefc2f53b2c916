"""What the page draws: the merged tree, the table of functions, lines."""

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from pydantic import TypeAdapter

from slowpath.analysis.formats.column_file import ColumnFile, read_columns
from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import compare_kind
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.decoded.profile_header import SampleType
from slowpath.analysis.kinds.profiles.estimates.profile_thresholds import DEFAULT_THRESHOLDS
from slowpath.analysis.kinds.profiles.sets.profile_sets import make_sets
from slowpath.analysis.kinds.profiles.stacks.granularities import Granularity
from slowpath.analysis.kinds.profiles.views import diff_tree
from slowpath.analysis.kinds.profiles.views.diff_header import DiffTreeHeader, Part
from slowpath.analysis.kinds.profiles.views.diff_views import DiffViewBuilder
from slowpath.analysis.kinds.profiles.views.row_significance import INSIDE_NOISE, MORE, ONLY_BASE, ONLY_CANDIDATE
from slowpath.analysis.kinds.profiles.views.stored_view import StoredView, strings_of
from tests.analysis.kinds.profiles.compare_helpers import compared
from tests.analysis.kinds.profiles.generated_profiles import TICK, artifact, at_times, runs, stacks, with_cpu

BASE = """
    main.main:1  main.main:1  main.main:2   main.main:1
    a/x.Serve:10 a/x.Serve:10 a/x.Serve:11  a/x.Old:5
    a/x.Work:20  a/x.Work:21  runtime.mallocgc:0 .
    300          200          100           80
"""
CANDIDATE = BASE.replace("200 ", "500 ").replace("a/x.Old:5", "a/x.New:6").replace(" 80", " 90")


def diff(
    part: Part = "all", granularity: Granularity = "function", base: str = BASE, candidate: str = CANDIDATE
) -> ColumnFile:
    view = compared(runs(base), runs(candidate, seed=2)).view("cpu", 0, granularity)
    columns = read_columns(view.diff_columns(part), "slowpath.diff")
    TypeAdapter(DiffTreeHeader).validate_json(json.dumps(columns.header), strict=True)
    return columns


def names(columns: ColumnFile, column: str = "node_name") -> list[str]:
    offsets, data = columns.arrays["strings_offset"], columns.arrays["strings_bytes"].tobytes()
    texts = [data[a:b].decode() for a, b in pairwise(offsets)]
    return [texts[i] for i in columns.arrays[column]]


def paths(columns: ColumnFile) -> dict[str, int]:
    """Row of each path, names joined by spaces."""
    found: dict[int, str] = {0: ""}
    for row, (parent, name) in enumerate(zip(columns.arrays["node_parent"].tolist(), names(columns), strict=True)):
        if row:
            found[row] = f"{found[parent]} {name}".strip()
    return {path: row for row, path in found.items()}


def test_totals_are_sums_of_own_values_and_the_root_has_them_all() -> None:
    columns = diff()
    a = columns.arrays
    for side in ("base", "candidate"):
        total = a[f"{side}_self"].copy()
        for row in range(len(total) - 1, 0, -1):
            total[a["node_parent"][row]] += total[row]
        np.testing.assert_allclose(total, a[f"{side}_total"])
        assert total[0] == columns.header[side]["total_raw"]


def test_states_distinguish_increased_new_and_vanished_rows() -> None:
    columns = diff()
    row, state = paths(columns), columns.arrays["state_per_request"]
    assert state[row["main.main a/x.Serve a/x.Work"]] == MORE
    assert state[row["main.main a/x.New"]] == ONLY_CANDIDATE
    assert state[row["main.main a/x.Old"]] == ONLY_BASE
    assert state[row["main.main a/x.Serve runtime.mallocgc"]] == INSIDE_NOISE
    work = row["main.main a/x.Serve a/x.Work"]
    assert 1 < columns.arrays["low_per_request"][work] < columns.arrays["high_per_request"][work]


def test_the_root_has_the_verdict_of_the_headline() -> None:
    """One planned question: what is too little for the many looks at all frames is enough for the whole."""
    ten = " ".join(f"a/x.F{number}" for number in range(10))
    base, candidate = runs(f"{ten}\n{'30 ' * 10}", 6), runs(f"{ten}\n{'37 ' * 10}", 6, seed=4)
    comparison = compared(at_times(with_cpu(base), 10), at_times(with_cpu(candidate), 20))
    assert [finding.subject for finding in comparison.findings] == ["total"]
    columns = read_columns(comparison.view("cpu", 0, "function").diff_columns(), "slowpath.diff")
    assert columns.arrays["state_per_request"][0] == MORE
    assert not columns.arrays["state_share"].any()


def test_every_frame_has_a_corrected_level_and_the_root_its_own() -> None:
    columns = diff()
    row, q = paths(columns), columns.arrays["q_per_request"]
    work, same = row["main.main a/x.Serve a/x.Work"], row["main.main a/x.Serve runtime.mallocgc"]
    assert q[work] < 1e-6
    assert q[same] > 0.05
    assert np.all((columns.arrays["state_per_request"] == INSIDE_NOISE) == (q > 0.01))
    # The total of shares is 1 on both sides, and is not in the family.
    assert columns.arrays["q_share"][0] == 1


def test_the_more_frames_are_tested_the_less_each_may_claim() -> None:
    many = " ".join(f"a/x.F{number}" for number in range(40))
    alone, among = (
        read_columns(
            compared(runs(f"a/x.Work {more}\n300 {counts}"), runs(f"a/x.Work {more}\n360 {counts}", seed=2))
            .view("cpu", 0, "function")
            .diff_columns(),
            "slowpath.diff",
        )
        for more, counts in (("", ""), (many, "300 " * 40))
    )
    assert among.arrays["q_per_request"][1] > 2 * alone.arrays["q_per_request"][1]


def test_frames_of_hardly_any_counts_are_not_tested() -> None:
    thin = compared(runs(BASE.replace(" 80", " 1"), 2), runs(CANDIDATE.replace(" 90", " 1"), 2, seed=2))
    columns = read_columns(thin.view("cpu", 0, "function").diff_columns(), "slowpath.diff")
    row, q = paths(columns), columns.arrays["q_per_request"]
    assert np.isnan([q[row["main.main a/x.Old"]], q[row["main.main a/x.New"]]]).all()
    assert columns.arrays["state_per_request"][row["main.main a/x.New"]] == INSIDE_NOISE


def test_frames_count_their_stacks() -> None:
    columns = diff()
    stacks = {path: int(columns.arrays["node_stacks"][row]) for path, row in paths(columns).items()}
    # Old and New are one stack each; the two lines of Work are one stack of functions.
    assert stacks[""] == stacks["main.main"] == 4
    assert stacks["main.main a/x.Serve"] == 2
    assert stacks["main.main a/x.Serve a/x.Work"] == stacks["main.main a/x.New"] == 1
    assert diff(granularity="line").arrays["node_stacks"][0] == 5


def test_equal_sets_are_wholly_grey() -> None:
    columns = diff(candidate=BASE)
    for basis in columns.header["normalizations"]:
        assert not columns.arrays[f"state_{basis['id']}"].any()


def test_children_follow_their_parent_the_largest_first() -> None:
    columns = diff()
    assert names(columns)[:3] == ["root", "main.main", "a/x.Serve"]
    assert columns.arrays["node_id"].tolist() == list(range(7))
    assert columns.arrays["node_size"][0] == 7


def test_displayed_values_are_raw_times_scale() -> None:
    columns = diff()
    per_request = next(basis for basis in columns.header["normalizations"] if basis["id"] == "per_request")
    assert per_request["unit"] == "us/request"
    cpu_us = columns.header["base"]["total_raw"] * per_request["base_scale"]
    assert cpu_us == pytest.approx(680 * TICK / 1e3 / 1000, rel=0.1)
    share = next(basis for basis in columns.header["normalizations"] if basis["id"] == "share")
    assert columns.header["base"]["total_raw"] * share["base_scale"] == pytest.approx(1)


def test_categories_and_runtime_frames() -> None:
    columns = diff()
    row = paths(columns)["main.main a/x.Serve runtime.mallocgc"]
    assert columns.header["categories"][columns.arrays["node_category"][row]] == "allocation"
    assert columns.arrays["node_runtime"].tolist().count(1) == 1


def test_the_first_part_and_the_rest_are_the_whole_and_hide_exactly_what_they_leave(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(diff_tree, "FIRST_NODES", 3)
    whole, first, rest = diff("all"), diff("first"), diff("rest")
    assert sorted([*first.arrays["node_id"], *rest.arrays["node_id"]]) == whole.arrays["node_id"].tolist()
    assert first.header["nodes_total"] == rest.header["nodes_total"] == 7
    for side in ("base", "candidate"):
        shown = first.arrays[f"{side}_self"] + first.arrays[f"hidden_{side}"]
        assert shown.sum() == pytest.approx(whole.header[side]["total_raw"])
    assert first.arrays["hidden_nodes"].sum() == 4
    assert not [name for name in whole.arrays if name.startswith("hidden_")]


def test_a_tree_too_large_to_grow_keeps_its_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diff_tree, "MOST_FRAMES", 1)
    monkeypatch.setattr(diff_tree, "MOST_NODES", 1)
    columns = diff()
    stored = StoredView(columns, strings_of(columns))
    a = read_columns(stored.subtree(0), "slowpath.diff").arrays
    assert len(a["node_id"]) == len(columns.arrays["node_id"]) < 7
    assert a["base_total"][0] == columns.header["base"]["total_raw"]
    assert (a["base_self"] + a["hidden_base"]).sum() == pytest.approx(columns.header["base"]["total_raw"])
    assert a["hidden_nodes"].sum() > 0
    children = np.flatnonzero(a["node_parent"] == 0)
    beneath = [read_columns(stored.subtree(int(row)), "slowpath.diff").arrays["node_id"] for row in children]
    assert np.concatenate(beneath).tolist() == list(range(1, len(a["node_id"])))


def test_packages_and_lines_are_drawn_too() -> None:
    packages = diff(granularity="package")
    assert set(names(packages)) == {"root", "main", "a/x", "runtime"}
    row = paths(packages)["main a/x runtime"]
    assert packages.header["categories"][packages.arrays["node_category"][row]] == "allocation"
    lines = diff(granularity="line")
    assert {"a/x.Work:20", "a/x.Work:21"} <= set(names(lines))


def test_the_table_of_functions() -> None:
    view = compared(runs(BASE), runs(CANDIDATE, seed=2)).view("cpu", 0, "function")
    columns = read_columns(view.function_columns(), "slowpath.functions")
    rows = {name: row for row, name in enumerate(names(columns, "name"))}
    assert set(rows) == {"main.main", "a/x.Serve", "a/x.Work", "runtime.mallocgc", "a/x.Old", "a/x.New"}
    work, serve = rows["a/x.Work"], rows["a/x.Serve"]
    assert columns.arrays["base_self"][serve] == 0
    assert columns.arrays["base_total"][serve] > columns.arrays["base_total"][work] > 0
    assert columns.arrays["state_per_request"][work] == MORE
    assert columns.arrays["self_state_per_request"][serve] == INSIDE_NOISE
    assert 0 <= columns.arrays["q_per_request"][work] < 1e-4
    assert names(columns, "file")[work].endswith(".go")


@pytest.mark.parametrize("profiles_per_run", [1, 3])
def test_a_finding_and_its_rows_state_one_interval(profiles_per_run: int) -> None:
    """Functions that vary more than usual widen the intervals, and so do the profiles within a run."""
    frames = f"{'main.main ' * 12}\n{' '.join(f'a/x.F{number}' for number in range(12))}"
    generator, sides = np.random.default_rng(1), list[list[ProfileArtifact]]()
    for seed in (100, 200):
        profiles = list[ProfileArtifact]()
        for number in range(12):
            means = generator.gamma(3.0, 30.0, 12).tolist()
            [profile] = runs(f"{frames}\n{' '.join(map(str, means))}", 1, seed=seed + number)
            run = f"{seed}/{number // profiles_per_run}"
            profiles.append(replace(profile, facts=replace(profile.facts, run=run)))
        sides.append(profiles)
    sets = make_sets(sides[0], sides[1], SampleType("cpu", "nanoseconds"))
    assert sets is not None
    comparison = compare_kind("cpu", sets, DEFAULT_THRESHOLDS)
    estimates = comparison.functions.estimates
    view = DiffViewBuilder(comparison).view(sets.sample_type, "function")
    tree = read_columns(view.diff_columns(), "slowpath.diff")
    table = read_columns(view.function_columns(), "slowpath.functions")
    for columns, column in ((tree, "node_name"), (table, "name")):
        for row, name in enumerate(names(columns, column)):
            if name.startswith("a/x."):
                low, high = (columns.arrays[f"{end}_{comparison.basis.id}"][row] for end in ("low", "high"))
                of_finding = comparison.functions.index(name)
                assert low == pytest.approx(estimates.low[of_finding], rel=1e-6)
                assert high == pytest.approx(estimates.high[of_finding], rel=1e-6)


def test_lines_of_functions_sorted_by_function_and_line() -> None:
    view = compared(runs(BASE), runs(CANDIDATE, seed=2)).view("cpu", 0, "function")
    columns = read_columns(view.line_columns(), "slowpath.lines")
    listed = list(zip(names(columns, "function"), columns.arrays["line"].tolist(), strict=True))
    assert listed == sorted(listed)
    assert ("a/x.Work", 20) in listed
    row = listed.index(("a/x.Serve", 10))
    assert columns.arrays["base_total"][row] > 0
    assert columns.arrays["base_self"][row] == 0


def test_every_sample_type_that_both_sides_have_can_be_seen() -> None:
    comparison = compared(runs(BASE), runs(CANDIDATE, seed=2))
    described = [(view.describe().sample_type.type, view.granularity) for view in comparison.views()]
    assert described[0] == ("cpu", "function")
    assert ("samples", "package") in described
    with pytest.raises(KeyError):
        comparison.view("heap", 0, "function")


def test_a_side_that_is_all_zero_can_be_drawn() -> None:
    empty = [artifact([(("main.main",), 0)])] * 2
    view = compared(empty, [artifact(stacks("main.main\n5"))] * 2).view("cpu", 0, "function")
    columns = read_columns(view.diff_columns("first"), "slowpath.diff")
    assert columns.header["base"]["total_raw"] == 0
    read_columns(view.function_columns(), "slowpath.functions")
