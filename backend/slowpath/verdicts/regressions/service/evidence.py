"""Locate the change of a regression from the findings of its comparison.

A series aggregates a function with all it calls; a comparison has the stacks. The title names both, so that it agrees with the
findings shown on the page of the regression.
"""

from collections.abc import Sequence

from slowpath.analysis.findings.build_measurements import TOTAL
from slowpath.analysis.findings.findings import Finding
from slowpath.analysis.kinds.profiles.verdict.profile_headline import lowered
from slowpath.analysis.kinds.registry import measurement_kind
from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import ComparisonId
from slowpath.verdicts.regressions import queries, wording
from slowpath.verdicts.regressions.tables import Regression


def add_locations(session: WriteSession, comparison_id: ComparisonId, findings: Sequence[Finding]) -> None:
    """Add the location of the change to the title of every regression that cites the comparison.

    Idempotent.
    """
    for row in queries.select_citing_regressions(session, comparison_id):
        if row.created_by is None:  # the title of a manually created regression stays
            location = find_location(row, findings)
            row.title = wording.format_title(row.kind, row.subject, row.unit, row.ratio, location=location)


def find_location(row: Regression, findings: Sequence[Finding]) -> str | None:
    """Return the name of the leading significant finding inside the regression's subject, if there is one."""
    profile = measurement_kind(row.kind).profile_kind
    for finding in findings:
        if finding.is_significant and finding.profile_kind == profile and finding.direction == row.direction:
            if finding.subject == row.subject:
                return wording.attributed_to(finding)
            if row.subject == TOTAL or _is_inside(finding, row.subject):
                name = wording.name_series(finding.kind, finding.subject)
                return lowered(name) if finding.kind == "profile.category" else name
    return None


def _is_inside(finding: Finding, subject: str) -> bool:
    """Return whether the finding's cost is below the function `subject` on every path that it names."""
    return bool(finding.attributed_callers) and all(
        subject in (*caller.path, caller.function) for caller in finding.attributed_callers
    )
