"""Spans over HTTP: what exporters push, and what people look at."""

from fastapi import APIRouter

from slowpath.spans.endpoints import push, sets

router = APIRouter()
router.include_router(push.router)
router.include_router(sets.router)
