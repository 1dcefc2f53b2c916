"""Equal to a real Prometheus 2.42 within 1e-9 on the same samples: by its stored results, and by itself where it is installed."""

import gzip
import json
from typing import Any

import numpy as np
import pytest

from slowpath.analysis.kinds.metrics.rates.prometheus_dialect import PROMETHEUS_2, PROMETHEUS_3
from slowpath.analysis.kinds.metrics.samples.series_data import Values
from support.prometheus_oracle import WrittenBlock, prometheus_binary, running_prometheus
from tests.analysis.kinds.metrics.golden import FILE, QUESTIONS, STEPS_MS, Question, asked, digest, grid_of
from tests.analysis.kinds.metrics.scraped_scenario import written


@pytest.fixture(scope="module")
def samples() -> list[WrittenBlock]:
    return written()


@pytest.fixture(scope="module")
def stored() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(gzip.decompress(FILE.read_bytes()))
    return found


def differences(ours: dict[str, Values], theirs: dict[str, list[str | None]]) -> list[str]:
    """Where the answers are not the same number within 1e-9. No answer and NaN are the same: nothing to draw."""
    out = []
    for labels in ours.keys() | theirs.keys():
        mine = ours.get(labels)
        column = theirs.get(labels)
        if mine is None or column is None:
            if mine is None or not np.isnan(mine).all():
                out.append(f"{labels}: only on one side")
            continue
        expected = np.array([float(v) if v is not None else np.nan for v in column])
        with np.errstate(invalid="ignore"):
            same = (np.isnan(mine) & np.isnan(expected)) | (mine == expected)
            same |= np.abs(mine - expected) <= 1e-9 * np.abs(expected)
        out += [f"{labels}[{i}]: {mine[i]!r} instead of {expected[i]!r}" for i in np.flatnonzero(~same)[:5]]
    return out


def test_the_stored_references_are_of_these_samples(samples: list[WrittenBlock], stored: dict[str, Any]) -> None:
    assert digest(samples) == stored["samples_sha256"]


@pytest.mark.parametrize(("step_ms", "width_ms"), STEPS_MS)
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.promql)
def test_results_equal_the_stored_references(
    question: Question, step_ms: int, width_ms: int, samples: list[WrittenBlock], stored: dict[str, Any]
) -> None:
    ours = question.ours(samples, grid_of(step_ms), width_ms, PROMETHEUS_2)
    assert differences(ours, stored["answers"][f"{step_ms} {width_ms} {question.promql}"]) == []


@pytest.mark.parametrize("question", [q for q in QUESTIONS if "rpc" not in q.promql], ids=lambda q: q.promql)
def test_prometheus_3_differs_from_2_only_at_the_start_of_a_counter(
    question: Question, samples: list[WrittenBlock], stored: dict[str, Any]
) -> None:
    """What is not native is the same in both versions, but for extrapolation to a birth or a restart."""
    step_ms, width_ms = STEPS_MS[0]
    ours = question.ours(samples, grid_of(step_ms), width_ms, PROMETHEUS_3)
    found = differences(ours, stored["answers"][f"{step_ms} {width_ms} {question.promql}"])
    assert len(found) <= 15, found


@pytest.mark.long
def test_equal_to_a_real_prometheus(samples: list[WrittenBlock], stored: dict[str, Any]) -> None:
    binary = prometheus_binary()
    if binary is None:
        pytest.skip("Prometheus 2.42 cannot be had: no apt-get that knows its package")
    with running_prometheus(binary) as server:
        answers = asked(server, samples)["answers"]
    assert answers == stored["answers"]
