"""HTTP endpoints of bisects: for users, for runners, and for deployments."""

from fastapi import APIRouter

from slowpath.verdicts.bisects.endpoints import bisects, probe_callbacks, runners

router = APIRouter(prefix="/api/v1")
for part in (bisects, runners, probe_callbacks):
    router.include_router(part.router)
