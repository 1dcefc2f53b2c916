"""Garbage collection compared: its part of the processors, assists, pauses, the worst moments."""

from slowpath.analysis.formats.document_json import dump_document
from slowpath.analysis.kinds.exec_traces.gc_summary import gc_side
from slowpath.analysis.kinds.exec_traces.waiters import match_waiters
from tests.analysis.documents import as_json
from tests.analysis.kinds.exec_traces.compare_helpers import compared
from tests.analysis.kinds.exec_traces.generated_traces import SECOND, SERVICE, traces


def test_more_collection_is_found_with_its_parts() -> None:
    found = compared(traces(SERVICE, 3, 1, gc_fraction=0.03), traces(SERVICE, 3, 2, gc_fraction=0.25))
    assert found.verdict == "regressed"
    finding = next(each for each in found.findings if each.kind == "trace.gc")
    assert (finding.subject, finding.direction, finding.normalization, finding.unit) == (
        "cpu",
        "worse",
        "share",
        "share",
    )
    assert finding.sentence.startswith("Garbage collection takes more of the processors: 3.00% → 25.0% (×8.")
    assert 0.2 < finding.candidate < 0.3
    assert finding.contributions[0].subject == "workers"
    assert {each.subject for each in found.findings if each.kind == "trace.gc"} == {"cpu"}
    assert finding.cost_s_per_s is not None
    assert 0.3 < finding.cost_s_per_s < 0.6


def test_less_collection_is_better() -> None:
    found = compared(traces(SERVICE, 3, 1, gc_fraction=0.25), traces(SERVICE, 3, 2, gc_fraction=0.03))
    assert [(each.subject, each.direction) for each in found.findings] == [("cpu", "better")]


def test_from_nothing_there_is_no_ratio() -> None:
    found = compared(traces(SERVICE, 3, 1, gc_fraction=0.0), traces(SERVICE, 3, 2, gc_fraction=0.1))
    change = found.findings[0].change
    assert (change.ratio, change.ci_of) == (None, "difference")
    assert 0.03 < change.ci_low < change.difference < change.ci_high < 0.3
    assert "percentage points" in found.findings[0].sentence
    dump_document(found.page())


def test_a_small_increase_of_a_small_cost_is_no_finding() -> None:
    assert compared(traces(SERVICE, 3, 1, gc_fraction=0.001), traces(SERVICE, 3, 2, gc_fraction=0.008)).findings == ()


def test_pauses_of_the_recording_are_not_the_programs() -> None:
    matched = match_waiters(traces(SERVICE, 2, 1), traces(SERVICE, 2, 2))
    side = gc_side(matched.base)
    assert side.stw.amount.tolist() == [20 * 20_000] * 2
    page = as_json(compared(traces(SERVICE, 2, 1), traces(SERVICE, 2, 2)).page())
    assert [each["reason"] for each in page["gc"]["base"]["stw"]] == ["GC mark termination"]


def test_work_is_in_the_blocks_in_which_it_was_done() -> None:
    trace = traces(SERVICE, 1, 1, gc_fraction=0.1)
    side = gc_side(match_waiters(trace, trace).base)
    phases = trace[0].table.mark_phases
    assert abs(side.cpu.blocks.sum() - (phases.worker_ns + phases.assist_ns).sum()) < 1
    busy = [block for block, ns in enumerate(side.cpu.blocks.tolist()) if ns > 0]
    assert busy[:5] == [0, 2, 3, 5, 7]
    assert trace[0].table.header.duration_ns == 5 * SECOND
