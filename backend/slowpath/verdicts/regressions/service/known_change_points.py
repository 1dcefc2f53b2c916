"""Change points recorded by earlier evaluations."""

from collections.abc import Mapping
from uuid import UUID

from slowpath.analysis.builds.change_detection import KnownChange
from slowpath.analysis.series.change_points import ChangePoint as Step
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ServiceId
from slowpath.verdicts.regressions import queries
from slowpath.verdicts.regressions.rules import guess_default_branch
from slowpath.verdicts.regressions.tables import BuildChangePoint


def select_known_change_points(
    session: ReadSession, service_id: ServiceId, branch: str, number: Mapping[UUID, int]
) -> list[KnownChange]:
    """Return the recorded change points of a branch; `number` is the position of each build."""
    trunk = guess_default_branch(queries.count_builds_by_branch(session, service_id))
    rows = list(queries.select_change_points(session, service_id, branch))
    if trunk != branch:
        rows += queries.select_change_points(session, service_id, trunk)
    return [
        KnownChange(row.kind, row.subject, _step(row, number[row.build_id], number), row.regression_id)
        for row in rows
        if row.confirmed and row.build_id in number
    ]


def _step(row: BuildChangePoint, index: int, number: Mapping[UUID, int]) -> Step:
    good = None if row.good_build_id is None else number.get(row.good_build_id)
    low = index if good is None else min(good + 1, index)
    ratio = row.ratio or 1.0
    return Step(
        index=index,
        low_index=low,
        high_index=index,
        before=row.before,
        after=row.after,
        ratio=ratio,
        ratio_low=row.ratio_low or ratio,
        ratio_high=row.ratio_high or ratio,
        score=row.score,
        cause="conditions" if row.cause == "conditions" else "code",
    )
