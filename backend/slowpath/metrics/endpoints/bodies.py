"""Bodies of pushes: bounded, and whole in memory, because all of one is needed at once."""

import re
from typing import Annotated

from fastapi import Depends, Request

from slowpath.accounts.access import MayUpload
from slowpath.metrics.rules import MAX_PACKED_BYTES
from slowpath.metrics.service.memory import SeriesMemory
from slowpath.web.bodies import counted, refuse_declared

STREAMED = re.compile(r"POST /api/v1/metrics/write|POST /v1/metrics")
"""The requests whose bodies may be large; each is bounded where it is read."""


async def body_of(request: Request, _caller: MayUpload) -> bytes:
    """Return the body as it came, bounded."""
    refuse_declared(request, MAX_PACKED_BYTES)
    return b"".join([chunk async for chunk in counted(request, MAX_PACKED_BYTES)])


def memory_of(request: Request) -> SeriesMemory:
    """Return what this process remembers of series."""
    found = request.app.state.series_memory
    assert isinstance(found, SeriesMemory)
    return found


Body = Annotated[bytes, Depends(body_of)]
Memory = Annotated[SeriesMemory, Depends(memory_of)]
