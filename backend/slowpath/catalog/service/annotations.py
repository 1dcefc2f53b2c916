"""Verbs on annotations: what people write beside a time."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from slowpath.catalog.errors import AnnotationNotFound, NotInOrder
from slowpath.catalog.queries import running
from slowpath.catalog.service.naming import environment, service
from slowpath.catalog.tables import Annotation
from slowpath.core.ids import AnnotationId, EnvironmentId, ServiceId, new_id
from slowpath.core.sessions import ReadSession, WriteSession

MOST_SHOWN = 500


def annotation(session: ReadSession, annotation_id: AnnotationId) -> Annotation:
    """Return the annotation. Raises `AnnotationNotFound`."""
    row = running.annotation(session, annotation_id)
    if row is None:
        raise AnnotationNotFound("There is no such annotation in this team.")
    return row


def annotations_between(
    session: ReadSession, environment_id: EnvironmentId, start: datetime, end: datetime
) -> Sequence[Annotation]:
    """Return what is written beside [start, end], oldest first; of more than 500 the newest."""
    return running.annotations_between(session, environment_id, start, end, MOST_SHOWN)


def annotate(
    session: WriteSession, environment_id: EnvironmentId, service_id: ServiceId | None, values: dict[str, Any]
) -> Annotation:
    """Write something beside a time. Raises `EnvironmentNotFound`, `ServiceNotFound`, `NotInOrder`."""
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
    session.flush()  # the database gives the time
    return row


def change_annotation(session: WriteSession, annotation_id: AnnotationId, values: dict[str, Any]) -> Annotation:
    """Change the words or the time. Raises `AnnotationNotFound`, `NotInOrder`."""
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
    if row.until is not None and row.until < row.at:
        raise NotInOrder("The annotation ends before it begins.", remedy="Give an end after the beginning, or none.")
