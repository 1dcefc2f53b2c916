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
