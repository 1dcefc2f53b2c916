"""HTTP endpoints of notification channels, notifications, the log of events, and issues."""

from fastapi import APIRouter

from slowpath.sharing.notifications.endpoints import channels, events, issues

router = APIRouter(prefix="/api/v1")
router.include_router(channels.router)
router.include_router(events.router)
router.include_router(issues.router)
