"""Profiles of one side: views, their summary and headline, attributed costs."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.formats.column_file import ColumnFile, read_columns
from slowpath.analysis.kinds.profiles.decoded.label_values import LabelMatcher
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable
from slowpath.analysis.kinds.profiles.sets.profile_kind_values import ProfileKindValues
from slowpath.analysis.kinds.profiles.stacks.granularities import GRANULARITIES, Granularity
from slowpath.analysis.kinds.profiles.views.attributed_costs import OWN_CODE
from slowpath.analysis.kinds.profiles.views.diff_views import DiffViewBuilder
from slowpath.analysis.kinds.profiles.views.profile_set_document import ProfileViewSummary
from slowpath.analysis.kinds.profiles.views.profile_set_views import describe_conditions, list_set_kinds, measure_set
from slowpath.analysis.kinds.profiles.views.profile_view_summary import summarize_view
from slowpath.analysis.kinds.profiles.views.row_significance import INSIDE_NOISE
from slowpath.analysis.kinds.profiles.views.stored_view import strings_of
from slowpath.units import Nanoseconds
from tests.analysis.kinds.profiles.compare_helpers import compared
from tests.analysis.kinds.profiles.generated_profiles import (
    SECOND,
    TICK,
    artifact,
    labelled_stacks,
    runs,
    stacks,
    table,
)

GOLDEN = Path(__file__).resolve().parents[5] / "worker" / "decode" / "testdata" / "golden"
FILES = sorted(
    each for each in GOLDEN.glob("*.slowcol") if each.name.startswith(("cpp", "go", "growth", "java", "parca"))
)
STACKS = """
    main.main          main.main          main.main    main.main         main.main
    ident.cloneBytes   ident.cloneBytes   ident.Sort   ident.Sort        .
    runtime.morestack  .                  .            runtime.mallocgc  .
    runtime.newstack   .                  .            .                 .
    runtime.copystack  .                  .            .                 .
    250                50                 400          150               150
"""


def drawn(drawing: str = STACKS, **metadata: int) -> ProfileArtifact:
    profile = artifact(stacks(drawing))
    return ProfileArtifact(profile.name, profile.table, RunMetadata.from_json(metadata))


def measured(
    artifacts: Sequence[ProfileArtifact], sample_type: str = "cpu", *matchers: LabelMatcher
) -> ProfileKindValues:
    values = measure_set(artifacts, artifacts[0].table.kind, sample_type, matchers)
    assert values is not None
    return values


def summarized(*artifacts: ProfileArtifact) -> ProfileViewSummary:
    return summarize_view(measured(artifacts), ())


def functions_of(values: ProfileKindValues, granularity: Granularity = "function") -> ColumnFile:
    view = DiffViewBuilder(values).view(values.sets.sample_type, granularity)
    return read_columns(view.function_columns(), "slowpath.functions")


def by_name(columns: ColumnFile, column: str) -> dict[str, float]:
    names = strings_of(columns)
    rows = zip(columns.arrays["name"].tolist(), columns.arrays[column].tolist(), strict=True)
    return {names[name]: value for name, value in rows}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_categories_table_and_tree_of_a_real_profile_have_the_same_total(path: Path) -> None:
    profile = ProfileArtifact(path.name, ProfileTable.parse(path.read_bytes()), RunMetadata())
    for kind in list_set_kinds([profile]):
        for sample_type in kind.sample_types:
            whole = summarize_view(measured([profile], sample_type.type), ())
            keys = [key for key in whole.labels if key.values][:2]
            choices: list[tuple[LabelMatcher, ...]] = [(), *((LabelMatcher(key.key, None),) for key in keys)]
            choices += [(LabelMatcher(key.key, key.values[0].value),) for key in keys]
            for matchers in choices:
                values = measured([profile], sample_type.type, *matchers)
                summary = summarize_view(values, matchers)
                for granularity in GRANULARITIES:
                    view = DiffViewBuilder(values).view(values.sets.sample_type, granularity)
                    tree = read_columns(view.diff_columns(), "slowpath.diff").arrays
                    in_table = (
                        read_columns(view.function_columns(), "slowpath.functions").arrays["candidate_self"].sum()
                    )
                    total = pytest.approx(summary.total.raw)
                    assert tree["candidate_total"][0] == total
                    assert sum(each.raw for each in summary.categories) == total
                    assert in_table + tree["candidate_self"][0] == total  # the root has stacks without a function
                    assert tree["base_total"].sum() == 0


def test_the_headline_names_the_largest_runtime_category_and_its_caller() -> None:
    summary = summarized(drawn(STACKS.replace("400", "100")))
    assert summary.headline == (
        "Stack growth takes 36% of CPU time, almost all of it attributed to `ident.cloneBytes`."
    )


def test_the_headline_names_a_function_whose_own_code_costs_more() -> None:
    assert summarized(drawn()).headline == "`ident.Sort` takes 40% of CPU time."


def test_a_profile_without_samples_says_so() -> None:
    empty = artifact([])
    assert summarized(empty).headline == "The profiles have no samples."
    assert summarize_view(measured([drawn()], "cpu", LabelMatcher("a", "b")), (LabelMatcher("a", "b"),)).headline == (
        "No sample matches the labels."
    )


def test_categories_have_their_callers_and_shares() -> None:
    summary = summarized(drawn())
    growth = next(each for each in summary.categories if each.category == "stack-growth")
    assert (growth.raw, growth.share) == (250 * TICK, 0.25)
    assert [(each.function, each.share) for each in growth.attributed_callers] == [("ident.cloneBytes", 1.0)]
    assert [each.raw for each in summary.categories] == sorted((each.raw for each in summary.categories), reverse=True)


def test_totals_are_per_second_and_per_request_where_known() -> None:
    total = summarized(drawn()).total
    assert (total.raw, total.per_second, total.cores) == (1000 * TICK, TICK * 100, 1.0)
    assert total.per_request is None
    known = summarized(drawn(requests=2000, wall_ns=10 * SECOND)).total
    assert known.per_request == 5_000_000
    implausible = summarized(drawn(requests=2, wall_ns=10 * SECOND))
    assert implausible.total.per_request is None
    assert [each.id for each in implausible.caveats] == ["load-implausible"]


def test_a_gauge_has_neither_rate() -> None:
    heap = table(stacks(STACKS), kind="heap", types=(("inuse_space", "bytes"),), ticks=(1024,))
    values = measured([ProfileArtifact("heap", heap, RunMetadata.from_json({"requests": 900}))] * 2, "inuse_space")
    assert [basis.id for basis in values.bases] == ["share", "mean"]
    total = summarize_view(values, ()).total
    assert (total.raw, total.per_second, total.per_request, total.cores) == (2 * 1000 * 1024, None, None, None)


def test_few_samples_are_a_caveat() -> None:
    assert summarized(drawn()).caveats == ()
    (caveat,) = summarized(drawn("main.main\n30")).caveats
    assert caveat.sentence == (
        "There are only 30 samples: a share of 10% is between 0% and 20.7%. Record for longer, or open more profiles."
    )


def test_attributed_cost_is_beside_self_cost() -> None:
    columns = functions_of(measured([drawn()]))
    self_value, attributed = by_name(columns, "candidate_self"), by_name(columns, "candidate_attributed")
    assert (self_value["ident.cloneBytes"], attributed["ident.cloneBytes"]) == (50 * TICK, 250 * TICK)
    assert (self_value["ident.Sort"], attributed["ident.Sort"]) == (400 * TICK, 150 * TICK)
    assert attributed["main.main"] == attributed["runtime.copystack"] == 0
    mostly, categories = by_name(columns, "mostly"), columns.header["categories"]
    assert categories[int(mostly["ident.cloneBytes"])] == "stack-growth"
    assert mostly["ident.Sort"] == mostly["main.main"] == OWN_CODE
    packages = functions_of(measured([drawn()]), "package")
    assert by_name(packages, "candidate_attributed")["ident"] == 400 * TICK
    assert by_name(functions_of(measured([drawn()]), "line"), "candidate_attributed")["ident.Sort"] == 150 * TICK


def test_attributed_costs_of_two_sides_are_tested() -> None:
    base, candidate = STACKS, STACKS.replace("250 ", "900 ")
    comparison = compared(runs(base), runs(candidate, seed=2))
    columns = read_columns(comparison.view("cpu", 0, "function").function_columns(), "slowpath.functions")
    basis = columns.header["default_normalization"]
    state = by_name(columns, f"own_state_{basis}")
    assert state["ident.cloneBytes"] != INSIDE_NOISE
    assert by_name(columns, f"self_state_{basis}")["ident.cloneBytes"] == INSIDE_NOISE
    low, high = (by_name(columns, f"own_{end}_{basis}")["ident.cloneBytes"] for end in ("low", "high"))
    assert 2 < low < 950 / 300 < high


def test_nothing_of_one_side_is_tested() -> None:
    columns = functions_of(measured(runs(STACKS)))
    for name, values in columns.arrays.items():
        if "state_" in name:
            assert not values.any(), name
        if name.startswith(("low_", "high_", "q_", "own_low", "self_high")):
            assert np.isnan(values).all(), name


def test_labels_of_several_profiles_are_matched() -> None:
    samples, labels = labelled_stacks("main.main main.main\nroute=/a route=/b\n30 70")
    profile = ProfileArtifact("a", table(samples, labels=labels), RunMetadata())
    other = drawn("main.main\n100")
    values = measured([profile, other], "cpu", LabelMatcher("route", "/a"))
    summary = summarize_view(values, (LabelMatcher("route", "/a"),))
    assert (summary.total.raw, summary.profiles) == (30 * TICK, 2)
    assert summary.total.per_second == 30 * TICK / 20  # the other was recorded for ten seconds, too


def test_labels_too_long_to_be_asked_for_are_not_listed() -> None:
    long = "k" * 65_536
    samples = stacks("main.main main.main\n30 70")
    labels = [{long: "a", "route": "/a"}, {"route": long}]
    summary = summarized(ProfileArtifact("a", table(samples, labels=labels), RunMetadata()))
    (route,) = summary.labels
    assert (route.key, [each.value for each in route.values], route.other_values) == ("route", ["/a"], 1)


def test_a_kind_lists_the_sample_types_that_all_profiles_have() -> None:
    first = table(stacks("a.F\n1"), types=(("samples", "count"), ("cpu", "nanoseconds")), ticks=(1, TICK))
    second = table(stacks("a.F\n1"), types=(("samples", "count"),), ticks=(1,), default_sample_type=0)
    artifacts = [ProfileArtifact(str(number), each, RunMetadata()) for number, each in enumerate((first, second))]
    (kind,) = list_set_kinds(artifacts)
    assert ([each.type for each in kind.sample_types], kind.default_sample_type, kind.artifacts) == (
        ["samples"],
        "samples",
        2,
    )
    assert measure_set(artifacts, "cpu", "no such type", ()) is None


def test_conditions_are_what_all_profiles_agree_on() -> None:
    def of(**metadata: object) -> ProfileArtifact:
        return ProfileArtifact("a", drawn().table, RunMetadata.from_json(metadata))

    found = describe_conditions(
        [of(go_version="go1.26", run="1", requests=10), of(go_version="go1.26", run="1", requests=10)]
    )
    assert (found.go_version, found.runs, found.requests) == ("go1.26", 1, 10)
    other = describe_conditions([of(go_version="go1.26", requests=10), of(go_version="go1.27")])
    assert (other.go_version, other.requests) == (None, None)


def test_two_snapshots_of_a_run_are_subtracted_and_say_so() -> None:
    def snapshot(time_ns: int, drawing: str) -> ProfileArtifact:
        types = (("alloc_space", "bytes"),)
        allocs = table(
            stacks(drawing),
            kind="allocs",
            types=types,
            ticks=(1024,),
            duration_ns=0,
            time_ns=Nanoseconds(time_ns),
            default_sample_type=0,
        )
        return ProfileArtifact("a", allocs, RunMetadata(run="1"))

    values = measured([snapshot(SECOND, "a.F\n100"), snapshot(3 * SECOND, "a.F\n300")], "alloc_space")
    summary = summarize_view(values, ())
    assert (summary.total.raw, summary.total.per_second) == (200 * 1024, 100 * 1024)
    assert "snapshots-subtracted" in {each.id for each in summary.caveats}
