"""HTTP endpoints of the inbox, production events, saved views and buttons in Slack."""

from fastapi import APIRouter

from slowpath.sharing.inbox.endpoints import inbox_items, inbox_views, production_events, slack_interactions

router = APIRouter()
router.include_router(inbox_items.router)
router.include_router(inbox_views.router)
router.include_router(production_events.router)
router.include_router(slack_interactions.router)
