"""HTTP endpoints of regressions, and of builds with their verdicts."""

from fastapi import APIRouter

from slowpath.verdicts.regressions.endpoints import builds, regressions

router = APIRouter()
router.include_router(regressions.router)
router.include_router(builds.router)
