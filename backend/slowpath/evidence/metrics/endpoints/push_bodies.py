"""Bodies of pushes: limited in size, and read into memory, because parsing needs the complete body."""

import re
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Request

from slowpath.evidence.metrics.rules import MAX_PACKED_BYTES
from slowpath.evidence.metrics.service.series_cache import SeriesCache
from slowpath.platform.accounts.access import MaySend
from slowpath.platform.http.request_bodies import WholeBody, whole_body

STREAMED = re.compile(r"POST /api/v1/metrics/write|POST /v1/metrics")
"""Requests with large bodies, whose size is limited while reading."""


async def read_bounded_body(request: Request, caller: MaySend) -> AsyncIterator[WholeBody]:
    """Provide the received body, limited per request and per team."""
    async with whole_body(request, MAX_PACKED_BYTES, f"team:{caller.team_id}") as body:
        yield body


def get_series_cache(request: Request) -> SeriesCache:
    """Return the series cache of this process."""
    found = request.app.state.series_memory
    assert isinstance(found, SeriesCache)
    return found


Body = Annotated[WholeBody, Depends(read_bounded_body)]
Memory = Annotated[SeriesCache, Depends(get_series_cache)]
