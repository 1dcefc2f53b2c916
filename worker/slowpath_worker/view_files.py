"""Store the chunks of a view, whether of a comparison or of a profile set."""

import gzip
from collections.abc import Callable
from typing import Final

from slowpath.analysis.formats.column_file import read_columns
from slowpath.analysis.formats.header_members import HeaderMembers
from slowpath.analysis.kinds.profiles.diff_views import DiffViewColumns
from slowpath.core.ids import BlobKey
from slowpath.evidence.profiles.service.stored_views import FirstViewFiles, StoredViewFiles
from slowpath_worker.job_context import JobContext

GZIP_LEVEL: Final = 5
"""Measured on diff columns: 10% larger than with the default, and twice as fast."""


def store_view_files(context: JobContext, view: DiffViewColumns, make_key: Callable[[str], BlobKey]) -> StoredViewFiles:
    """Compute and store all chunks of a view; `make_key` returns the blob key of a part."""
    return store_remaining_files(context, view, store_first_files(context, view, make_key), make_key)


def store_first_files(context: JobContext, view: DiffViewColumns, make_key: Callable[[str], BlobKey]) -> FirstViewFiles:
    """Compute and store the chunks of a view that a page draws first: the largest nodes and the functions."""
    first, functions = view.diff_columns("first"), view.function_columns()
    files = FirstViewFiles(
        first_key=make_key("first"),
        functions_key=make_key("functions"),
        nodes=HeaderMembers(read_columns(first, "slowpath.diff").header).integer("nodes_total"),
        functions=len(read_columns(functions, "slowpath.functions").arrays["name"]),
    )
    context.blobs.put(files.first_key, _pack(first))
    context.blobs.put(files.functions_key, _pack(functions))
    context.check()
    return files


def store_remaining_files(
    context: JobContext, view: DiffViewColumns, first: FirstViewFiles, make_key: Callable[[str], BlobKey]
) -> StoredViewFiles:
    """Compute and store the other chunks of a view: all nodes, the rest of those that are sent, and the lines."""
    all_key, lines_key = make_key("all"), make_key("lines")
    context.blobs.put(all_key, view.diff_columns("all"))
    context.check()
    context.blobs.put(lines_key, view.line_columns())
    rest_key = make_key("rest") if view.has_rest else None
    if rest_key is not None:
        context.blobs.put(rest_key, _pack(view.diff_columns("rest")))
    return StoredViewFiles(**vars(first), all_key=all_key, rest_key=rest_key, lines_key=lines_key)


def _pack(content: bytes) -> bytes:
    return gzip.compress(content, GZIP_LEVEL, mtime=0)
