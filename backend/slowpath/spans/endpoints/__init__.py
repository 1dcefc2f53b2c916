"""Spans over HTTP: what exporters push, and what people look at."""

from fastapi import APIRouter

from slowpath.spans.endpoints import push, sets
from slowpath.spans.endpoints.push import STREAMED

__all__ = ["STREAMED", "router"]

router = APIRouter()
router.include_router(push.router)
router.include_router(sets.router)
