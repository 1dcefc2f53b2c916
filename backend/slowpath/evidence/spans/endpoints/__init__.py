"""HTTP endpoints of spans: pushes of exporters, and span sets."""

from fastapi import APIRouter

from slowpath.evidence.spans.endpoints import otlp_spans, span_sets
from slowpath.evidence.spans.endpoints.otlp_spans import STREAMED

__all__ = ["STREAMED", "router"]

router = APIRouter()
router.include_router(otlp_spans.router)
router.include_router(span_sets.router)
