"""The tail becomes packed hours, and nothing that was answered with 204 is lost or changed on the way."""

import numpy as np
import pytest
from fastapi.testclient import TestClient

from slowpath.analysis.kinds.metrics.samples.sample_compaction import compact_chunk
from slowpath.analysis.kinds.metrics.samples.series_data import STALE_NAN_BITS, SeriesData
from slowpath.core.db_sessions import TeamScope
from slowpath.evidence.metrics.service import chunk_compaction
from slowpath.evidence.metrics.service.series_cache import SeriesCache
from tests.evidence.metrics.conftest import NOW_MS, Fold, Push, Stored
from tests.factories.accounts import SomeTeam
from tests.factories.remote_write import V1_HEADERS, Native, Point, Sent, v1
from tests.support.app_under_test import AppUnderTest

pytestmark = pytest.mark.database

UP = {"__name__": "up", "job": "api"}
HOUR = 3_600_000


def contents(series: list[SeriesData]) -> list[object]:
    """Everything of some series that matters, to the last bit."""
    out: list[object] = []
    for data in series:
        values = data.values.view(np.uint64).tolist() if data.values is not None else None
        native = data.histograms
        buckets = (
            (native.count.tolist(), native.positive.index.tolist(), native.positive.count.tolist()) if native else None
        )
        out.append((data.series_id, dict(data.labels), data.times_ms.tolist(), values, buckets, data.late))
    return out


def count(app: AppUnderTest, team: SomeTeam, table: str) -> int:
    with app.database.reading(TeamScope(team.id)) as session:
        return int(session.connection().exec_driver_sql(f"SELECT count(*) FROM {table}").scalar() or 0)


def test_compacted_samples_read_as_before(
    push1: Push, stored: Stored, fold_all: Fold, app: AppUnderTest, team: SomeTeam
) -> None:
    start = NOW_MS - 5 * HOUR
    for step in range(12):
        points = [Point(start + step * HOUR // 3 + at * 15_000, float(step * at)) for at in range(5)]
        native = Native(start + step * HOUR // 3, 3 + step, 1.5, 2, 0, 0, [(0, 2)], [1, 2 + step])
        assert (
            push1(
                Sent(UP, points),
                Sent({**UP, "job": "b"}, points[:2]),
                Sent({"__name__": "h", "job": "api"}, natives=[native]),
            ).status_code
            == 204
        )
    push1(Sent(UP, [Point(NOW_MS, bits=STALE_NAN_BITS)]))
    before = contents(stored()) + contents(stored("h"))

    assert fold_all()

    assert contents(stored()) + contents(stored("h")) == before
    assert count(app, team, "metric_wal_record") == 0
    assert count(app, team, "metric_chunk") > 5


def test_repeated_compaction_gives_equal_chunks(push1: Push, stored: Stored, fold_all: Fold) -> None:
    """Every fold finds the hour of the one before and adds to it; late samples find their place in it."""
    order = np.random.default_rng(3).permutation(40).tolist()
    for step in order:
        assert push1(Sent(UP, [Point(NOW_MS - step * 60_000, float(step))])).status_code == 204
        if step % 7 == 0:
            fold_all()
    fold_all()

    (data,) = stored()
    assert data.values is not None
    assert data.times_ms.tolist() == [NOW_MS - step * 60_000 for step in range(39, -1, -1)]
    assert data.values.tolist() == [float(step) for step in range(39, -1, -1)]


def test_a_piece_of_the_time_is_a_piece_of_the_samples(push1: Push, stored: Stored, fold_all: Fold) -> None:
    times = [NOW_MS - step * 600_000 for step in range(20)]
    push1(Sent(UP, [Point(at, 1.0) for at in times]))
    for _ in range(2):
        for first, last in ((5, 2), (12, 12), (19, 0)):
            (data,) = stored(from_ms=times[first], to_ms=times[last])
            assert data.times_ms.tolist() == times[last : first + 1][::-1]
        assert stored(from_ms=times[3] + 1, to_ms=times[2] - 1) == []
        fold_all()


def test_a_repetition_of_compacted_samples_is_recognized(
    push1: Push, stored: Stored, fold_all: Fold, app: AppUnderTest
) -> None:
    points = [Point(NOW_MS - 1000, 1.0), Point(NOW_MS, 2.0)]
    push1(Sent(UP, points))
    fold_all()
    app.app.state.series_memory = SeriesCache()

    assert push1(Sent(UP, points)).status_code == 204
    answer = push1(Sent(UP, [Point(NOW_MS - 1000, 3.0)]))

    assert answer.status_code == 400
    assert count_of(stored()) == 2


def count_of(series: list[SeriesData]) -> int:
    return sum(len(data.times_ms) for data in series)


def test_the_first_of_two_concurrent_values_stays(
    program: TestClient, stored: Stored, fold_all: Fold, app: AppUnderTest
) -> None:
    """Each process remembers for itself; what both took is settled by who was written first, before and after folding."""
    first, second = SeriesCache(), SeriesCache()
    for memory, at_ms, value in (
        (first, NOW_MS - 1, 0.0),
        (second, NOW_MS - 1, 0.0),
        (first, NOW_MS, 1.0),
        (second, NOW_MS, 2.0),
    ):
        app.app.state.series_memory = memory
        answer = program.post(
            "/api/v1/metrics/write", content=v1([Sent(UP, [Point(at_ms, value)])]), headers=V1_HEADERS
        )
        assert answer.status_code == 204

    for _ in range(2):
        (data,) = stored()
        assert data.values is not None
        assert data.values.tolist() == [0.0, 1.0]
        fold_all()


def test_two_folds_at_once_do_not_undo_each_other(
    push1: Push, stored: Stored, app: AppUnderTest, team: SomeTeam
) -> None:
    push1(Sent(UP, [Point(NOW_MS - 1, 1.0)]))
    with app.database.reading(TeamScope(team.id)) as session:
        slow = chunk_compaction.gather_wal_samples(session, 1000)
    push1(Sent(UP, [Point(NOW_MS, 2.0)]))
    with app.database.reading(TeamScope(team.id)) as session:
        quick = chunk_compaction.gather_wal_samples(session, 1000)
    assert slow is not None
    assert quick is not None
    for gathered, recorded in ((quick, True), (slow, False)):
        with app.database.writing(TeamScope(team.id)) as session:
            assert (
                chunk_compaction.replace_wal_with_chunks(session, gathered, list(compact_chunk(gathered.sorted_out)))
                is recorded
            )

    assert count_of(stored()) == 2


def test_late_samples_are_reported_as_late(push1: Push, stored: Stored, fold_all: Fold) -> None:
    """Receive times come from the clock of the database; the frozen clock of the test is years ahead of it or behind it."""
    push1(Sent(UP, [Point(NOW_MS - 20 * 86_400_000, 1.0), Point(NOW_MS - 20 * 86_400_000 + 1, 1.0)]))
    before = stored()[0].late
    fold_all()

    assert stored()[0].late == before


def test_each_hour_counts_its_late_samples(push1: Push, stored: Stored, fold_all: Fold) -> None:
    """A sender that was cut off for hours sends them at once: readers of the last of them are informed, of histograms too."""
    start = NOW_MS - 20 * 86_400_000
    start -= start % HOUR
    times = [start + at * HOUR // 2 for at in range(6)]
    push1(
        Sent(UP, [Point(at, float(at)) for at in times]),
        Sent({"__name__": "h", "job": "api"}, natives=[Native(at, 3, 1.5, 2, 0, 0, [(0, 2)], [1, 2]) for at in times]),
    )
    fold_all()

    for name in ("up", "h"):
        (data,) = stored(name, times[4], times[5])
        assert data.times_ms.tolist() == times[4:]
        assert [(run.from_ms, run.to_ms) for run in data.late] == [(times[4], times[5])], name


def test_expired_rows_are_deleted_and_the_rest_stays(
    push1: Push, stored: Stored, fold_all: Fold, app: AppUnderTest, team: SomeTeam
) -> None:
    old = {**UP, "job": "old"}
    push1(
        Sent(UP, [Point(NOW_MS - 20 * 86_400_000, 1.0), Point(NOW_MS, 2.0)]),
        Sent(old, [Point(NOW_MS - 20 * 86_400_000, 1.0)]),
    )
    fold_all()
    with app.database.writing(TeamScope(team.id)) as session:
        session.connection().exec_driver_sql("UPDATE metric_settings SET retention_days = 10")
        session.connection().exec_driver_sql("UPDATE metric_series SET created_at = created_at - interval '2 days'")
    with app.database.writing(TeamScope(team.id)) as session:
        assert chunk_compaction.delete_expired_samples(session, NOW_MS) == 1

    assert [data.times_ms.tolist() for data in stored()] == [[NOW_MS]]
    assert count(app, team, "metric_series") == 1
    assert push1(Sent(old, [Point(NOW_MS, 5.0)])).status_code == 204
    assert len(stored(job="old")) == 1


def test_a_series_in_the_tail_is_not_forgotten(
    push1: Push, stored: Stored, fold_all: Fold, app: AppUnderTest, team: SomeTeam
) -> None:
    """It was quiet for long, and its newest sample is not folded yet."""
    push1(Sent(UP, [Point(NOW_MS - 20 * 86_400_000, 1.0)]))
    fold_all()
    push1(Sent(UP, [Point(NOW_MS, 2.0)]))
    with app.database.writing(TeamScope(team.id)) as session:
        session.connection().exec_driver_sql("UPDATE metric_settings SET retention_days = 10")
        session.connection().exec_driver_sql("UPDATE metric_series SET created_at = created_at - interval '2 days'")
    with app.database.writing(TeamScope(team.id)) as session:
        assert chunk_compaction.delete_expired_samples(session, NOW_MS) == 0

    assert [data.times_ms.tolist() for data in stored()] == [[NOW_MS]]


def test_a_compaction_is_enqueued_once(push1: Push, app: AppUnderTest, team: SomeTeam) -> None:
    for step in range(3):
        push1(Sent(UP, [Point(NOW_MS + step, 1.0)]))

    assert count(app, team, "job WHERE name = 'metrics.compact'") == 1
