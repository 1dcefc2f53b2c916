"""Create a bisect from a request, completed by its proposal."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from slowpath.analysis.kinds.registry import measurement_ids
from slowpath.commit_names import short_commit
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import (
    BisectId,
    ComparisonId,
    EnvironmentId,
    ProductionEventId,
    RegressionId,
    RepositoryId,
    ServiceId,
    UserId,
    new_id,
)
from slowpath.core.jobs import enqueue
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.repositories.service import repositories
from slowpath.inventory.repositories.tables import Repository
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.errors import BisectIncomplete, InvalidBisectRequest, TooManyBisects
from slowpath.verdicts.bisects.jobs import PlanBisect
from slowpath.verdicts.bisects.rules import bisect_settings
from slowpath.verdicts.bisects.rules.bisect_proposals import BisectProposal, Signature, SignatureProposal
from slowpath.verdicts.bisects.rules.bisect_settings import BisectSettings
from slowpath.verdicts.bisects.rules.bisect_states import MOST_OPEN, BisectState
from slowpath.verdicts.bisects.service import bisect_proposals, boundary_checks, production_baselines
from slowpath.verdicts.bisects.service.bisect_locks import record_bisect_event
from slowpath.verdicts.bisects.service.boundary_checks import RangeToCheck
from slowpath.verdicts.bisects.service.latency_signature import resolve_latency_signature, validate_dashboard_selector
from slowpath.verdicts.bisects.tables import Bisect

CUSTOM = "custom"


@dataclass(frozen=True)
class BisectOptions:
    """Options of a request; the proposal supplies missing ones."""

    service_id: UUID | None = None
    regression_id: UUID | None = None
    event_id: UUID | None = None
    comparison_id: UUID | None = None
    repository_id: UUID | None = None
    good_sha: str | None = None
    bad_sha: str | None = None
    signature: tuple[str, str] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class CompletedRequest:
    """A request completed by its proposal; None is still missing."""

    offer: BisectProposal
    service_id: UUID | None
    repository_id: UUID | None
    good: str | None
    bad: str | None
    comparison_id: UUID | None
    signature: SignatureProposal


def complete_request(session: ReadSession, asked: BisectOptions) -> CompletedRequest:
    """Return a request completed by its proposal. Raises `NotFound`, `InvalidBisectRequest`."""
    offer = bisect_proposals.propose_bisect(
        session,
        regression_id=RegressionId(asked.regression_id) if asked.regression_id else None,
        event_id=ProductionEventId(asked.event_id) if asked.event_id else None,
        comparison_id=ComparisonId(asked.comparison_id) if asked.comparison_id else None,
        service_id=asked.service_id,
    )
    return CompletedRequest(
        offer,
        asked.service_id or (offer.service[0] if offer.service else None),
        asked.repository_id or (offer.repository[0] if offer.repository else None),
        asked.good_sha or (offer.good.sha if offer.good else None),
        asked.bad_sha or (offer.bad.sha if offer.bad else None),
        asked.comparison_id or offer.comparison_id,
        _select_signature(offer, asked.signature),
    )


def create_bisect(
    session: WriteSession, asked: BisectOptions, *, by: UserId | None, now: datetime, is_automatic: bool = False
) -> Bisect:
    """Create a bisect and enqueue its plan, or continue the one that has measured the boundaries of this request.

    Raises `NotFound`, `BisectIncomplete`, `InvalidBisectRequest`, `TooManyBisects`.
    """
    completed = complete_request(session, asked)
    offer = completed.offer
    service_id, repository_id, good, bad = require_startable(session, completed)
    service = catalog.service(session, service_id)
    settings = bisect_settings.apply_settings_update(BisectSettings(), asked.settings)
    signature, settings = resolve_latency_signature(
        session, completed.signature, settings, is_window_set="measurement_seconds" in asked.settings
    )
    validate_settings(session, settings)
    if settings.use_production_baselines:
        production_baselines.require_production_baselines(session, ServiceId(service_id), signature, good, bad)
    spread = queries.select_spread_of_last_bisect(session, service_id, asdict(signature))
    settings = replace(settings, between=spread)
    title = offer.title or f"{service.name}: {signature.label} since {short_commit(good)}"
    if settings.pauses_after_boundaries:
        settings = replace(settings, use_production_baselines=False)
    known = None if is_automatic else boundary_checks.find_check(session, range_to_check(completed), settings)
    if known is not None:
        if boundary_checks.is_expired(known):
            require_bisect_capacity(session)
        known.regression_id = asked.regression_id or known.regression_id
        known.comparison_id = completed.comparison_id or known.comparison_id
        return boundary_checks.continue_check(session, BisectId(known.id), settings, by=by, now=now)
    require_bisect_capacity(session)
    row = Bisect(
        team_id=session.team_id,
        id=new_id(),
        number=queries.next_number(session),
        title=title[:300],
        service_id=service_id,
        repository_id=repository_id,
        regression_id=asked.regression_id,
        comparison_id=completed.comparison_id,
        good_sha=good,
        bad_sha=bad,
        state=BisectState.PLANNED,
        signature=asdict(signature),
        settings=bisect_settings.to_json(settings),
        is_automatic=is_automatic,
        approved_through_round=0,
        created_by=by,
        revision=1,
    )
    session.add(row)
    session.flush()
    record_bisect_event(session, row, "started-automatically" if is_automatic else "started", {}, now=now, by=by)
    enqueue(session, PlanBisect(BisectId(row.id)))
    session.flush()
    return row


def range_to_check(completed: CompletedRequest) -> RangeToCheck:
    """Return which boundaries a request measures, and by which signature."""
    signature = completed.signature.signature
    return RangeToCheck(
        completed.service_id, completed.repository_id, completed.good, completed.bad, signature.kind, signature.subject
    )


def require_startable(session: ReadSession, completed: CompletedRequest) -> tuple[ServiceId, RepositoryId, str, str]:
    """Return service, repository, good and bad commit of a request. Raises `BisectIncomplete`, `InvalidBisectRequest`."""
    good, bad = completed.good, completed.bad
    service_id, repository_id = completed.service_id, completed.repository_id
    if service_id is None or repository_id is None or good is None or bad is None:
        missing = " ".join(completed.offer.missing)
        raise BisectIncomplete(missing or "Service, repository, good and bad commit are required.")
    if good == bad:
        raise InvalidBisectRequest("The good and the bad commit are the same.", remedy="Choose an older good commit.")
    require_readable_repository(repositories.get_repository(session, RepositoryId(repository_id)))
    return ServiceId(service_id), RepositoryId(repository_id), good, bad


def validate_settings(session: ReadSession, settings: BisectSettings) -> None:
    """Raise `InvalidBisectRequest` if settings conflict, `NotFound` if they refer to something deleted."""
    if settings.control and settings.slots < 2:
        raise InvalidBisectRequest(
            "A control stays deployed next to the probes and requires its own slot.",
            limit=2, actual=settings.slots, unit="slots", remedy="Use at least two slots, or turn off the control.",
        )  # fmt: skip
    if settings.dashboard_selector is not None:
        validate_dashboard_selector(session, settings, settings.dashboard_selector)
    if settings.guardrail is not None and settings.guardrail.environment_id is not None:
        catalog.environment(session, EnvironmentId(UUID(settings.guardrail.environment_id)))
    for repository_id in settings.module_repositories.values():
        repositories.get_repository(session, RepositoryId(UUID(repository_id)))


def require_readable_repository(row: Repository) -> None:
    """Raise `BisectIncomplete` if the commits of a repository cannot be read."""
    if row.url is None:
        raise BisectIncomplete(
            f"{row.label} has no address, so its commits cannot be read.",
            remedy="Add the address of the repository in Settings, Integrations, then start the bisect.",
        )


def require_bisect_capacity(session: WriteSession) -> None:
    """Raise `TooManyBisects` if the team has reached the limit of open bisects."""
    queries.lock_team(session)
    if (count := queries.count_open_bisects(session)) >= MOST_OPEN:
        raise TooManyBisects(
            "The team has too many open bisects.", limit=MOST_OPEN, actual=count + 1, unit="bisects",
            remedy="Cancel one, or wait until one ends.",
        )  # fmt: skip


def _select_signature(offer: BisectProposal, asked: tuple[str, str] | None) -> SignatureProposal:
    """Return the requested signature, or the best of the proposal."""
    if asked is None:
        return offer.signatures[0] if offer.signatures else _make_proposal(_custom(""))
    kind, subject = asked
    found = next((one for one in offer.signatures if (one.signature.kind, one.signature.subject) == asked), None)
    if found is not None:
        return found
    if kind == CUSTOM:
        return _make_proposal(_custom(subject))
    if kind not in measurement_ids():
        raise InvalidBisectRequest(
            f"Signatures of kind {kind} cannot be measured by probes.",
            remedy=f"Use one of {', '.join(sorted(measurement_ids()))}, or custom.",
        )
    return _make_proposal(bisect_proposals.make_signature(kind, subject, "", None, None))


def _make_proposal(signature: Signature) -> SignatureProposal:
    return SignatureProposal(signature, None, None, separates=False, why="")


def _custom(subject: str) -> Signature:
    return Signature(CUSTOM, subject, subject or "Value of the runner's measurement command", "")
