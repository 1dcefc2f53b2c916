"""Operations on services, environments and builds."""

from collections.abc import Mapping, Sequence
from typing import Any

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BuildId, EnvironmentId, ServiceId, new_id
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.inventory.catalog import queries
from slowpath.inventory.catalog.errors import (
    BuildNotFound,
    CatalogNameTaken,
    EnvironmentNotFound,
    InvalidSlug,
    ServiceIsExample,
    ServiceNotFound,
)
from slowpath.inventory.catalog.jobs import BuildChanged
from slowpath.inventory.catalog.queries import After, BuildFilter, BuildIdentity, deployments_annotations
from slowpath.inventory.catalog.rules import make_slug
from slowpath.inventory.catalog.service import pending_commit_metadata
from slowpath.inventory.catalog.service.get_or_insert import get_or_insert
from slowpath.inventory.catalog.service.metadata_senders import ANY_SENDER, MetadataSender
from slowpath.inventory.catalog.tables import Build, Environment, Service

MAX_NAME = 100
"""Longest name of a service or an environment; names from metrics or spans are truncated."""


def service(session: ReadSession, service_id: ServiceId) -> Service:
    """Return the service. Raises `ServiceNotFound`."""
    row = queries.service(session, service_id)
    if row is None:
        raise ServiceNotFound("The team has no such service.")
    return row


def services(session: ReadSession, after: After, limit: int) -> Sequence[Service]:
    """Return services, newest first."""
    return queries.services(session, after, limit)


def create_service(session: WriteSession, name: str, values: dict[str, Any]) -> Service:
    """Create a service. Raises `InvalidSlug`, `CatalogNameTaken`."""
    slug = _slug(name)
    if queries.service_by_slug(session, slug) is not None:
        raise CatalogNameTaken(f"The team already has a service at {slug}.", remedy="Choose another name.")
    row = Service(team_id=session.team_id, id=new_id(), slug=slug, name=name, **values)
    session.add(row)
    session.flush()  # the database sets the time
    return row


def ensure_service(session: WriteSession, name: str) -> Service:
    """Return the service with this name, creating it if needed. Raises `InvalidSlug`."""
    slug = _slug(name)
    new = Service(team_id=session.team_id, id=new_id(), slug=slug, name=name[:MAX_NAME])
    return get_or_insert(session, new, lambda: queries.service_by_slug(session, slug))[0]


def change_service(session: WriteSession, service_id: ServiceId, values: dict[str, Any]) -> Service:
    """Update a service; its slug does not change, so links remain valid. Raises `ServiceNotFound`, `ServiceIsExample`."""
    row = service(session, service_id)
    _require_own(row)
    for name, value in values.items():
        setattr(row, name, value)
    return row


def describe_example_service(session: WriteSession, service_id: ServiceId, planned: Mapping[str, str]) -> None:
    """Set the description and the main package of a service of the example. Raises `ServiceNotFound`."""
    row = service(session, service_id)
    row.description, row.main_package = planned.get("description", ""), planned.get("main_package")


def delete_service(session: WriteSession, service_id: ServiceId, *, is_example: bool = False) -> Service:
    """Delete a service with its builds and their artifacts; those of the example only with `is_example`.

    Raises `ServiceNotFound`, `ServiceIsExample`.
    """
    row = service(session, service_id)
    if not is_example:
        _require_own(row)
    session.delete(row)
    return row


def _require_own(row: Service) -> None:
    if row.is_example:
        raise ServiceIsExample(
            f"The service {row.slug} is part of the example data.", remedy="Remove the example data as a whole."
        )


def require_own_services(session: ReadSession, service_ids: Sequence[ServiceId]) -> None:
    """Refuse a change of what belongs to these services if one is of the example. Raises `ServiceIsExample`."""
    for row in queries.example_services(session, service_ids):
        _require_own(row)


def environment(session: ReadSession, environment_id: EnvironmentId) -> Environment:
    """Return the environment. Raises `EnvironmentNotFound`."""
    row = queries.environment(session, environment_id)
    if row is None:
        raise EnvironmentNotFound("The team has no such environment.")
    return row


def environments(session: ReadSession, after: After, limit: int) -> Sequence[Environment]:
    """Return environments, newest first."""
    return queries.environments(session, after, limit)


def create_environment(session: WriteSession, name: str) -> Environment:
    """Create an environment. Raises `InvalidSlug`, `CatalogNameTaken`."""
    slug = _slug(name)
    if queries.environment_by_slug(session, slug) is not None:
        raise CatalogNameTaken(f"The team already has an environment at {slug}.", remedy="Choose another name.")
    row = Environment(team_id=session.team_id, id=new_id(), slug=slug, name=name)
    session.add(row)
    session.flush()  # the database sets the time
    return row


def ensure_environment(session: WriteSession, name: str) -> Environment:
    """Return the environment with this name, creating it if needed. Raises `InvalidSlug`."""
    slug = _slug(name)
    new = Environment(team_id=session.team_id, id=new_id(), slug=slug, name=name[:MAX_NAME])
    return get_or_insert(session, new, lambda: queries.environment_by_slug(session, slug))[0]


def rename_environment(session: WriteSession, environment_id: EnvironmentId, name: str) -> Environment:
    """Rename an environment; its slug does not change. Raises `EnvironmentNotFound`."""
    row = environment(session, environment_id)
    row.name = name
    return row


def delete_environment(session: WriteSession, environment_id: EnvironmentId) -> Environment:
    """Delete an environment. Raises `EnvironmentNotFound`."""
    row = environment(session, environment_id)
    session.delete(row)
    return row


def build(session: ReadSession, build_id: BuildId) -> Build:
    """Return the build. Raises `BuildNotFound`."""
    row = queries.build(session, build_id)
    if row is None:
        raise BuildNotFound("The team has no such build.")
    return row


def builds(session: ReadSession, after: After, limit: int, filters: BuildFilter) -> Sequence[Build]:
    """Return builds, newest first. Raises `ServiceNotFound`."""
    if filters.service_id is not None:
        service(session, filters.service_id)
    return queries.builds(session, after, limit, filters)


def builds_of_commit(session: ReadSession, service_id: ServiceId, commit: str) -> Sequence[Build]:
    """Return the builds of a commit, newest first."""
    return queries.builds_of_commit(session, service_id, commit)


def register_build(
    session: WriteSession, identity: BuildIdentity, values: dict[str, Any], *, by: MetadataSender = ANY_SENDER
) -> tuple[Build, bool]:
    """Return the build with this identity, creating it if needed, and whether it was created.

    New metadata of an existing build (branch, link) is stored. Raises `ServiceNotFound`.
    """
    service(session, identity.service_id)
    new = Build(
        team_id=session.team_id, id=new_id(), program_id=by.program_id, sender_ids=[], **vars(identity), **values
    )
    by.join(new)
    row, made = get_or_insert(session, new, lambda: queries.build_by_identity(session, identity))
    if made:
        queries.lock_commit(session, ServiceId(row.service_id), row.commit)
        pending_commit_metadata.apply_pending_metadata(session, row)
        deployments_annotations.link_build_to_deployments(session, row)
        return row, True
    before = measurement_conditions(row)
    by.join(row)
    for name, value in values.items():
        if value is not None and (by.may_change(row) or not getattr(row, name)):
            setattr(row, name, value)
    reevaluate_build(session, row, before)
    return row, False


def change_build(session: WriteSession, build_id: BuildId, values: dict[str, Any]) -> Build:
    """Update a build; its identity does not change. Raises `BuildNotFound`."""
    row = build(session, build_id)
    before = measurement_conditions(row)
    for name, value in values.items():
        setattr(row, name, value)
    reevaluate_build(session, row, before)
    return row


def measurement_conditions(row: Build) -> tuple[Any, ...]:
    """Return the values of a build that define its measurement conditions and its place in the build history."""
    return (
        row.branch,
        row.committed_at,
        row.parent,
        row.go_version,
        row.goos,
        row.goarch,
        dict(row.run_metadata or {}),
    )


def reevaluate_build(session: WriteSession, row: Build, before: tuple[Any, ...]) -> None:
    """Enqueue a new evaluation if the build changed."""
    if measurement_conditions(row) != before:
        session.flush()  # a job that runs immediately reads the updated build
        enqueue_unless_pending(session, BuildChanged(BuildId(row.id)))


def delete_build(session: WriteSession, build_id: BuildId) -> Build:
    """Delete a build with its artifacts; a cleanup job deletes their blobs. Raises `BuildNotFound`."""
    row = build(session, build_id)
    session.delete(row)
    return row


def _slug(name: str) -> str:
    slug = make_slug(name)
    if not slug:
        raise InvalidSlug("The name has no letter or digit that a URL can contain.", remedy="Choose another name.")
    return slug
