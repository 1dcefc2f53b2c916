"""Read stored views: chunks, a subtree, a search over all nodes, the lines of a function."""

import re
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

import re2

from slowpath.analysis.kinds.profiles.views.stored_view import (
    FrameMatches,
    SourceLine,
    file_of,
    lines_of,
    upgrade_packed_view,
)
from slowpath.analysis.kinds.profiles.views.stored_view import StoredView as ViewColumns
from slowpath.core.ids import BlobKey
from slowpath.core.ports import BlobStore
from slowpath.evidence.profiles.errors import InvalidPattern, NodeNotFound, ViewNotReady
from slowpath.evidence.profiles.rules import ViewState
from slowpath.evidence.profiles.tables import StoredView

Part = Literal["first", "rest", "functions"]
MAX_PATTERN: Final = 1000
CACHED: Final = {"Cache-Control": "private, max-age=3600, immutable"}
"""A chunk of a finished view never changes."""
MAX_FUNCTION: Final = 8000
"""Characters of a function name: the request line is limited to 64 KiB, and one character may need twelve bytes."""
OPEN_OR_DONE: Final = frozenset({ViewState.WAITING, ViewState.RUNNING, ViewState.DONE})
RE2_OPTIONS = re2.Options()
RE2_OPTIONS.log_errors = False  # an invalid pattern is returned as an error, not logged


@dataclass(frozen=True)
class FrameSearchPattern:
    """A pattern to search in frame names."""

    text: str
    regex: bool
    case: bool


@dataclass(frozen=True)
class FirstViewFiles:
    """Blob keys of the parts of a view that a page draws first, and the size of the whole."""

    first_key: BlobKey
    functions_key: BlobKey
    nodes: int
    functions: int


@dataclass(frozen=True)
class RemainingViewFiles:
    """Blob keys of the parts of a view after the first ones; None for those that are not stored, or empty."""

    all_key: BlobKey | None = None
    rest_key: BlobKey | None = None
    lines_key: BlobKey | None = None


def record_first_files(view: StoredView, files: FirstViewFiles) -> None:
    """Record the parts that a page draws first, which it can read while the others are computed."""
    view.head_blob_key = files.first_key
    view.functions_key = files.functions_key
    view.nodes = files.nodes
    view.functions = files.functions


def record_view_files(view: StoredView, first: FirstViewFiles, remaining: RemainingViewFiles) -> None:
    """Record the blob keys of all parts of a view, which is finished with them."""
    record_first_files(view, first)
    record_remaining_files(view, remaining)
    mark_done(view)


def mark_done(view: StoredView) -> None:
    """Mark a view of which all parts are stored as finished."""
    view.state, view.problem = ViewState.DONE, None


def get_remaining_files(view: StoredView) -> RemainingViewFiles:
    """Return which parts after the first ones are stored."""
    keys = (view.full_blob_key, view.tail_blob_key, view.lines_key)
    return RemainingViewFiles(*(BlobKey(key) if key else None for key in keys))


def record_remaining_files(view: StoredView, files: RemainingViewFiles) -> None:
    """Record the parts after the first ones that are stored."""
    view.full_blob_key = files.all_key
    view.tail_blob_key = files.rest_key
    view.lines_key = files.lines_key


def get_chunk_key(view: StoredView, part: Part) -> BlobKey | None:
    """Return the blob key of a chunk of a view; None if the rest of a finished one is empty. Raises `ViewNotReady`.

    While a view is computed, the chunks that are stored already can be read.
    """
    key = {"first": view.head_blob_key, "rest": view.tail_blob_key, "functions": view.functions_key}[part]
    if view.state == ViewState.DONE or (view.state == ViewState.RUNNING and key is not None):
        return BlobKey(key) if key else None
    raise _not_ready(view)


def _not_ready(view: StoredView) -> ViewNotReady:
    return ViewNotReady(
        f"The view is not ready: its state is {view.state}.",
        remedy="Request it with POST .../views and wait for its job.",
    )


def find_chunk(view: StoredView, blobs: BlobStore, part: Part) -> bytes | None:
    """Return a chunk of a view, as gzip; None if the rest is empty. Raises `ViewNotReady`, `Unavailable`."""
    key = get_chunk_key(view, part)
    return None if key is None else upgrade_packed_view(blobs.read(key))


def get_subtree(view: StoredView, blobs: BlobStore, node_id: int) -> bytes:
    """Return the largest nodes below one node, as columns. Raises `NodeNotFound`, `ViewNotReady`."""
    stored = _stored(view, blobs)
    try:
        return stored.subtree(node_id)
    except IndexError as error:
        raise NodeNotFound(
            "The view has no node with this number.", limit=view.nodes, actual=node_id, unit="nodes"
        ) from error


def search_frames(view: StoredView, blobs: BlobStore, pattern: FrameSearchPattern) -> FrameMatches:
    """Return the totals of all nodes that match a pattern. Raises `InvalidPattern`, `ViewNotReady`."""
    return _stored(view, blobs).search(compile_pattern(pattern))


def list_source_lines(view: StoredView, blobs: BlobStore, function: str) -> list[SourceLine]:
    """Return the lines of a function, both sides. Raises `ViewNotReady`."""
    if view.state != ViewState.DONE or view.lines_key is None:
        raise _not_ready(view)
    return lines_of(blobs.read(BlobKey(view.lines_key)), function)


def find_function_file(view: StoredView, blobs: BlobStore, function: str) -> str | None:
    """Return the file of a function as profiles name it; None if none does. Raises `ViewNotReady`."""
    if view.state != ViewState.DONE or view.functions_key is None:
        raise _not_ready(view)
    return file_of(blobs.read(BlobKey(view.functions_key)), function)


def compile_pattern(pattern: FrameSearchPattern) -> Callable[[str], bool]:
    """Compile a pattern to a predicate; RE2 runs in linear time. Raises `InvalidPattern`."""
    text = pattern.text if pattern.regex else re.escape(pattern.text)
    if not pattern.case:
        text = f"(?i){text}"
    try:
        compiled = re2.compile(text, RE2_OPTIONS)
    except re2.error as error:
        raise InvalidPattern(
            f"The pattern is not a valid regular expression: {str(error)[:200]}",
            remedy="Correct it, or search as text.",
        ) from error
    return lambda name: compiled.search(name) is not None


def _stored(view: StoredView, blobs: BlobStore) -> ViewColumns:
    if view.state != ViewState.DONE or view.full_blob_key is None:
        raise _not_ready(view)
    return RECENT.get(BlobKey(view.full_blob_key), blobs)


class _StoredViewCache:
    """Cache of recently used views, so that a search per keystroke does not read the blob each time."""

    MOST = 4

    def __init__(self) -> None:
        self._views: OrderedDict[BlobKey, ViewColumns] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: BlobKey, blobs: BlobStore) -> ViewColumns:
        """Return the view stored under a key. Keys begin with the team ID; the view of a key never changes."""
        with self._lock:
            found = self._views.get(key)
            if found is not None:
                self._views.move_to_end(key)
                return found
        read = ViewColumns.parse(blobs.read(key))
        with self._lock:
            self._views[key] = read
            while len(self._views) > self.MOST:
                self._views.popitem(last=False)
        return read


RECENT = _StoredViewCache()
