"""Metrics over HTTP."""

from fastapi import APIRouter

from slowpath.metrics.endpoints import board, changes, otlp, pushes, settings
from slowpath.metrics.endpoints.bodies import STREAMED

__all__ = ["STREAMED", "router"]

router = APIRouter()
router.include_router(pushes.router)
router.include_router(otlp.router)
router.include_router(settings.router)
router.include_router(board.router)
router.include_router(changes.router)
