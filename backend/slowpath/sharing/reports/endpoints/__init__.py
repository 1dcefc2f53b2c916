"""HTTP endpoints of reports, their snapshots and versions, and of share links, which need no sign-in."""

from fastapi import APIRouter

from slowpath.sharing.reports.endpoints import report_bundles, reports, share_links, shared_reports

router = APIRouter(prefix="/api/v1")
for part in (reports, report_bundles, share_links, shared_reports):
    router.include_router(part.router)
