"""The report of `slowpath bisect --check`: whether both boundaries differ beyond the noise."""

import json
from dataclasses import asdict
from typing import Final

from slowpath.analysis.bisect.boundary_difference import BoundaryDifference, BoundaryLevel, compare_boundaries
from slowpath.analysis.bisect.cost_forecast import forecast_remaining_probes
from slowpath.analysis.findings.wording import pluralize
from slowpath.verdicts.bisects.wording import describe_boundary_difference
from slowpath_cli.local_bisect.progress_lines import format_si
from slowpath_cli.local_bisect.search_driver import SearchSession

FORMAT: Final = "slowpath.bisect-check/1"
DIFFERENT, NOT_DIFFERENT = 0, 3
LIMITED: Final = "The limit of probes is below those of both boundaries: raise --max-deployments."


def print_boundary_check(session: SearchSession, *, as_json: bool) -> int:
    """Print how both boundaries differ, and return the exit code."""
    found = compare_boundaries(session.state)
    if found is None:
        print(json.dumps({"format": FORMAT, "sentence": LIMITED}) if as_json else LIMITED)
        return NOT_DIFFERENT
    probes = forecast_remaining_probes(session.state).mean
    sentence = describe_boundary_difference(found, probes)
    if as_json:
        document = {"format": FORMAT, **asdict(found), "expected_probes": round(probes, 1), "sentence": sentence}
        print(json.dumps(document))
    else:
        print("\n".join([sentence, *describe_levels(found)]))
    return DIFFERENT if found.relation == "differ" else NOT_DIFFERENT


def describe_levels(found: BoundaryDifference) -> list[str]:
    """Describe what both boundaries measured, a line each."""
    return [f"  good: {_describe(found.good)}", f"  bad:  {_describe(found.bad)}"]


def _describe(level: BoundaryLevel) -> str:
    if level.mean is None:
        return f"verdicts of {pluralize(level.deployments, 'probe')}"
    spread = "" if level.deviation is None else f" ± {format_si(level.deviation)}"
    return f"{format_si(level.mean)}{spread} in {pluralize(level.values, 'measurement')}"
