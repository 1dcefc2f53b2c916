"""Measurements of builds, packed and laid out as series; scans of them; recoveries."""

from dataclasses import replace

import numpy as np
import pytest

from slowpath.analysis.builds.change_detection import KnownChange, scan_history
from slowpath.analysis.builds.change_localization import localize_change, reclassify_environment_change
from slowpath.analysis.builds.fix_verification import evaluate_recovery
from slowpath.analysis.builds.series_matrix import SeriesMatrix, lay_out
from slowpath.analysis.findings.build_measurements import KindMeasurement, SubjectValues, summarize_replicates, unpack
from slowpath.analysis.series.change_points import ChangePoint

NAMES = tuple(f"app.f{number}" for number in range(12))


def measure(
    values: list[float], basis: str = "per_request", names: tuple[str, ...] = ("app.a", "app.b")
) -> KindMeasurement:
    numbers = np.array([*values, sum(values)])
    held = {basis: SubjectValues("us/request", numbers, numbers / 50)}
    callers = tuple(() for _ in (*names, "total"))
    return KindMeasurement("profile.function", 3, (*names, "total"), held, callers, tuple(None for _ in callers))  # type: ignore[arg-type] # the basis is any here


def line(steps: dict[int, float], builds: int, seed: int, noise: float = 0.03, since: int = 80) -> SeriesMatrix:
    rng = np.random.default_rng(seed)
    base = np.linspace(4, 20, len(NAMES))
    made = []
    for build in range(builds):
        costs = base.copy()
        for function, ratio in steps.items() if build >= since else ():
            costs[function] *= ratio
        made.append(measure((costs * rng.normal(1, noise, len(costs))).tolist(), names=NAMES))
    found = lay_out(made, least_share=0.004)
    assert found is not None
    return found


def test_a_measure_is_unpacked_as_it_was_packed() -> None:
    made = measure([1.23456789, 2.0])
    back = unpack(made.pack())

    assert back.subjects == made.subjects
    assert back.replicates == 3
    assert back.bases["per_request"].value == pytest.approx(made.bases["per_request"].value, rel=1e-5)


def test_a_rate_is_that_of_all_replicates_together_and_its_error_comes_from_them() -> None:
    one = summarize_replicates("us/request", np.array([[100.0]]), np.array([10.0]), 1.0)
    two = summarize_replicates("us/request", np.array([[100.0, 400.0]]), np.array([10.0, 30.0]), 1.0)
    alike = summarize_replicates("us/request", np.array([[100.0, 300.0]]), np.array([10.0, 30.0]), 1.0)

    assert one.value[0] == 10.0
    assert np.isnan(one.error[0])
    assert two.value[0] == 12.5
    assert two.error[0] > 0
    assert alike.error[0] == 0


def test_absent_subjects_are_small_and_unmeasured_ones_unknown() -> None:
    found = lay_out([measure([50.0, 50.0]), None, measure([100.0], names=("app.a",))], least_share=0.01)

    assert found is not None
    row = found.values[found.subjects.index("app.b")]
    assert row[0] == 50.0
    assert np.isnan(row[1])
    assert row[2] == pytest.approx(0.2)
    assert "total" not in found.subjects


def test_builds_that_are_counted_otherwise_are_no_part_of_the_line() -> None:
    mostly = [measure([50.0, 50.0]) for _ in range(9)]
    found = lay_out([measure([0.5, 0.5], "share"), *mostly], least_share=0.01)

    assert found is not None
    assert found.basis == "per_request"
    assert np.isnan(found.values[:, 0]).all()


def test_unchanged_builds_report_nothing() -> None:
    for seed in range(10):
        whole = line({}, 100, seed)
        seen = scan_history([whole], {"profile.function": np.zeros(100, dtype=np.int32)}, [], frozenset())
        assert [group for group in seen.groups if group.is_reported] == []


def test_a_slower_function_is_reported_at_its_first_build() -> None:
    found = line({5: 1.4}, 86, 1)
    seen = scan_history([found], {"profile.function": np.zeros(86, dtype=np.int32)}, [], frozenset())

    [group] = [group for group in seen.groups if group.is_reported]
    assert (group.lead.subject, group.lead.change.index) == (NAMES[5], 80)
    assert group.lead.change.ratio == pytest.approx(1.4, rel=0.06)


def test_a_muted_series_is_detected_and_not_reported() -> None:
    found = line({5: 1.4}, 86, 1)
    muted = frozenset({("profile.function", NAMES[5])})
    seen = scan_history([found], {"profile.function": np.zeros(86, dtype=np.int32)}, [], muted)

    assert not any(group.is_reported for group in seen.groups)
    assert any(group.lead.subject == NAMES[5] for group in seen.groups)


def step(index: int, low: int, high: int) -> ChangePoint:
    return ChangePoint(index, low, high, 10.0, 12.0, 1.2, 1.1, 1.3, 6.0)


def test_a_clear_step_is_placed_at_its_build() -> None:
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.normal(10, 0.1, 50), rng.normal(15, 0.1, 6)])
    found = localize_change(values, step(52, 51, 53))

    assert (found.index, found.low_index, found.high_index) == (50, 50, 50)
    assert found.ratio == pytest.approx(1.5, rel=0.02)


def test_a_step_after_builds_without_a_value_may_be_at_any_of_them() -> None:
    values = np.array([1.0, 1.01, 0.99, 1.0, 1.01, 0.99, 1.0, 1.0, np.nan, np.nan, 2.0, 2.01, 1.99])
    found = localize_change(values, step(10, 8, 10))

    assert (found.index, found.low_index, found.high_index) == (10, 8, 10)


def test_another_machine_around_a_change_is_its_cause() -> None:
    conditions = np.array([0] * 20 + [1] * 10, dtype=np.int32)

    assert reclassify_environment_change(step(20, 19, 21), conditions).cause == "conditions"
    assert reclassify_environment_change(step(10, 9, 11), conditions).cause == "code"


@pytest.mark.parametrize(
    ("later", "proof"), [(10.0, "fixed"), (7.0, "improved"), (12.0, "still-slower"), (15.0, None)], ids=str
)
def test_later_builds_are_held_against_both_levels(later: float, proof: str | None) -> None:
    rng = np.random.default_rng(3)
    good, bad = rng.normal(10, 0.2, 40), rng.normal(15, 0.3, 6)
    recovery = evaluate_recovery(np.concatenate([good, bad, rng.normal(later, 0.2, 5)]), 40, 40)

    assert (recovery.proof if recovery else None) == proof
    assert recovery is None or recovery.index == 46


def test_one_good_build_proves_nothing() -> None:
    rng = np.random.default_rng(3)
    values = np.concatenate([rng.normal(10, 0.2, 40), rng.normal(15, 0.3, 6), [10.0]])

    assert evaluate_recovery(values, 40, 40) is None


def test_more_throughput_is_better() -> None:
    rng = np.random.default_rng(3)
    values = np.concatenate([rng.normal(10, 0.2, 40), rng.normal(5, 0.1, 6), rng.normal(10, 0.2, 4)])
    recovery = evaluate_recovery(values, 40, 40, higher_is_worse=False)

    assert recovery is not None
    assert recovery.proof == "fixed"


def nested(gained: float, since: int = 80, *, lost: float = 0.0) -> list[SeriesMatrix]:
    """A chain outer > middle > inner, and a sibling of inner beneath middle; `gained` by inner, `lost` by the sibling."""
    rng = np.random.default_rng(9)
    made = []
    for build in range(since + 10):
        inner, sibling = (20.0 + gained, 20.0 - lost) if build >= since else (20.0, 20.0)
        inner, sibling = inner * rng.normal(1, 0.02), sibling * rng.normal(1, 0.02)
        values = np.array([inner + sibling + 12, inner + sibling + 4, inner, sibling, inner + sibling + 40])
        names = ("app.outer", "app.middle", "app.inner", "app.sibling", "total")
        callers = ((), ("app.outer",), ("app.middle", "app.outer"), ("app.middle", "app.outer"), ())
        held = {"per_request": SubjectValues("us/request", values, values / 50)}
        made.append(KindMeasurement("profile.function", 3, names, held, callers, (None,) * 5))  # type: ignore[arg-type] # all are per request
    found = lay_out(made, least_share=0.004)
    assert found is not None
    return [found]


def test_the_innermost_slower_function_is_named() -> None:
    listed = [group for group in scan_history(nested(12.0), {}, [], frozenset()).groups if group.is_reported]
    assert [group.lead.subject for group in listed] == ["app.inner"]


def test_the_cause_of_the_remaining_increase_is_named_not_the_largest_gain() -> None:
    listed = [group for group in scan_history(nested(26.0, lost=17.0), {}, [], frozenset()).groups if group.is_reported]
    assert [group.lead.subject for group in listed] == ["app.middle"]


def test_a_second_step_is_measured_from_the_first() -> None:
    first = line({3: 1.5}, 84, 5)
    [group] = scan_history([first], {}, [], frozenset()).groups
    known = [KnownChange("profile.function", "app.f3", group.lead.change, None)]
    values = first.values.copy()
    values[3, -4:] *= 1.3
    second = [
        each
        for each in scan_history([replace(first, values=values)], {}, known, frozenset()).groups
        if each.lead.is_new
    ]
    assert all(abs(each.lead.change.before / group.lead.change.after - 1) < 0.1 for each in second)
