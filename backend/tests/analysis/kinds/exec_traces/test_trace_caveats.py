"""Why a comparison of traces may mislead."""

from dataclasses import replace
from typing import Any

import pytest

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.units import Nanoseconds
from tests.analysis.documents import as_json
from tests.analysis.kinds.exec_traces.compare_helpers import compared
from tests.analysis.kinds.exec_traces.generated_traces import SECOND, SERVICE, traces


def caveat_sentences(candidate_seconds: float = 3.0, **candidate: Any) -> dict[str, str]:  # noqa: ANN401 - header fields
    """Return the caveats of two sets whose files of the candidate have other headers."""
    base = traces(SERVICE, 2, 1, seconds=3.0)
    found = compared(base, traces(SERVICE, 2, 2, seconds=candidate_seconds, **candidate))
    return {caveat.id: caveat.sentence for caveat in found.caveats}


def test_equal_recordings_raise_no_caveat() -> None:
    assert caveat_sentences() == {}


PROCS = {"first": 4, "last": 4, "max": 4, "changes": 0}


@pytest.mark.parametrize(
    ("identity", "header", "words"),
    [
        ("gomaxprocs", {"gomaxprocs": PROCS}, "GOMAXPROCS differs: 2 in base, 4 in candidate"),
        ("gomaxprocs-changed", {"gomaxprocs": {**PROCS, "max": 2, "changes": 1}}, "GOMAXPROCS changed during the recording of 2.0.trace"),
        ("recording", {"recording": "flight-recorder"}, "flight-recorder in candidate"),
        ("go-version", {"header_version": "1.23"}, "traces of Go 1.26 or 1.27 in base, of Go 1.23 or 1.24 in candidate"),
        ("lost", {"lost": {"bytes": 9, "share": 0.2, "after_ns": 1, "message": "the last 1.2 s are lost"}}, "the last 1.2 s are lost (20% of the file)"),
        ("host-contention", {"totals": {"procs_ns": 6 * SECOND, "host_contention": True}}, "short of CPU"),
        ("decode-warnings", {"warnings": ["clock: no snapshot"]}, "2.0.trace: no snapshot (and 1 other trace)."),
    ],
)  # fmt: skip
def test_the_files_match_their_description(identity: str, header: dict[str, Any], words: str) -> None:
    found = caveat_sentences(**header)
    assert set(found) == {identity}
    assert words in found[identity]


def test_a_short_trace() -> None:
    assert "lasts 1.50 s" in caveat_sentences(candidate_seconds=1.5)["short-trace"]


def test_one_trace_or_one_run() -> None:
    one = compared(traces(SERVICE, 1, 1), traces(SERVICE, 2, 2, RunMetadata(run="a")))
    assert {caveat.id for caveat in one.caveats} == {"single-trace", "one-run"}


def test_waits_that_were_cut_off() -> None:
    base = traces(SERVICE, 2, 1)
    cut = traces(SERVICE, 2, 2)
    tables = [
        replace(
            each,
            table=replace(each.table, waiters=replace(each.table.waiters, censored_ns=each.table.waiters.total_ns)),
        )
        for each in cut
    ]
    found = {caveat.id: caveat.sentence for caveat in compared(base, tables).caveats}
    assert "In the candidate, 50% of the waiting is censored" in found["censored"]


def test_load_by_requests_where_they_are_known() -> None:
    facts = [RunMetadata(requests=count, wall_ns=Nanoseconds(10 * SECOND)) for count in (1_000, 2_000)]
    found = compared(traces(SERVICE, 2, 1, facts[0]), traces(SERVICE, 2, 2, facts[1]))
    sentence = next(caveat.sentence for caveat in found.caveats if caveat.id == "load")
    assert "100 requests per second in base, 200 in candidate (×2.00)" in sentence
    assert as_json(found.page())["sides"]["candidate"]["requests_per_second"] == 200


def test_load_by_wake_ups_where_they_are_not() -> None:
    fewer = [replace(each, per_second=each.per_second / 2) for each in SERVICE]
    found = compared(traces(SERVICE, 2, 1), traces(fewer, 2, 2))
    assert "wake-ups per second" in next(caveat.sentence for caveat in found.caveats if caveat.id == "load")


def test_facts_of_the_runs() -> None:
    found = compared(
        traces(SERVICE, 2, 1, RunMetadata(cpu_model="a")), traces(SERVICE, 2, 2, RunMetadata(cpu_model="b"))
    )
    assert (
        "CPU model differs: a in base, b in candidate"
        in {caveat.id: caveat.sentence for caveat in found.caveats}["cpu-model"]
    )
