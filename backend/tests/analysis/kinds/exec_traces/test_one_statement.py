"""Sentences of findings and rows of the page have the same numbers, whatever was compared."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from slowpath.analysis.findings import wording
from slowpath.analysis.findings.findings import Finding
from slowpath.analysis.kinds.exec_traces.trace_artifact import TraceArtifact
from tests.analysis.documents import as_json
from tests.analysis.kinds.exec_traces.compare_helpers import compared
from tests.analysis.kinds.exec_traces.generated_traces import SERVICE, GeneratedWaiter, traces
from tests.analysis.kinds.exec_traces.test_corpus import example
from tests.analysis.kinds.exec_traces.test_findings import HOGGED

FIELDS = {0.5: ("p50_ns", "p50"), 0.9: ("p90_ns", "p90"), 0.99: ("p99_ns", "p99"), 0.999: ("p999_ns", "p999")}
NEW = GeneratedWaiter("main.new", "sync", 500, 5e6, occupancy={"user|main.hog": 0.9, "idle": 0.1})


def check(base: Sequence[TraceArtifact], candidate: Sequence[TraceArtifact]) -> set[str]:
    """Compare every finding with its row; gives the kinds of findings that there were."""
    found = compared(base, candidate)
    page = as_json(found.page())
    rows = {row["waiter"]: row for row in page["groups"]}
    occupancy = {row["waiter"]: row for row in page["occupancy"]}
    for finding in found.findings:
        if finding.kind == "trace.sched_delay":
            _check_delay(finding, rows[finding.subject], occupancy[finding.subject])
        elif finding.kind == "trace.group":
            _check_group(finding, rows)
        elif finding.kind == "trace.blame":
            _check_occupancy(finding, occupancy[finding.subject])
        elif finding.kind == "trace.waiting" and finding.unit == "nanoseconds/s":
            for side in ("base", "candidate"):
                sum_ns = sum(row[side]["total_ns"] for row in rows.values() if row[side] and not row["system"])
                seconds = page["sides"][side]["duration_ns"] / 1e9
                assert getattr(finding, side) == pytest.approx(sum_ns / seconds, rel=0.01)
    for name, ratio in ((each.subject, each.ratio) for each in found.detectable):
        assert ratio is None or ratio > 1, name
    return {finding.kind for finding in found.findings}


def _check_delay(finding: Finding, row: Mapping[str, Any], occupancy: Mapping[str, Any]) -> None:
    field, name = FIELDS[finding.quantile or 0.0]
    base, candidate = row["base"][field], row["candidate"][field]
    assert (finding.base, finding.candidate) == pytest.approx((base, candidate), rel=0.01)
    assert f"{wording.format_duration(finding.base)} → {wording.format_duration(finding.candidate)}" in finding.sentence
    change = row["change"][name]
    assert finding.change.ratio == pytest.approx(change["ratio"], rel=1e-3)
    assert candidate / base == pytest.approx(change["ratio"], rel=0.01)
    assert row["state"] == ("more" if finding.direction == "worse" else "less")
    worse = finding.direction == "worse"
    for who, share in re.findall(
        r"[;,] (?:\d[\d,]* goroutines of |other goroutines of )?(\S+) occupied the processors for (\d+)%",
        finding.sentence,
    ):
        parts = [
            p for p in occupancy["parts"] if p["group"] and wording.function(p["group"]) == who and p["kind"] == "user"
        ]
        sum_of_shares = sum(part["candidate_share" if worse else "base_share"] for part in parts)
        assert 100 * sum_of_shares == pytest.approx(float(share), abs=0.6)


def _check_group(finding: Finding, rows: Mapping[str, Mapping[str, Any]]) -> None:
    side = "candidate" if finding.direction == "worse" else "base"
    group = finding.subject.rpartition("|")[0]
    # A finding is about one reason for waiting or, where all of the group is on one side, about all of them.
    members = [rows[finding.subject]]
    match = re.search(r": (less than 1|\d+)% of all waiting for a processor there, ([\d,.]+) wakes", finding.sentence)
    assert match is not None
    number = float(match[2].replace(",", ""))
    if number > 1.01 * members[0][side]["waits_per_second"]:
        members = [row for row in rows.values() if row["group"] == group and row[side] and row["share_of_wait_" + side]]
    assert number == pytest.approx(sum(row[side]["waits_per_second"] for row in members), rel=0.02)
    share = sum(row[f"share_of_wait_{side}"] for row in members)
    assert float(match[1].replace("less than 1", "0.5")) == pytest.approx(100 * share, abs=0.6)


def _check_occupancy(finding: Finding, occupancy: Mapping[str, Any]) -> None:
    name = finding.contributions[0].subject
    parts = [part for part in occupancy["parts"] if part["kind"] == "user" and part["group"] == name]
    if parts:
        for side in ("base", "candidate"):
            assert getattr(finding, side) == pytest.approx(sum(part[f"{side}_ns_per_wait"] for part in parts), rel=0.01)


def test_of_drawn_traces() -> None:
    kinds: set[str] = set()
    often = [GeneratedWaiter(each.group, each.reason, each.per_second * 8, each.median_ns) for each in SERVICE]
    for candidate in ([*HOGGED], [*SERVICE, NEW], often):
        base, other = traces(SERVICE, 3, 1), traces(candidate, 3, 2)
        kinds |= check(base, other) | check(other, base)
    assert kinds == {"trace.sched_delay", "trace.blame", "trace.group", "trace.waiting"}


def test_of_contended_traces() -> None:
    totals = {"procs_ns": 10**10, "host_contention": True}
    base, other = (
        traces(waiters, 3, seed, idle_bins=range(1_500), totals=totals) for waiters, seed in ((SERVICE, 1), (HOGGED, 2))
    )
    assert check(base, other)


@pytest.mark.parametrize("variant", ["hogs", "tickers", "garbage"])
def test_of_the_example(variant: str, tmp_path: Path) -> None:
    base, candidate = example("base", tmp_path), example(variant, tmp_path)
    assert check(base, candidate)
    assert check(candidate, base)


def test_a_ratio_that_nearly_vanished_keeps_its_digits_and_an_absent_bound_is_not_printed() -> None:
    assert wording.format_ratio_with_interval(0.0004, 0.0001, 0.002) == "×0.0004, 0.0001 to 0.002"
    assert wording.format_ratio_with_interval(0.0004, 1e-206, 0.002) == "×0.0004, at most ×0.002"
    assert "e+" not in wording.format_ratio_with_interval(40, 1.5, 1e206)
    assert "at least ×1.50" in wording.format_ratio_with_interval(40, 1.5, 1e206)


def test_idle_processors_are_not_reported_as_occupied() -> None:
    idle = [
        GeneratedWaiter(
            each.group, each.reason, each.per_second, each.median_ns * 60, occupancy={"user|main.hog": 0.6, "idle": 0.4}
        )
        for each in SERVICE
    ]
    found = compared(traces(SERVICE, 3, 1), traces(idle, 3, 2))
    assert found.findings
    for finding in found.findings:
        assert "nobody" not in finding.sentence
        assert "idle processors held" not in finding.sentence
