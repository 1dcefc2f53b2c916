"""Bisects over HTTP: for people, for runners, and for what runners deploy."""

from fastapi import APIRouter

from slowpath.verdicts.bisects.endpoints import bisects, probe_callbacks, runners

router = APIRouter(prefix="/api/v1")
for part in (bisects, runners, probe_callbacks):
    router.include_router(part.router)
