"""HTTP endpoints of the catalog."""

from fastapi import APIRouter

from slowpath.inventory.catalog.endpoints import catalog_entries, deployments_annotations

router = APIRouter()
router.include_router(catalog_entries.router)
router.include_router(deployments_annotations.router)
