"""Every SELECT of the catalog."""

from slowpath.catalog.queries.naming import (
    After,
    BuildIdentity,
    build,
    build_by_identity,
    builds,
    builds_of_commit,
    commit_word,
    environment,
    environment_by_slug,
    environments,
    forget_commit_words,
    lock_commit,
    service,
    service_by_slug,
    services,
)

__all__ = [
    "After",
    "BuildIdentity",
    "build",
    "build_by_identity",
    "builds",
    "builds_of_commit",
    "commit_word",
    "environment",
    "environment_by_slug",
    "environments",
    "forget_commit_words",
    "lock_commit",
    "service",
    "service_by_slug",
    "services",
]
