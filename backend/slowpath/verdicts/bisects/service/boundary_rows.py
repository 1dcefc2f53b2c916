"""Checks of a request from the bisect that measures both of its boundaries before the first candidate."""

from dataclasses import dataclass, replace
from typing import Final, Literal

from slowpath.core.db_sessions import ReadSession
from slowpath.verdicts.bisects.rules.bisect_settings import BisectSettings
from slowpath.verdicts.bisects.rules.bisect_states import BisectState
from slowpath.verdicts.bisects.rules.preflight import PreflightCheck, PreflightFix
from slowpath.verdicts.bisects.service import boundary_checks, boundary_results
from slowpath.verdicts.bisects.service.bisect_creation import CompletedRequest, range_to_check
from slowpath.verdicts.bisects.service.bisect_outcome import describe_bisect
from slowpath.verdicts.bisects.service.bisect_resumption import has_measured_boundaries
from slowpath.verdicts.bisects.service.boundary_results import BoundaryResult, BoundaryResults
from slowpath.verdicts.bisects.tables import Bisect
from slowpath.verdicts.bisects.wording import format_measured
from slowpath.verdicts.regressions.wording import format_change

CheckProgress = Literal["running", "paused", "measured", "expired", "failed"]
Rows = tuple[PreflightCheck | None, PreflightCheck | None, PreflightCheck | None]
CHOOSE_ENDS: Final = PreflightFix("choose-ends", "Choose other commits")
SHOWN: Final = boundary_checks.STATES | {BisectState.FAILED}


@dataclass(frozen=True)
class BoundaryCheck:
    """The bisect that measures the boundaries of a request, and what it gave so far."""

    bisect: Bisect
    state: CheckProgress
    results: BoundaryResults | None
    sentence: str

    @property
    def final_results(self) -> BoundaryResults | None:
        """Return what the boundaries gave once both were measured, or failed."""
        return self.results if self.state in {"measured", "expired"} else None


def find_boundary_check(
    session: ReadSession, completed: CompletedRequest, settings: BisectSettings
) -> BoundaryCheck | None:
    """Return the newest measurement of the boundaries of a request that was not cancelled; None without one."""
    bisect = boundary_checks.find_check(session, range_to_check(completed), settings, SHOWN)
    if bisect is None:
        return None
    results = boundary_results.load_results(session, bisect)
    state: CheckProgress = "running"
    if bisect.state == BisectState.FAILED:
        state = "failed"
    elif bisect.state == BisectState.PAUSED:
        state = "measured" if has_measured_boundaries(session, bisect) else "paused"
    elif boundary_checks.is_expired(bisect):
        state = "expired"
    found = BoundaryCheck(bisect, state, results, "")
    final = found.final_results
    return replace(found, sentence=describe_bisect(bisect) if final is None else final.sentence)


def make_rows(check: BoundaryCheck, unit: str) -> Rows:
    """Return the checks of good, bad and their difference; None where the bisect says nothing yet."""
    results = check.results
    good, bad = (None, None) if results is None else (_row(one, unit) for one in (results.good, results.bad))
    return good, bad, _effect(check)


def _row(one: BoundaryResult, unit: str) -> PreflightCheck | None:
    name = one.name.capitalize()
    if one.state == "failed":
        return PreflightCheck(
            one.name, "missing", f"{name} boundary has no measurement", "", one.problem,
            (PreflightFix("measure-again", "Try again"),),
        )  # fmt: skip
    if one.state == "measured" and one.level is not None:
        level = one.level
        value = "" if level.mean is None else format_measured(level.mean, level.deviation, unit)
        count = f"{level.values} measurements" if level.values != 1 else "1 measurement"
        spread = ", ± their standard deviation" if level.deviation is not None else ""
        number = "" if one.probe_number is None else f" of probe #{one.probe_number}" if level.deployments == 1 else ""
        times = f" of {level.deployments} deployments" if level.deployments > 1 else number
        return PreflightCheck(
            one.name, "ok", f"{name} boundary is built and measured", value, f"{count}{times}{spread}."
        )
    if one.probe_number is None:
        return PreflightCheck(one.name, "running", f"{name} boundary waits", "", "It is deployed next.")
    words = {"waiting": "waits for a runner", "building": "is being built"}.get(one.state, "is being measured")
    taken = f", {one.taken} measured" if one.taken else ""
    return PreflightCheck(one.name, "running", f"{name} boundary {words}", "", f"Probe #{one.probe_number}{taken}.")


def _effect(check: BoundaryCheck) -> PreflightCheck:
    again = PreflightFix("measure-again", "Measure both ends again")
    if check.state in {"running", "paused"}:
        title = "Both ends are being measured" if check.state == "running" else "The measurement is paused"
        return PreflightCheck("effect", "running", title, "", check.sentence)
    found = check.results.difference if check.results is not None else None
    if check.state == "failed" or found is None or check.results is None or "failed" in _states(check.results):
        return PreflightCheck(
            "effect", "missing", "Not both ends could be measured", "", check.sentence,
            (PreflightFix("measure-again", "Try again"),),
        )  # fmt: skip
    value = "" if found.change is None else format_change(1 + found.change)
    if found.relation == "differ":
        return PreflightCheck("effect", "ok", "The ends differ", value, check.sentence)
    if found.relation == "reversed":
        swap = PreflightFix("swap-ends", "Exchange them")
        return PreflightCheck("effect", "warning", "The bad end is better", value, check.sentence, (swap, CHOOSE_ENDS))
    title = "The noise is not known" if found.relation == "unknown" else "The ends do not differ"
    return PreflightCheck("effect", "warning", title, value, check.sentence, (again, CHOOSE_ENDS))


def _states(results: BoundaryResults) -> set[str]:
    return {results.good.state, results.bad.state}
