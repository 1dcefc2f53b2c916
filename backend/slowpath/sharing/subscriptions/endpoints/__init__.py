"""HTTP endpoints of subscriptions."""

from fastapi import APIRouter

from slowpath.sharing.subscriptions.endpoints import subscriptions, unsubscribe_links

router = APIRouter()
router.include_router(subscriptions.router)
router.include_router(unsubscribe_links.router)
