"""Reports over HTTP: written, frozen, published; shared by links that nobody needs to be signed in for."""

from fastapi import APIRouter

from slowpath.reports.endpoints import links, reports, shared, showing

router = APIRouter(prefix="/api/v1")
for part in (reports, showing, links, shared):
    router.include_router(part.router)
