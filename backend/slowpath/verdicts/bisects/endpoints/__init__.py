"""HTTP endpoints of bisects: for users, for runners, and for deployments."""

from fastapi import APIRouter

from slowpath.verdicts.bisects.endpoints import (
    bisects,
    commit_comparisons,
    experiments,
    preflights,
    probe_callbacks,
    range_ends,
    runners,
    service_rules,
    suspect_commits,
)

router = APIRouter(prefix="/api/v1")
for part in (
    bisects, experiments, range_ends, service_rules, commit_comparisons, preflights, runners, probe_callbacks,
    suspect_commits,
):  # fmt: skip
    router.include_router(part.router)
