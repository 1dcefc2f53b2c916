"""HTTP endpoints of notification channels, notifications, and the log of events."""

from fastapi import APIRouter

from slowpath.sharing.notifications.endpoints import channels, events

router = APIRouter(prefix="/api/v1")
router.include_router(channels.router)
router.include_router(events.router)
