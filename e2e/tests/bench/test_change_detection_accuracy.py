"""The bench of change detection counts correctly."""

import pytest

from bench import change_detection_accuracy


def test_an_interval_of_a_count() -> None:
    """Garwood's table: nothing seen allows for 3.69, three for 0.62 to 8.77."""
    assert list(change_detection_accuracy.poisson_interval(0)) == pytest.approx([0.0, 3.689], abs=1e-3)
    assert list(change_detection_accuracy.poisson_interval(3)) == pytest.approx([0.619, 8.767], abs=1e-3)


def test_a_doubling_is_found_in_classic_and_native_histograms() -> None:
    for seed in (0, 1):
        delay = change_detection_accuracy.delay_min(seed, 2.0, (0.0,), at_deploy=True)
        assert delay is not None
        assert 0 < delay <= 15
