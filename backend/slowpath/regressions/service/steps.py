"""Where the level of a series changed, as earlier looks wrote it down."""

from collections.abc import Mapping
from uuid import UUID

from slowpath.analysis.builds.looking import Known
from slowpath.analysis.series.change_points import ChangePoint as Step
from slowpath.core.ids import ServiceId
from slowpath.core.sessions import ReadSession
from slowpath.regressions import queries
from slowpath.regressions.rules import main_branch
from slowpath.regressions.tables import ChangePoint


def known_steps(session: ReadSession, service_id: ServiceId, branch: str, number: Mapping[UUID, int]) -> list[Known]:
    """Return what is known of a line's series; `number` is the place of each build in it."""
    trunk = main_branch(queries.branches(session, service_id))
    rows = list(queries.change_points(session, service_id, branch))
    if trunk != branch:
        rows += queries.change_points(session, service_id, trunk)
    return [
        Known(row.kind, row.subject, _step(row, number[row.build_id], number), row.regression_id)
        for row in rows
        if row.confirmed and row.build_id in number
    ]


def _step(row: ChangePoint, index: int, number: Mapping[UUID, int]) -> Step:
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
