"""Bodies of pushes: bounded, and whole in memory, because all of one is needed at once."""

import re
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Request

from slowpath.accounts.access import MaySend
from slowpath.metrics.rules import MAX_PACKED_BYTES
from slowpath.metrics.service.memory import SeriesMemory
from slowpath.web.bodies import WholeBody, whole_body

STREAMED = re.compile(r"POST /api/v1/metrics/write|POST /v1/metrics")
"""The requests whose bodies may be large; each is bounded where it is read."""


async def body_of(request: Request, caller: MaySend) -> AsyncIterator[WholeBody]:
    """Give the body as it came, bounded for itself and together with what the team sends besides."""
    async with whole_body(request, MAX_PACKED_BYTES, f"team:{caller.team_id}") as body:
        yield body


def memory_of(request: Request) -> SeriesMemory:
    """Return what this process remembers of series."""
    found = request.app.state.series_memory
    assert isinstance(found, SeriesMemory)
    return found


Body = Annotated[WholeBody, Depends(body_of)]
Memory = Annotated[SeriesMemory, Depends(memory_of)]
