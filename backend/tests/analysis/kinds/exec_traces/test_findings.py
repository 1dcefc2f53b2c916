"""What a comparison of traces finds, and in which words."""

import gzip
import json
import re
from dataclasses import replace

import pytest

from slowpath.analysis.formats.document_json import dump_document
from slowpath.analysis.kinds.exec_traces.trace_page import page_of_one
from tests.analysis.documents import as_json
from tests.analysis.kinds.exec_traces.compare_helpers import compared
from tests.analysis.kinds.exec_traces.generated_traces import SERVICE, GeneratedWaiter, traces

CLIENT, BATCHER, WORKER, SWEEPER = SERVICE
HOGGED = tuple(
    replace(each, median_ns=each.median_ns * times, occupancy={"user|main.hog": 0.95, "idle": 0.05}, verdict="cpu-hog")
    for each, times in ((CLIENT, 20), (BATCHER, 300), (WORKER, 20), (SWEEPER, 500))
)


def test_the_first_finding_names_the_main_waiter_and_the_main_occupant() -> None:
    found = compared(traces(SERVICE, 3, 1, spread=0.1), traces(HOGGED, 3, 2, spread=0.1))
    assert found.verdict == "regressed"
    first, second = found.findings[:2]
    assert (first.kind, first.subject, first.direction) == ("trace.sched_delay", "main.batcher|network", "worse")
    assert (first.quantile, first.normalization, first.unit) == (0.99, "quantile", "nanoseconds")
    assert first.contributions[0].subject == "main.hog"
    assert first.contributions[0].share > 0.9
    assert first.sentence.startswith("p99 scheduler latency of main.batcher woken by the network: ")
    assert first.sentence.endswith("; main.hog occupied the processors for 95% of it.")
    assert "is queued" in first.mechanism
    assert (second.kind, second.subject) == ("trace.blame", "main.batcher|network")
    assert "It is new there." in second.sentence
    assert not any("bgsweep" in each.subject for each in found.findings)


def test_the_same_the_other_way_round_is_better() -> None:
    found = compared(traces(HOGGED, 3, 2, spread=0.1), traces(SERVICE, 3, 1, spread=0.1))
    assert found.verdict == "improved"
    assert {each.direction for each in found.findings} == {"better"}
    assert found.findings[0].subject == "main.batcher|network"
    assert found.findings[0].change.ci_high < 0.1


def test_a_thundering_herd_is_one_finding() -> None:
    ticker = GeneratedWaiter("main.ticker", "sleep", 1_000, 400_000, goroutines=1_000)
    herded = [
        replace(
            each,
            median_ns=each.median_ns * times,
            occupancy={"user|main.ticker": 0.87, "idle": 0.13},
            verdict="thundering-herd",
        )
        for each, times in ((CLIENT, 40), (BATCHER, 200))
    ]
    first = compared(traces(SERVICE, 2, 1), traces([*herded, ticker], 2, 2)).findings[0]
    assert first.subject == "main.batcher|network"
    assert "1,000 goroutines of main.ticker occupied the processors in turn for 87% of it" in first.sentence
    assert "one ticker" in first.advice


def test_equal_sets_are_unchanged_with_minimum_detectable_effects() -> None:
    found = compared(traces(SERVICE, 3, 1, spread=0.1), traces(SERVICE, 3, 2, spread=0.1))
    assert (found.verdict, found.findings) == ("unchanged", ())
    assert {each.subject for each in found.detectable} == {
        "main.client|chan receive", "main.batcher|network", "main.worker|select", "total", "cpu",
    }  # fmt: skip
    assert all(each.ratio is not None and 1.25 < each.ratio < 4 for each in found.detectable)


def test_a_change_below_a_tenth_of_a_millisecond_is_ignored() -> None:
    quick = [replace(each, median_ns=each.median_ns / 200) for each in SERVICE]
    slower = [replace(each, median_ns=each.median_ns * 10) for each in quick]
    assert compared(traces(quick, 3, 1), traces(slower, 3, 2)).findings == ()


def test_a_waiter_that_hardly_waits_is_no_finding() -> None:
    rare = GeneratedWaiter("main.rare", "select", 10, 30_000)
    slower = replace(rare, median_ns=300_000)
    busy = replace(CLIENT, median_ns=2_000_000)
    assert compared(traces([busy, rare], 3, 1), traces([busy, slower], 3, 2)).findings == ()


def test_one_trace_a_side_reports_only_large_effects() -> None:
    twice = [replace(each, median_ns=each.median_ns * 2.5) for each in SERVICE]
    assert compared(traces(SERVICE, 1, 1), traces(twice, 1, 2)).findings == ()
    assert compared(traces(SERVICE, 3, 1), traces(twice, 3, 2)).findings
    found = compared(traces(SERVICE, 1, 1), traces(HOGGED, 1, 2))
    assert found.verdict == "regressed"
    assert found.findings[0].subject == "main.batcher|network"
    assert "single-trace" in {caveat.id for caveat in found.caveats}


def test_a_group_that_only_one_side_has_is_a_finding() -> None:
    new = GeneratedWaiter("main.new", "sync", 500, 5e6, occupancy={"user|main.hog": 0.9, "idle": 0.1})
    base, candidate = traces(SERVICE, 2, 1), traces([*SERVICE, new], 2, 2)
    found, swapped = compared(base, candidate), compared(candidate, base)
    assert (found.verdict, swapped.verdict) == ("regressed", "improved")
    first = next(each for each in found.findings if each.kind == "trace.group")
    gone = next(each for each in swapped.findings if each.kind == "trace.group")
    assert (first.subject, first.direction, first.is_significant) == ("main.new|sync", "worse", True)
    assert (gone.subject, gone.direction, gone.is_significant) == ("main.new|sync", "better", True)
    assert "waits only in the candidate: 98% of all waiting for a processor there, 501 wakes and" in first.sentence
    assert "waits only in the base" in gone.sentence
    assert first.sentence.endswith("; main.hog occupied the processors for 90% of it.")
    assert (first.base, first.change.ci_of) == (0, "difference")
    assert first.change.ci_low > 0
    rows = {row["waiter"]: row for row in as_json(found.page())["groups"]}
    assert rows["main.new|sync"]["state"] == "only-candidate"
    assert rows["main.new|sync"]["base"] is None


def test_a_reason_for_waiting_that_is_new_is_a_finding() -> None:
    sends = replace(CLIENT, reason="chan send", per_second=3_000, median_ns=200_000)
    found = compared(traces(SERVICE, 2, 1), traces([*SERVICE, sends], 2, 2))
    assert found.verdict == "regressed"
    assert [each.subject for each in found.findings if each.kind == "trace.group"] == ["main.client|chan send"]


def test_a_group_seen_in_a_few_blocks_only_is_not_certainly_new() -> None:
    rare = GeneratedWaiter("main.cron", "sleep", 4, 3e6)
    found = compared(traces(SERVICE, 2, 1), traces([*SERVICE, rare], 2, 2))
    assert not [each for each in found.findings if each.is_significant]


def test_a_renamed_group_is_a_move_and_its_delay_is_compared() -> None:
    renamed = [replace(each, group=each.group.replace("worker", "pool")) for each in SERVICE]
    found = compared(traces(SERVICE, 4, 1), traces(renamed, 4, 2))
    assert (found.verdict, found.findings) == ("unchanged", ())
    assert [(move.from_function, move.to_function) for move in found.cost_shifts] == [("main.worker", "main.pool")]
    slower = [replace(each, median_ns=each.median_ns * 20) if "pool" in each.group else each for each in renamed]
    found = compared(traces(SERVICE, 4, 1), traces(slower, 4, 2))
    assert found.verdict == "regressed"
    assert found.findings[0].subject == "main.worker|select"


def test_a_group_that_does_something_else_is_no_rename() -> None:
    other = [replace(each, group="main.pool", per_second=3_000) if each == WORKER else each for each in SERVICE]
    found = compared(traces(SERVICE, 4, 1), traces(other, 4, 2))
    assert found.cost_shifts == ()
    assert {(each.subject, each.direction) for each in found.findings if each.kind == "trace.group"} >= {
        ("main.pool|select", "worse")
    }


def test_where_waits_moved_both_ways_all_waiting_together_decides() -> None:
    shorter = replace(WORKER, median_ns=WORKER.median_ns / 20)
    longer = replace(CLIENT, median_ns=CLIENT.median_ns * 20)
    base = [CLIENT, BATCHER, replace(WORKER, median_ns=WORKER.median_ns * 4)]
    candidate = [longer, BATCHER, shorter]
    found = compared(traces(base, 4, 1), traces(candidate, 4, 2))
    assert {each.direction for each in found.findings if each.is_significant} == {"worse", "better"}
    assert found.verdict == "regressed"
    assert compared(traces(candidate, 4, 2), traces(base, 4, 1)).verdict == "improved"


def test_where_waits_moved_both_ways_by_as_much_the_verdict_is_mixed() -> None:
    one, other = GeneratedWaiter("main.one", "select", 500, 40_000), GeneratedWaiter("main.other", "sync", 500, 40_000)
    slow_one, slow_other = replace(one, median_ns=800_000), replace(other, median_ns=800_000)
    found = compared(traces([slow_one, other], 4, 1), traces([one, slow_other], 4, 2))
    assert {each.direction for each in found.findings if each.is_significant} == {"worse", "better"}
    assert found.verdict == "mixed"


def test_unchanged_needs_traces_enough_to_see_twice_the_waiting() -> None:
    few = compared(traces(SERVICE, 1, 1), traces(SERVICE, 1, 2))
    assert few.verdict == "inconclusive"
    assert few.reason is not None
    assert re.search(
        r"could have been missed; about \d+ traces of this length per side would detect a change of ×2.00", few.reason
    )
    total = {each.subject: each.ratio for each in few.detectable}["total"]
    assert total is not None
    assert total > 2
    assert f"below ×{total:.2f}" in few.reason
    many = compared(traces(SERVICE, 4, 1), traces(SERVICE, 4, 2))
    assert many.verdict == "unchanged"
    bound = {each.subject: each.ratio for each in many.detectable}["total"]
    assert bound is not None
    assert bound <= 2
    assert many.reason is not None
    assert f"a change of ×{bound:.2f} would have been detected" in many.reason


def test_more_waits_of_the_same_length_are_a_finding_on_all_waiting() -> None:
    often = [replace(each, per_second=each.per_second * 8) for each in SERVICE]
    found = compared(traces(SERVICE, 4, 1), traces(often, 4, 2))
    assert [each.kind for each in found.findings] == ["trace.waiting"]
    assert found.findings[0].change.ratio == pytest.approx(8, rel=0.1)
    # Eight times the wakes may be eight times the load.
    assert (found.findings[0].is_significant, found.verdict) == (False, "inconclusive")


def test_names_that_differ_in_closures_and_versions_are_the_same_waiter() -> None:
    base = [replace(CLIENT, group="example.com/pool/v2.(*Pool).run.func1")]
    candidate = [replace(CLIENT, group="main/vendor/example.com/pool/v3.(*Pool).run.func2.1")]
    rows = as_json(compared(traces(base, 2, 1), traces(candidate, 2, 2)).page())["groups"]
    assert [row["waiter"] for row in rows] == ["example.com/pool.(*Pool).run.func|chan receive"]
    assert rows[0]["state"] == "noise"


def test_the_page_is_plain_json_and_small() -> None:
    found = compared(traces(SERVICE, 5, 1, seconds=10), traces(HOGGED, 5, 2, seconds=10))
    text = dump_document(found.page("v1", "v2")).encode()
    assert len(gzip.compress(text)) < 2**20
    page = json.loads(text)
    assert page["format"] == "slowpath.trace-comparison/2"
    assert page["sides"]["candidate"]["label"] == "v2"
    assert len(page["series"]) == 10
    assert all(len(row["columns"]["created"]) <= 1_024 for row in page["series"])
    occupancy = {row["waiter"]: row for row in page["occupancy"]}["main.batcher|network"]
    hog = next(part for part in occupancy["parts"] if part["class"] == "user|main.hog")
    assert hog["new"]
    assert (hog["base_share"], hog["candidate_share"]) == (0, 0.95)
    shift = {row["waiter"]: row["points"] for row in page["shift"]}["main.batcher|network"]
    assert shift[0]["q"] == 0.5
    for point in shift:
        assert point["low_ns"] <= point["candidate_ns"] - point["base_ns"] <= point["high_ns"] + 1
    assert {row["side"] for row in page["worst"]} == {"base", "candidate"}
    assert sum(part["ns"] for part in page["worst"][0]["occupancy"]) == page["worst"][0]["duration_ns"]


def test_the_page_of_one_trace_has_only_a_base() -> None:
    page = as_json(page_of_one(traces(SERVICE, 1, 1)[0]))
    json.dumps(page, allow_nan=False)
    assert page["sides"]["candidate"] is None
    assert page["gc"]["candidate"] is None
    assert all(row["candidate"] is None for row in page["groups"])
    assert {row["side"] for row in page["series"]} == {"base"}


def test_an_empty_trace_is_compared_without_a_word() -> None:
    found = compared(traces([], 1, 1, seconds=0.0), traces([], 1, 2, seconds=0.0))
    assert (found.verdict, found.findings) == ("inconclusive", ())
    dump_document(found.page())


def test_swapped_sides_have_the_same_minimum_detectable_changes() -> None:
    short, longer = ([replace(CLIENT, median_ns=ns)] for ns in (1_000, 1_300))  # the smallest shift is far above both
    base, candidate = (traces(each, 3, seed, spread=0.2, seconds=2.0) for seed, each in ((1, short), (2, longer)))
    first, second = (
        [(each.kind, each.ratio) for each in found.detectable if each.kind == "trace.sched_delay"]
        for found in (compared(base, candidate), compared(candidate, base))
    )
    assert first
    assert [kind for kind, _ in first] == [kind for kind, _ in second]
    assert [ratio for _, ratio in first] == pytest.approx([ratio for _, ratio in second], rel=1e-6)
