"""Serve the built React app: files by name, and its single page for every other path.

Assets have a hash in their names and are cached permanently; the page itself is requested each time.
Files are read once at the start: there are few, and a new build means a new process.
"""

import mimetypes
from dataclasses import dataclass
from pathlib import Path

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.routing import Match

from slowpath.core.errors import NotFound
from slowpath.platform.http.openapi_description import PREFIXES

IMMUTABLE = "public, max-age=31536000, immutable"
REVALIDATED = "no-cache"
METHODS = ("DELETE", "GET", "PATCH", "POST", "PUT")
PAGES = "/{path:path}"


@dataclass(frozen=True)
class _StaticFile:
    content: bytes
    media_type: str
    gzipped: bytes | None


def install_pages(app: FastAPI, dist: Path | None) -> None:
    """Mount the built app at `/`. Without a build, every page responds with an error."""
    files = _read(dist) if dist is not None else {}

    def page(request: Request, path: str) -> Response:
        if request.url.path.startswith(PREFIXES):
            _refuse_method(app, request)
            raise NotFound("The API has no such path.", remedy="See /api/v1/openapi.json.")
        found = files.get(path)
        if found is None and path.startswith("assets/"):
            raise NotFound("This file belongs to another version of the page.", remedy="Reload the page.")
        cache_control = IMMUTABLE if found is not None and path.startswith("assets/") else REVALIDATED
        found = found or files.get("index.html")
        if found is None:
            return Response("The web pages are not built. Run: npm start\n", 503, media_type="text/plain")
        packed = found.gzipped if "gzip" in request.headers.get("accept-encoding", "") else None
        headers = {"Cache-Control": cache_control, "Vary": "Accept-Encoding"}
        if packed is not None:
            headers["Content-Encoding"] = "gzip"
        return Response(packed or found.content, media_type=found.media_type, headers=headers)

    app.add_api_route(PAGES, page, methods=["GET", "HEAD"], include_in_schema=False)


def _refuse_method(app: FastAPI, request: Request) -> None:
    """Raise 405 for an API path with another method: the route of the pages matches all paths and comes before that check."""
    taken = [
        method
        for method in METHODS
        if any(
            route.matches({**request.scope, "method": method})[0] is Match.FULL
            for route in app.routes
            if getattr(route, "path", "") != PAGES
        )
    ]
    if taken:
        raise HTTPException(405, "This path does not allow the method.", {"Allow": ", ".join(taken)})


def _read(dist: Path) -> dict[str, _StaticFile]:
    files: dict[str, _StaticFile] = {}
    for file in sorted(dist.rglob("*")):
        if not file.is_file() or file.suffix in {".gz", ".map"}:
            continue
        packed = file.with_name(file.name + ".gz")
        media_type = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        files[file.relative_to(dist).as_posix()] = _StaticFile(
            file.read_bytes(), media_type, packed.read_bytes() if packed.is_file() else None
        )
    return files
