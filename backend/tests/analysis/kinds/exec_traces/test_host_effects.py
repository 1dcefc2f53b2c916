"""Waits caused by other work on the machine are not attributed to the program."""

from dataclasses import replace
from typing import Any

import pytest

from tests.analysis.documents import as_json
from tests.analysis.kinds.exec_traces.compare_helpers import compared
from tests.analysis.kinds.exec_traces.generated_traces import SERVICE, traces

IDLE = {"user|main.worker": 0.1, "idle": 0.9}
TIRED = [replace(each, median_ns=each.median_ns * 4, occupancy=IDLE, verdict="wake-up") for each in SERVICE]
BUSY = [replace(each, median_ns=each.median_ns * 4, occupancy={"user|main.hog": 0.9, "idle": 0.1}) for each in SERVICE]
CONTENDED: dict[str, Any] = {"totals": {"procs_ns": 10**10, "host_contention": True}}


def test_longer_waits_while_processors_are_idle_must_be_much_longer() -> None:
    assert compared(traces(SERVICE, 4, 1), traces(BUSY, 4, 2)).verdict == "regressed"
    tired = compared(traces(SERVICE, 4, 1), traces(TIRED, 4, 2))
    assert (tired.verdict, tired.findings) == ("inconclusive", ())
    assert tired.reason is not None
    assert "may be due to the machine" in tired.reason
    seen = next(each.sentence for each in tired.caveats if each.id == "machine-or-program")
    assert "p99 of main.client woken from a channel receive: " in seen
    longest = [replace(each, median_ns=each.median_ns * 10) for each in TIRED]
    found = compared(traces(SERVICE, 4, 1), traces(longest, 4, 2))
    assert found.verdict == "inconclusive"
    assert not any(each.is_significant for each in found.findings)
    assert "processors were idle or looking for work" in found.findings[0].sentence
    assert "Check the machine" in found.findings[0].advice


def test_on_a_machine_short_of_cpu_all_the_time_nothing_is_certain_and_nothing_is_unchanged() -> None:
    always: dict[str, Any] = {**CONTENDED, "idle_bins": range(5_000)}
    found = compared(traces(SERVICE, 4, 1, **always), traces(BUSY, 4, 2))
    assert (found.verdict, found.findings) == ("inconclusive", ())
    assert {"host-contention", "machine-or-program"} <= {caveat.id for caveat in found.caveats}
    loud = [replace(each, median_ns=each.median_ns * 50) for each in BUSY]
    found = compared(traces(SERVICE, 4, 1, **always), traces(loud, 4, 2, **always))
    assert found.verdict == "inconclusive"
    assert found.findings
    assert not any(each.is_significant for each in found.findings)
    assert compared(traces(SERVICE, 4, 1, **always), traces(SERVICE, 4, 2, **always)).verdict == "inconclusive"


def test_the_clean_part_of_contended_traces_is_compared() -> None:
    partly: dict[str, Any] = {**CONTENDED, "idle_bins": range(1_000, 2_500)}
    base, candidate = traces(SERVICE, 4, 1, **partly), traces(BUSY, 4, 2, **partly)
    found = compared(base, candidate)
    assert (found.verdict, compared(candidate, base).verdict) == ("regressed", "improved")
    caveat = next(each.sentence for each in found.caveats if each.id == "host-contention")
    assert "5.88 s of 20.0 s are excluded from the comparison" in caveat
    rows = {row["waiter"]: row for row in as_json(found.page())["groups"]}
    whole = as_json(compared(traces(SERVICE, 4, 1), traces(BUSY, 4, 2)).page())["groups"]
    waits = {row["waiter"]: row["base"]["waits"] for row in whole}
    assert rows["main.client|chan receive"]["base"]["waits"] == pytest.approx(
        0.7 * waits["main.client|chan receive"], rel=0.05
    )
    assert compared(base, traces(SERVICE, 4, 2, **partly)).verdict == "unchanged"


def test_one_contended_trace_does_not_hide_a_change_of_the_others() -> None:
    tired = traces(BUSY, 1, 5, **CONTENDED, idle_bins=range(200))
    assert compared(traces(SERVICE, 4, 1), [*traces(BUSY, 3, 2), *tired]).verdict == "regressed"


def test_the_page_calls_them_noise() -> None:
    page = as_json(compared(traces(SERVICE, 4, 1), traces(TIRED, 4, 2)).page())
    assert {row["state"] for row in page["groups"]} == {"noise"}
