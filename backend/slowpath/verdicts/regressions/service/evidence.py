"""Let the comparison that a regression cites say where inside its subject the cost rose.

A series knows a function by all that it calls, a comparison knows the stacks. So the title names both, and the page of the
regression cannot name one function while the findings beside it name another.
"""

from collections.abc import Sequence

from slowpath.analysis.builds.build_measurements import TOTAL
from slowpath.analysis.findings.findings import Finding
from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import ComparisonId
from slowpath.verdicts.regressions import queries, wording
from slowpath.verdicts.regressions.tables import Regression

_PROFILE_OF = {
    "profile.category": "cpu",
    "profile.function": "cpu",
    "profile.heap": "heap",
    "profile.allocs": "allocs",
}
"""The kind of profile in which a series of that kind can be located."""


def add_locations(session: WriteSession, comparison_id: ComparisonId, findings: Sequence[Finding]) -> None:
    """Write the location of the change into every regression that cites the comparison. Idempotent."""
    for row in queries.citing(session, comparison_id):
        if row.created_by is None:  # the title of a claimed one is a make_user_ref's, or the finding's own
            location = location_of(row, findings)
            row.title = wording.format_title(row.kind, row.subject, row.unit, row.ratio, location=location)


def location_of(row: Regression, findings: Sequence[Finding]) -> str | None:
    """Return the name of the leading significant finding inside the regression's subject, if there is one."""
    profile = _PROFILE_OF.get(row.kind)
    for finding in findings:
        if finding.is_significant and finding.profile_kind == profile and finding.direction == row.direction:
            if finding.subject == row.subject:
                return wording.attributed_to(finding)
            if row.subject == TOTAL or _is_inside(finding, row.subject):
                return wording.name_series(finding.kind, finding.subject)
    return None


def _is_inside(finding: Finding, subject: str) -> bool:
    """Tell whether the finding's cost lies below the function `subject` on every path that it names."""
    return bool(finding.attributed_callers) and all(
        subject in (*payer.path, payer.function) for payer in finding.attributed_callers
    )
