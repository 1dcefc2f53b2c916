"""Metrics over HTTP."""

from fastapi import APIRouter

from slowpath.metrics.endpoints import board, pushes
from slowpath.metrics.endpoints.pushes import STREAMED

__all__ = ["STREAMED", "router"]

router = APIRouter()
router.include_router(pushes.router)
router.include_router(board.router)
