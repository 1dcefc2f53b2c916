"""File downloads: always an attachment, never content that a browser would run."""

from collections.abc import Iterator
from urllib.parse import quote

from fastapi.responses import StreamingResponse


def make_attachment_response(
    content: Iterator[bytes], name: str, *, media_type: str = "application/octet-stream", size_bytes: int | None = None
) -> StreamingResponse:
    """Return the bytes as a download with any file name (RFC 6266, RFC 8187)."""
    plain = "".join(char if char.isascii() and (char.isalnum() or char in "._-") else "_" for char in name) or "file"
    encoded = quote(name.encode("utf-8", "replace"), safe="")
    headers = {
        "Content-Disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}",
        "Content-Security-Policy": "sandbox; default-src 'none'",
    }
    if size_bytes is not None:
        headers["Content-Length"] = str(size_bytes)
    return StreamingResponse(content, media_type=media_type, headers=headers)
