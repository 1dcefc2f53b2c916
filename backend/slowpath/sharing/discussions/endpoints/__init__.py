"""HTTP endpoints of discussions, mentions and the activity feed."""

from fastapi import APIRouter

from slowpath.sharing.discussions.endpoints import activity, comments, mentions

router = APIRouter(prefix="/api/v1")
router.include_router(comments.router)
router.include_router(mentions.router)
router.include_router(activity.router)
