"""Bounds on the number of probes agree with what theory gives in closed form, and with what an exact search needs."""

import numpy as np
import pytest
from numpy.random import default_rng

from bench.bisect_bounds import Probe, capacity, informed_search, least_probes, probe_of


def test_the_capacity_of_a_probe() -> None:
    assert capacity(Probe(2.0)) == pytest.approx(0.4859, abs=1e-3)  # binary-input channel at 0 dB
    assert capacity(Probe(40.0)) == pytest.approx(1.0, abs=1e-6)
    flipped = 1 + 0.1 * np.log2(0.1) + 0.9 * np.log2(0.9)  # binary symmetric channel
    assert capacity(Probe(40.0, 0.1)) == pytest.approx(flipped, abs=1e-6)


def test_a_window_alone_is_wrong_as_often_as_stated() -> None:
    assert probe_of(0.1, 0.3, 1, 0.0).apart == pytest.approx(2.563, abs=1e-3)
    assert probe_of(0.1, 0.5, 1_000, 0.0).apart < 2.563 * np.sqrt(2)


def test_an_exact_search_needs_no_fewer_probes_than_the_bound() -> None:
    assert least_probes(64, Probe(40.0), 1e-12) == pytest.approx(6.0, abs=1e-3)
    probe = probe_of(0.1, 0.1, 4, 0.02)
    some = [informed_search(49, probe, 0.02, 0.95, default_rng([1, one])) for one in range(300)]
    wrong = float(np.mean([not right for _, right in some]))
    mean = float(np.mean([probes for probes, _ in some]))
    assert wrong <= 0.06
    assert least_probes(49, probe, max(wrong, 0.01)) < mean < 9
