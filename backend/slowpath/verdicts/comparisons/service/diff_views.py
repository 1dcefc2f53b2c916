"""Find the views of comparisons; `evidence.profiles.service.stored_views` reads them."""

from collections.abc import Sequence
from uuid import UUID

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ComparisonId
from slowpath.evidence.profiles.errors import ViewNotFound
from slowpath.verdicts.comparisons import queries
from slowpath.verdicts.comparisons.tables import DiffView


def list_views(session: ReadSession, comparison_ids: Sequence[UUID]) -> dict[UUID, list[DiffView]]:
    """Return the views of each comparison, in their order."""
    found: dict[UUID, list[DiffView]] = {comparison_id: [] for comparison_id in comparison_ids}
    for row in queries.select_views(session, comparison_ids):
        found[row.comparison_id].append(row)
    return found


def get_view(session: ReadSession, comparison_id: ComparisonId, view_id: UUID) -> DiffView:
    """Return a view. Raises `ViewNotFound`."""
    row = queries.select_view(session, comparison_id, view_id)
    if row is None:
        raise ViewNotFound("The comparison has no view with this ID.")
    return row


def get_view_by_key(
    session: ReadSession, comparison_id: ComparisonId, kind: str, sample_type: str, granularity: str
) -> DiffView:
    """Return the view of a kind, sample type and granularity. Raises `ViewNotFound`."""
    row = queries.select_view_by_key(session, comparison_id, kind, sample_type, granularity)
    if row is None:
        raise ViewNotFound(
            f"The comparison has no view of {kind}/{sample_type} by {granularity}.",
            remedy="Use a view listed in its result.",
        )
    return row
