"""HTTP endpoints of artifacts and uploads."""

from fastapi import APIRouter

from slowpath.evidence.artifacts.endpoints import artifacts, build_uploads, multipart_uploads
from slowpath.evidence.artifacts.endpoints.upload_bodies import STREAMED

__all__ = ["STREAMED", "router"]

router = APIRouter()
router.include_router(artifacts.router)
router.include_router(multipart_uploads.router)
router.include_router(build_uploads.router)
