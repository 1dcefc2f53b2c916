"""No team waits for another one's backlog: how jobs are claimed, on a real database."""

from dataclasses import dataclass, replace
from typing import ClassVar
from uuid import uuid4

import pytest

from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import ArtifactId, JobId, new_id
from slowpath.core.jobs import HOUSEKEEPING, Priority, Queue, enqueue, parse_queues
from slowpath.evidence.artifacts.jobs import DecodeArtifact
from slowpath.platform.jobs import service
from slowpath_worker.job_context import JobContext
from slowpath_worker.job_execution import Worker, run_next
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.jobs.conftest import Bench, Errand, HandleErrand

pytestmark = pytest.mark.database

BACKLOG = 20_000
WORKER = Worker("worker-1", 2)
FLOOD = """
INSERT INTO job (team_id, id, name, queue, payload, subject_kind, subject_id, max_attempts, priority,
        state, attempts, fencing_token, progress, step, not_before)
    SELECT %s, gen_random_uuid(), 'tests.errand', 'analyse', jsonb_build_object('errand_id', gen_random_uuid()), 'errand',
        gen_random_uuid(), 3, %s, 'waiting', 0, 0, 0, '', clock_timestamp() - interval '1 hour'
    FROM generate_series(1, %s)
"""
END_AUTOVACUUM = (
    "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE backend_type = 'autovacuum worker'"
)
CLAIM = "SELECT job_id, team_id FROM cross_team.claim_next_job(%s, %s, %s, interval '1 minute')"

CLAIM_OF_QUEUE = "SELECT * FROM cross_team.claim_next_job(gen_random_uuid(), 'w', 100, interval '1 minute', '{notify}')"


@dataclass(frozen=True)
class Housekeeping(Errand):
    """A job about the team as a whole."""

    subject_kind: ClassVar[str] = HOUSEKEEPING


@pytest.fixture
def other(people: AccountsFactory) -> SomeTeam:
    return people.team()


def flood(bench: Bench, count: int, priority: Priority = Priority.BULK) -> None:
    bench.admin.execute(FLOOD, (bench.team.id, priority, count))
    bench.admin.execute("ANALYZE job")


def write_down(bench: Bench, team: SomeTeam) -> JobId:
    return replace(bench, team=team).write_down()


def claim(bench: Bench, worker: str = "worker-1", slots: int = 2) -> tuple[JobId, object] | None:
    row = bench.admin.execute(CLAIM, (uuid4(), worker, slots)).fetchone()
    return None if row is None else (JobId(row[0]), row[1])


def test_a_single_job_is_claimed_before_the_next_of_a_backlog(bench: Bench, other: SomeTeam) -> None:
    flood(bench, BACKLOG)
    assert claim(bench) is not None
    single = write_down(bench, other)

    assert claim(bench) == (single, other.id)


def test_one_team_leaves_a_process_of_each_worker_free(bench: Bench, other: SomeTeam) -> None:
    flood(bench, 10)

    assert [claim(bench) is not None for _ in range(3)] == [True, True, False]
    assert claim(bench, worker="worker-2") is not None
    single = write_down(bench, other)
    assert claim(bench) == (single, other.id)


def test_each_further_team_gets_a_spare_process(bench: Bench, other: SomeTeam, people: AccountsFactory) -> None:
    flood(bench, 10)
    third = people.team()
    assert [claim(bench) is not None for _ in range(2)] == [True, True]
    theirs = [write_down(bench, other) for _ in range(2)]
    assert claim(bench) == (theirs[0], other.id)
    single = write_down(bench, third)

    assert claim(bench) == (single, third.id)
    assert claim(bench) is None  # teams that run a job here get no spare process


def test_jobs_of_a_worker_that_died_hold_no_process(bench: Bench) -> None:
    flood(bench, 10)
    claim(bench), claim(bench)
    bench.admin.execute("UPDATE job SET lease_expires_at = clock_timestamp() - interval '1 s' WHERE state = 'running'")

    assert claim(bench) is not None


def test_a_lost_job_is_claimed_by_its_message(bench: Bench) -> None:
    lost = bench.write_down()
    claim(bench)
    flood(bench, 10)
    bench.change(lost, "lease_expires_at = clock_timestamp() - interval '1 s'")

    row = bench.admin.execute(CLAIM, (lost, "worker-1", 2)).fetchone()
    assert row is not None
    assert row[0] == lost


def test_between_equal_teams_the_one_that_used_less_goes_first(bench: Bench, other: SomeTeam) -> None:
    mine, theirs = bench.write_down(), write_down(bench, other)
    bench.admin.execute("SELECT cross_team.record_work_seconds(%s, 10)", (bench.team.id,))

    assert claim(bench) == (theirs, other.id)
    assert claim(bench) == (mine, bench.team.id)


def test_old_usage_of_a_team_is_deleted(bench: Bench) -> None:
    bench.admin.execute("SELECT cross_team.record_work_seconds(%s, 8)", (bench.team.id,))
    bench.admin.execute("UPDATE team SET work_at = work_at - interval '2 minutes'")
    bench.admin.execute("SELECT cross_team.record_work_seconds(%s, 1)", (bench.team.id,))

    found = bench.admin.execute("SELECT work_seconds FROM team WHERE id = %s", (bench.team.id,)).fetchone()
    assert found is not None
    assert found[0] == pytest.approx(3, rel=0.01)


def test_a_person_s_job_goes_before_the_files_of_programs(bench: Bench) -> None:
    database = bench.worker_context.database
    with database.writing(TeamScope(bench.team.id)) as session:
        of_ci = enqueue(session, DecodeArtifact(ArtifactId(new_id())))
        derived = enqueue(session, Errand(new_id()))
    of_person = bench.write_down()
    with database.writing(TeamScope(bench.team.id)) as session:
        service.cancel_job(session, of_ci)

    assert bench.row(derived)["priority"] == Priority.DERIVED
    assert [claim(bench, slots=9) for _ in range(3)] == [
        (job_id, bench.team.id) for job_id in (of_ci, of_person, derived)
    ]


def test_files_of_programs_and_housekeeping_are_bulk(bench: Bench) -> None:
    with bench.worker_context.database.writing(TeamScope(bench.team.id)) as session:
        of_ci = enqueue(session, DecodeArtifact(ArtifactId(new_id())))
    stored = bench.write_down(Housekeeping(new_id()))

    assert {bench.row(job_id)["priority"] for job_id in (of_ci, stored)} == {Priority.BULK}


def test_a_job_that_is_tried_later_is_not_claimed_before(bench: Bench) -> None:
    later, now = bench.write_down(), bench.write_down()
    bench.change(later, "not_before = clock_timestamp() + interval '1 minute'")

    assert claim(bench) == (now, bench.team.id)
    assert claim(bench) is None


def test_a_message_carries_out_the_fair_job_and_charges_its_team(
    bench: Bench, other: SomeTeam, handle: HandleErrand
) -> None:
    ran: list[object] = []

    def work(job: Errand, context: JobContext) -> None:
        ran.append(context.team_id)
        sum(range(2_000_000))
        with context.finishing():
            pass

    handle(work, None)
    flood(bench, 50)
    nudged = bench.admin.execute("SELECT id FROM job LIMIT 1").fetchone()
    assert nudged is not None
    assert run_next(bench.worker_context, WORKER, JobId(nudged[0]))
    single = write_down(bench, other)

    assert run_next(bench.worker_context, WORKER, JobId(nudged[0]))

    assert ran == [bench.team.id, other.id]
    assert bench.row(single)["state"] == "done"
    spent = bench.admin.execute("SELECT count(*) FROM team WHERE work_seconds > 0.01").fetchone()
    assert spent == (2,)


def test_a_worker_of_one_queue_claims_no_job_of_another(bench: Bench) -> None:
    flood(bench, 3)
    notify, other = replace(WORKER, queues=(Queue.NOTIFY,)), replace(WORKER, queues=(Queue.DECODE, Queue.BISECT))
    expected = bench.write_down()
    bench.change(expected, "queue = 'notify'")

    assert not run_next(bench.worker_context, other, JobId(new_id()))
    assert run_next(bench.worker_context, notify, JobId(new_id()))
    assert not run_next(bench.worker_context, notify, JobId(new_id()))
    assert bench.row(expected)["attempts"] == 1


def test_the_messages_of_one_queue_do_not_delay_those_of_another(bench: Bench) -> None:
    flood(bench, BACKLOG // 10)
    late = bench.write_down()
    bench.change(late, "queue = 'notify'")

    sent = bench.admin.execute("SELECT queue, count(*) FROM cross_team.select_due_jobs(100, 32) GROUP BY 1").fetchall()

    assert sorted(sent) == [("analyse", 32), ("notify", 1)]


@pytest.mark.parametrize("queue", Queue)
def test_every_queue_has_messages(bench: Bench, queue: Queue) -> None:
    job = bench.write_down()
    bench.change(job, f"queue = '{queue}'")
    assert bench.admin.execute("SELECT queue FROM cross_team.select_due_jobs(100, 32)").fetchall() == [(queue,)]


def test_the_queues_of_a_worker_are_a_list() -> None:
    assert parse_queues("decode, notify") == (Queue.DECODE, Queue.NOTIFY)
    assert parse_queues("") == tuple(Queue)
    with pytest.raises(ValueError, match="mail"):
        parse_queues("mail")


def test_nothing_to_claim_is_no_job(bench: Bench) -> None:
    assert not run_next(bench.worker_context, WORKER, JobId(new_id()))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM cross_team.claim_next_job(gen_random_uuid(), 'w', 100, interval '1 minute')",
        "SELECT * FROM cross_team.select_due_jobs(100, 32)",
    ],
)
def test_a_backlog_costs_no_more_than_its_index(bench: Bench, query: str) -> None:
    """Pages read do not grow with the backlog."""

    def pages(count: int) -> int:
        flood(bench, count)
        bench.admin.execute("UPDATE job SET state = 'done' WHERE send_count > 0")
        # an ANALYZE that runs meanwhile has a snapshot for which VACUUM leaves the former rows in the index
        bench.admin.execute(END_AUTOVACUUM)
        bench.admin.execute("VACUUM ANALYZE job")
        row = bench.admin.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {query}".encode()).fetchone()
        assert row is not None
        plan = row[0][0]["Plan"]
        return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])

    pages(BACKLOG // 10)  # plans are made and catalogs read
    few = pages(BACKLOG // 10)
    assert pages(BACKLOG) < 2 * few


def test_a_worker_of_one_queue_reads_no_jobs_of_others(bench: Bench) -> None:
    """With a backlog of another queue before its own, and its own backlog, too."""

    def pages(count: int) -> int:
        flood(bench, count)
        bench.admin.execute(
            "UPDATE job SET queue = 'notify', not_before = clock_timestamp() WHERE id IN (SELECT id FROM job ORDER BY id LIMIT %s)",
            (count // 2,),
        )
        bench.admin.execute(END_AUTOVACUUM)
        bench.admin.execute("VACUUM ANALYZE job")
        row = bench.admin.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {CLAIM_OF_QUEUE}".encode()).fetchone()
        assert row is not None
        plan = row[0][0]["Plan"]
        assert plan["Actual Rows"] == 1
        return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])

    pages(BACKLOG // 10)  # plans are made and catalogs read
    few = pages(BACKLOG // 10)
    assert pages(BACKLOG) < 2 * few
