"""What a bisect of a regression, of a comparison or of a service would begin with."""

from uuid import UUID

from slowpath.bisects.rules.offers import Offer
from slowpath.core.ids import ComparisonId, RegressionId
from slowpath.core.sessions import ReadSession


def offer(
    session: ReadSession,
    *,
    regression_id: RegressionId | None = None,
    comparison_id: ComparisonId | None = None,
    service_id: UUID | None = None,
) -> Offer:
    """Return what is known for a bisect, and say what is missing. Raises `NotFound`."""
    _ = session, regression_id, comparison_id, service_id
    return Offer(None, None, None, None, missing=("Choose the service, its good and its bad commit.",))
