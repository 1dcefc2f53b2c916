"""Keyset pagination of lists, newest first: the cursor contains the last row's time and ID.

A cursor is opaque to callers but not a secret: it contains nothing that the page did not.
"""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Generic, TypeVar
from uuid import UUID

from fastapi import Depends, Query
from pydantic import BaseModel
from sqlalchemy import ColumnElement, tuple_

from slowpath.core.errors import InvalidRequest

MAX_LIMIT = 200
Item = TypeVar("Item")
Row = TypeVar("Row")


class Page(BaseModel, Generic[Item]):
    """One page of a list; `next_cursor` is null on the last."""

    items: list[Item]
    next_cursor: str | None


@dataclass(frozen=True)
class PageRequest:
    """The start of a page (after the row of this time and ID) and its number of rows."""

    limit: int
    after: tuple[datetime, UUID] | None

    def beyond(self, created_at: Any, row_id: Any) -> ColumnElement[bool] | None:  # noqa: ANN401 - mapped columns
        """Return the condition for rows after this position in newest-first order, or None at the start."""
        if self.after is None:
            return None
        return tuple_(created_at, row_id) < tuple_(*self.after)

    def page(
        self,
        rows: Sequence[Row],
        make_item: Callable[[Row], Item],
        key: Callable[[Row], tuple[datetime, UUID]],
    ) -> Page[Item]:
        """Return the page of `rows`, which has one more row than the limit if there is a next page."""
        shown = rows[: self.limit]
        more = len(rows) > self.limit
        return Page(
            items=[make_item(row) for row in shown], next_cursor=_print(key(shown[-1])) if more and shown else None
        )


def _print(key: tuple[datetime, UUID]) -> str:
    packed = json.dumps([key[0].isoformat(), key[1].hex]).encode()
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def _parse(cursor: str) -> tuple[datetime, UUID]:
    try:
        packed = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        when, row_id = json.loads(packed)
        return datetime.fromisoformat(when).astimezone(UTC), UUID(row_id)
    except (ValueError, TypeError, AttributeError, OverflowError, binascii.Error) as error:
        raise InvalidRequest("The cursor is invalid.", remedy="Start again without a cursor.") from error


def position(
    cursor: Annotated[str | None, Query(max_length=200, description="next_cursor of the previous page")] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT)] = 50,
) -> PageRequest:
    """Parse the position of a page from the query."""
    return PageRequest(limit=limit, after=_parse(cursor) if cursor else None)


Paging = Annotated[PageRequest, Depends(position)]
