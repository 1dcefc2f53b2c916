"""Turn the results of a round of probes into the next state of a search.

A script answers in numbers or in exit codes, not in both: where it prints numbers, an exit code is a failed build.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from slowpath.analysis.bisect import search
from slowpath.analysis.bisect.candidate_sequence import GOOD_END
from slowpath.analysis.bisect.search_state import ProbeRecord, SearchState
from slowpath_cli.local_bisect.script_runner import ScriptResult

MIXED: Final = {
    "bad": "the script exited with 1, but printed numbers for other builds",
    "good": "the script exited with 0 and without a number, but printed numbers for other builds",
}
BOUNDARY_FAILURES: Final = {
    "unbuildable": "does not build",
    "nothing": "could not be measured: the script exited with 75 each time",
}


class UnbuildableBoundary(Exception):
    """A boundary of the range cannot be built or measured, so the search is not possible."""


def settle_results(state: SearchState, results: Mapping[int, ScriptResult]) -> dict[int, ScriptResult]:
    """Return the results with verdicts as failed builds where the script prints numbers."""
    if not has_numbers(state) and not any(one.kind == "number" for one in results.values()):
        return dict(results)
    return {number: _as_failure(one) for number, one in results.items()}


def has_numbers(state: SearchState) -> bool:
    """Return whether any probe has a number."""
    return any(one.windows for one in state.deploys)


def verdicts_before_numbers(state: SearchState, reason_of: Callable[[int], str]) -> dict[int, ScriptResult]:
    """Return the probes with verdicts as failed builds, once numbers show that the script answers in numbers.

    `reason_of` returns the last line that a probe printed.
    """
    if not has_numbers(state):
        return {}
    return {
        one.number: _as_failure(ScriptResult("bad" if one.bad else "good", reason=reason_of(one.number)))
        for one in state.deploys
        if one.is_measured and not one.windows
    }


def record_results(state: SearchState, results: Mapping[int, ScriptResult], places: Mapping[int, str]) -> SearchState:
    """Record the results of probes; `places` are their output folders, by number. Raises `UnbuildableBoundary`."""
    values = {number: one.number for number, one in results.items() if one.number is not None}
    for number, one in results.items():
        if one.kind in {"good", "bad"}:
            state = search.record_verdict(state, number, bad=one.kind == "bad")
        elif one.kind != "number":
            _refuse_boundary(state.deploys[number - 1], one, places[number])
            state = search.record_unbuildable(state, number)
    return search.record_measurements(state, values)


def _as_failure(result: ScriptResult) -> ScriptResult:
    if result.kind not in {"good", "bad"}:
        return result
    reason = MIXED[result.kind]
    return replace(result, kind="unbuildable", reason=f"{result.reason} ({reason})" if result.reason else reason)


def _refuse_boundary(probe: ProbeRecord, result: ScriptResult, place: str) -> None:
    if probe.purpose in {"boundary", "control"}:
        boundary = "good" if probe.build == GOOD_END else "bad"
        reason = f": {result.reason}" if result.reason else ""
        raise UnbuildableBoundary(
            f"The {boundary} boundary {BOUNDARY_FAILURES[result.kind]}{reason}. The script's output is in {place}."
        )
