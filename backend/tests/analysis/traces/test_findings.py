"""What a comparison of traces finds, and in which words."""

import gzip
import json
from dataclasses import replace

from slowpath.analysis.traces.page import page_of_one
from tests.analysis.traces.comparing import compared
from tests.analysis.traces.drawn import SERVICE, Waiter, traces

CLIENT, BATCHER, WORKER, SWEEPER = SERVICE
HOGGED = tuple(
    replace(each, median_ns=each.median_ns * times, blame={"user|main.hog": 0.95, "idle": 0.05}, verdict="hog")
    for each, times in ((CLIENT, 20), (BATCHER, 300), (WORKER, 20), (SWEEPER, 500))
)


def test_the_first_finding_names_the_one_whom_all_wait_for_and_who_held_the_processors() -> None:
    found = compared(traces(SERVICE, 3, 1, spread=0.1), traces(HOGGED, 3, 2, spread=0.1))
    assert found.verdict == "regressed"
    first, second = found.findings[:2]
    assert (first.kind, first.subject, first.direction) == ("trace.sched_delay", "main.batcher|network", "worse")
    assert (first.quantile, first.basis, first.unit) == (0.99, "quantile", "nanoseconds")
    assert first.by[0].subject == "main.hog"
    assert first.by[0].share > 0.9
    assert first.sentence.startswith("p99 scheduler delay of main.batcher woken by the network: ")
    assert first.sentence.endswith("; main.hog held the processors for 95 % of it.")
    assert "back of a queue" in first.mechanism
    assert (second.kind, second.subject) == ("trace.blame", "main.batcher|network")
    assert "It is new there." in second.sentence
    assert not any("bgsweep" in each.subject for each in found.findings)


def test_the_same_the_other_way_round_is_better() -> None:
    found = compared(traces(HOGGED, 3, 2, spread=0.1), traces(SERVICE, 3, 1, spread=0.1))
    assert found.verdict == "improved"
    assert {each.direction for each in found.findings} == {"better"}
    assert found.findings[0].subject == "main.batcher|network"
    assert found.findings[0].change.high < 0.1


def test_a_herd_is_told_as_one() -> None:
    ticker = Waiter("main.ticker", "sleep", 1_000, 400_000, goroutines=1_000)
    herded = [
        replace(each, median_ns=each.median_ns * times, blame={"user|main.ticker": 0.87, "idle": 0.13}, verdict="herd")
        for each, times in ((CLIENT, 40), (BATCHER, 200))
    ]
    first = compared(traces(SERVICE, 2, 1), traces([*herded, ticker], 2, 2)).findings[0]
    assert first.subject == "main.batcher|network"
    assert "1,000 goroutines of main.ticker took turns on the processors for 87 % of it" in first.sentence
    assert "one ticker" in first.advice


def test_equal_sets_are_unchanged_and_say_what_would_have_been_seen() -> None:
    found = compared(traces(SERVICE, 3, 1, spread=0.1), traces(SERVICE, 3, 2, spread=0.1))
    assert (found.verdict, found.findings) == ("unchanged", ())
    assert {each.subject for each in found.detectable} == {
        "main.client|chan receive", "main.batcher|network", "main.worker|select",
    }  # fmt: skip
    assert all(each.ratio is not None and 1.25 < each.ratio < 4 for each in found.detectable)


def test_a_change_below_a_tenth_of_a_millisecond_is_none() -> None:
    quick = [replace(each, median_ns=each.median_ns / 200) for each in SERVICE]
    slower = [replace(each, median_ns=each.median_ns * 10) for each in quick]
    assert compared(traces(quick, 3, 1), traces(slower, 3, 2)).findings == ()


def test_a_victim_that_hardly_waits_is_none() -> None:
    rare = Waiter("main.rare", "select", 10, 30_000)
    slower = replace(rare, median_ns=300_000)
    busy = replace(CLIENT, median_ns=2_000_000)
    assert compared(traces([busy, rare], 3, 1), traces([busy, slower], 3, 2)).findings == ()


def test_one_trace_a_side_tells_only_what_is_large() -> None:
    twice = [replace(each, median_ns=each.median_ns * 2.5) for each in SERVICE]
    assert compared(traces(SERVICE, 1, 1), traces(twice, 1, 2)).findings == ()
    assert compared(traces(SERVICE, 3, 1), traces(twice, 3, 2)).findings
    found = compared(traces(SERVICE, 1, 1), traces(HOGGED, 1, 2))
    assert found.verdict == "regressed"
    assert found.findings[0].subject == "main.batcher|network"
    assert "single-trace" in {doubt.id for doubt in found.doubts}


def test_new_groups_are_listed_apart() -> None:
    found = compared(traces(SERVICE, 2, 1), traces([*SERVICE, Waiter("main.new", "sync", 500, 5e6)], 2, 2))
    assert not [each for each in found.findings if "main.new" in each.subject]
    rows = {row["victim"]: row for row in found.page()["groups"]}
    assert rows["main.new|sync"]["state"] == "only-candidate"
    assert rows["main.new|sync"]["base"] is None


def test_names_that_differ_in_closures_and_versions_are_the_same_victim() -> None:
    base = [replace(CLIENT, group="example.com/pool/v2.(*Pool).run.func1")]
    candidate = [replace(CLIENT, group="main/vendor/example.com/pool/v3.(*Pool).run.func2.1")]
    rows = compared(traces(base, 2, 1), traces(candidate, 2, 2)).page()["groups"]
    assert [row["victim"] for row in rows] == ["example.com/pool.(*Pool).run.func|chan receive"]
    assert rows[0]["state"] == "noise"


def test_the_page_is_plain_json_and_small() -> None:
    found = compared(traces(SERVICE, 5, 1, seconds=10), traces(HOGGED, 5, 2, seconds=10))
    text = json.dumps(found.page("v1", "v2"), allow_nan=False).encode()
    assert len(gzip.compress(text)) < 2**20
    page = json.loads(text)
    assert page["format"] == "slowpath.trace-comparison/1"
    assert page["sides"]["candidate"]["label"] == "v2"
    assert len(page["series"]) == 10
    assert all(len(row["columns"]["created"]) <= 1_024 for row in page["series"])
    blame = {row["victim"]: row for row in page["blame"]}["main.batcher|network"]
    hog = next(part for part in blame["parts"] if part["class"] == "user|main.hog")
    assert hog["new"]
    assert (hog["base_share"], hog["candidate_share"]) == (0, 0.95)
    shift = {row["victim"]: row["points"] for row in page["shift"]}["main.batcher|network"]
    assert shift[0]["q"] == 0.5
    for point in shift:
        assert point["low_ns"] <= point["candidate_ns"] - point["base_ns"] <= point["high_ns"] + 1
    assert {row["side"] for row in page["worst"]} == {"base", "candidate"}
    assert sum(part["ns"] for part in page["worst"][0]["blame"]) == page["worst"][0]["duration_ns"]


def test_the_page_of_one_trace_has_only_a_base() -> None:
    page = page_of_one(traces(SERVICE, 1, 1)[0])
    json.dumps(page, allow_nan=False)
    assert page["sides"]["candidate"] is None
    assert page["gc"]["candidate"] is None
    assert all(row["candidate"] is None for row in page["groups"])
    assert {row["side"] for row in page["series"]} == {"base"}


def test_an_empty_trace_is_compared_without_a_word() -> None:
    found = compared(traces([], 1, 1, seconds=0.0), traces([], 1, 2, seconds=0.0))
    assert (found.verdict, found.findings) == ("inconclusive", ())
    json.dumps(found.page(), allow_nan=False)
