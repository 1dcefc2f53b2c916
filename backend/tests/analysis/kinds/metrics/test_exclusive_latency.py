"""Minutes that are one build's own: without the build before, a canary beside it, or its first minutes."""

from collections.abc import Mapping

import numpy as np

from slowpath.analysis.kinds.metrics.changes.exclusive_latency import ALL, SETTLED_MS, measure_exclusive_latency
from slowpath.analysis.kinds.metrics.panels.service_panels import ServiceSamples
from slowpath.analysis.kinds.metrics.samples.series_classification import instance_of
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesData

MINUTE = 60_000
BOUNDS = ("0.1", "1", "+Inf")
COMMIT = "a84f3c1" + "0" * 33


def histogram(first: int, last: int, *, fast: float = 0.5, ids: int = 0, **labels: str) -> list[SeriesData]:
    """A hundred requests a minute from one minute to another, this share of them fast."""
    minutes = np.arange(first, last + 1)
    shares = {"0.1": fast, "1": 1.0, "+Inf": 1.0}
    return [
        SeriesData(
            ids * 10 + number,
            "http_request_duration_seconds_bucket",
            {**labels, "le": le},
            "counter",
            (minutes * MINUTE).astype(np.int64),
            (100.0 * shares[le] * (minutes - first)).astype(np.float64),
        )
        for number, le in enumerate(BOUNDS)
    ]


def seen(
    *series: list[SeriesData], began: int = 60, end: int = 90, label: str | None = None
) -> Mapping[str, list[float]]:
    """Return fast requests by minute, and the minutes, of what was one build's own."""
    samples = ServiceSamples(buckets=[one for each in series for one in each], instance_of=instance_of)
    found = measure_exclusive_latency(samples, began * MINUTE, end * MINUTE, commit=COMMIT, label=label)
    if found is None:
        return {}
    return {route: (cells.times_ms / MINUTE).tolist() for route, cells in found.routes.items()}


def test_the_first_minutes_after_a_deploy_are_nobodys() -> None:
    [(route, minutes)] = seen(histogram(0, 120)).items()

    assert route == ALL
    assert minutes == list(range(60 + SETTLED_MS // MINUTE + 1, 91))


def test_minutes_in_which_old_instances_answer_too_are_left_out() -> None:
    old, new = histogram(0, 80, instance="old", ids=1), histogram(61, 120, instance="new", ids=2)

    assert min(seen(old, new)[ALL]) == 81
    assert seen(histogram(0, 120, instance="old", ids=1), new) == {}, "a canary is never alone"


def test_a_late_deployment_event_is_matched_with_its_instances() -> None:
    old, new = histogram(0, 70, instance="old", ids=1), histogram(57, 120, instance="new", ids=2)
    scaled = histogram(75, 120, instance="more", ids=3)

    assert seen(old, new, scaled)[ALL] == list(range(71, 91))


def test_instances_without_a_new_deployment_are_not_evidence() -> None:
    assert min(seen(histogram(0, 120, instance="gateway", ids=1))[ALL]) == 66


def test_restarted_instances_run_the_new_build_and_others_the_old_one() -> None:
    both = [histogram(0, 120, instance=name, ids=number) for number, name in enumerate("ab", 1)]
    for one in both[0]:
        assert one.values is not None
        one.values[62:] -= one.values[62]

    assert seen(*both) == {}
    for one in both[1]:
        assert one.values is not None
        one.values[63:] -= one.values[63]
    assert min(seen(*both)[ALL]) == 66


def test_a_label_that_names_the_build_selects_its_minutes() -> None:
    old = histogram(0, 70, fast=0.9, version="1.0", ids=1)
    new = histogram(58, 120, fast=0.1, version="1.1", ids=2)
    samples = ServiceSamples(buckets=[*old, *new], instance_of=instance_of)
    found = measure_exclusive_latency(samples, 60 * MINUTE, 90 * MINUTE, commit=COMMIT, label="1.1")

    assert found is not None
    assert min(found.routes[ALL].times_ms) == 71 * MINUTE
    assert found.routes[ALL].counts[0].tolist() == [10, 90, 0]
    assert found.buckets == "3 buckets to 1 s"


def test_an_instance_that_is_drained_answers_a_trifle() -> None:
    idle = histogram(0, 120, instance="old", ids=1)
    for one in idle:
        assert one.values is not None
        one.values[60:] = one.values[60]

    assert min(seen(idle, histogram(61, 120, instance="new", ids=2))[ALL]) == 66


def test_routes_have_their_own_latency_but_whole_addresses_do_not() -> None:
    some = [histogram(0, 120, handler=f"/{name}", ids=number) for number, name in enumerate("ab", 1)]
    many = [histogram(0, 120, handler=f"/{number}", ids=number) for number in range(60)]

    assert set(seen(*some)) == {ALL, "/a", "/b"}
    assert set(seen(*many)) == {ALL}


def test_without_a_histogram_there_is_no_quantile() -> None:
    assert seen() == {}
