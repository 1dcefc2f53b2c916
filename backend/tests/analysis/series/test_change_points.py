import numpy as np
import pytest
from numpy.random import default_rng

from slowpath.analysis.series import series_rows
from slowpath.analysis.series.change_points import find_in_many, shapes_in_many
from slowpath.analysis.series.noise_model import running_median
from slowpath.analysis.series.series_rows import weights
from tests.analysis.series.generated_series import F64, KINDS, drawn, find_change_points, stepped


@pytest.mark.parametrize("kind", KINDS)
def test_unchanged_series_have_no_change(kind: str) -> None:
    found = find_in_many(drawn(default_rng(11), kind, 200))
    assert sum(map(len, found)) <= 2  # of 40,000 builds: at most 0.05 in 1,000


@pytest.mark.parametrize("kind", KINDS)
def test_a_step_of_ten_percent_is_found_where_it_is(kind: str) -> None:
    found = find_in_many(stepped(default_rng(12), kind, 100, 120, 1.1))
    near = [points[0] for points in found if len(points) == 1 and abs(points[0].index - 120) <= 3]
    assert len(near) >= (90 if kind == "memory" else 97)
    assert np.mean([abs(point.index - 120) for point in near]) <= 0.4
    assert np.mean([point.low_index <= 120 <= point.high_index for point in near]) >= 0.95
    assert np.mean([point.ratio_low <= 1.1 <= point.ratio_high for point in near]) >= 0.88


def test_levels_and_score_of_a_step_have_the_unit_of_the_series() -> None:
    values = 5e6 * stepped(default_rng(13), "gauss", 1, 80, 1.2)[0]
    (point,) = find_change_points(values)
    assert point.before == pytest.approx(5e6, rel=0.01)
    assert point.after == pytest.approx(6e6, rel=0.01)
    assert point.ratio == pytest.approx(point.after / point.before)
    assert point.score > 20
    assert point.cause == "code"


def test_several_steps_up_and_down_are_each_found() -> None:
    values = drawn(default_rng(14), "gauss", 1)[0]
    values[40:] *= 1.15
    values[90:] *= 0.85
    values[150:] *= 1.3
    assert [point.index for point in find_change_points(values)] == pytest.approx([40, 90, 150], abs=1)


def test_many_at_once_and_one_by_one_give_the_same() -> None:
    rng = default_rng(15)
    matrix = np.concatenate([stepped(rng, kind, 4, 100, 1.1) for kind in KINDS])
    matrix[3, 10:30] = np.nan
    matrix[5, ::7] = np.nan
    assert find_in_many(matrix) == [find_change_points(values) for values in matrix]


def test_builds_without_a_value_are_in_the_range_of_a_change_beside_them() -> None:
    values = stepped(default_rng(16), "gauss", 1, 100, 1.5)[0]
    values[95:100] = np.nan
    (point,) = find_change_points(values)
    assert (point.index, point.low_index, point.high_index) == (100, 95, 100)


@pytest.mark.parametrize(
    "values",
    [np.zeros(0), np.full(50, np.nan), np.zeros(50), np.full(50, 3.0), np.array([1.0, 2.0]), np.full(9, 1e-300)],
    ids=["none", "unknown", "zero", "equal", "two", "tiny"],
)
def test_series_without_information_have_no_change(values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> None:
    assert find_change_points(values) == ()


def test_new_and_vanished_rows_are_changes() -> None:
    some = drawn(default_rng(17), "gauss", 1, 60)[0]
    appeared = np.concatenate([np.zeros(60), some])
    (point,) = find_change_points(appeared)
    assert (point.index, point.before) == (60, 0.0)
    assert point.ratio == float("inf")
    (point,) = find_change_points(appeared[::-1].copy())
    assert (point.index, point.after, point.ratio) == (60, 0.0, 0.0)


def test_spikes_in_a_row_are_no_level() -> None:
    values = drawn(default_rng(18), "gauss", 1)[0]
    values[[50, 51, 52, 120, 121]] += np.array([0.3, 0.9, 0.4, 0.5, 0.2])
    assert find_change_points(values) == ()


def test_a_step_smaller_than_the_floor_is_no_change_however_sure() -> None:
    values = drawn(default_rng(19), "gauss", 1, cv=0.001)[0]
    values[100:] *= 1.015
    assert find_change_points(values) == ()
    values[100:] *= 1.01
    assert len(find_change_points(values)) == 1


def test_a_lasting_machine_change_is_a_separate_finding() -> None:
    values = stepped(default_rng(20), "gauss", 1, 100, 1.1)[0]
    values[150:] *= 1.2
    machines = np.where(np.arange(200) < 100, 7, 9).astype(np.int32)
    machine, code = find_change_points(values, conditions=machines)
    assert (machine.index, machine.cause) == (100, "conditions")
    assert (code.index, code.cause) == (150, "code")


def test_machines_that_take_turns_hide_no_step_and_make_none() -> None:
    rng = default_rng(21)
    machines = rng.choice([1, 2, 3], 200).astype(np.int32)
    effect = np.array([0.0, 1.0, 1.25, 0.8])[machines]
    values = drawn(rng, "gauss", 1)[0] * effect
    assert find_change_points(values, conditions=machines) == ()
    values[120:] *= 1.1
    (point,) = find_change_points(values, conditions=machines)
    assert point.cause == "code"
    assert abs(point.index - 120) <= 1


def test_builds_weigh_by_their_own_replicates_and_by_what_is_between_builds() -> None:
    values = drawn(default_rng(22), "gauss", 1, cv=0.02)
    spread = np.full((1, 200), 0.02)
    spread[0, 10], spread[0, 20], spread[0, 30] = 0.2, 0.002, np.nan
    weight = weights(values, np.square(spread), 0.0025)
    assert weight.mean() == pytest.approx(1.0)
    assert weight[0, 10] < 0.05
    assert weight[0, 20] > 5
    assert weight[0, 30] == pytest.approx(weight[0, 0])


def test_a_level_of_imprecise_builds_is_no_change() -> None:
    values = stepped(default_rng(23), "gauss", 1, 190, 1.1)[0]
    assert [point.index for point in find_change_points(values)] == pytest.approx([190], abs=1)
    spread = np.where(np.arange(200) < 190, 0.03, 0.3)
    assert find_change_points(values, spread=spread) == ()


AT = np.arange(200)


@pytest.mark.parametrize(
    ("trend", "kind"),
    [
        (1 + 0.1 * AT / 200, "linear"),
        (1 - 0.2 * AT / 200, "linear"),
        (1 + 0.3 * np.clip((AT - 70) / 60, 0, 1), "ramp"),
        (1 + 0.06 * np.sin(2 * np.pi * AT / 50), "season"),
        (1 + 0.06 * np.sin(2 * np.pi * AT / 25), "season"),
    ],
)
def test_slow_trends_are_no_steps(trend: F64, kind: str) -> None:
    shapes = shapes_in_many(drawn(default_rng(41), "gauss", 40) * trend)
    assert sum(len(one.points) for one in shapes) <= 4  # 8,000 builds: at most 0.5 in 1,000
    assert np.mean([one.trend is not None and one.trend.kind == kind for one in shapes]) >= 0.7


def test_a_step_that_is_not_sure_is_described_as_no_slow_trend() -> None:
    values = drawn(default_rng(45), "gauss", 200, 42, cv=0.1)
    values[:, 28:] *= 1.2
    unsure = [one for one in shapes_in_many(values) if not one.points]
    assert len(unsure) >= 50
    assert sum(one.trend is not None for one in unsure) <= 15


def test_a_step_on_a_ramp_is_a_step() -> None:
    shapes = shapes_in_many(stepped(default_rng(42), "gauss", 40, 120, 1.1) * (1 + 0.2 * AT / 200))
    near = [point for one in shapes for point in one.points if abs(point.index - 120) <= 3]
    assert len(near) >= 38
    assert np.median([point.ratio for point in near]) == pytest.approx(1.1, abs=0.02)


def test_a_ramp_is_described_in_a_sentence() -> None:
    values = 5e6 * drawn(default_rng(43), "gauss", 1, cv=0.005)[0] * (1 + 0.24 * np.clip((AT - 70) / 60, 0, 1))
    (shape,) = shapes_in_many(values[np.newaxis, :])
    assert shape.trend is not None
    assert (shape.trend.first, shape.trend.last) == pytest.approx((70, 130), abs=8)
    assert shape.trend.slope == pytest.approx(0.004, rel=0.1)
    assert shape.slow is not None
    assert np.ptp(shape.slow) == pytest.approx(0.24 * 5e6, rel=0.1)


def test_small_steps_in_noise_with_memory_are_found_in_half_of_the_series() -> None:
    found = find_in_many(stepped(default_rng(44), "memory", 100, 100, 1.05))
    assert np.mean([any(p.low_index <= 100 <= p.high_index for p in points) for points in found]) >= 0.45


def test_blocks_of_series_give_the_same_changes_as_single_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    series = stepped(default_rng(3), "spiky", 9, at=120, ratio=1.2)
    at_once = find_in_many(series)
    monkeypatch.setattr(series_rows, "BLOCK", 4)
    assert find_in_many(series) == at_once
    assert [change for points in at_once for change in points]


@pytest.mark.parametrize("builds", [3, 9, 10, 50])
def test_the_running_median_is_the_median_of_the_nine_builds_around_each(builds: int) -> None:
    rows = default_rng(4).standard_normal((20, builds)).round(1)  # with ties
    expected = [np.median(rows[:, max(0, at - 4) : at + 5], axis=1) for at in range(builds)]
    assert np.array_equal(running_median(rows), np.stack(expected, axis=1))
