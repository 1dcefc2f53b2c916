"""Operations on annotations."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import AnnotationId, EnvironmentId, ServiceId, new_id
from slowpath.inventory.catalog.errors import AnnotationNotFound, InvalidTimeOrOrder
from slowpath.inventory.catalog.queries import deployments_annotations
from slowpath.inventory.catalog.service.catalog_entries import environment, service
from slowpath.inventory.catalog.tables import Annotation

MOST_SHOWN = 500


def annotation(session: ReadSession, annotation_id: AnnotationId) -> Annotation:
    """Return the annotation. Raises `AnnotationNotFound`."""
    row = deployments_annotations.annotation(session, annotation_id)
    if row is None:
        raise AnnotationNotFound("The team has no such annotation.")
    return row


def annotations_between(
    session: ReadSession, environment_id: EnvironmentId, start: datetime, end: datetime
) -> Sequence[Annotation]:
    """Return the annotations of [start, end], oldest first; of more than 500 the newest."""
    return deployments_annotations.annotations_between(session, environment_id, start, end, MOST_SHOWN)


def create_annotation(
    session: WriteSession, environment_id: EnvironmentId, service_id: ServiceId | None, values: dict[str, Any]
) -> Annotation:
    """Create an annotation. Raises `EnvironmentNotFound`, `ServiceNotFound`, `InvalidTimeOrOrder`."""
    environment(session, environment_id)
    if service_id is not None:
        service(session, service_id)
    row = Annotation(
        team_id=session.team_id,
        id=new_id(),
        environment_id=environment_id,
        service_id=service_id,
        created_by=session.scope.user_id,
        **values,
    )
    _check(row)
    session.add(row)
    session.flush()  # the database sets the time
    return row


def change_annotation(session: WriteSession, annotation_id: AnnotationId, values: dict[str, Any]) -> Annotation:
    """Update the text or the time. Raises `AnnotationNotFound`, `InvalidTimeOrOrder`."""
    row = annotation(session, annotation_id)
    for name, value in values.items():
        setattr(row, name, value)
    _check(row)
    return row


def delete_annotation(session: WriteSession, annotation_id: AnnotationId) -> Annotation:
    """Delete an annotation. Raises `AnnotationNotFound`."""
    row = annotation(session, annotation_id)
    session.delete(row)
    return row


def _check(row: Annotation) -> None:
    if row.ended_at is not None and row.ended_at < row.started_at:
        raise InvalidTimeOrOrder(
            "The annotation ends before it starts.", remedy="Set an end after the start, or no end."
        )
