"""Benchmarks as findings: verdicts of benchstat, significance among many rows, caveats, and the page."""

import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowpath.analysis.formats.document_json import dump_document
from slowpath.analysis.kinds.benchmarks.compare_benchmarks import BenchComparison, compare_benchmarks
from tests.analysis.documents import as_json
from tests.analysis.kinds.benchmarks.bench_compare_outputs import answer, row

QUIET = [100.0, 101, 99, 100.5, 99.5, 100.2, 99.8, 100.1]


def _times(factor: float, shift: float = 0.0) -> list[float]:
    return [value * factor + shift for value in QUIET]


def _caveat_sentences(comparison: BenchComparison) -> dict[str, str]:
    return {caveat.id: caveat.sentence for caveat in comparison.caveats}


def test_more_time_is_worse() -> None:
    comparison = compare_benchmarks(answer(row(_times(1e-9), _times(1.5e-9))))
    (finding,) = comparison.findings
    assert (finding.kind, finding.profile_kind, finding.subject, finding.direction) == (
        "bench",
        "bench",
        "Encode-8|sec/op",
        "worse",
    )
    assert (finding.normalization, finding.quantile, finding.unit, finding.is_significant) == (
        "quantile",
        0.5,
        "sec/op",
        True,
    )
    assert finding.change.ratio == pytest.approx(1.5)
    assert finding.change.ci_low < 1.5 < finding.change.ci_high
    assert (
        finding.sentence
        == "Benchmark Encode-8 takes more time: 150 ns instead of 100 per operation (×1.50, 1.49 to 1.51)."
    )
    assert finding.mechanism
    assert comparison.verdict == "regressed"


@pytest.mark.parametrize(
    ("unit", "factor", "direction", "expected"),
    [
        ("B/s", 2.0, "better", "Benchmark Encode-8 gets through more: 200 bytes per second instead of 100"),
        ("B/op", 20.0, "worse", "Benchmark Encode-8 allocates more: 1.95 KiB instead of 0.0977 per operation"),
        (
            "allocs/op",
            0.5,
            "better",
            "Benchmark Encode-8 allocates less often: 50.0 allocations instead of 100 per operation",
        ),
    ],
)
def test_units_have_their_words_and_directions(unit: str, factor: float, direction: str, expected: str) -> None:
    comparison = compare_benchmarks(answer(row(_times(1), _times(factor), unit=unit)))
    assert comparison.findings[0].direction == direction
    assert comparison.findings[0].sentence.startswith(expected)
    assert comparison.verdict == ("regressed" if direction == "worse" else "improved")


def test_throughput_is_not_reported_beside_its_time() -> None:
    rows = [row(_times(1), _times(2)), row(_times(1), _times(0.5), unit="B/s")]
    comparison = compare_benchmarks(answer(*rows))
    assert [finding.unit for finding in comparison.findings] == ["sec/op"]
    page = as_json(comparison.page("3f1c0a7", "9b6e24d"))
    assert [each["state"] for each in page["rows"]] == ["more", "less"]
    assert page["format"] == "slowpath.benchmark-comparison/1"
    assert page["sides"] == {"base": {"label": "3f1c0a7"}, "candidate": {"label": "9b6e24d"}}


def test_a_unit_without_a_direction_is_shown_without_a_verdict() -> None:
    comparison = compare_benchmarks(answer(row(_times(1), _times(2), unit="points")))
    assert comparison.findings == ()
    assert as_json(comparison.page())["rows"][0]["state"] == "more"
    assert as_json(comparison.page())["rows"][0]["direction"] is None
    assert "Unit points better=higher" in _caveat_sentences(comparison)["bench-direction"]
    assert comparison.verdict == "inconclusive"


def test_exact_units_need_no_test() -> None:
    comparison = compare_benchmarks(answer(row([100], [105], unit="B/op", exact=True)))
    (finding,) = comparison.findings
    assert (finding.is_significant, finding.q_value, finding.normalization, finding.quantile) == (
        True,
        None,
        "count",
        None,
    )
    assert finding.change.confidence_level == 1
    assert finding.sentence == "Benchmark Encode-8 allocates more: 105 bytes instead of 100 per operation (×1.05)."


def test_from_zero_there_is_no_ratio() -> None:
    comparison = compare_benchmarks(answer(row([0.0] * 8, [3.0] * 8, unit="allocs/op")))
    (finding,) = comparison.findings
    assert finding.change.ratio is None
    assert finding.change.ci_of == "difference"
    assert finding.change.ci_low == 3
    assert (
        finding.sentence == "Benchmark Encode-8 allocates more often: 3.00 allocations instead of none per operation."
    )
    dump_document(comparison.page())


def test_two_values_a_side_see_nothing() -> None:
    comparison = compare_benchmarks(answer(row([1, 2], [3, 4])))
    assert comparison.findings == ()
    assert comparison.verdict == "inconclusive"
    assert "no difference can be significant" in _caveat_sentences(comparison)["bench-too-few"]
    five = compare_benchmarks(answer(row(_times(1)[:5], _times(2)[:5])))
    assert set(_caveat_sentences(five)) == {"bench-few"}


def test_quiet_rows_are_unchanged() -> None:
    assert compare_benchmarks(answer(row(QUIET, QUIET))).verdict == "unchanged"
    assert compare_benchmarks(answer()).verdict == "inconclusive"


def test_a_narrow_range_of_two_values_proves_nothing() -> None:
    assert compare_benchmarks(answer(row([100, 101], [100.5, 100.6]))).verdict == "inconclusive"


def test_benchmarks_that_changed_both_ways_are_mixed() -> None:
    rows = [row(QUIET, _times(2), name="A"), row(QUIET, _times(0.5), name="B")]
    comparison = compare_benchmarks(answer(*rows))
    assert comparison.verdict == "mixed"
    assert [finding.direction for finding in comparison.findings] == ["worse", "better"]


def test_time_takes_precedence_over_allocations() -> None:
    faster = row(QUIET, _times(0.5), name="A")
    hungrier = row(QUIET, _times(2), name="A", unit="B/op")
    assert compare_benchmarks(answer(faster, hungrier)).verdict == "improved"
    assert compare_benchmarks(answer(row(QUIET, QUIET), hungrier)).verdict == "regressed"


@given(st.lists(st.floats(1, 100), min_size=2, max_size=9), st.lists(st.floats(1, 100), min_size=2, max_size=9))
def test_an_interval_holds_its_ratio(base: list[float], candidate: list[float]) -> None:
    change = compare_benchmarks(answer(row(base, candidate))).rows[0].change
    assert change.ratio is not None
    assert change.ci_low <= change.ratio <= change.ci_high


def test_differing_machines_raise_a_caveat() -> None:
    differs = [
        {"key": "cpu", "base": ["A"], "candidate": ["B", "C", "D", "E"]},
        {"key": "commit", "base": [], "candidate": ["9"]},
    ]
    caveats = _caveat_sentences(compare_benchmarks(answer(row(QUIET, QUIET), differs=differs)))
    assert caveats["bench-cpu"] == (
        "Benchmarks differ in cpu: A in base, B, C and D and 1 more in candidate; times on different machines are not comparable."
    )
    assert caveats["bench-commit"].startswith("Benchmarks differ in commit: none in base, 9 in candidate")


def test_rows_of_one_side_and_warnings_of_the_output_raise_caveats() -> None:
    unpaired = [{"side": "base", "name": name, "unit": "sec/op", "n": 1, "center": 1} for name in "abcd"]
    caveats = _caveat_sentences(
        compare_benchmarks(answer(row(QUIET, QUIET), unpaired=unpaired, warnings=["base: failures: 2 lines"]))
    )
    assert (
        caveats["bench-only-base"] == "Only the base has a, b and c and 1 more, without a counterpart in the candidate."
    )
    assert caveats["bench-output"] == "base: failures: 2 lines."


def test_noise_is_named() -> None:
    loud = [100.0, 180, 60, 120, 90, 140, 70, 100]
    caveats = _caveat_sentences(compare_benchmarks(answer(row(loud, loud), row(QUIET, QUIET))))
    assert caveats["bench-noisy"].startswith(
        "1 benchmark result of 2 vary by more than ±10.0% (Encode-8 sec/op: ±80.0%)"
    )
    low = [100.0, 100, 100, 100, 100, 100, 100, 60]
    assert "Encode-8 sec/op: ±40.0%" in _caveat_sentences(compare_benchmarks(answer(row(low, low))))["bench-noisy"]


def test_two_speeds_have_medians_far_apart_and_an_interval_that_holds_their_ratio() -> None:
    slow, fast = [1.0] * 14 + [10.0] * 16, [1.0] * 16 + [10.0] * 14
    change = compare_benchmarks(answer(row(fast, slow))).rows[0].change
    assert (change.ratio, change.ci_low, change.ci_high) == (10, 1, 10)
    back = compare_benchmarks(answer(row(slow, fast))).rows[0].change
    assert (back.ratio, back.ci_low, back.ci_high) == (0.1, 0.1, 1)


def test_several_packages_are_distinguished() -> None:
    rows = [row(QUIET, _times(2), config={"pkg": f"example.com/{name}"}) for name in ("a", "b")]
    assert {f.subject for f in compare_benchmarks(answer(*rows)).findings} == {"a.Encode-8|sec/op", "b.Encode-8|sec/op"}


def test_findings_follow_benchstat_and_significance_allows_for_many_rows() -> None:
    """Equal distributions: benchstat's 5 % a row shows, but in a hundred comparisons hardly one has a certain finding."""
    rng = np.random.default_rng(4)
    certain = reported = 0
    for _ in range(100):
        rows = [
            row(rng.lognormal(0, 0.05, 8).tolist(), rng.lognormal(0, 0.05, 8).tolist(), name=f"B{n}") for n in range(12)
        ]
        comparison = compare_benchmarks(answer(*rows))
        assert len(comparison.findings) == sum(each["significant"] for each in rows)
        reported += len(comparison.findings)
        certain += any(finding.is_significant for finding in comparison.findings)
        assert ("bench-many" in _caveat_sentences(comparison)) == bool(comparison.findings)
    assert 30 <= reported <= 80
    assert certain <= 4


def test_a_negligible_change_is_never_certain() -> None:
    comparison = compare_benchmarks(answer(row(QUIET, _times(1.0, 0.9))))
    tiny = compare_benchmarks(
        answer(row([10_000.0 + v / 100 for v in range(8)], [10_001.0 + v / 100 for v in range(8)]))
    )
    assert tiny.findings[0].is_significant is False
    assert tiny.verdict == "inconclusive"
    assert comparison.rows[0].row.ratio is not None


WHOLE = answer(row(QUIET, _times(2)), differs=[{"key": "cpu", "base": [], "candidate": []}])


@pytest.mark.parametrize(
    "value", [3, {}, {"rows": [{}]}, {"rows": 4}, {"rows": [{"name": "a", "unit": "b", "config": 3}]}]
)
def test_other_json_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="bench-compare"):
        compare_benchmarks(value)


@given(st.sampled_from(["name", "unit", "config", "base", "candidate", "ratio", "p", "significant"]))
def test_a_missing_field_is_rejected(field: str) -> None:
    broken = copy.deepcopy(WHOLE)
    del broken["rows"][0][field]
    with pytest.raises(ValueError, match=field):
        compare_benchmarks(broken)
