"""HTTP endpoints of decoded Go executables."""

from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from slowpath.analysis.formats.executable_functions import FunctionOrder, search_functions
from slowpath.core.errors import InvalidRequest, NotFound, Unavailable
from slowpath.core.ids import ArtifactId, BlobKey
from slowpath.evidence.executables import service as executables
from slowpath.evidence.executables.schemas import ExecutableFunctionsOut
from slowpath.platform.accounts.access import MayRead
from slowpath.platform.http.internal_api import FREEZABLE
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Blobs, Reading

MOST_FUNCTIONS = 10_000_000

router = APIRouter(prefix="/api/v1", tags=["executables"])


@router.get(
    "/executables/{artifact_id}/functions",
    operation_id="executables:list-functions",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound, InvalidRequest, Unavailable),
)
def list_functions(
    artifact_id: UUID,
    caller: MayRead,
    session: Reading,
    blobs: Blobs,
    name: Annotated[
        str, Query(max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$", description="text that the name contains")
    ] = "",
    order: FunctionOrder = "frame",
    limit: Annotated[int, Query(ge=1, le=500)] = 200,
    offset: Annotated[int, Query(ge=0, le=MOST_FUNCTIONS, description="functions to leave out at the beginning")] = 0,
) -> ExecutableFunctionsOut:
    """List functions of a Go executable with frame, stack check, code size and inlined calls: the largest first, wrappers last."""
    row = executables.get_executable(session, ArtifactId(artifact_id))
    read = partial(blobs.read_ranges, BlobKey(row.columns_key))
    return ExecutableFunctionsOut.of(search_functions(read, name, order, limit, offset))
