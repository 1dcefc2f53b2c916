"""Benchmark output becomes columns, and a row that says where they lie."""

from slowpath.analysis.columns import Columns, read_columns
from slowpath.analysis.profiles.profile_table import Strings
from slowpath.benchmarks import service as benchmarks
from slowpath_worker.context import Context
from slowpath_worker.decoding import DecodeHelper, Limits
from slowpath_worker.readers.reading import Decoded, Original


def read_benchmarks(original: Original, helper: DecodeHelper, context: Context) -> Decoded:
    """Decode the output of `go test -bench`."""
    out = original.folder / "columns"
    helper.bench(original.path, out, Limits.for_file(original.path, original.encoding, context.settings))
    context.progress("storing", 0.9)
    columns = read_columns(out.read_bytes(), "slowpath.bench")
    header = {**columns.header, "units": _units(columns)}
    key = benchmarks.columns_key(context.team_id, original.sha256)
    size = out.stat().st_size
    context.blobs.put(key, out)
    return Decoded(
        kind="bench",
        summary=benchmarks.summary(header),
        record=lambda session, artifact_id: benchmarks.record(session, artifact_id, header, key, size),
    )


def _units(columns: Columns) -> list[str]:
    strings = Strings(columns.column("strings_offset", "u32"), columns.column("strings_bytes", "u8").tobytes())
    return [strings[number] for number in sorted(set(columns.column("value_unit", "u32").tolist()))]
