"""Serve the command line of this version as a single file, to be fetched with curl before anything else is installed."""

from typing import Final, Literal

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse

from slowpath.core.errors import InvalidRequest, NotFound
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import settings

router = APIRouter(tags=["cli"])
MEDIA_TYPE: Final = "application/octet-stream"
Platform = Literal["linux-amd64", "linux-arm64"]


@router.get(
    "/cli/{platform}",
    operation_id="cli:download",
    response_class=FileResponse,
    responses={
        200: {"content": {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}}},
        **document_problems(NotFound, InvalidRequest),
    },
)
def download_cli(request: Request, platform: Platform) -> FileResponse:
    """Return the command line as one executable file that needs no other installation. It needs no sign-in."""
    folder = settings(request).cli_packages
    file = folder / f"slowpath-{platform}" if folder is not None else None
    if file is None or not file.is_file():
        raise NotFound(
            f"The command line for {platform} was not built on this server.",
            remedy="Run npm run package in the checkout of the server on a machine of this kind, or use pipx.",
        )
    return FileResponse(file, media_type=MEDIA_TYPE, filename="slowpath", headers={"Cache-Control": "no-cache"})
