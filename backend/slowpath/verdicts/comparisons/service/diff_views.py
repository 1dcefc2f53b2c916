"""Read views: chunks, a subtree, a search over all nodes, the lines of a function."""

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

import re2

from slowpath.analysis.kinds.profiles.stored_view import FrameMatches, SourceLine, StoredView, lines_of
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import BlobKey, ComparisonId
from slowpath.core.ports import BlobStore
from slowpath.verdicts.comparisons import queries
from slowpath.verdicts.comparisons.errors import InvalidPattern, NodeNotFound, ViewNotFound, ViewNotReady
from slowpath.verdicts.comparisons.rules import DiffViewState
from slowpath.verdicts.comparisons.tables import DiffView

Part = Literal["first", "rest", "functions"]
MAX_PATTERN = 1000
RE2_OPTIONS = re2.Options()
RE2_OPTIONS.log_errors = False  # an invalid pattern is returned as an error, not logged


@dataclass(frozen=True)
class FrameSearchPattern:
    """A pattern to search in frame names."""

    text: str
    regex: bool
    case: bool


def list_views(session: ReadSession, comparison_ids: Sequence[UUID]) -> dict[UUID, list[DiffView]]:
    """Return the views of each comparison, in their order."""
    found: dict[UUID, list[DiffView]] = {comparison_id: [] for comparison_id in comparison_ids}
    for row in queries.select_views(session, comparison_ids):
        found[row.comparison_id].append(row)
    return found


def get_view(session: ReadSession, comparison_id: ComparisonId, view_id: UUID) -> DiffView:
    """Return a view. Raises `ViewNotFound`."""
    row = queries.select_view(session, comparison_id, view_id)
    if row is None:
        raise ViewNotFound("The comparison has no view with this ID.")
    return row


def get_view_by_key(
    session: ReadSession, comparison_id: ComparisonId, kind: str, sample_type: str, granularity: str
) -> DiffView:
    """Return the view of a kind, sample type and granularity. Raises `ViewNotFound`."""
    row = queries.select_view_by_key(session, comparison_id, kind, sample_type, granularity)
    if row is None:
        raise ViewNotFound(
            f"The comparison has no view of {kind}/{sample_type} by {granularity}.",
            remedy="Use a view listed in its result.",
        )
    return row


def get_chunk_key(view: DiffView, part: Part) -> BlobKey | None:
    """Return the blob key of a chunk of a finished view; None if the rest is empty. Raises `ViewNotReady`."""
    if view.state != DiffViewState.DONE:
        raise ViewNotReady(
            f"The view is not ready: its state is {view.state}.",
            remedy="Request it with POST .../views and wait for its job.",
        )
    key = {"first": view.head_blob_key, "rest": view.tail_blob_key, "functions": view.functions_key}[part]
    return BlobKey(key) if key else None


def get_subtree(view: DiffView, blobs: BlobStore, node_id: int) -> bytes:
    """Return the largest nodes below one node, as columns. Raises `NodeNotFound`, `ViewNotReady`."""
    stored = _stored(view, blobs)
    try:
        return stored.subtree(node_id)
    except IndexError as error:
        raise NodeNotFound(
            "The view has no node with this number.", limit=view.nodes, actual=node_id, unit="nodes"
        ) from error


def search_frames(view: DiffView, blobs: BlobStore, pattern: FrameSearchPattern) -> FrameMatches:
    """Return the totals of all nodes that match a pattern. Raises `InvalidPattern`, `ViewNotReady`."""
    return _stored(view, blobs).search(compile_pattern(pattern))


def list_source_lines(view: DiffView, blobs: BlobStore, function: str) -> list[SourceLine]:
    """Return the lines of a function, both sides. Raises `ViewNotReady`."""
    get_chunk_key(view, "functions")
    assert view.lines_key is not None
    return lines_of(blobs.read(BlobKey(view.lines_key)), function)


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


def _stored(view: DiffView, blobs: BlobStore) -> StoredView:
    get_chunk_key(view, "first")
    assert view.full_blob_key is not None
    return RECENT.get(BlobKey(view.full_blob_key), blobs)


class _StoredViewCache:
    """Cache of recently used views, so that a search per keystroke does not read the blob each time."""

    MOST = 4

    def __init__(self) -> None:
        self._views: OrderedDict[BlobKey, StoredView] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: BlobKey, blobs: BlobStore) -> StoredView:
        """Return the view stored under a key. Keys begin with the team ID; the view of a key never changes."""
        with self._lock:
            found = self._views.get(key)
            if found is not None:
                self._views.move_to_end(key)
                return found
        read = StoredView.parse(blobs.read(key))
        with self._lock:
            self._views[key] = read
            while len(self._views) > self.MOST:
                self._views.popitem(last=False)
        return read


RECENT = _StoredViewCache()
