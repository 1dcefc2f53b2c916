"""Serial dependence on simulated machines with known changes."""

import numpy as np
import pytest
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.comparison.process_total import Side, total_by_process
from slowpath.analysis.kinds.profiles.estimates.profile_thresholds import DEFAULT_THRESHOLDS
from slowpath.analysis.kinds.profiles.estimates.serial_dependence import Semivariogram, gain_of_alternation, interleaved

F64 = NDArray[np.float64]
Index = NDArray[np.int64]
SHAPE = Semivariogram(DEFAULT_THRESHOLDS.serial_exponent, DEFAULT_THRESHOLDS.serial_reach)
TRIALS = 200


def clock(count: int) -> F64:
    """Times of captures every 30 seconds."""
    times: F64 = np.arange(count, dtype=np.float64)
    times *= 30.0
    return times


def machine(rho: float, count: int, rng: np.random.Generator) -> F64:
    """Log cost per request of a machine whose state follows AR(1), 3 % in all."""
    state = np.zeros(count)
    state[0] = rng.normal()
    for number in range(1, count):
        state[number] = rho * state[number - 1] + np.sqrt(1 - rho**2) * rng.normal()
    return 0.03 * state


def sides(logs: F64, first: Index, second: Index) -> tuple[Side, Side]:
    times = clock(len(logs))
    base, candidate = (Side(np.exp(logs[at]) * 1e9, np.full(len(at), 1000.0), times[at]) for at in (first, second))
    return base, candidate


def false_alarms(rho: float, size: int, *, turns: bool, level: float = 0.05) -> float:
    rng = np.random.default_rng([size, round(rho * 10)])
    at = np.arange(2 * size, dtype=np.int64)
    split = (at[::2], at[1::2]) if turns else (at[:size], at[size:])
    found = 0
    for _ in range(TRIALS):
        base, candidate = sides(machine(rho, 2 * size, rng), *split)
        found += float(total_by_process(base, candidate, 0.0, DEFAULT_THRESHOLDS).p_value[0]) < level
    return found / TRIALS


@pytest.mark.parametrize("size", [4, 6, 8])
@pytest.mark.parametrize("rho", [0.0, 0.5, 0.7, 0.9])
def test_consecutive_blocks_of_one_binary_are_rarely_called_different(rho: float, size: int) -> None:
    """A test without serial dependence is wrong in up to half of these at a nominal 5%: see the next test."""
    assert false_alarms(rho, size, turns=False) <= 0.15


def test_without_the_order_blocks_are_often_called_different() -> None:
    rng = np.random.default_rng(1)
    wrong = 0
    for _ in range(TRIALS):
        logs = machine(0.9, 16, rng)
        error = np.sqrt((logs[:8].var(ddof=1) + logs[8:].var(ddof=1)) / 8)
        wrong += abs(logs[8:].mean() - logs[:8].mean()) > 2.14 * error
    assert wrong / TRIALS > 0.3


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_captures_in_turns_keep_the_nominal_rate(rho: float) -> None:
    assert false_alarms(rho, 8, turns=True) <= 0.08


def test_interleaved_captures_need_no_correction_and_blocks_do() -> None:
    at = clock(16)
    assert SHAPE.inflation(at[::2], at[1::2]) == 1
    near, far = SHAPE.inflation(at[:8], at[8:]), SHAPE.inflation(at[:8], at[8:] + 3600)
    assert 1.5**2 <= near <= 2.7**2
    assert far > near
    assert gain_of_alternation(SHAPE, at[:8], at[8:]) == pytest.approx(np.sqrt(near))


def test_the_standard_error_of_blocks_grows_with_the_gap_and_not_of_turns() -> None:
    logs = machine(0.7, 16, np.random.default_rng(1))
    at = np.arange(16, dtype=np.int64)
    apart = total_by_process(*sides(logs, at[:8], at[8:]), 0.0, DEFAULT_THRESHOLDS)
    turns = total_by_process(*sides(logs, at[::2], at[1::2]), 0.0, DEFAULT_THRESHOLDS)
    assert float(apart.log_error[0]) > 1.3 * float(turns.log_error[0])


def test_a_large_change_of_the_total_is_found_in_turns() -> None:
    rng, found = np.random.default_rng(3), 0
    at = np.arange(16, dtype=np.int64)
    for _ in range(100):
        logs = machine(0.7, 16, rng)
        logs[1::2] += 0.10
        change = total_by_process(*sides(logs, at[::2], at[1::2]), 0.0, DEFAULT_THRESHOLDS)
        found += float(change.p_value[0]) <= DEFAULT_THRESHOLDS.alpha_total and float(change.ratio[0]) > 1
    assert found >= 80


def test_interleaving_is_seen_in_the_times() -> None:
    at = clock(12)
    assert interleaved(at[::2], at[1::2])
    assert not interleaved(at[:6], at[6:])
