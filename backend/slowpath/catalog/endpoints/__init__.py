"""The catalog over HTTP."""

from fastapi import APIRouter

from slowpath.catalog.endpoints import naming, running

router = APIRouter()
router.include_router(naming.router)
router.include_router(running.router)
