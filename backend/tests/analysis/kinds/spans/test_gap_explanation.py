"""Questions to execution traces about a gap, and the explanations from their answers."""

from typing import Any

import pytest
from pydantic import TypeAdapter

from slowpath.analysis.kinds.spans.gap_explanation import (
    ExaminedTrace,
    GapQuestion,
    choose_explaining_trace,
    make_explanation,
    make_gap_question,
)
from slowpath.analysis.kinds.spans.gap_explanation_document import ExplanationBasis, GapAnswer
from slowpath.analysis.kinds.spans.span_columns import CLIENT, DUPLICATE_ID, SERVER
from slowpath.analysis.kinds.spans.span_table import SpanTable
from slowpath.analysis.kinds.spans.trace_waterfall import waterfall
from tests.analysis.documents import as_json
from tests.analysis.kinds.spans.generated_spans import MS, US, Drawn, buffer_of

NOON = 1_700_000_000_000_000_000


def request(skew: int = 0, flags: int = 0) -> SpanTable:
    """A client's call of a service, which reads 1 ms, thinks 5 ms, and calls on for 2 ms."""
    at = NOON + 1 * MS
    inner = Drawn("POST /push", at, at + 9 * MS, (
        Drawn("read body", at, at + 1 * MS, skew=skew),
        Drawn("store", at + 6 * MS, at + 8 * MS, (
            Drawn("PUT", at + 6 * MS + 10 * US, at + 7 * MS, service="store", kind=SERVER),
        ), kind=CLIENT, skew=skew),
    ), kind=SERVER, skew=skew, flags=flags)  # fmt: skip
    return SpanTable.parse(buffer_of([[Drawn("call", NOON, NOON + 11 * MS, (inner,), "load", CLIENT)]]))


def answer(basis: ExplanationBasis, **overrides: Any) -> GapAnswer:  # noqa: ANN401 - as the decoder tells
    clock = {"snapshots": 2, "drift_ns": 20, "anchored": False, "apart_ns": 900}
    made: dict[str, Any] = {
        "basis": basis, "gap_ns": 5 * MS, "trace_from_ns": 17, "clock": clock, "marks": 4, "hit": 0, "luck": 0.0, "rivals": 0,
        "goroutine": {"id": 7, "group": "main.serve"}, "parts": [], "pieces": [], "pieces_total": 0, "processors": [],
        "procs": 2, "gc": {"mark_ns": 0, "stop_ns": 0, "cycles": 0}, "samples": [], **overrides,
    }  # fmt: skip
    return TypeAdapter(GapAnswer).validate_python(made)


def part(state: str, ns: int, reason: str = "", **overrides: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
    return {"state": state, "reason": reason, "ns": ns, "times": 1, **overrides}


PARTS = [
    part("runnable", 3 * MS, "preempted", occupancy=[
        {"kind": "user", "group": "main.hog", "ns": 2.7 * MS}, {"kind": "idle", "group": "", "ns": 0.3 * MS}]),
    part("blocked", 1 * MS, "chan receive", waker={"id": 3, "group": "main.answer", "stack": []}),
    part("running", 1 * MS),
]  # fmt: skip


def explain(asked: GapQuestion, traces: list[ExaminedTrace]) -> Any:  # noqa: ANN401 - as readers get it
    return as_json(make_explanation(asked, traces))


def question() -> GapQuestion:
    return make_gap_question(request(), 0, 1, 0)


def test_a_gap_is_requested_with_the_clock_of_its_own_process() -> None:
    straight, moved = make_gap_question(request(), 0, 1, 0), make_gap_question(request(skew=700 * US), 0, 1, 0)

    page = as_json(waterfall(request(), 0))["spans"][1]["gaps"][0]
    assert (page["previous"], page["next"]) == (straight.previous, straight.next) == ("read body", "store")
    assert straight.to_ns - straight.from_ns == page["end_ns"] - page["start_ns"] == 5 * MS
    assert straight.from_ns == NOON + 2 * MS
    assert straight.marks == (NOON + 2 * MS, NOON + 7 * MS, NOON + 9 * MS)
    assert (straight.span_start_ns, straight.span_end_ns) == (NOON + 1 * MS, NOON + 10 * MS)
    assert moved.from_ns == straight.from_ns - 700 * US
    assert moved.marks == tuple(mark - 700 * US for mark in straight.marks)
    assert (moved.span_start_ns, moved.span_end_ns) == (NOON + 300 * US, NOON + 9_300 * US)
    assert moved.skew_ns == 700 * US


def test_moments_of_other_processes_are_no_marks() -> None:
    called = make_gap_question(request(), 0, 3, 0)  # the client's span, whose child is the store's own

    assert called.op == "store"
    assert called.marks == (NOON + 7 * MS + 10 * US,)  # where the gap ends


def test_an_ambiguous_id_identifies_no_trace() -> None:
    assert make_gap_question(request(flags=DUPLICATE_ID), 0, 1, 0).span_id is None
    assert question().span_id == 2


@pytest.mark.parametrize(("span", "gap"), [(5, 0), (1, 2), (-1, 0), (1, -1)])
def test_missing_sources_are_not_queried(span: int, gap: int) -> None:
    with pytest.raises(IndexError):
        make_gap_question(request(), 0, span, gap)


def test_the_sentence_names_the_blocking_reason_and_the_waker() -> None:
    explanation = explain(question(), [ExaminedTrace("a", "one.trace", answer("id", parts=PARTS))])

    assert explanation["sentence"] == (
        "Gap of 5.00 ms in goroutine 7 (main.serve): it was runnable and waited 3.00 ms for a P behind main.hog (90%) and "
        "idle (10%), it was blocked for 1.00 ms (chan receive, woken by main.answer) and it ran for 1.00 ms."
    )
    assert explanation["caveats"] == []
    assert explanation["trace"] == {"artifact_id": "a", "name": "one.trace", "from_ns": 17}
    assert sum(each["ns"] for each in explanation["parts"]) == explanation["gap"]["duration_ns"]


def test_the_sentence_names_the_code_of_the_longest_part() -> None:
    stacks = [["runtime.gopark", "sync.(*Mutex).Lock", "shop/cart.(*Cart).Add", "main.serve"], ["os.Read", "main.load"]]
    parts = [
        {**each, "stack": [{"function": name, "file": "x.go", "line": 1} for name in stack]}
        for each, stack in zip(PARTS, stacks, strict=False)
    ]
    named = explain(question(), [ExaminedTrace("a", "one.trace", answer("id", parts=parts))])["sentence"]
    assert named.startswith("Gap of 5.00 ms in goroutine 7 (main.serve), in cart.(*Cart).Add: it was runnable")
    alone = explain(question(), [ExaminedTrace("a", "one.trace", answer("id", parts=parts[1:]))])["sentence"]
    assert alone.startswith("Gap of 5.00 ms in goroutine 7 (main.serve), in main.load: ")


def test_a_collector_that_marks_meanwhile_is_named() -> None:
    marking = answer("id", parts=PARTS, gc={"mark_ns": 4 * MS, "stop_ns": 0, "cycles": 1})
    assert "GC mark was active for 4.00 ms of it" in explain(question(), [ExaminedTrace("a", "t", marking)])["sentence"]


def test_what_was_found_by_the_clock_is_doubted() -> None:
    explanation = explain(question(), [ExaminedTrace("a", "t", answer("clock", parts=PARTS, hit=4, luck=2e-6))])
    assert "4 of 4 times" in explanation["caveats"][0]
    assert "1 in 500,000" in explanation["caveats"][0]


def test_disagreeing_clocks_are_reported() -> None:
    far = {"snapshots": 2, "drift_ns": 20, "anchored": True, "apart_ns": -3_600_000_000_000}
    none = {"snapshots": 0, "drift_ns": 0, "anchored": True, "apart_ns": None}
    for clock, words in ((far, "apart"), (none, "no wall clock")):
        explanation = explain(question(), [ExaminedTrace("a", "t", answer("id", parts=PARTS, clock=clock))])
        assert words in explanation["caveats"][0]
        assert "is used as the start of the span" in explanation["caveats"][0]


def test_without_a_goroutine_the_occupants_and_the_reason_are_reported() -> None:
    held = [{"kind": "user", "group": "main.hog", "ns": 9e6}, {"kind": "idle", "group": "", "ns": 1e6}]
    explanation = explain(
        question(),
        [ExaminedTrace("a", "t", answer("no-goroutine", reason="ambiguous", goroutine=None, processors=held))],
    )

    assert "several goroutines match" in explanation["sentence"]
    assert "main.hog (90%) and idle (10%)" in explanation["sentence"]
    assert explanation["goroutine"] is None


@pytest.mark.parametrize("why", ["no-clock", "clock-set", "outside", "unreadable"])
def test_what_cannot_be_explained_says_why(why: str) -> None:
    bare: GapAnswer = {"basis": "nothing", "reason": why}
    explanation = explain(question(), [ExaminedTrace("a", "old.trace", bare)])

    assert explanation["sentence"].startswith("This gap of 5.00 ms cannot be explained: ")
    assert (explanation["trace"], explanation["parts"], explanation["caveats"]) == (None, [], [])
    assert explanation["looked"][0]["name"] == "old.trace"
    assert explanation["looked"][0]["reason"] in explanation["sentence"]


def test_without_a_trace_the_reason_is_reported() -> None:
    assert explain(question(), [])["sentence"] == "No execution trace of api covers this gap of 5.00 ms."


def test_an_id_says_more_than_a_clock() -> None:
    looked = [ExaminedTrace(basis, basis, answer(basis)) for basis in ("no-goroutine", "clock", "nothing", "id")]
    best = choose_explaining_trace(looked)
    assert best is not None
    assert best.name == "id"
