"""Export a report as one HTML file that works offline: viewer script, style, and report bundle.

The only text of the report in the document is its escaped title; the bundle is base64. The document's security policy
allows only the viewer's script, by its hash, and no network access.
"""

import base64
import hashlib
import html
import re
from collections.abc import Iterator
from pathlib import Path

from slowpath.sharing.reports.errors import ViewerNotBuilt

VIEWER = "viewer"
SCRIPT_END = re.compile(r"<(?=/script|!--)", re.IGNORECASE)
"""Would end the script in HTML; in JavaScript it occurs only in strings, where `\\x3c` is the same character."""
STYLE_END = re.compile(r"<(?=/style|!--)", re.IGNORECASE)


def viewer(dist: Path | None) -> tuple[str, str]:
    """Return script and style of the viewer. Raises `ViewerNotBuilt`."""
    folder = None if dist is None else dist / VIEWER
    if folder is None or not (folder / "viewer.js").is_file() or not (folder / "viewer.css").is_file():
        raise ViewerNotBuilt("The web pages that the export needs are not built.", remedy="Run: npm start")
    return (folder / "viewer.js").read_text("utf-8"), (folder / "viewer.css").read_text("utf-8")


def file_name(number: int) -> str:
    """Return the file name, without any text of users."""
    return f"slowpath-report-{number}.html"


def document(title: str, script: str, style: str, recording: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the document. `recording` is gzipped; the script finds it by the id `slowpath-recording`."""
    safe_script = SCRIPT_END.sub(r"\\x3c", script)
    digest = base64.b64encode(hashlib.sha256(safe_script.encode()).digest()).decode()
    safe_style = STYLE_END.sub(r"\\3c ", style)
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src 'sha256-{digest}'",
            "style-src 'unsafe-inline'",  # the component library's; they cannot run code
            "img-src data: blob:",
            "font-src data:",
            "worker-src blob: data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    head = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{html.escape(policy)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="robots" content="noindex">\n'
        f"<title>{html.escape(title)}</title>\n<style>{safe_style}</style>\n</head>\n<body>\n"
        '<div id="root"></div>\n'
        '<script type="application/octet-stream" id="slowpath-recording" data-encoding="gzip">'
    )
    yield head.encode()
    left = b""
    for piece in recording:
        left += piece
        whole = len(left) - len(left) % 3  # chunks of base64 follow each other without padding
        yield base64.b64encode(left[:whole])
        left = left[whole:]
    yield base64.b64encode(left)
    yield f'</script>\n<script type="module">{safe_script}</script>\n</body>\n</html>\n'.encode()
