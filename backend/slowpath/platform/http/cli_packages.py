"""Serve the command line of this version as a single file, to be fetched with curl before anything else is installed."""

from pathlib import Path
from typing import Final, Literal, get_args

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse
from pydantic import BaseModel

from slowpath.core.errors import InvalidRequest, NotFound
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import settings

router = APIRouter(tags=["cli"])
MEDIA_TYPE: Final = "application/octet-stream"
Platform = Literal["linux-amd64", "linux-arm64"]


class CliPackagesOut(BaseModel):
    """The platforms for which this server has the command line as a single file."""

    platforms: list[Platform]


@router.get("/cli", operation_id="cli:list")
def list_cli_packages(request: Request) -> CliPackagesOut:
    """Return for which platforms `/cli/PLATFORM` is a file. It needs no sign-in."""
    return CliPackagesOut(platforms=[each for each in get_args(Platform) if _packed_file(request, each) is not None])


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
    file = _packed_file(request, platform)
    if file is None:
        raise NotFound(
            f"The command line for {platform} was not built on this server.",
            remedy="npm start builds it for its own machine in the background: try again in a few minutes. "
            "For another one, run npm run package in a checkout on a machine of this kind, or use pipx.",
        )
    return FileResponse(file, media_type=MEDIA_TYPE, filename="slowpath", headers={"Cache-Control": "no-cache"})


def _packed_file(request: Request, platform: Platform) -> Path | None:
    folder = settings(request).cli_packages
    file = None if folder is None else folder / f"slowpath-{platform}"
    return file if file is not None and file.is_file() else None
