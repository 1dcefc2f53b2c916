"""How a job may end, and that it ends once."""

import errno
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from psycopg import sql
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from slowpath.core.db_sessions import TeamScope, WriteSession
from slowpath.core.errors import DiskFull, InvalidRequest, NotFound, SlowpathError, Unavailable
from slowpath.core.ids import new_id
from slowpath.evidence.artifacts.jobs import DecodeArtifact
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.tables import Build, Environment, Service
from slowpath.platform.jobs import service as work
from slowpath_worker.job_context import Cancelled, JobContext, JobFailure, LeaseLost, Postponed
from slowpath_worker.job_execution import run_job
from tests.jobs.conftest import LEASE_SECONDS, Bench, Errand, HandleErrand

pytestmark = pytest.mark.database

SOON_S = 3.0


class Ends:
    """Records the reported failures of jobs."""

    def __init__(self) -> None:
        self.recorded: list[tuple[SlowpathError | Cancelled, dict[str, Any]]] = []

    def __call__(self, _session: WriteSession, _job: Errand, failure: JobFailure) -> None:
        self.recorded.append((failure.error, failure.problem))


def note(session: WriteSession, name: str) -> None:
    """Leave a mark that only a commit keeps."""
    session.execute(
        text(
            "INSERT INTO environment (team_id, id, slug, name)"
            " VALUES (current_setting('slowpath.team_id')::uuid, gen_random_uuid(), :name, :name)"
        ),
        {"name": name},
    )


def notes(bench: Bench) -> list[str]:
    return [row[0] for row in bench.admin.execute("SELECT name FROM environment ORDER BY created_at").fetchall()]


def test_the_effect_and_the_end_are_one(bench: Bench, handle: HandleErrand) -> None:
    def run(job: Errand, context: JobContext) -> None:
        with context.finishing() as session:
            note(session, job.note)

    handle(run, None)
    row = bench.carry_out(bench.write_down(Errand(new_id(), "effect")))

    assert (row["state"], row["attempts"], row["fencing_token"], row["progress"]) == ("done", 1, 1, 1.0)
    assert row["lease_expires_at"] is None
    assert row["finished_at"] >= row["started_at"]
    assert notes(bench) == ["effect"]


def test_an_effect_that_cannot_be_written_does_not_end_the_job_well(bench: Bench, handle: HandleErrand) -> None:
    def run(_job: Errand, context: JobContext) -> None:
        with context.finishing() as session:
            note(session, "half")
            session.execute(text("SELECT 1 / 0"))

    handle(run, None)
    row = bench.carry_out(bench.write_down())

    assert row["state"] == "failed"
    assert notes(bench) == []


def test_an_unavailable_receiver_is_retried_and_finally_abandoned(bench: Bench, handle: HandleErrand) -> None:
    tried: list[int] = []
    ends = Ends()

    def run(_job: Errand, context: JobContext) -> None:
        tried.append(context.claim.attempts)
        raise Unavailable("The store is away.", remedy="Wait.")

    handle(run, ends)
    job_id = bench.write_down()

    row = bench.carry_out(job_id)
    assert (row["state"], row["attempts"], row["later"]) == ("waiting", 1, True)
    assert row["problem"]["detail"] == "The store is away."
    assert bench.carry_out(job_id)["attempts"] == 1, "a message that comes early claims nothing"

    for _ in range(2):
        bench.change(job_id, "not_before = clock_timestamp()")
        row = bench.carry_out(job_id)
    assert (row["state"], row["attempts"]) == ("failed", 3)
    assert tried == [1, 2, 3]
    assert [type(error) for error, _ in ends.recorded] == [Unavailable]


def test_a_job_that_waits_for_long_asks_less_often(bench: Bench, handle: HandleErrand) -> None:
    def run(_job: Errand, _context: JobContext) -> None:
        raise Postponed(0.5)

    handle(run, None)
    job_id = bench.write_down()
    for age_s, least_s, most_s in ((0, 0.3, 2), (100, 9, 12), (10_000, 28, 31)):
        bench.change(job_id, f"created_at = now() - interval '{age_s} seconds', not_before = now()")
        bench.carry_out(job_id)
        found = bench.admin.execute(
            "SELECT extract(epoch FROM not_before - clock_timestamp()) FROM job WHERE id = %s", (job_id,)
        ).fetchone()
        assert found is not None
        assert least_s - 1 < found[0] < most_s


@pytest.mark.parametrize(
    "error", [DiskFull("The disk is full."), OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))], ids=["helper", "worker"]
)
def test_a_full_disk_fails_no_job(bench: Bench, handle: HandleErrand, error: Exception) -> None:
    ends = Ends()

    def run(_job: Errand, _context: JobContext) -> None:
        raise error

    handle(run, ends)
    job_id = bench.write_down()
    for _ in range(Errand.max_attempts + 1):
        bench.change(job_id, "not_before = clock_timestamp()")
        row = bench.carry_out(job_id)
        assert (row["state"], row["attempts"], row["later"]) == ("waiting", 0, True)
        assert row["problem"]["type"] == "urn:slowpath:no-room"
    assert ends.recorded == []


def test_a_job_whose_row_is_deleted_meanwhile_runs_again(bench: Bench, handle: HandleErrand) -> None:
    with bench.worker_context.database.writing(TeamScope(bench.team.id)) as session:
        environment_id = catalog.create_environment(session, "staging").id
    found: list[bool] = []

    def run(_job: Errand, context: JobContext) -> None:
        with context.writing() as session:
            row = session.get(Environment, (context.team_id, environment_id))
            found.append(row is not None)
            if row is not None:
                bench.admin.execute("DELETE FROM environment WHERE id = %s", (environment_id,))
                row.name = "production"
        with context.finishing():
            pass

    handle(run, None)
    job_id = bench.write_down()

    assert bench.carry_out(job_id)["state"] == "waiting"
    bench.change(job_id, "not_before = clock_timestamp()")
    assert bench.carry_out(job_id)["state"] == "done"
    assert found == [True, False]


def test_a_job_that_adds_to_a_row_deleted_meanwhile_runs_again(bench: Bench, handle: HandleErrand) -> None:
    with bench.worker_context.database.writing(TeamScope(bench.team.id)) as session:
        service_id = catalog.create_service(session, "api", {}).id
    found: list[bool] = []

    def run(_job: Errand, context: JobContext) -> None:
        with context.finishing() as session:
            row = session.get(Service, (context.team_id, service_id))
            found.append(row is not None)
            if row is not None:
                bench.admin.execute("DELETE FROM service WHERE id = %s", (service_id,))
                session.add(Build(team_id=context.team_id, id=new_id(), service_id=service_id, commit="a" * 40))

    handle(run, None)
    job_id = bench.write_down()

    assert bench.carry_out(job_id)["state"] == "waiting"
    bench.change(job_id, "not_before = clock_timestamp()")
    assert bench.carry_out(job_id)["state"] == "done"
    assert found == [True, False]


def test_pauses_grow(bench: Bench, handle: HandleErrand) -> None:
    def run(_job: Errand, _context: JobContext) -> None:
        raise Unavailable("away")

    handle(run, None)
    job_id = bench.write_down()
    pauses = []
    for _ in range(2):
        bench.change(job_id, "not_before = clock_timestamp()")
        bench.carry_out(job_id)
        pause = bench.admin.execute("SELECT extract(epoch FROM not_before - clock_timestamp()) FROM job").fetchone()
        assert pause is not None
        pauses.append(float(pause[0]))

    assert 0.3 < pauses[0] <= 1.5
    assert 0.8 < pauses[1] <= 3.0


def test_a_rejected_job_ends_at_once_with_a_reason(bench: Bench, handle: HandleErrand) -> None:
    ends = Ends()

    def run(_job: Errand, _context: JobContext) -> None:
        raise InvalidRequest("It is no profile.", limit=1, actual=0, unit="samples", slug="no-samples")

    handle(run, ends)
    row = bench.carry_out(bench.write_down())

    assert (row["state"], row["attempts"]) == ("failed", 1)
    assert (row["problem"]["type"], row["problem"]["limit"]) == ("urn:slowpath:no-samples", 1)
    assert ends.recorded[0][1] == row["problem"]


def test_a_fault_of_ours_is_written_down_without_its_insides(bench: Bench, handle: HandleErrand) -> None:
    ends = Ends()

    def run(_job: Errand, _context: JobContext) -> None:
        raise KeyError("password of the database")

    handle(run, ends)
    row = bench.carry_out(bench.write_down())

    assert row["state"] == "failed"
    assert row["problem"]["type"] == "urn:slowpath:fault"
    assert "password" not in str(row["problem"])
    assert len(ends.recorded) == 1


@pytest.mark.parametrize("change", ["name = 'uploads.of-tomorrow'", "payload = '{\"unknown\": 1}'", "payload = '[]'"])
def test_a_job_that_is_not_understood_ends_instead_of_coming_back_for_ever(
    bench: Bench, handle: HandleErrand, change: str
) -> None:
    handle(lambda _job, _context: None, None)
    job_id = bench.write_down()
    bench.change(job_id, change)

    row = bench.carry_out(job_id)

    assert row["state"] == "failed"
    assert "cannot read" in row["problem"]["detail"]


def test_a_job_asked_to_end_before_it_began_is_not_done(bench: Bench, handle: HandleErrand) -> None:
    ends, ran = Ends(), []
    handle(lambda job, _context: ran.append(job), ends)
    job_id = bench.write_down()
    with bench.worker_context.database.writing(TeamScope(bench.team.id)) as session:
        work.cancel_job(session, job_id)

    row = bench.carry_out(job_id)

    assert row["state"] == "cancelled"
    assert ran == []
    assert isinstance(ends.recorded[0][0], Cancelled)
    assert row["problem"]["title"] == "Cancelled"


def test_a_running_job_ends_soon_when_asked_to(bench: Bench, handle: HandleErrand) -> None:
    begun, ends = threading.Event(), Ends()

    def run(_job: Errand, context: JobContext) -> None:
        begun.set()
        for _ in range(500):
            context.check()
            time.sleep(0.02)

    handle(run, ends)
    job_id = bench.write_down()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(bench.carry_out, job_id)
        assert begun.wait(10)
        asked = time.monotonic()
        with bench.worker_context.database.writing(TeamScope(bench.team.id)) as session:
            work.cancel_job(session, job_id)
        row = running.result(20)

    assert row["state"] == "cancelled"
    assert time.monotonic() - asked < SOON_S
    assert len(ends.recorded) == 1


def test_a_worker_without_the_lease_changes_nothing(bench: Bench, handle: HandleErrand) -> None:
    seen: list[type[BaseException]] = []

    def run(_job: Errand, context: JobContext) -> None:
        bench.change(context.claim.job_id, "fencing_token = fencing_token + 1")
        for enter in (context.writing, context.finishing):
            with pytest.raises(LeaseLost), enter() as session:
                note(session, "too late")
            seen.append(LeaseLost)
        raise InvalidRequest("and this is not written either")

    handle(run, None)
    row = bench.carry_out(bench.write_down())

    assert len(seen) == 2
    assert (row["state"], row["problem"], row["fencing_token"]) == ("running", None, 2)
    assert notes(bench) == []


def test_a_worker_notices_a_lost_lease_at_the_next_check(bench: Bench, handle: HandleErrand) -> None:
    learnt: list[float] = []

    def run(_job: Errand, context: JobContext) -> None:
        bench.change(context.claim.job_id, "fencing_token = fencing_token + 1")
        lost = time.monotonic()
        try:
            while time.monotonic() - lost < SOON_S:
                context.check()
                time.sleep(0.02)
        finally:
            learnt.append(time.monotonic() - lost)

    handle(run, None)
    bench.carry_out(bench.write_down())

    assert learnt[0] < SOON_S


def test_a_lease_is_renewed_while_the_work_takes_longer_than_it(bench: Bench, handle: HandleErrand) -> None:
    def run(_job: Errand, context: JobContext) -> None:
        time.sleep(bench.worker_context.settings.lease_seconds * 2)
        row = bench.row(context.claim.job_id)
        assert bench.admin.execute("SELECT clock_timestamp() < %s", (row["lease_expires_at"],)).fetchone() == (True,)
        with context.finishing():
            pass

    handle(run, None)

    assert bench.carry_out(bench.write_down())["state"] == "done"


def test_a_message_that_comes_twice_is_carried_out_once(bench: Bench, handle: HandleErrand) -> None:
    ran: list[int] = []

    def run(_job: Errand, context: JobContext) -> None:
        ran.append(context.claim.fence)
        time.sleep(0.3)
        with context.finishing() as session:
            note(session, "effect")

    handle(run, None)
    job_id = bench.write_down()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: bench.carry_out(job_id), range(4)))

    assert ran == [1]
    assert notes(bench) == ["effect"]


def test_a_job_whose_worker_died_goes_to_the_next_and_the_dead_one_cannot_come_back(
    bench: Bench, handle: HandleErrand
) -> None:
    def run(_job: Errand, context: JobContext) -> None:
        if context.claim.fence == 1:  # sleeps past its lease, as a stopped process would
            while bench.row(context.claim.job_id)["fencing_token"] == 1:  # our own heartbeat may come between
                bench.change(context.claim.job_id, "lease_expires_at = clock_timestamp()")
                bench.carry_out(context.claim.job_id)
        with context.finishing() as session:
            note(session, f"by {context.claim.fence}")

    handle(run, None)
    row = bench.carry_out(bench.write_down())

    assert (row["state"], row["attempts"], row["fencing_token"]) == ("done", 2, 2)
    assert notes(bench) == ["by 2"]


def test_a_job_that_kills_its_workers_is_abandoned(bench: Bench, handle: HandleErrand) -> None:
    ran, ends = [], Ends()
    handle(lambda job, _context: ran.append(job), ends)
    job_id = bench.write_down()
    bench.change(job_id, "state = 'running', attempts = 3, lease_expires_at = clock_timestamp() - interval '1 second'")

    row = bench.carry_out(job_id)

    assert row["state"] == "failed"
    assert (row["problem"]["limit"], row["problem"]["value"]) == (3, 3)
    assert ran == []
    assert len(ends.recorded) == 1


def test_waiting_for_something_else_is_not_an_attempt(bench: Bench, handle: HandleErrand) -> None:
    def run(_job: Errand, context: JobContext) -> None:
        with context.writing() as session:
            note(session, "undone")
            raise Postponed(30.0)

    handle(run, None)
    job_id = bench.write_down()

    for _ in range(5):
        bench.change(job_id, "not_before = clock_timestamp()")
        row = bench.carry_out(job_id)

    assert (row["state"], row["attempts"], row["problem"], row["later"]) == ("waiting", 0, None, True)
    assert notes(bench) == []


def test_a_database_that_went_away_leaves_the_job_to_its_lease(bench: Bench, handle: HandleErrand) -> None:
    def run(_job: Errand, context: JobContext) -> None:
        with context.writing() as session:
            session.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))

    handle(run, None)
    row = bench.carry_out(bench.write_down())

    assert (row["state"], row["problem"]) == ("running", None)


def let_in(bench: Bench, *, whether: bool) -> None:
    """Let the app make connections to the database, or not; those it has are ended."""
    name = sql.Identifier(bench.admin.info.dbname)
    limit = sql.Literal(-1 if whether else 0)
    bench.admin.execute(sql.SQL("ALTER DATABASE {} CONNECTION LIMIT {}").format(name, limit))
    bench.admin.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'slowpath_app' AND datname = current_database()"
    )


def test_a_message_waits_for_a_database_that_is_away(bench: Bench, handle: HandleErrand) -> None:
    def run(_job: Errand, context: JobContext) -> None:
        with context.finishing():
            pass

    handle(run, None)
    job_id = bench.write_down()
    let_in(bench, whether=False)
    back = threading.Timer(LEASE_SECONDS / 2, let_in, [bench], {"whether": True})
    back.start()
    run_job(bench.worker_context, job_id)
    back.join()

    assert bench.row(job_id)["state"] == "done"


def test_a_message_does_not_wait_for_ever(bench: Bench) -> None:
    job_id = bench.write_down()
    let_in(bench, whether=False)
    begun = time.monotonic()
    run_job(bench.worker_context, job_id)
    took = time.monotonic() - begun
    let_in(bench, whether=True)

    assert took == pytest.approx(LEASE_SECONDS, abs=1.0)
    assert bench.row(job_id)["state"] == "waiting"


def test_the_subject_of_a_job_may_be_deleted(bench: Bench, handle: HandleErrand) -> None:
    def ended_badly(*_: object) -> None:
        raise NotFound("It is not there any more.")

    def run(_job: Errand, _context: JobContext) -> None:
        raise NotFound("It is not there any more.")

    handle(run, ended_badly)
    row = bench.carry_out(bench.write_down())
    decode = bench.carry_out(bench.write_down(DecodeArtifact(new_id())))  # type: ignore[arg-type]  # any id

    assert (row["state"], decode["state"]) == ("failed", "failed")


def test_progress_is_reported_while_a_job_runs(bench: Bench, handle: HandleErrand) -> None:
    listed: list[tuple[float, str]] = []

    def run(_job: Errand, context: JobContext) -> None:
        for fraction in (0.25, 7.0):
            context.progress("counting", fraction)
            deadline = time.monotonic() + SOON_S
            expected = min(fraction, 1.0)
            while bench.row(context.claim.job_id)["progress"] != expected and time.monotonic() < deadline:
                time.sleep(0.05)
            row = bench.row(context.claim.job_id)
            listed.append((row["progress"], row["step"]))
        with context.finishing():
            pass

    handle(run, None)
    bench.carry_out(bench.write_down())

    assert listed == [(0.25, "counting"), (1.0, "counting")]


def test_the_same_job_uses_the_same_random_numbers(bench: Bench, handle: HandleErrand) -> None:
    thrown: list[float] = []

    def run(_job: Errand, context: JobContext) -> None:
        thrown.append(context.rng().random())
        raise Unavailable("away")

    handle(run, None)
    first, second = bench.write_down(), bench.write_down()
    for job_id in (first, first, second):
        bench.change(job_id, "not_before = clock_timestamp()")
        bench.carry_out(job_id)

    assert thrown[0] == thrown[1] != thrown[2]


def test_a_session_that_reads_cannot_write_and_sees_its_team_only(bench: Bench, handle: HandleErrand) -> None:
    seen: list[object] = []

    def run(_job: Errand, context: JobContext) -> None:
        with context.reading() as session:
            seen.append(session.scalar(text("SELECT count(DISTINCT team_id) FROM job")))
            with pytest.raises(DBAPIError, match="read-only"):
                session.execute(text("DELETE FROM job"))
        with context.finishing():
            pass

    handle(run, None)
    job_id = bench.write_down()
    bench.admin.execute(
        "INSERT INTO team (id, slug, name) VALUES (gen_random_uuid(), 'other', 'Other');"
        "INSERT INTO job SELECT (j).* FROM (SELECT jsonb_populate_record(job, jsonb_build_object("
        "'team_id', (SELECT id FROM team WHERE slug = 'other'), 'id', gen_random_uuid())) AS j FROM job) AS copied"
    )

    assert bench.carry_out(job_id)["state"] == "done"
    assert seen == [1]
