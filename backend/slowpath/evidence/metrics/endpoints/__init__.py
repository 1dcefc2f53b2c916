"""HTTP endpoints of metrics."""

from fastapi import APIRouter

from slowpath.evidence.metrics.endpoints import (
    dashboard,
    metric_change_points,
    metric_settings,
    otlp_push,
    remote_write,
)
from slowpath.evidence.metrics.endpoints.push_bodies import STREAMED

__all__ = ["STREAMED", "router"]

router = APIRouter()
router.include_router(remote_write.router)
router.include_router(otlp_push.router)
router.include_router(metric_settings.router)
router.include_router(dashboard.router)
router.include_router(metric_change_points.router)
