"""From when the time after a kill counts."""

from uuid import uuid4

from proofs.journal import Entry, Journal
from proofs.kill_proof import counted_from

KILLED = [(10.0, "worker"), (12.0, "broker"), (20.0, "worker")]


def journal(*done: float) -> Journal:
    return Journal({uuid4(): [Entry(at, "done")] for at in done})


def test_a_kill_after_which_work_went_on_counts_from_itself() -> None:
    assert counted_from(10.0, KILLED, journal(11.0, 13.0, 25.0)) == 10.0
    assert counted_from(12.0, KILLED, journal(11.0, 13.0, 25.0)) == 12.0


def test_kills_with_nothing_done_between_count_from_the_last() -> None:
    assert counted_from(10.0, KILLED, journal(15.0, 25.0)) == 12.0
    assert counted_from(10.0, KILLED, journal(60.0)) == 20.0
    assert counted_from(10.0, KILLED, journal()) == 20.0


def test_nothing_done_after_the_last_kill_is_no_excuse() -> None:
    assert counted_from(20.0, KILLED, journal(15.0, 60.0)) == 20.0


def test_a_job_that_ran_is_taken_up_when_it_is_sent_done_or_claimed() -> None:
    job, other = uuid4(), uuid4()
    entries = [
        Entry(1.0, "sent"),
        Entry(2.0, "claimed"),
        Entry(20.0, "sent"),
        Entry(60.0, "claimed"),
        Entry(61.0, "done"),
    ]
    both = Journal({job: entries, other: [Entry(1.0, "sent"), Entry(50.0, "claimed")]})
    assert both.taken_up_after(job, 10.0) == 20.0
    assert both.taken_up_after(job, 30.0) == 60.0
    assert both.taken_up_after(job, 60.5) == 61.0
    assert both.taken_up_after(other, 10.0) == 10.0, "it did not run"
    assert both.taken_up_after(other, 55.0) is None
