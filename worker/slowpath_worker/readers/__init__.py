"""Readers by file format: they decode, validate and store uploaded files."""

from collections.abc import Mapping

from slowpath_worker.readers.benchmarks import read_benchmarks
from slowpath_worker.readers.binaries import read_binary
from slowpath_worker.readers.growth import read_growth
from slowpath_worker.readers.profiles import read_profile
from slowpath_worker.readers.reader_types import Reader
from slowpath_worker.readers.spans import read_spans
from slowpath_worker.readers.traces import read_trace

READERS: Mapping[str, Reader] = {
    "pprof": read_profile,
    "unknown": read_profile,  # unknown files go to the profile reader, which has the most specific errors
    "go-trace": read_trace,
    "program": read_binary,
    "growth-log": read_growth,
    "bench": read_benchmarks,
    "spans-otlp": read_spans,
    "spans-jaeger": read_spans,
    "spans-zipkin": read_spans,
}
"""Readers by the format that `sniff` reports."""
