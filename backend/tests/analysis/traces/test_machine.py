"""What a machine with other work on it does to waits is not blamed on the program."""

from dataclasses import replace
from typing import Any

from tests.analysis.traces.comparing import compared
from tests.analysis.traces.drawn import SERVICE, traces

IDLE = {"user|main.worker": 0.1, "idle": 0.9}
TIRED = [replace(each, median_ns=each.median_ns * 4, blame=IDLE, verdict="wake-up") for each in SERVICE]
BUSY = [replace(each, median_ns=each.median_ns * 4, blame={"user|main.hog": 0.9, "idle": 0.1}) for each in SERVICE]
CONTENDED: dict[str, Any] = {"totals": {"procs_ns": 10**10, "host_contention": True}}


def test_longer_waits_while_processors_are_idle_must_be_much_longer() -> None:
    assert compared(traces(SERVICE, 4, 1), traces(BUSY, 4, 2)).verdict == "regressed"
    assert compared(traces(SERVICE, 4, 1), traces(TIRED, 4, 2)).findings == ()
    longest = [replace(each, median_ns=each.median_ns * 10) for each in TIRED]
    found = compared(traces(SERVICE, 4, 1), traces(longest, 4, 2))
    assert found.verdict == "inconclusive"
    assert not any(each.certain for each in found.findings)
    assert "processors were idle or looking for work" in found.findings[0].sentence
    assert "Look at the machine" in found.findings[0].advice


def test_on_a_machine_short_of_cpu_all_changes_must_be_much_larger() -> None:
    found = compared(traces(SERVICE, 4, 1, **CONTENDED), traces(BUSY, 4, 2))
    assert found.findings == ()
    assert "host-contention" in {doubt.id for doubt in found.doubts}


def test_the_page_calls_them_noise() -> None:
    page = compared(traces(SERVICE, 4, 1), traces(TIRED, 4, 2)).page()
    assert {row["state"] for row in page["groups"]} == {"noise"}
