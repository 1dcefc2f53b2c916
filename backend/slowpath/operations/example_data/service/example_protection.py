"""Refuse changes of the parts of the example: it is read, and removed as a whole."""

from collections.abc import Mapping
from uuid import UUID

from slowpath.core.db_sessions import ReadSession
from slowpath.operations.example_data import queries
from slowpath.operations.example_data.errors import PartOfExample
from slowpath.operations.example_data.rules import ALLOWED_OPERATIONS


def require_no_part(session: ReadSession, operation: str, path_parameters: Mapping[str, str]) -> None:
    """Refuse an operation that changes a part of the example, which a parameter of its path names. Raises `PartOfExample`."""
    if operation in ALLOWED_OPERATIONS:
        return
    for name, value in path_parameters.items():
        if name == "service":
            is_part = queries.is_example_service(session, value)
        else:
            part_id = _parse_id(value)
            is_part = part_id is not None and queries.is_part_of_example(session, name, part_id)
        if is_part:
            raise PartOfExample(
                "This is part of the example data, which cannot be changed.",
                remedy="Remove the example data as a whole on the set-up page.",
            )


def _parse_id(value: str) -> UUID | None:
    try:
        return UUID(value)
    except ValueError:
        return None  # the endpoint rejects it
