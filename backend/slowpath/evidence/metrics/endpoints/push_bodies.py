"""Bodies of pushes: bounded, and whole in memory, because all of one is needed at once."""

import re
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Request

from slowpath.evidence.metrics.rules import MAX_PACKED_BYTES
from slowpath.evidence.metrics.service.series_cache import SeriesCache
from slowpath.platform.accounts.access import MaySend
from slowpath.platform.http.request_bodies import WholeBody, whole_body

STREAMED = re.compile(r"POST /api/v1/metrics/write|POST /v1/metrics")
"""The requests whose bodies may be large; each is bounded where it is read."""


async def read_bounded_body(request: Request, caller: MaySend) -> AsyncIterator[WholeBody]:
    """Give the body as it came, bounded for itself and together with what the team sends besides."""
    async with whole_body(request, MAX_PACKED_BYTES, f"team:{caller.team_id}") as body:
        yield body


def get_series_cache(request: Request) -> SeriesCache:
    """Return what this process remembers of series."""
    found = request.app.state.series_memory
    assert isinstance(found, SeriesCache)
    return found


Body = Annotated[WholeBody, Depends(read_bounded_body)]
Memory = Annotated[SeriesCache, Depends(get_series_cache)]
