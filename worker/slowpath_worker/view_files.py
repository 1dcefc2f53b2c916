"""Store the chunks of a view, whether of a comparison or of a profile set."""

import gzip
from collections.abc import Callable
from typing import Final

from slowpath.analysis.formats.column_file import read_columns
from slowpath.analysis.formats.header_members import HeaderMembers
from slowpath.analysis.kinds.profiles.diff_views import DiffViewColumns
from slowpath.core.ids import BlobKey
from slowpath.evidence.profiles.service.stored_views import StoredViewFiles
from slowpath_worker.job_context import JobContext

GZIP_LEVEL: Final = 5
"""Measured on diff columns: 10% larger than with the default, and twice as fast."""


def store_view_files(context: JobContext, view: DiffViewColumns, make_key: Callable[[str], BlobKey]) -> StoredViewFiles:
    """Compute and store all chunks of a view; `make_key` returns the blob key of a part."""

    def put(part: str, content: bytes, *, packed: bool = True) -> BlobKey:
        key = make_key(part)
        context.blobs.put(key, gzip.compress(content, GZIP_LEVEL, mtime=0) if packed else content)
        return key

    all_columns = view.diff_columns("all")
    header = HeaderMembers(read_columns(all_columns, "slowpath.diff").header)
    functions = view.function_columns()
    first = view.diff_columns("first")
    sent = HeaderMembers(read_columns(first, "slowpath.diff").header).integer("nodes_sent")
    nodes = header.integer("nodes_total")
    context.check()
    return StoredViewFiles(
        all_key=put("all", all_columns, packed=False),
        first_key=put("first", first),
        rest_key=put("rest", view.diff_columns("rest")) if sent < nodes else None,
        functions_key=put("functions", functions),
        lines_key=put("lines", view.line_columns(), packed=False),
        nodes=nodes,
        functions=len(read_columns(functions, "slowpath.functions").arrays["name"]),
    )
