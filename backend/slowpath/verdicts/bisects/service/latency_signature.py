"""A search on latency: where the board reads it, and by what a deploy's series are told from others there."""

from dataclasses import replace
from uuid import UUID

from slowpath.analysis.builds.latency_measurements import LatencySubject
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import EnvironmentId
from slowpath.inventory.catalog import service as catalog
from slowpath.verdicts.bisects.errors import InvalidBisectRequest
from slowpath.verdicts.bisects.rules.bisect_proposals import Signature, SignatureProposal
from slowpath.verdicts.bisects.rules.bisect_settings import BisectSettings, DashboardSelector
from slowpath.verdicts.bisects.rules.latency_measurements import LATENCY, parse_quantile
from slowpath.verdicts.bisects.service import latency_proposals
from slowpath.verdicts.bisects.service.latency_proposals import MOST_ENVIRONMENTS


def resolve_latency_signature(
    session: ReadSession, offered: SignatureProposal, settings: BisectSettings, *, is_said: bool
) -> tuple[Signature, BisectSettings]:
    """Return signature and settings of a search, so that they fit together. `is_said`: somebody said how long a window is.

    Of latency the signature names the environment in which it is read, and a window is as long as the traffic there asks for,
    where nobody says otherwise. Raises `InvalidBisectRequest`, `EnvironmentNotFound`.
    """
    if offered.signature.kind != LATENCY:
        if settings.dashboard_selector is not None:
            raise InvalidBisectRequest(
                f"{offered.signature.label} is not read from the board.",
                remedy="Leave board out, or search on a quantile of latency.",
            )
        return offered.signature, settings
    subject = LatencySubject.read(offered.signature.subject)
    if parse_quantile(subject.quantile) is None:
        raise InvalidBisectRequest(
            f"{offered.signature.subject!r} names no quantile of latency.",
            remedy="Name an environment, a route if it is one route's, and a quantile, such as: production p99.",
        )
    board = settings.dashboard_selector or _board_of(session, offered, subject)
    slug = catalog.environment(session, EnvironmentId(UUID(board.environment_id))).slug
    signature = latency_proposals.signature(str(replace(subject, environment=slug)))
    settings = replace(settings, dashboard_selector=board)
    advised = offered.board.measurement_seconds if offered.board is not None else None
    if advised is not None and not is_said:
        settings = replace(settings, measurement_seconds=max(advised, settings.measurement_seconds))
    return signature, settings


def validate_dashboard_selector(session: ReadSession, settings: BisectSettings, board: DashboardSelector) -> None:
    """Raise `EnvironmentNotFound`, or `InvalidBisectRequest` where several deploys could not be told apart."""
    catalog.environment(session, EnvironmentId(UUID(board.environment_id)))
    if board.match == "environment" and (settings.slots > 1 or settings.control):
        raise InvalidBisectRequest(
            "All that is pushed from the environment would be taken for each of the deploys that run at the same time.",
            limit=1, actual=settings.slots, unit="slots",
            remedy="Use one slot and no control, or tell deploys apart by instance or version.",
        )  # fmt: skip


def _board_of(session: ReadSession, offered: SignatureProposal, subject: LatencySubject) -> DashboardSelector:
    if offered.board is not None:
        return DashboardSelector(str(offered.board.environment_id))
    rows = catalog.environments(session, None, MOST_ENVIRONMENTS)
    found = next((row.id for row in rows if row.slug == subject.environment), None)
    if found is None:
        raise InvalidBisectRequest(
            f"There is no environment {subject.environment} whose metrics could be read.",
            remedy="Say in board which environment what is deployed pushes from.",
        )
    return DashboardSelector(str(found))
