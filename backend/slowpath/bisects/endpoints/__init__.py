"""Bisects over HTTP: for people, for runners, and for what runners deploy."""

from fastapi import APIRouter

from slowpath.bisects.endpoints import bisects, calling, running

router = APIRouter(prefix="/api/v1")
for part in (bisects, running, calling):
    router.include_router(part.router)
