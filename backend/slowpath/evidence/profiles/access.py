"""Endpoints of stored views and exports, for every feature that has them."""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Response
from fastapi.responses import StreamingResponse

from slowpath.analysis.kinds.profiles.views.diff_header import DiffHeader, DiffTreeHeader
from slowpath.core.errors import Conflict, InvalidRequest, NotFound, Unavailable
from slowpath.evidence.profiles.schemas import (
    FrameSearchOut,
    SourceLineOut,
    make_frame_search_out,
    make_source_line_outs,
)
from slowpath.evidence.profiles.service import stored_exports, stored_views
from slowpath.evidence.profiles.tables import StoredExport, StoredView
from slowpath.platform.http.downloads import make_attachment_response
from slowpath.platform.http.internal_api import FREEZABLE
from slowpath.platform.http.openapi_description import FILE, OCTETS, document_columns
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Blobs


def add_view_endpoints(router: APIRouter, path: str, name: str, find_view: Callable[..., StoredView]) -> None:
    """Add the endpoints that read a stored view below `path`; `find_view` is the dependency that checks the permission and returns it."""

    @router.get(
        f"{path}/nodes/{{node_id}}",
        operation_id=f"{name}:subtree",
        openapi_extra=FREEZABLE,
        responses={**document_problems(NotFound, Conflict, Unavailable), **document_columns(DiffTreeHeader)},
        response_class=StreamingResponse,
    )
    def get_subtree(
        node_id: Annotated[int, Path(ge=0, le=2**32 - 1)],
        view: Annotated[StoredView, Depends(find_view)],
        blobs: Blobs,
    ) -> Response:
        """Return the largest nodes below one node."""
        content = stored_views.get_subtree(view, blobs, node_id)
        return Response(content, media_type=OCTETS, headers=stored_views.CACHED)

    @router.get(
        f"{path}/search",
        operation_id=f"{name}:search",
        openapi_extra=FREEZABLE,
        responses=document_problems(NotFound, Conflict, InvalidRequest, Unavailable),
    )
    def search(
        pattern: Annotated[str, Query(min_length=1, max_length=stored_views.MAX_PATTERN)],
        view: Annotated[StoredView, Depends(find_view)],
        blobs: Blobs,
        regex: bool = False,
        case: bool = False,
    ) -> FrameSearchOut:
        """Return the totals of all nodes that match a pattern, including nodes that were not sent."""
        found = stored_views.search_frames(view, blobs, stored_views.FrameSearchPattern(pattern, regex, case))
        return make_frame_search_out(found)

    @router.get(
        f"{path}/lines",
        operation_id=f"{name}:lines",
        openapi_extra=FREEZABLE,
        responses=document_problems(NotFound, Conflict, Unavailable),
    )
    def list_lines(
        function: Annotated[str, Query(max_length=stored_views.MAX_FUNCTION)],
        view: Annotated[StoredView, Depends(find_view)],
        blobs: Blobs,
    ) -> list[SourceLineOut]:
        """Return the source lines of a function with the cost of each side, as pprof's `list`."""
        return make_source_line_outs(stored_views.list_source_lines(view, blobs, function))

    @router.get(
        f"{path}/chunks/{{part}}",
        operation_id=f"{name}:chunk",
        openapi_extra=FREEZABLE,
        responses={
            **document_problems(NotFound, Conflict, Unavailable),
            **document_columns(DiffTreeHeader | DiffHeader),
            204: {"description": "The view has no further nodes"},
        },
        response_class=StreamingResponse,
    )
    def get_view_chunk(
        part: stored_views.Part, view: Annotated[StoredView, Depends(find_view)], blobs: Blobs
    ) -> Response:
        """Return one precomputed chunk of a view: the largest nodes, the rest, or the functions."""
        content = stored_views.find_chunk(view, blobs, part)
        if content is None:
            return Response(status_code=204)
        headers = {**stored_views.CACHED, "Content-Encoding": "gzip"}
        return Response(content, media_type=OCTETS, headers=headers)


def add_content_endpoint(router: APIRouter, path: str, name: str, find_export: Callable[..., StoredExport]) -> None:
    """Add the endpoint that returns the file of an export; `find_export` checks the permission and returns its row."""

    @router.get(
        path,
        operation_id=f"{name}:content",
        responses={**document_problems(NotFound, Conflict, Unavailable), **FILE},
        response_class=StreamingResponse,
    )
    def get_export_content(export: Annotated[StoredExport, Depends(find_export)], blobs: Blobs) -> Response:
        """Return the content of a finished export."""
        content = blobs.stream(stored_exports.get_content_key(export))
        return make_attachment_response(content, export.file_name or "export", media_type=export.media_type or OCTETS)
