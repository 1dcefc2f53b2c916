"""HTTP endpoints of SCIM, and of its settings."""

from fastapi import APIRouter

from slowpath.platform.scim.endpoints import discovery, groups, settings, users

router = APIRouter()
router.include_router(discovery.router)
router.include_router(users.router)
router.include_router(groups.router)
router.include_router(settings.router)
