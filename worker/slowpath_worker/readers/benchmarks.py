"""Reader of benchmark output: stores its columns and a row that refers to them."""

from slowpath.analysis.formats.column_file import ColumnFile, read_columns
from slowpath.analysis.kinds.benchmarks.benchmark_header import parse_benchmark_header
from slowpath.analysis.kinds.profiles.decoded.profile_table import StringTable
from slowpath.analysis.kinds.registry import BENCHMARK
from slowpath.evidence.benchmarks import service as benchmarks
from slowpath_worker.decode_helper import DecodeHelper
from slowpath_worker.decode_limits import DecodeLimits
from slowpath_worker.job_context import JobContext
from slowpath_worker.readers.reader_types import DecodedArtifact, OriginalFile


def read_benchmarks(original: OriginalFile, helper: DecodeHelper, context: JobContext) -> DecodedArtifact:
    """Decode the output of `go test -bench`."""
    out = original.folder / "columns"
    helper.decode(
        BENCHMARK, original.path, out, DecodeLimits.for_file(original.path, original.encoding, context.settings)
    )
    context.progress("storing", 0.9)
    columns = read_columns(out.read_bytes(), "slowpath.bench")
    header = parse_benchmark_header(columns.header, _units(columns))
    key = benchmarks.columns_key(context.team_id, original.sha256)
    size = out.stat().st_size
    context.blobs.put(key, out)
    return DecodedArtifact(
        kind=BENCHMARK.id,
        summary=benchmarks.summary(header),
        record=lambda session, artifact_id: benchmarks.record(session, artifact_id, header, key, size),
    )


def _units(columns: ColumnFile) -> list[str]:
    strings = StringTable(columns.column("strings_offset", "u32"), columns.column("strings_bytes", "u8").tobytes())
    return [strings[number] for number in sorted(set(columns.column("value_unit", "u32").tolist()))]
