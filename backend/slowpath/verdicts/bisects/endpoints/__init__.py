"""HTTP endpoints of bisects: for users, for runners, and for deployments."""

from fastapi import APIRouter

from slowpath.verdicts.bisects.endpoints import (
    automatic_bisects,
    bisects,
    commit_comparisons,
    preflights,
    probe_callbacks,
    range_ends,
    runners,
)

router = APIRouter(prefix="/api/v1")
for part in (bisects, range_ends, automatic_bisects, commit_comparisons, preflights, runners, probe_callbacks):
    router.include_router(part.router)
