"""Remote write as specified, both versions, over HTTP and PostgreSQL."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from httpx2 import Response

from slowpath.analysis.kinds.metrics.samples.series_data import STALE_NAN_BITS, SeriesData
from slowpath.core.db_sessions import TeamScope
from slowpath.evidence.metrics.rules import MAX_PACKED_BYTES, MAX_UNPACKED_BYTES
from slowpath.evidence.metrics.service.series_cache import SeriesCache
from slowpath.evidence.metrics.service.series_reader import SeriesSelector, select_all
from slowpath.platform.accounts.rules.roles import TokenScope
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.factories.remote_write import V1_HEADERS, V2_HEADERS, Example, Native, Point, Sent, snappy, v1, v2
from tests.support.app_under_test import AppUnderTest

pytestmark = pytest.mark.database

NOW_MS = 1_795_262_400_000
"""The frozen clock's time."""
UP = {"__name__": "up", "job": "api", "instance": "a:80"}
WRITE = "/api/v1/metrics/write"

Push = Callable[..., Response]
VERSIONS: Mapping[str, tuple[Callable[[Sequence[Sent]], bytes], Mapping[str, str]]] = {
    "1": (v1, V1_HEADERS),
    "2": (v2, V2_HEADERS),
}


@pytest.fixture
def program(app: AppUnderTest, people: AccountsFactory, team: SomeTeam) -> TestClient:
    return app.asked(token=people.token(team, TokenScope.UPLOAD).secret)


@pytest.fixture(params=["1", "2"])
def push(request: pytest.FixtureRequest, program: TestClient) -> Push:
    made, headers = VERSIONS[request.param]
    return lambda *series: program.post(WRITE, content=made(series), headers=headers)


@pytest.fixture
def push2(program: TestClient) -> Push:
    return lambda *series: program.post(WRITE, content=v2(series), headers=V2_HEADERS)


@pytest.fixture
def stored(app: AppUnderTest, team: SomeTeam) -> Callable[..., list[SeriesData]]:
    def read(name: str = "up", from_ms: int = 0, to_ms: int = 2 * NOW_MS, **equal: str) -> list[SeriesData]:
        with app.database.reading(TeamScope(team.id)) as session:
            return select_all(session, [SeriesSelector(name, equal)], from_ms, to_ms)[0]

    return read


Stored = Callable[..., list[SeriesData]]


def forget(app: AppUnderTest) -> None:
    """Do as if the process had begun anew."""
    app.app.state.series_memory = SeriesCache()


def written(answer: Response) -> tuple[int, int, int]:
    written_counts = (
        answer.headers[f"X-Prometheus-Remote-Write-{what}-Written"] for what in ("Samples", "Histograms", "Exemplars")
    )
    samples, histograms, exemplars = map(int, written_counts)
    return samples, histograms, exemplars


def points(data: SeriesData) -> list[tuple[int, float]]:
    assert data.values is not None
    return list(zip((data.times_ms - NOW_MS).tolist(), data.values.tolist(), strict=True))


def test_responses_with_status_204_can_be_read(push: Push, stored: Stored) -> None:
    answer = push(Sent(UP, [Point(NOW_MS - 15_000, 1.5), Point(NOW_MS, 0.0)]))

    assert (answer.status_code, answer.content) == (204, b"")
    assert written(answer) == (2, 0, 0)
    (data,) = stored()
    assert points(data) == [(-15_000, 1.5), (0, 0.0)]
    assert (data.name, data.labels) == ("up", {"job": "api", "instance": "a:80"})


def test_the_next_requests_go_the_short_way_to_the_same_series(push: Push, stored: Stored) -> None:
    for step, value in enumerate([0.0, 1.0, -0.0, float("inf"), 2.5]):
        assert push(Sent(UP, [Point(NOW_MS + step * 1000, value)])).status_code == 204

    (data,) = stored()
    assert points(data) == [(0, 0.0), (1000, 1.0), (2000, 0.0), (3000, float("inf")), (4000, 2.5)]
    assert data.values is not None
    assert np.signbit(data.values).tolist() == [False, False, True, False, False]


def test_both_versions_mean_the_same_series(program: TestClient, stored: Stored) -> None:
    for step, (made, headers) in enumerate([*VERSIONS.values()] * 2):
        body = made([Sent(UP, [Point(NOW_MS + step, float(step))])])
        assert program.post(WRITE, content=body, headers=headers).status_code == 204

    assert [points(data) for data in stored()] == [[(0, 0.0), (1, 1.0), (2, 2.0), (3, 3.0)]]


@pytest.mark.parametrize("bits", [STALE_NAN_BITS, 0x7FF8000000000001, 0x7FF0000000000000, 0xFFF0000000000000])
def test_special_values_keep_their_bits(push: Push, stored: Stored, bits: int) -> None:
    assert push(Sent(UP, [Point(NOW_MS - 1, 1.0)])).status_code == 204
    assert push(Sent(UP, [Point(NOW_MS, bits=bits)])).status_code == 204

    (data,) = stored()
    assert data.values is not None
    assert int(data.values.view(np.uint64)[-1]) == bits
    assert data.stale().tolist() == [False, bits == STALE_NAN_BITS]


@pytest.mark.parametrize("remembered", [True, False])
def test_a_request_sent_again_changes_nothing(push: Push, stored: Stored, app: AppUnderTest, remembered: bool) -> None:
    request = [Sent(UP, [Point(NOW_MS - 1, 1.0), Point(NOW_MS, 2.0)]), Sent({**UP, "job": "b"}, [Point(NOW_MS, 3.0)])]
    assert push(*request).status_code == 204
    if not remembered:
        forget(app)

    again = push(*request)

    assert (again.status_code, written(again)) == (204, (3, 0, 0))
    assert sum(len(data.times_ms) for data in stored()) == 3


@pytest.mark.parametrize("remembered", [True, False])
def test_another_value_at_the_same_time_is_refused_and_the_first_stays(
    push: Push, stored: Stored, app: AppUnderTest, remembered: bool
) -> None:
    push(Sent(UP, [Point(NOW_MS - 1000, 1.0), Point(NOW_MS, 2.0)]))
    if not remembered:
        forget(app)

    answer = push(Sent(UP, [Point(NOW_MS - 1000, 9.0), Point(NOW_MS, 9.0), Point(NOW_MS + 1, 3.0)]))

    assert (answer.status_code, written(answer)) == (400, (1, 0, 0))
    assert "same-time-other-value" in answer.json()["detail"]
    assert [points(data) for data in stored()] == [[(-1000, 1.0), (0, 2.0), (1, 3.0)]]


def test_two_values_for_one_time_in_one_request_are_one_too_many(push: Push, stored: Stored) -> None:
    answer = push(Sent(UP, [Point(NOW_MS, 1.0), Point(NOW_MS, 1.0), Point(NOW_MS, 2.0)]))

    assert (answer.status_code, written(answer)) == (400, (2, 0, 0))
    assert [points(data) for data in stored()] == [[(0, 1.0)]]


@pytest.mark.parametrize("remembered", [True, False])
def test_samples_out_of_order_are_taken(push: Push, stored: Stored, app: AppUnderTest, remembered: bool) -> None:
    push(Sent(UP, [Point(NOW_MS, 3.0)]))
    if not remembered:
        forget(app)

    assert (
        push(Sent(UP, [Point(NOW_MS - 5000, 1.0), Point(NOW_MS - 9000, 0.0), Point(NOW_MS - 7000, 2.0)])).status_code
        == 204
    )

    assert [points(data) for data in stored()] == [[(-9000, 0.0), (-7000, 2.0), (-5000, 1.0), (0, 3.0)]]


@pytest.mark.parametrize(
    ("at_ms", "slug"),
    [
        (NOW_MS + 601_000, "too-far-ahead"),
        (NOW_MS - 31 * 86_400_000, "too-old"),
        (2**62, "too-far-ahead"),
        (-(2**62), "too-old"),
    ],
)
def test_times_far_off_are_refused_by_name(push: Push, stored: Stored, at_ms: int, slug: str) -> None:
    answer = push(Sent(UP, [Point(at_ms, 1.0), Point(NOW_MS, 1.0)]))

    assert (answer.status_code, written(answer)) == (400, (1, 0, 0))
    assert slug in answer.json()["detail"]
    assert [points(data) for data in stored()] == [[(0, 1.0)]]


BAD_LABELS: Mapping[str, Any] = {
    "no-name": {"job": "api"},
    "label-twice": [("__name__", "up"), ("job", "a"), ("job", "b")],
    "labels-unsorted": [("__name__", "up"), ("job", "a"), ("instance", "b")],
    "empty-label-name": [("", "x"), ("__name__", "up")],
    "too-many-labels": {"__name__": "up"} | {f"l{number:03}": "x" for number in range(100)},
    "label-name-too-long": {"__name__": "up", "n" * 1025: "x"},
    "label-value-too-long": {"__name__": "up", "n": "x" * 4097},
}


@pytest.mark.parametrize("slug", BAD_LABELS)
def test_a_series_against_the_rules_is_refused_by_name_and_the_others_are_written(
    push: Push, stored: Stored, slug: str
) -> None:
    request = [Sent(BAD_LABELS[slug], [Point(NOW_MS, 1.0)]), Sent(UP, [Point(NOW_MS, 1.0)])]
    for _ in range(2):
        answer = push(*request)

        assert (answer.status_code, written(answer)) == (400, (1, 0, 0))
        assert f"1 × {slug}" in answer.json()["detail"]
    assert len(stored()) == 1


def test_labels_are_required_at_all(push: Push) -> None:
    assert push(Sent({}, [Point(NOW_MS, 1.0)])).status_code == 400
    assert push(Sent({"__name__": ""}, [Point(NOW_MS, 1.0)])).status_code == 400


@pytest.mark.parametrize(
    "value",
    [
        "<img src=x onerror=alert(1)>",
        "=cmd()",
        "\u202etxt",
        "a\0b",
        "'; DROP TABLE metric_series; --",
        "\n",
        "é" * 2000,
    ],
)
def test_hostile_label_values_are_data(push: Push, stored: Stored, value: str) -> None:
    series = {**UP, "pod": value, value: "name"}
    for step in range(2):
        assert push(Sent(series, [Point(NOW_MS + step, 1.0)])).status_code == (
            204 if len(value.encode()) <= 1024 else 400
        )
    for data in stored():
        assert data.labels["pod"] == value.replace("\0", "␀")


def test_names_may_be_any_text(push: Push, stored: Stored) -> None:
    assert push(Sent({"__name__": "resource cpu.usage", "job name": "x"}, [Point(NOW_MS, 1.0)])).status_code == 204
    assert stored("resource cpu.usage")[0].labels == {"job name": "x"}


def test_an_empty_value_is_an_absent_label(push: Push, stored: Stored) -> None:
    push(Sent({**UP, "zone": ""}, [Point(NOW_MS, 1.0)]))
    push(Sent(UP, [Point(NOW_MS + 1, 2.0)]))

    assert [points(data) for data in stored()] == [[(0, 1.0), (1, 2.0)]]


# -- what is no remote write --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind", ["application/json", "image/png", "application/x-protobuf;proto=io.prometheus.write.v3.Request"]
)
def test_other_contents_are_not_understood(program: TestClient, kind: str) -> None:
    body = v1([Sent(UP, [Point(NOW_MS, 1.0)])])
    answer = program.post(WRITE, content=body, headers={**V1_HEADERS, "Content-Type": kind})
    assert answer.status_code == 415


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "zstd", "identity"])
def test_other_encodings_are_not_understood(program: TestClient, encoding: str) -> None:
    answer = program.post(WRITE, content=b"x", headers={**V1_HEADERS, "Content-Encoding": encoding})
    assert answer.status_code == 415


@pytest.mark.parametrize("headers", [V1_HEADERS, V2_HEADERS], ids=["1", "2"])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"0" * 40,
        snappy(b"\x0a"),
        snappy(b"\x0a\x05abc"),
        snappy(b"\x2a\x05\x0a\x80\x80\x80\x80"),
        snappy(b"\xff" * 30),
        b"\x80\x80\x80\x80\x10",
    ],
)
def test_an_unreadable_request_is_rejected_as_a_whole(
    program: TestClient, headers: Mapping[str, str], body: bytes
) -> None:
    answer = program.post(WRITE, content=body, headers=headers)

    assert answer.status_code in {400, 413}
    if answer.status_code == 400:
        assert written(answer) == (0, 0, 0)


def test_one_version_taken_for_the_other_is_not_taken_for_nothing(program: TestClient) -> None:
    series = [Sent(UP, [Point(NOW_MS, 1.0)])]
    assert program.post(WRITE, content=v2(series), headers=V1_HEADERS).status_code == 400
    assert program.post(WRITE, content=v1(series), headers=V2_HEADERS).status_code == 400


def test_an_empty_request_writes_nothing_and_is_well(push: Push) -> None:
    answer = push()
    assert (answer.status_code, written(answer)) == (204, (0, 0, 0))


def test_a_bomb_of_empty_series_is_counted_not_built(program: TestClient) -> None:
    bomb = snappy(b"\x0a\x00" * 3_000_000)

    answer = program.post(WRITE, content=bomb, headers=V1_HEADERS)

    assert answer.status_code == 400
    assert answer.json()["type"] == "urn:slowpath:too-much-at-once"


def test_a_body_that_becomes_too_large_is_refused_unread(program: TestClient) -> None:
    answer = program.post(WRITE, content=snappy(bytes(MAX_UNPACKED_BYTES + 1)), headers=V1_HEADERS)

    assert (answer.status_code, answer.json()["limit"]) == (413, MAX_UNPACKED_BYTES)


def test_a_body_that_is_too_large_is_refused(program: TestClient) -> None:
    answer = program.post(WRITE, content=bytes(MAX_PACKED_BYTES + 1), headers=V1_HEADERS)

    assert (answer.status_code, answer.json()["limit"]) == (413, MAX_PACKED_BYTES)


# -- native histograms ----------------------------------------------------------------------------------

LATENCY = {"__name__": "request_duration_seconds", "job": "api"}
WHOLE = Native(NOW_MS, 27, 12.5, 3, 1, 0.001, [(0, 3), (2, 2)], [1, 3, 4, 7, 8], [(0, 2)], [1, 2])
FLOAT = Native(NOW_MS, 5.5, 12.5, 3, 0.5, 0.001, [(-4, 2)], [1.5, 2.5], [(3, 1)], [1.0], whole=False)
CUSTOM = Native(
    NOW_MS, 30, 2.0, -53, positive_spans=[(0, 6)], positive=[2, 3, 5, 8, 7, 5], bounds=[0.1, 0.5, 1.0, 2.5, 5.0, 10.0]
)
EMPTY = Native(NOW_MS)
STALE = Native(NOW_MS, 0, float(np.array([STALE_NAN_BITS], np.uint64).view(np.float64)[0]))


@pytest.mark.parametrize("native", [WHOLE, FLOAT, CUSTOM, EMPTY], ids=["whole", "float", "custom", "empty"])
def test_native_histograms_are_stored(push: Push, stored: Stored, native: Native) -> None:
    for _ in range(2):
        answer = push(Sent(LATENCY, natives=[native]))
        assert (answer.status_code, written(answer)) == (204, (0, 1, 0))

    (data,) = stored("request_duration_seconds")
    histograms = data.histograms
    assert histograms is not None
    assert data.values is None
    assert (len(histograms), histograms.count[0], histograms.sum[0], histograms.schema[0]) == (
        1,
        native.count,
        native.sum,
        native.schema,
    )
    assert (histograms.zero_count[0], histograms.zero_threshold[0]) == (native.zero_count, native.zero_threshold)
    assert histograms.positive.count.tolist() == list(native.positive)
    assert histograms.negative.count.tolist() == list(native.negative)
    assert histograms.custom_bounds.tolist() == list(native.bounds)


def test_buckets_are_placed_by_their_spans(push: Push, stored: Stored) -> None:
    push(Sent(LATENCY, natives=[WHOLE]))

    histograms = stored("request_duration_seconds")[0].histograms
    assert histograms is not None
    assert histograms.positive.index.tolist() == [0, 1, 2, 5, 6]


def test_another_histogram_at_the_same_time_is_refused(push: Push, app: AppUnderTest) -> None:
    push(Sent(LATENCY, natives=[WHOLE]))
    for _ in range(2):
        answer = push(Sent(LATENCY, natives=[FLOAT]))
        assert (answer.status_code, written(answer)) == (400, (0, 0, 0))
        forget(app)


BAD_NATIVES = {
    "add up": Native(NOW_MS, 99, 1.0, 0, 0, 0, [(0, 1)], [1]),
    "schema": Native(NOW_MS, 1, 1.0, 9, 0, 0, [(0, 1)], [1]),
    "bucket count is negative": Native(NOW_MS, -1, 1.0, 0, 0, 0, [(0, 1)], [-1.0], whole=False),
    "spans": Native(NOW_MS, 1, 1.0, 0, 0, 0, [(0, 2)], [1]),
    "negative offset": Native(NOW_MS, 2, 1.0, 0, 0, 0, [(0, 1), (-1, 1)], [1, 1]),
    "ascend": Native(NOW_MS, 1, 1.0, -53, positive_spans=[(0, 1)], positive=[1], bounds=[2.0, 1.0]),
    "outside": Native(NOW_MS, 1, 1.0, -53, positive_spans=[(9, 1)], positive=[1], bounds=[1.0]),
    "more than 5000": Native(NOW_MS, 1, 1.0, 0, 0, 0, [(0, 2_000_000_000)], [1]),
}


@pytest.mark.parametrize("why", BAD_NATIVES)
def test_a_histogram_that_contradicts_itself_is_refused(push: Push, why: str) -> None:
    answer = push(Sent(LATENCY, natives=[BAD_NATIVES[why]]), Sent(UP, [Point(NOW_MS, 1.0)]))

    assert (answer.status_code, written(answer)) == (400, (1, 0, 0))
    assert why in answer.json()["detail"]


# -- what only version 2 says -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "name", "known_as"),
    [
        (1, "a_total", "counter"),
        (2, "a", "gauge"),
        (0, "a_total", "counter"),
        (0, "a", "unknown"),
        (5, "a", "unknown"),
        (6, "a", "unknown"),
        (99, "a", "unknown"),
    ],
)
def test_metadata_decides_the_type_of_a_series(
    push2: Push, stored: Stored, kind: int, name: str, known_as: str
) -> None:
    answer = push2(Sent({"__name__": name}, [Point(NOW_MS, 1.0)], kind=kind, unit="seconds"))

    assert (answer.status_code, written(answer)) == (204, (1, 0, 0))
    assert stored(name)[0].kind == known_as


def test_the_start_of_a_counter_is_stored(push2: Push, stored: Stored) -> None:
    for step, created in enumerate((NOW_MS - 9000, NOW_MS - 9000, NOW_MS - 1000)):
        assert push2(Sent(UP, [Point(NOW_MS + step, 1.0)], created_ms=created)).status_code == 204

    assert stored()[0].created_ms == NOW_MS - 1000


def test_exemplars_are_stored_and_counted(push: Push, app: AppUnderTest, team: SomeTeam) -> None:
    examples = [
        Example(NOW_MS, 0.3, {"trace_id": "abc"}),
        Example(NOW_MS - 1, 0.2),
        Example(NOW_MS - 2, 0.1, {"x": "é\0"}),
    ]
    for _ in range(2):
        answer = push(Sent(UP, [Point(NOW_MS, 1.0)], exemplars=examples))
        assert (answer.status_code, written(answer)) == (204, (1, 0, 3))

    with app.database.reading(TeamScope(team.id)) as session:
        rows = session.connection().exec_driver_sql("SELECT count(*) FROM metric_exemplar").scalar()
    assert rows == 3


def test_exemplars_alone_are_well(push2: Push) -> None:
    answer = push2(Sent(UP, exemplars=[Example(NOW_MS, 1.0, {"trace_id": "a"})]))
    assert (answer.status_code, written(answer)) == (204, (0, 0, 1))


def test_metadata_alone_is_well(push2: Push) -> None:
    answer = push2(Sent(UP, kind=1))
    assert (answer.status_code, written(answer)) == (204, (0, 0, 0))


def test_a_symbol_that_is_not_there_is_refused(program: TestClient) -> None:
    body = snappy(b"\x22\x00" + b"\x2a\x04\x0a\x02\x01\x02")
    assert program.post(WRITE, content=body, headers=V2_HEADERS).status_code == 400


def test_version_1_distinguishes_kinds_from_samples(program: TestClient, stored: Stored) -> None:
    body = v1([Sent({"__name__": "depth", "job": "a"}, [Point(NOW_MS, 1.0)])], metadata=[("depth", 2, "")])

    assert program.post(WRITE, content=body, headers=V1_HEADERS).status_code == 204

    assert stored("depth")[0].kind == "gauge"


# -- who may --------------------------------------------------------------------------------------------


def test_a_token_is_needed(app: AppUnderTest) -> None:
    assert app.asked().post(WRITE, content=b"", headers=V1_HEADERS).status_code == 401


def test_a_token_that_may_read_may_not_write(app: AppUnderTest, people: AccountsFactory, team: SomeTeam) -> None:
    reader = app.asked(token=people.token(team, TokenScope.READ).secret)
    assert reader.post(WRITE, content=b"", headers=V1_HEADERS).status_code == 403


def test_teams_do_not_see_each_other(push: Push, stored: Stored, app: AppUnderTest, people: AccountsFactory) -> None:
    """The same labels, the same values, the same times: two teams, two series, both numbered 1."""
    other = people.team()
    theirs = app.asked(token=people.token(other, TokenScope.UPLOAD).secret)
    assert theirs.post(WRITE, content=v1([Sent(UP, [Point(NOW_MS, 7.0)])]), headers=V1_HEADERS).status_code == 204
    assert push(Sent(UP, [Point(NOW_MS, 8.0)])).status_code == 204

    assert [points(data) for data in stored()] == [[(0, 8.0)]]
    with app.database.reading(TeamScope(other.id)) as session:
        ((data,),) = select_all(session, [SeriesSelector("up")], 0, 2 * NOW_MS)
    assert (points(data), data.series_id) == ([(0, 7.0)], stored()[0].series_id)
