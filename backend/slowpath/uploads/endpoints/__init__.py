"""Uploads over HTTP."""

from fastapi import APIRouter

from slowpath.uploads.endpoints import builds, files, parts
from slowpath.uploads.endpoints.bodies import STREAMED

__all__ = ["STREAMED", "router"]

router = APIRouter()
router.include_router(files.router)
router.include_router(parts.router)
router.include_router(builds.router)
