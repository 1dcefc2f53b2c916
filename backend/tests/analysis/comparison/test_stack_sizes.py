"""What hot paths need of the stack: bytes that functions would return, and warnings about the next stack size."""

from typing import Any, cast

import pytest

from slowpath.analysis.comparison.compiler_report import CompilerReport, ReportedFrame
from slowpath.analysis.comparison.stack_sizes import (
    describe_pgo,
    list_stack_warnings,
    make_hot_paths,
    measure_returned_bytes,
    rank_functions,
)

LIMITS = {2048: 1120, 4096: 3168, 8192: 7264}


def frame(function: str, depth: int, size: int, *, check: bool = True, wrapper: bool = False) -> ReportedFrame:
    return {"function": function, "depth": depth, "frame": size, "check": check, "wrapper": wrapper}


def side(need: int, *frames: ReportedFrame, low: int | None = None) -> dict[str, Any]:
    size = next(size for size, limit in LIMITS.items() if need < limit)
    interval = [need if low is None else low, need]
    return {
        "depth": interval,
        "need": interval,
        "limit": LIMITS[size],
        "start": 2048,
        "final": size,
        "distance": LIMITS[size] - need,
        "frames": list(frames) or [frame("a/b.F", need, 40)],
    }


def report(*paths: tuple[dict[str, Any], dict[str, Any]], differences: tuple[str, ...] = ()) -> CompilerReport:
    return cast(
        "CompilerReport",
        {
            "differences": [{"setting": each, "base": "", "candidate": "x"} for each in differences],
            "hot_paths": [
                {"stack": ["a/b.F"], "shares": [0.02, 0.0], "base": base, "candidate": candidate}
                for base, candidate in paths
            ],
        },
    )


def test_a_function_returns_what_the_rest_of_the_path_does_not_need() -> None:
    frames = [
        frame("m.a", 40, 200),
        frame("m.b", 248, 400),
        frame("m.c", 656, 40),
        frame("m.leaf", 704, 8, check=False),
    ]
    # m.b needs 248 + 400 - 128 = 520, m.c 656: without m.c, m.b is the deepest
    assert measure_returned_bytes(frames) == [208, 408, 136, 0]
    assert rank_functions(frames) == [("m.b", 408), ("m.a", 208), ("m.c", 136)]
    assert measure_returned_bytes([]) == []


@pytest.mark.parametrize(
    ("base", "candidate", "kinds"),
    [
        (3120, 3120, []),
        (3160, 3160, []),
        (3160, 3120, []),
        (2000, 3103, []),
        (2000, 3104, ["near"]),
        (3120, 3167, ["near"]),
        (3120, 3168, ["crosses"]),
        (1100, 7300 - 64, ["crosses"]),
    ],
)
def test_only_paths_that_grew_are_warned_of(base: int, candidate: int, kinds: list[str]) -> None:
    assert [each.kind for each in list_stack_warnings(report((side(base), side(candidate))))] == kinds


def test_paths_that_cross_at_one_function_are_one_warning() -> None:
    grown = side(3192, frame("a/b.G", 3000, 40), frame("a/b.F", 3192, 40))
    (warning,) = list_stack_warnings(report((side(3120), grown), (side(3100), grown)))
    assert warning.function == "a/b.F"
    assert warning.sentence.startswith(
        "Predicted to cross: a hot path to b.F (4.0% of the earlier build's values) grew from 3,120 to 3,192 B and crosses "
        "3,168: each goroutine on it grows its stack once more. Reuse goroutines"
    )
    assert "shrink the path by 32 B" in warning.sentence


def test_an_interval_across_the_limit_is_possible_only() -> None:
    (warning,) = list_stack_warnings(report((side(3120), side(3192, low=3120)), differences=("Go version",)))
    assert "3,120 to 3,192 B and may cross 3,168" in warning.sentence
    assert "The builds differ in Go version, which may be the reason." in warning.sentence


def test_calls_into_the_runtime_are_listed_only_beyond_the_path() -> None:
    base = side(3120) | {"runtime": {"function": "runtime.sendDirect", "need": [3208, 3208]}}
    candidate = side(3192) | {"runtime": {"function": "runtime.chanrecv", "need": [136, 136]}}
    (path,) = make_hot_paths(report((base, candidate))["hot_paths"])
    assert (path.base.runtime_function, path.base.runtime_bytes, path.base.free_bytes) == (
        "runtime.sendDirect",
        3208,
        48,
    )
    assert path.candidate is not None
    assert (path.candidate.runtime_function, path.candidate.limit_bytes) == (None, 7264)


def test_what_pgo_did_is_stated_in_a_few_sentences() -> None:
    gained = report((side(2000), side(2400)), (side(2000), side(2100)), (side(2000), side(1900)))
    gained["findings"] = [cast("Any", {"kind": "inlining-gained", "base": {"inlined": 0}, "candidate": {"inlined": 1}})]
    assert describe_pgo(gained) == (
        "The builds differ only in PGO: 1 call on hot paths is inlined beyond the budget, and 2 hot paths moved towards the "
        "next stack size, that to b.F by 400 B. None needs a larger stack."
    )
    run, write = frame("a/b.run", 40, 88), frame("a/b.write", 136, 40)
    before, after = side(500, run, write), side(7000, run | {"frame": 6588}, write | {"depth": 6636})
    gained["hot_paths"] = report((before, after))["hot_paths"]
    assert describe_pgo(gained).endswith(
        "that to b.F by 6,500 B. 1 hot path needs a larger stack, the hottest, to b.F, 8 instead of 2 KiB: the frame of b.run "
        "has 6,588 instead of 88 B."
    )
    gained["hot_paths"] = []
    assert describe_pgo(gained).endswith("is inlined beyond the budget, and no hot path needs more stack.")
