"""SELECT statements of the catalog."""

from slowpath.inventory.catalog.queries.catalog_entries import (
    After,
    BuildFilter,
    BuildIdentity,
    build,
    build_by_identity,
    builds,
    builds_of_commit,
    delete_old_pending_commit_metadata,
    environment,
    environment_by_slug,
    environments,
    lock_commit,
    select_pending_commit_metadata,
    service,
    service_by_slug,
    services,
)

__all__ = [
    "After",
    "BuildFilter",
    "BuildIdentity",
    "build",
    "build_by_identity",
    "builds",
    "builds_of_commit",
    "delete_old_pending_commit_metadata",
    "environment",
    "environment_by_slug",
    "environments",
    "lock_commit",
    "select_pending_commit_metadata",
    "service",
    "service_by_slug",
    "services",
]
