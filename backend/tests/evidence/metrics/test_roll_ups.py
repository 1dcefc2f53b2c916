"""Hours that are over are joined and rolled up, and long ranges are read from the roll-ups."""

from collections.abc import Callable

import numpy as np
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from slowpath.analysis.kinds.metrics.samples.series_data import SeriesData
from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import ServiceId
from slowpath.evidence.metrics.errors import TooManySamples
from slowpath.evidence.metrics.service import chunk_compaction, roll_up_writer, service_samples
from slowpath.evidence.metrics.service.series_reader import ReadReach, SeriesSelector, select_all
from slowpath.evidence.metrics.tables import MetricSeries
from tests.evidence.metrics.conftest import NOW_MS, Fold, Push, Stored
from tests.evidence.metrics.dashboard_samples import SomeService
from tests.evidence.metrics.test_chunk_compaction import contents, count
from tests.evidence.metrics.test_dashboard import board_of, column, write
from tests.factories.accounts import SomeTeam
from tests.factories.remote_write import Native, Point, Sent
from tests.support.app_under_test import AppUnderTest

pytestmark = pytest.mark.database

HOUR = 3_600_000
START = NOW_MS // HOUR * HOUR - 12 * HOUR
REQUESTS = {"__name__": "http_requests_total", "job": "api", "instance": "a", "code": "200"}
NATIVE = {"__name__": "http_request_duration_seconds", "job": "api", "instance": "a"}

RollUps = Callable[..., int]
Read = Callable[..., list[SeriesData]]


@pytest.fixture
def roll_up(app: AppUnderTest, team: SomeTeam) -> RollUps:
    """Do what the worker does until no hour is due; return the number of jobs."""

    def run(now_ms: int = NOW_MS + HOUR, most_samples: int = 1_000_000) -> int:
        for jobs in range(100):
            with app.database.reading(TeamScope(team.id)) as session:
                due = roll_up_writer.gather_due_hours(session, now_ms, most_samples)
            if due is None:
                return jobs
            written = list(roll_up_writer.join_hours(due))
            with app.database.writing(TeamScope(team.id)) as session:
                assert roll_up_writer.replace_pieces(session, due, written)
        raise AssertionError("hours remain due")

    return run


@pytest.fixture
def read(app: AppUnderTest, team: SomeTeam) -> Read:
    def selected(reach: ReadReach, name: str = REQUESTS["__name__"], from_ms: int = 0) -> list[SeriesData]:
        with app.database.reading(TeamScope(team.id)) as session:
            return select_all(session, [SeriesSelector(name)], from_ms, 2 * NOW_MS, reach)[0]

    return selected


def push_hours(push1: Push, fold_all: Fold, hours: range) -> None:
    """A sample a minute, compacted in three pieces an hour."""
    for third in range(3):
        minutes = range(third * 20, third * 20 + 20)
        times = [START + hour * HOUR + minute * 60_000 + 1_000 for hour in hours for minute in minutes]
        filled = {at: (at - START) // 30_000 + 1 for at in times}
        natives = [Native(at, 2 * n, 1.5 * n, 2, 0, 0, [(0, 2)], [n, n]) for at, n in filled.items()]
        points = [Point(at, float(n)) for at, n in filled.items()]
        assert push1(Sent(REQUESTS, points), Sent(NATIVE, natives=natives)).status_code == 204
        fold_all()


def samples_of(series: list[SeriesData]) -> list[object]:
    """Everything but the time of receipt, whose stretches are joined with the hours."""
    return [of_series[:-1] for of_series in contents(series) if isinstance(of_series, tuple)]


def test_raw_samples_are_read_as_before_and_roll_ups_are_a_part_of_them(
    push1: Push, stored: Stored, fold_all: Fold, roll_up: RollUps, read: Read, app: AppUnderTest, team: SomeTeam
) -> None:
    push_hours(push1, fold_all, range(10))
    before = samples_of(stored(REQUESTS["__name__"])) + samples_of(stored(NATIVE["__name__"]))
    assert count(app, team, "metric_chunk") == 2 * 30

    assert roll_up(START + 10 * HOUR + HOUR // 6) == 1

    assert samples_of(stored(REQUESTS["__name__"])) + samples_of(stored(NATIVE["__name__"])) == before
    assert count(app, team, "metric_chunk") == 2 * 10
    assert count(app, team, "metric_chunk WHERE piece = 1") == 2 * 2, "hours that are not rolled up yet"
    (raw,) = read(ReadReach())
    for step_ms, least, most in ((300_000, 12, 14), (3_600_000, 1, 2)):
        (one,) = read(ReadReach(step_ms))
        assert np.isin(one.times_ms, raw.times_ms).all()
        rolled_up = one.times_ms < START + 8 * HOUR
        assert least * 8 <= rolled_up.sum() <= most * 8
        assert (~rolled_up).sum() == 2 * 60, "the newest hours are raw"
        assert one.values is not None
        assert raw.values is not None
        assert one.values[-1] - one.values[0] == raw.values[-1] - raw.values[0]
        assert one.roll_up is not None
        assert (one.roll_up.resolution_ms, one.roll_up.interval_ms) == (step_ms, 60_000)
        (native,) = read(ReadReach(step_ms), NATIVE["__name__"])
        assert native.times_ms.tolist() == one.times_ms.tolist()


def test_samples_that_come_late_are_joined_and_rolled_up_again(
    push1: Push, stored: Stored, fold_all: Fold, roll_up: RollUps, read: Read
) -> None:
    push_hours(push1, fold_all, range(1, 6))
    roll_up()
    late = [Point(START + at, float(at // 30_000)) for at in (1_000, 61_000, 4_000_500)]
    assert push1(Sent(REQUESTS, late)).status_code == 204
    fold_all()
    before = samples_of(stored(REQUESTS["__name__"]))
    assert read(ReadReach(HOUR))[0].times_ms[0] == START + 1_000, "also before they are rolled up"

    assert roll_up() == 1
    assert roll_up() == 0

    assert samples_of(stored(REQUESTS["__name__"])) == before
    (one,) = read(ReadReach(HOUR))
    assert one.times_ms[0] == START + 1_000
    assert one.late


def test_hours_from_before_roll_ups_are_rolled_up_in_bounded_jobs(
    push1: Push, fold_all: Fold, roll_up: RollUps, read: Read, app: AppUnderTest, team: SomeTeam
) -> None:
    push_hours(push1, fold_all, range(8))
    roll_up()
    (expected,) = read(ReadReach(300_000))
    with app.database.writing(TeamScope(team.id)) as session:
        session.connection().exec_driver_sql("UPDATE metric_chunk SET piece = 1")
        session.connection().exec_driver_sql("DELETE FROM metric_roll_up")

    assert roll_up(most_samples=240) == 4

    (one,) = read(ReadReach(300_000))
    assert np.isin(expected.times_ms, one.times_ms).all()
    assert len(one.times_ms) < 1.3 * len(expected.times_ms)


def test_a_read_has_a_limit_of_samples(push1: Push, fold_all: Fold, roll_up: RollUps, read: Read) -> None:
    push_hours(push1, fold_all, range(8))
    roll_up()

    with pytest.raises(TooManySamples) as refused:
        read(ReadReach(0, samples_max=400))
    assert (refused.value.limit, refused.value.actual, refused.value.unit) == (400, 480, "samples")
    assert refused.value.remedy
    with pytest.raises(TooManySamples):
        read(ReadReach(60_000, needs_step=True, samples_max=400))
    (one,) = read(ReadReach(60_000, samples_max=400))
    assert one.roll_up is not None
    assert one.roll_up.resolution_ms == 300_000
    (one,) = read(ReadReach(60_000, samples_max=50))
    assert one.roll_up is not None
    assert one.roll_up.resolution_ms == HOUR


def test_two_jobs_at_once_do_not_undo_each_other(
    push1: Push, stored: Stored, fold_all: Fold, app: AppUnderTest, team: SomeTeam
) -> None:
    push_hours(push1, fold_all, range(4))
    before = samples_of(stored(REQUESTS["__name__"]))
    with app.database.reading(TeamScope(team.id)) as session:
        due = [roll_up_writer.gather_due_hours(session, NOW_MS) for _ in range(2)]
    for one, recorded in zip(due, (True, False), strict=True):
        assert one is not None
        with app.database.writing(TeamScope(team.id)) as session:
            assert roll_up_writer.replace_pieces(session, one, list(roll_up_writer.join_hours(one))) is recorded

    assert samples_of(stored(REQUESTS["__name__"])) == before


def test_samples_deleted_meanwhile_do_not_return(
    push1: Push, fold_all: Fold, app: AppUnderTest, team: SomeTeam
) -> None:
    push_hours(push1, fold_all, range(4))
    with app.database.reading(TeamScope(team.id)) as session:
        due = roll_up_writer.gather_due_hours(session, NOW_MS)
        service_ids = [ServiceId(one) for one in session.scalars(select(MetricSeries.service_id)) if one]
    assert due is not None
    with app.database.writing(TeamScope(team.id)) as session:
        assert service_samples.delete_service_samples(session, service_ids) > 0
    left = count(app, team, "metric_chunk")

    with app.database.writing(TeamScope(team.id)) as session:
        assert not roll_up_writer.replace_pieces(session, due, list(roll_up_writer.join_hours(due)))

    assert count(app, team, "metric_chunk") == left < 2 * 12


def test_roll_ups_are_deleted_with_their_samples(
    push1: Push, fold_all: Fold, roll_up: RollUps, app: AppUnderTest, team: SomeTeam
) -> None:
    push_hours(push1, fold_all, range(8))
    roll_up()
    assert count(app, team, "metric_roll_up") > 2
    for days, left in ((25, True), (36, False)):
        with app.database.writing(TeamScope(team.id)) as session:
            chunk_compaction.delete_expired_samples(session, NOW_MS + days * 24 * HOUR)
        assert (count(app, team, "metric_roll_up") > 0) is left


def test_jobs_are_enqueued_when_hours_are_due(push1: Push, fold_all: Fold, app: AppUnderTest, team: SomeTeam) -> None:
    """The clock of the database decides; samples of twelve hours before the frozen clock may be ahead of it."""
    with app.database.writing(TeamScope(team.id)) as session:
        session.connection().exec_driver_sql(
            f"INSERT INTO metric_chunk (team_id, id, hour, samples, content, piece) VALUES ('{team.id}', 1, 1, 0, '', 2)"
        )
    push1(Sent(REQUESTS, [Point(NOW_MS, 1.0)]))
    fold_all()

    assert count(app, team, "job WHERE name = 'metrics.roll-up'") == 1


def test_a_dashboard_from_roll_ups_shows_the_same_as_from_raw_samples(
    client: TestClient, program: TestClient, fold_all: Fold, roll_up: RollUps, app: AppUnderTest, team: SomeTeam
) -> None:
    end_ms = NOW_MS // HOUR * HOUR - 4 * HOUR - 7_000
    services = [SomeService("api", end_ms - 20 * HOUR, end_ms, step_ms=30_000, gauge=True)]
    services += [SomeService("young", end_ms - 3 * HOUR + 50_000, end_ms, step_ms=30_000)]
    write(program, [one for service in services for one in service.written()])
    fold_all()
    asked = {"from": str(NOW_MS - 26 * HOUR), "to": str(NOW_MS)}
    raw = board_of(client, **asked)
    roll_up()
    with app.database.writing(TeamScope(team.id)) as session:
        session.connection().exec_driver_sql("UPDATE metric_chunk SET content = '' WHERE piece = 0")  # not read

    board = board_of(client, **asked)

    assert raw.header["step_ms"] == 300_000
    assert board.header == raw.header
    for name in ("r0_p50", "r0_p99", "r0_mean", "r0_qps_2xx", "r0_gauge0", "r1_p99", "r1_qps_2xx"):
        np.testing.assert_allclose(column(board, name), column(raw, name), rtol=0.02, err_msg=name)
