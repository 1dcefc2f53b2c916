"""Readers by file format: they decode, validate and store uploaded files."""

from typing import Final

from slowpath.analysis.kinds import registry
from slowpath_worker.readers.archives import read_archive
from slowpath_worker.readers.benchmarks import read_benchmarks
from slowpath_worker.readers.binaries import read_binary
from slowpath_worker.readers.growth import read_growth
from slowpath_worker.readers.profiles import read_profile
from slowpath_worker.readers.reader_types import Reader
from slowpath_worker.readers.spans import read_spans
from slowpath_worker.readers.traces import read_trace

READERS: Final[dict[str, Reader]] = {
    registry.PROFILE.id: read_profile,
    registry.EXECUTION_TRACE.id: read_trace,
    registry.SPAN_SET.id: read_spans,
    registry.STACK_GROWTH.id: read_growth,
    registry.BENCHMARK.id: read_benchmarks,
    registry.BINARY.id: read_binary,
    registry.ARCHIVE.id: read_archive,
}
"""Readers by the id of the kind."""


def find_reader(file_format: str) -> Reader | None:
    """Return the reader of a format that `sniff` reports; None if no kind has it."""
    kinds = (kind.id for kind in registry.ARTIFACT_KINDS.values() if file_format in kind.formats)
    return next((READERS[kind_id] for kind_id in kinds), None)
