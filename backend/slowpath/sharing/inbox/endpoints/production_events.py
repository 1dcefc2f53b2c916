"""HTTP endpoints of production events."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from slowpath.core.errors import Conflict, InvalidRequest, NotFound
from slowpath.core.ids import EnvironmentId, ProductionEventId
from slowpath.platform.accounts.access import MayRead, MayWrite
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.internal_api import FREEZABLE
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Blobs, Now, Reading, Writing
from slowpath.platform.http.request_types import JsonTime
from slowpath.sharing.inbox.endpoints.inbox_items import may_write
from slowpath.sharing.inbox.schemas.inbox_items import InboxItemOut, ItemAssignee, ItemService
from slowpath.sharing.inbox.schemas.production_event_pages import (
    ChangePointEvent,
    ChangePointEventList,
    EventBudget,
    EventComparison,
    EventComparisonOut,
    EventDeployment,
    EventFinding,
    EventHistoryEntry,
    EventRange,
    EventSignal,
    EventSuspect,
    ProductionEventOut,
    ProofOut,
)
from slowpath.sharing.inbox.service import inbox_items, production_event_pages
from slowpath.sharing.inbox.service.production_event_pages import EventPage
from slowpath.verdicts.production_events.service import event_comparisons, event_views
from slowpath.verdicts.production_events.wording import describe_history

router = APIRouter(prefix="/api/v1", tags=["inbox"])


@router.get(
    "/production-events",
    operation_id="production-events:list",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound, InvalidRequest),
)
def list_production_events(
    caller: MayRead,
    session: Reading,
    environment_id: UUID,
    begin: Annotated[JsonTime, Query(alias="from", description="Of the change points; ISO 8601 with an offset")],
    end: Annotated[JsonTime, Query(alias="to")],
) -> ChangePointEventList:
    """List the production events of an environment that change points in a time range belong to."""
    found = event_views.list_events_of_change_points(session, EnvironmentId(environment_id), begin, end)
    return ChangePointEventList(
        items=[
            ChangePointEvent(id=event.id, number=event.number or 0, change_point_ids=change_point_ids)
            for event, change_point_ids in found
        ]
    )


@router.get(
    "/production-events/{event_id}",
    operation_id="production-events:get",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound),
)
def get_production_event(
    event_id: UUID, caller: MayRead, session: Reading, blobs: Blobs, clock: Now
) -> ProductionEventOut:
    """Return a production event with all its evidence."""
    now = clock.now()
    page = production_event_pages.load_event_page(session, blobs, ProductionEventId(event_id), now)
    item = inbox_items.get_event_item(session, page.event, caller.user_id, now)
    return _make_page_out(page, InboxItemOut.of(item, may_write=may_write(caller)))


@router.post(
    "/production-events/{event_id}/comparison",
    operation_id="production-events:compare",
    responses=document_problems(NotFound, Conflict, InvalidRequest),
)
def compare_production_event(event_id: UUID, caller: MayWrite, session: Writing, clock: Now) -> EventComparisonOut:
    """Compare before and after the start of the event; the comparison that it has is returned unchanged."""
    row = event_comparisons.get_or_create_comparison(session, ProductionEventId(event_id), clock.now())
    record_audit_event(session, caller, "production-event.compared", "production-event", event_id, {})
    return EventComparisonOut(comparison_id=row.id)


def _make_page_out(page: EventPage, item: InboxItemOut) -> ProductionEventOut:
    event = page.event
    return ProductionEventOut.model_validate(
        {
            "item": item,
            "kind": event.kind,
            "signal": event.signal,
            "gauge": event.gauge or None,
            "sentence": event.sentence,
            "before": event.before,
            "after": event.after,
            "cause": event.cause,
            "proof": [ProofOut(**vars(each)) for each in page.proof],
            "budgets": [EventBudget(sentence=each.sentence, state=each.state.value) for each in page.budgets],
            "signals": _make_signals_out(page),
            "range": EventRange(
                from_at=page.begin,
                to_at=page.end,
                environment_id=event.environment_id,
                service_ids=page.service_ids,
            ),
            "deployments": [EventDeployment.model_validate(vars(each)) for each in page.deployments],
            "comparison": _make_comparison_out(page),
            "suspects": [
                EventSuspect(
                    sha=each.commit.sha,
                    title=each.commit.title,
                    author=each.commit.author_name or None,
                    committed_at=each.commit.committed_at,
                    suspicion=each.share,
                    reasons=[reason.sentence for reason in each.suspicion.reasons],
                    commit_id=each.commit.id,
                    repository_id=each.commit.repository_id,
                )
                for each in page.suspects
            ],
            "suspects_reason": page.suspects_reason,
            "requests_affected": page.requests_affected,
            "announced_at": event.announced_at,
            "history": [
                EventHistoryEntry.model_validate(
                    {
                        "at": row.created_at,
                        "type": row.kind,
                        "sentence": describe_history(row.kind, row.details, page.user_names),
                        "user": ItemAssignee(id=row.user_id, name=page.user_names.get(row.user_id))
                        if row.user_id
                        else None,
                    }
                )
                for row in page.history
            ],
        }
    )


def _make_signals_out(page: EventPage) -> list[EventSignal]:
    return [
        EventSignal(
            change_point_id=each.id,
            service=ItemService(id=each.service_id, slug=page.service_slugs.get(each.service_id, "")),
            signal=each.signal,
            gauge=each.gauge or None,
            role="culprit" if each.service_id == page.event.service_id else "follower",
            before=each.before,
            after=each.after,
            ratio=each.ratio,
            low=each.ratio_low,
            high=each.ratio_high,
            at=each.at,
            sentence=each.sentence,
        )
        for each in page.signals
    ]


def _make_comparison_out(page: EventPage) -> EventComparison | None:
    if page.comparison is None:
        return None
    return EventComparison(
        id=page.comparison.id,
        state=page.comparison.state,
        verdict=page.comparison.verdict,
        headline=page.comparison.headline,
        findings=[
            EventFinding(sentence=each.sentence, direction=each.direction, is_significant=each.is_significant)
            for each in page.findings
        ],
    )
