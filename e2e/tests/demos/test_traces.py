"""The small parts of demo:traces; the whole is played by a journey."""

import random
from pathlib import Path
from typing import Any

import pytest

from demos.traces import _check_page, drawn, first_of, main, place_of
from support.demo_user import DemoFailed

PART = {
    "groups": [
        {"waiter": "main.caller|sleep", "base": {"p99_ns": 1}, "candidate": {"p99_ns": 2}},
        {"waiter": "main.batcher|network", "base": {"p99_ns": 7_000}, "candidate": {"p99_ns": 54_000_000}},
        {"waiter": "main.new|network", "base": None, "candidate": {"p99_ns": 5}},
    ]
}
NOTHING = {"waiter": None, "culprit": None, "p99_before_ns": None, "p99_after_ns": None}


def finding(subject: str, kind: str = "trace.sched_delay", culprit: str | None = "main.hog") -> dict[str, Any]:
    return {"kind": kind, "subject": subject, "contributions": [{"subject": culprit, "share": 0.9}] if culprit else []}


def test_the_first_finding_is_printed() -> None:
    finding_of_part = first_of([finding("main.batcher|network"), finding("main.caller|sleep")], PART)
    assert finding_of_part == {
        "waiter": "main.batcher",
        "culprit": "main.hog",
        "p99_before_ns": 7_000,
        "p99_after_ns": 54_000_000,
    }


def test_what_is_not_known_is_null() -> None:
    assert first_of([], PART) == NOTHING
    assert first_of([finding("cpu", "trace.gc")], PART) == {**NOTHING, "culprit": "gc"}
    assert first_of([finding("growth", "growth.count")], PART) == NOTHING
    new = first_of([finding("main.new|network", culprit=None)], PART)
    assert (new["waiter"], new["culprit"], new["p99_before_ns"], new["p99_after_ns"]) == ("main.new", None, None, 5)


def test_names_order_and_metadata_do_not_reveal_the_sides() -> None:
    seen = set()
    for seed in range(12):
        files = drawn({"base": "base", "candidate": "hogs"}, 1, random.Random(seed))
        assert sorted(each.side for each in files) == ["base", "candidate"]
        seen.add((files[0].side, files[0].path.name))
        for each in files:
            text = f"{each.name} { ({**each.facts, 'cpu_flags': None}) }"
            assert not any(word in text for word in ("hogs", "base", "timestamps", "commit", "candidate"))
            assert each.facts["requests"] > 0
    assert {side for side, _ in seen} == {"base", "candidate"}, "either side comes first"
    assert len({name for _, name in seen}) > 1, "not always the same trace"


def test_all_traces_of_a_set_can_be_asked_for() -> None:
    assert len(drawn({"base": "tickers", "candidate": "garbage"}, 9, random.Random(1))) == 6


def test_traces_of_ones_own_are_taken(tmp_path: Path) -> None:
    own = tmp_path / "mine.trace"
    own.write_bytes(b"go 1.26 trace\0\0\0")
    assert place_of(str(own)) == own
    (base, _) = sorted(drawn({"base": str(own), "candidate": "hogs"}, 3, random.Random(1)), key=lambda f: f.side)[:2]
    assert base.name.endswith(".trace")
    assert base.facts == {}


def test_a_set_that_is_not_there_is_named() -> None:
    with pytest.raises(
        DemoFailed, match="'other' is neither a file nor a set of the example; sets are base, garbage, hogs, tickers"
    ):
        place_of("other")


def test_without_a_server_the_error_names_the_command(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("SLOWPATH_URL", raising=False)
    assert main([]) == 2
    assert "npm run demo:traces" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("first", "wait", "held_by", "right"),
    [
        ("1 p99 of main.batcher; main.hog held", "main.batcher waits 54 ms", "main.hog", True),
        ("1 p99 of main.batcher", "main.batcher waits 54 ms", "main.hog", True),
        ("1 p99 of main.batcher", "main.batcher waits 54 ms", "main.other", False),
        ("1 p99 of main.caller; main.hog held", "main.batcher waits 54 ms", "main.hog", False),
        ("1 p99 of main.batcher; main.hog held", "main.caller waits 64 ms", "main.hog", False),
    ],
)
def test_a_page_with_another_finding_fails(first: str, wait: str, held_by: str, right: bool) -> None:
    fields = {"waiter": "main.batcher", "culprit": "main.hog", "p99_before_ns": 1, "p99_after_ns": 2}
    seen = {"first": first, "wait": wait, "held_by": held_by}
    if right:
        _check_page(seen, fields)
    else:
        with pytest.raises(DemoFailed, match="the page does not show"):
            _check_page(seen, fields)
