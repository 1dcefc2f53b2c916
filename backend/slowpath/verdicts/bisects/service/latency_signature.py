"""Latency signatures: environment, and identification of a probe's series."""

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
    session: ReadSession, offered: SignatureProposal, settings: BisectSettings, *, is_window_set: bool
) -> tuple[Signature, BisectSettings]:
    """Return consistent signature and settings. `is_window_set`: the request sets the measurement window.

    A latency signature names its environment; by default the measurement window is as long as its traffic requires.
    Raises `InvalidBisectRequest`, `EnvironmentNotFound`.
    """
    if offered.signature.kind != LATENCY:
        if settings.dashboard_selector is not None:
            raise InvalidBisectRequest(
                f"{offered.signature.label} is not measured from dashboard metrics.",
                remedy="Remove dashboard_selector, or choose a latency quantile as signature.",
            )
        return offered.signature, settings
    subject = LatencySubject.read(offered.signature.subject)
    if parse_quantile(subject.quantile) is None:
        raise InvalidBisectRequest(
            f"{offered.signature.subject!r} does not name a latency quantile.",
            remedy="Give an environment, optionally a route, and a quantile, such as: production p99.",
        )
    board = settings.dashboard_selector or _board_of(session, offered, subject)
    slug = catalog.environment(session, EnvironmentId(UUID(board.environment_id))).slug
    signature = latency_proposals.make_latency_signature(str(replace(subject, environment=slug)))
    settings = replace(settings, dashboard_selector=board)
    advised = offered.board.measurement_seconds if offered.board is not None else None
    if advised is not None and not is_window_set:
        settings = replace(settings, measurement_seconds=max(advised, settings.measurement_seconds))
    return signature, settings


def validate_dashboard_selector(session: ReadSession, settings: BisectSettings, board: DashboardSelector) -> None:
    """Raise `InvalidBisectRequest` if concurrent probes could not be distinguished.

    Raises `EnvironmentNotFound` for an unknown environment.
    """
    catalog.environment(session, EnvironmentId(UUID(board.environment_id)))
    if board.match == "environment" and (settings.slots > 1 or settings.control):
        raise InvalidBisectRequest(
            "Concurrent probes cannot be distinguished if all series of the environment match.",
            limit=1, actual=settings.slots, unit="slots",
            remedy="Use one slot and no control, or match probes by instance or version.",
        )  # fmt: skip


def _board_of(session: ReadSession, offered: SignatureProposal, subject: LatencySubject) -> DashboardSelector:
    if offered.board is not None:
        return DashboardSelector(str(offered.board.environment_id))
    rows = catalog.environments(session, None, MOST_ENVIRONMENTS)
    found = next((row.id for row in rows if row.slug == subject.environment), None)
    if found is None:
        raise InvalidBisectRequest(
            f"Environment {subject.environment} has no dashboard metrics.",
            remedy="Set in dashboard_selector the environment that probes push to.",
        )
    return DashboardSelector(str(found))
