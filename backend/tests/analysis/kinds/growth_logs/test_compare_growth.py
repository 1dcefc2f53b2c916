"""Comparisons of growth logs: the documented example, caveats, cost shifts, and no finding where nothing changed."""

import json

import numpy as np
import pytest

from slowpath.analysis.formats.document_json import dump_document
from slowpath.analysis.kinds.growth_logs.compare_growth import GrowthComparison, compare_growth
from slowpath.analysis.kinds.growth_logs.growth_artifact import GrowthArtifact
from slowpath.analysis.kinds.growth_logs.growth_page import GrowthSet, sets_table
from slowpath.analysis.kinds.growth_logs.growth_thresholds import DEFAULT_GROWTH_THRESHOLDS
from tests.analysis.documents import as_json
from tests.analysis.kinds.growth_logs.growth_log_samples import drawn, golden, log, table

CLONE, SERVE, DECODE = (
    ("main.serve;main.write;main.clone", 4_096),
    ("main.serve", 2_048),
    ("main.serve;main.decode", 2_048),
)


def _caveat_ids(comparison: GrowthComparison) -> set[str]:
    return {caveat.id for caveat in comparison.caveats}


def _runs(counts: dict[tuple[str, int], int], *more: GrowthArtifact) -> list[GrowthArtifact]:
    return [log(table(counts), f"{number}.log") for number in range(3)] + list(more)


def test_the_example_names_the_helper_and_what_it_costs() -> None:
    comparison = compare_growth([golden("inlined")], [golden("helper")])
    total, clone = comparison.findings[:2]
    assert (total.kind, total.subject, total.direction, total.normalization, total.unit) == (
        "growth.count",
        "total",
        "worse",
        "per_request",
        "count/request",
    )
    assert total.change.ratio == pytest.approx(99_724 / 57_249)
    assert total.sentence == (
        "Goroutine stacks grow more often: 2.00 times per request instead of 1.15 (×1.74, 1.45 to 2.10), from 4 KiB to 8 KiB, "
        "attributed to ident.cloneBytes."
    )
    assert clone.subject == "ingester/ident.cloneBytes"
    assert clone.change.ratio is None
    assert clone.change.ci_of == "difference"
    assert clone.sentence.startswith(
        "ident.cloneBytes makes stacks grow more often: 0.983 times per request instead of never, from 4 KiB"
    )
    assert "inlinable" in clone.advice
    assert clone.attributed_callers[0].path[-1] == "ingester/ident.cloneBytes"
    assert [part.subject for part in total.contributions] == ["4 KiB to 8 KiB"]
    assert not total.is_significant
    assert total.profiles_needed == 1
    assert comparison.verdict == "inconclusive"
    assert _caveat_ids(comparison) == {"growth-single-log"}


def test_the_pool_makes_it_better() -> None:
    comparison = compare_growth([golden("helper"), golden("helper")], [golden("pool"), golden("pool")])
    assert comparison.verdict == "improved"
    assert comparison.findings[0].sentence.startswith(
        "Goroutine stacks grow less often: 0.0259 times per request instead of 2.00 (×0.0129,"
    )
    assert all(finding.is_significant and finding.direction == "better" for finding in comparison.findings)


def _folded(sampled: int, name: str) -> GrowthArtifact:
    made = table({CLONE: sampled - sampled // 5, SERVE: sampled // 5}, dialect="folded", start_bytes=None)
    return log(made, name, requests=None)


def test_the_table_of_the_story() -> None:
    """15,685 with the regression, 3,465 with the fix, 171 with the pool: sampled counts over two minutes each."""
    sets = [GrowthSet(name, (_folded(n, name),)) for name, n in (("regression", 15_685), ("fix", 3_465), ("pool", 171))]
    rows = as_json(sets_table([GrowthSet("empty", ()), *sets], DEFAULT_GROWTH_THRESHOLDS))
    assert [(row["label"], row["sampled"], row["estimated_growths"], row["total"]) for row in rows] == [
        ("regression", 15_685, 15_685_000, None),
        ("fix", 3_465, 3_465_000, None),
        ("pool", 171, 171_000, None),
    ]
    assert rows[0]["per_second"] == pytest.approx(15_685_000 / 120)
    assert rows[0]["per_request"] is None
    assert (rows[0]["attributed_caller"], rows[0]["old_bytes"], rows[0]["share"]) == (
        "main.clone",
        4_096,
        pytest.approx(0.8),
    )
    assert [round(row["ratio"], 4) for row in rows] == [1, 0.2209, 0.0109]
    assert rows[1]["ratio_low"] < 0.2209 < rows[1]["ratio_high"] < 0.5
    for row in rows:
        assert row["low"] < row["estimated_growths"] < row["high"]
        assert row["high"] / row["low"] < 1.5
    json.dumps(rows, allow_nan=False)


def test_one_log_a_side_of_the_example_is_tentative_with_a_reason() -> None:
    comparison = compare_growth([_folded(3_465, "fix")], [_folded(15_685, "regression")])
    assert [finding.subject for finding in comparison.findings][:2] == ["total", "main.clone"]
    assert comparison.findings[0].normalization == "per_second"
    assert comparison.verdict == "inconclusive"
    assert _caveat_ids(comparison) == {"growth-single-log", "growth-load-unknown"}


def test_without_load_and_duration_counts_are_reported_unnormalized() -> None:
    sides = [[log(table({CLONE: n}), requests=None, seconds=None)] for n in (3_465, 15_685)]
    comparison = compare_growth(sides[0], sides[1])
    total = comparison.findings[0]
    assert (total.normalization, total.base, total.candidate, total.unit) == ("count", 3_465, 15_685, "count")
    assert total.sentence.startswith("Goroutine stacks grow more often: 15,685 times instead of 3,465 (×4.53,")
    assert total.sentence.endswith(", attributed to main.clone; only every 1,000th growth is counted.")
    assert "growth-duration-unknown" in _caveat_ids(comparison)


def test_an_attributed_caller_that_only_moved_is_a_cost_shift() -> None:
    base, candidate = {SERVE: 200, ("main.serve;main.a", 4_096): 100}, {SERVE: 200, ("main.serve;main.b", 4_096): 101}
    comparison = compare_growth(_runs(base), _runs(candidate))
    assert comparison.findings == ()
    assert [(m.from_function, m.to_function) for m in comparison.cost_shifts] == [("main.a", "main.b")]
    assert comparison.cost_shifts[0].sentence == (
        "Stacks of 4 KiB grow as often as before, but 1.00 times per request in main.b instead of main.a."
    )


def test_a_stack_size_that_grew_more_often_has_its_callers() -> None:
    base, candidate = {SERVE: 200, ("main.serve;main.a", 4_096): 100}, {SERVE: 200, ("main.serve;main.b", 4_096): 300}
    comparison = compare_growth(_runs(base), _runs(candidate))
    assert comparison.cost_shifts == ()
    assert [(f.subject, f.direction) for f in comparison.findings] == [
        ("total", "worse"),
        ("main.b", "worse"),
        ("main.a", "better"),
    ]


def test_an_attributed_caller_of_next_to_nothing_is_no_finding() -> None:
    rare = ("main.rare", 2_048)
    comparison = compare_growth(_runs({SERVE: 40_000, rare: 20}), _runs({SERVE: 40_000, rare: 120}))
    assert comparison.findings == ()
    page = as_json(comparison.page())
    assert [row["state"] for row in page["rows"]] == ["noise", "noise"]
    assert page["rows"][1]["low"] > 1


def test_seven_events_are_too_few_to_name_an_attributed_caller() -> None:
    base = [log(table({SERVE: 10}), requests=10_000_000)]
    for events, named in ((7, False), (70, True)):
        candidate = [log(table({CLONE: events}), requests=100_000)]
        found = {finding.subject for finding in compare_growth(base, candidate).findings}
        assert ("main.clone" in found) == named


def test_stack_growths_of_few_goroutines_mention_shrinking() -> None:
    def made(count: int) -> list[GrowthArtifact]:
        return [log(table({CLONE: count}, goroutines=3), f"{n}.log") for n in range(3)]

    comparison = compare_growth(made(100), made(300))
    assert "gcshrinkstackoff" in comparison.findings[0].advice
    assert comparison.verdict == "regressed"


def test_large_stacks_point_at_recursion() -> None:
    comparison = compare_growth(_runs({("main.deep", 1 << 20): 100}), _runs({("main.deep", 1 << 20): 300}))
    assert "recursion" in comparison.findings[0].mechanism
    assert comparison.findings[1].sentence.endswith("from 1 MiB to 2 MiB.")


def test_a_log_without_a_growth_is_a_side_too() -> None:
    nothing = [log(table({}, totals={2_048: 300}), f"{n}.log") for n in range(2)]
    some = [log(table({CLONE: 100}, totals={4_096: 100_400}), f"{n}.log") for n in range(2)]
    comparison = compare_growth(nothing, some)
    assert comparison.verdict == "regressed"
    assert comparison.findings[0].base == pytest.approx(0.003)
    page = as_json(comparison.page())
    assert page["sets"][0]["attributed_caller"] is None
    json.dumps(page, allow_nan=False)
    empty = compare_growth([log(table({}, totals={2_048: 0}))], [log(table({}, totals={2_048: 0}))])
    assert empty.findings == ()
    dump_document(empty.page())


def test_caveats_about_the_logs_themselves() -> None:
    base = [log(table({CLONE: 3}, rate_known=False, rate=1, lost=2, start_bytes=4_096), "a.log", seconds=10)]
    candidate = [
        log(
            table({CLONE: 4}, truncated=True, dialect="folded", warnings=["other-output: x", "shrinks: 3 copies."]),
            "b.log",
        )
    ]
    comparison = compare_growth(base, candidate)
    assert _caveat_ids(comparison) == {
        "growth-single-log",
        "growth-duration",
        "growth-rate-unknown",
        "growth-rate",
        "growth-dialect",
        "growth-few",
        "growth-start-size",
        "growth-lost",
        "growth-truncated",
        "growth-shrinks",
    }
    by_name = {caveat.id: caveat.sentence for caveat in comparison.caveats}
    assert by_name["growth-rate"] == (
        "Base records every 1st growth, candidate every 1,000th: both are scaled up, with the precision of the coarser one."
    )
    assert by_name["growth-start-size"].startswith("New goroutines start with 2 KiB and 4 KiB in different runs")


def test_the_page_has_plain_rows() -> None:
    page = as_json(compare_growth([golden("inlined")], [golden("helper")]).page("3f1c0a7", "9b6e24d"))
    assert page["format"] == "slowpath.growth-comparison/2"
    assert [(s["side"], s["label"], s["sampled"], s["total"]) for s in page["sets"]] == [
        ("base", "3f1c0a7", 56, 57_249),
        ("candidate", "9b6e24d", 98, 99_724),
    ]
    first = page["rows"][0]
    assert (first["attributed_caller"], first["old_bytes"], first["new_bytes"], first["state"]) == (
        "ingester/ident.cloneBytes",
        4_096,
        8_192,
        "only-candidate",
    )
    assert first["base"]["sampled"] == 0
    assert first["candidate"]["sampled"] == 49
    assert first["ratio"] is None
    assert first["low"] > 1
    assert {row["state"] for row in page["rows"]} >= {"noise"}
    json.dumps(page, allow_nan=False)


def test_an_empty_side_is_refused() -> None:
    with pytest.raises(ValueError, match="both sides"):
        compare_growth([], [golden("helper")])


MEANS = {(f"main.f{n};main.g{n}", 2_048 << (n % 3)): 400 / (n + 1) for n in range(12)}


@pytest.mark.processes
@pytest.mark.parametrize(
    ("logs", "cv", "total"), [(3, 0.02, False), (3, 0.02, True), (6, 0.05, False), (2, 0.0, True), (1, 0.03, False)]
)
def test_two_sets_of_one_binary_have_no_finding(logs: int, cv: float, *, total: bool) -> None:
    """At most one comparison in a hundred may find anything: of 60, four would be too many by far."""
    rng = np.random.default_rng(11)
    alarms = 0
    for _ in range(60):
        sides = [drawn(rng, MEANS, logs, cv=cv, total=total) for _ in range(2)]
        alarms += bool(compare_growth(sides[0], sides[1]).findings)
    assert alarms <= 3


def test_sides_of_unequal_size_are_not_mixed_up() -> None:
    rng = np.random.default_rng(4)
    few = drawn(rng, {CLONE: 2_000, SERVE: 3_000}, 2, cv=0.01, total=True)
    many = drawn(rng, {CLONE: 4_000, SERVE: 3_000}, 6, cv=0.01, total=True)
    for base, candidate, ratio, direction in ((few, many, 1.4, "worse"), (many, few, 1 / 1.4, "better")):
        total = compare_growth(base, candidate).findings[0]
        assert (total.subject, total.direction) == ("total", direction)
        assert total.change.ratio == pytest.approx(ratio, rel=0.03)


def test_steady_logs_are_called_unchanged() -> None:
    rng = np.random.default_rng(3)
    sides = [drawn(rng, {CLONE: 2_000, SERVE: 3_000}, 6, cv=0.01, total=True) for _ in range(2)]
    comparison = compare_growth(sides[0], sides[1])
    assert comparison.verdict == "unchanged"
    ratio = comparison.detectable[0].ratio
    assert ratio is not None
    assert ratio < 1.1


def test_detectable_effects_are_detected() -> None:
    rng = np.random.default_rng(5)
    base = drawn(rng, {CLONE: 300, DECODE: 300}, 4, cv=0.02)
    ratio = compare_growth(base, drawn(rng, {CLONE: 300, DECODE: 300}, 4, cv=0.02)).detectable[0].ratio
    assert ratio is not None
    found = 0
    for _ in range(30):
        sides = [drawn(rng, {CLONE: 300 * k, DECODE: 300 * k}, 4, cv=0.02) for k in (1.0, ratio)]
        found += any(finding.subject == "total" for finding in compare_growth(sides[0], sides[1]).findings)
    assert found >= 18
