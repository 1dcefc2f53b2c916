"""The columnar container ("slowcol"): a JSON header, then typed little-endian arrays.

Decoded profiles, diff views and function tables are all written in it, so that bulk numbers never travel as JSON
rows and a reader can map them without copying. This module checks the frame once; afterwards it is trusted.
It refuses what it cannot read by name (`ColumnFileError.slug`) and never guesses.
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.formats.former_names import FormerNames

MAGIC = b"slowcol1"
ALIGNMENT = 8
PREFIX_BYTES = 16

Array = NDArray[Any]
RangeReader = Callable[[Sequence[tuple[int, int]]], list[bytes]]
"""Returns the bytes of a stored file at offsets, up to lengths."""


@dataclass(frozen=True, kw_only=True)
class ColumnHeader:
    """The first members of a header; those of a format follow, and `write_columns` adds the list of columns."""

    format: str
    format_version: Literal[1] = 1


_DTYPES: Mapping[str, np.dtype[Any]] = {
    "u8": np.dtype("<u1"),
    "u16": np.dtype("<u2"),
    "u32": np.dtype("<u4"),
    "i32": np.dtype("<i4"),
    "u64": np.dtype("<u8"),
    "i64": np.dtype("<i8"),
    "f32": np.dtype("<f4"),
    "f64": np.dtype("<f8"),
}
NO_FORMER_NAMES = FormerNames(names={})
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}


class ColumnFileError(ValueError):
    """A columnar file that cannot be read: not ours, a version we do not know, or damaged."""

    def __init__(self, slug: str, message: str) -> None:
        super().__init__(message)
        self.slug = slug


@dataclass(frozen=True)
class ColumnFile:
    """A container that has been read: its header as JSON, which the parser of its kind validates, and its arrays by name."""

    header: Mapping[str, Any]
    arrays: Mapping[str, Array]

    def column(self, name: str, *kinds: str) -> Array:
        """The array of that name; refuses when it is missing or of another type than these."""
        array = self.arrays.get(name)
        if array is None:
            raise ColumnFileError("column-missing", f"column {name!r} is missing")
        if _NAMES[array.dtype] not in kinds:
            raise ColumnFileError(
                "column-type", f"column {name!r} is {_NAMES[array.dtype]}, expected {' or '.join(kinds)}"
            )
        return array


def read_columns(
    buffer: bytes | memoryview,
    expected_format: str,
    expected_versions: Collection[int] = (1,),
    former: FormerNames = NO_FORMER_NAMES,
) -> ColumnFile:
    """Read and check a container; the arrays are read-only views into `buffer`, the header has its present names.

    Raises `ColumnFileError` for a wrong magic, an unknown format or version, and for columns that are misaligned or
    reach outside the file.
    """
    view = memoryview(buffer)
    header, body = _read_header(view)
    _check_format(header, expected_format, expected_versions)
    return ColumnFile(header=former.rename(header) if former.names else header, arrays=_read_listed(header, body))


def read_any_columns(buffer: bytes | memoryview) -> ColumnFile:
    """Read a container of any format: for who passes it on and needs not know what it means. Raises `ColumnFileError`."""
    header, body = _read_header(memoryview(buffer))
    return ColumnFile(header=header, arrays=_read_listed(header, body))


class StoredColumns:
    """A stored container whose columns, or parts of them, are read when they are asked for."""

    def __init__(self, read: RangeReader, expected_format: str, expected_versions: Collection[int] = (1,)) -> None:
        """Read and check the header. Raises `ColumnFileError`."""
        self._read = read
        prefix = read([(0, PREFIX_BYTES)])[0]
        self._body = PREFIX_BYTES + int.from_bytes(prefix[8:12], "little")
        self.header, _ = _read_header(memoryview(read([(0, self._body)])[0]))
        _check_format(self.header, expected_format, expected_versions)
        self._whole: dict[str, Array] = {}
        self._places = {
            entry["name"]: entry for entry in _listed(self.header) if isinstance(entry, dict) and "name" in entry
        }

    def length(self, name: str) -> int:
        """Return the number of elements of a column. Raises `ColumnFileError`."""
        return self._place(name)[1]

    def column(self, name: str, kind: str) -> Array:
        """Return a whole column, which is read once. Raises `ColumnFileError`, also if it has another type."""
        if name not in self._whole:
            self._whole[name] = self._span(name, kind, 0, self.length(name))
        return self._whole[name]

    def values(self, name: str, kind: str, rows: NDArray[np.integer[Any]]) -> Array:
        """Return the elements in these rows; of the column, the part from the first to the last is read.

        Raises `ColumnFileError`.
        """
        first, last = (int(rows.min()), int(rows.max())) if len(rows) else (0, -1)
        if first < 0 or last >= self.length(name):
            raise ColumnFileError("column-outside", f"column {name!r} has {self.length(name)} elements, and no {last}")
        if name in self._whole:
            found: Array = self._whole[name][rows]
        else:
            found = self._span(name, kind, first, last + 1)[rows - first]
        return found

    def _span(self, name: str, kind: str, first: int, end: int) -> Array:
        offset, _, dtype = self._place(name)
        if _NAMES[dtype] != kind:
            raise ColumnFileError("column-type", f"column {name!r} is {_NAMES[dtype]}, expected {kind}")
        piece = self._pieces([(offset + first * dtype.itemsize, (end - first) * dtype.itemsize)])[0]
        return np.frombuffer(piece, dtype)

    def limits(self, name: str, rows: NDArray[np.integer[Any]]) -> tuple[Array, Array]:
        """Return where what belongs to each row begins and ends, from a column of offsets. Raises `ColumnFileError`."""
        both = self.values(name, "u32", np.concatenate([rows, rows + 1])).astype(np.int64)
        return both[: len(rows)], both[len(rows) :]

    def texts(self, numbers: NDArray[np.integer[Any]]) -> list[str]:
        """Return the strings with these numbers of the string table; nothing else of it is read. Raises `ColumnFileError`."""
        begins, ends = self.limits("strings_offset", numbers)
        offset, length, _ = self._place("strings_bytes")
        if np.any(begins > ends) or np.any(ends > length):
            raise ColumnFileError("column-outside", "a string ends outside of the string table")
        return [
            piece.decode("utf-8", "replace")
            for piece in self._pieces([(offset + int(at), int(end - at)) for at, end in zip(begins, ends, strict=True)])
        ]

    def _pieces(self, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        pieces = self._read([(self._body + at, count) for at, count in ranges])
        if [len(each) for each in pieces] != [count for _, count in ranges]:
            raise ColumnFileError("column-outside", "a column ends behind the end of the file")
        return pieces

    def _place(self, name: str) -> tuple[int, int, np.dtype[Any]]:
        entry = self._places.get(name)
        if entry is None:
            raise ColumnFileError("column-missing", f"column {name!r} is missing")
        offset, length, dtype = entry.get("offset"), entry.get("length"), _DTYPES.get(str(entry.get("type")))
        if not isinstance(offset, int) or not isinstance(length, int) or dtype is None or offset < 0 or length < 0:
            raise ColumnFileError("header-damaged", f"column {name!r} is described wrongly")
        return offset, length, dtype


def _read_listed(header: Mapping[str, object], body: memoryview) -> dict[str, Array]:
    arrays: dict[str, Array] = {}
    for entry in _listed(header):
        name, array = _read_column(entry, body)
        if name in arrays:
            raise ColumnFileError("column-twice", f"column {name!r} is listed twice")
        arrays[name] = array
    return arrays


def _listed(header: Mapping[str, object]) -> list[object]:
    listed = header.get("columns")
    if not isinstance(listed, list):
        raise ColumnFileError("header-damaged", "the header lists no columns")
    return listed


def _check_format(header: Mapping[str, object], expected_format: str, expected_versions: Collection[int]) -> None:
    if header.get("format") != expected_format:
        raise ColumnFileError("format-unknown", f"format is {header.get('format')!r}, expected {expected_format!r}")
    if header.get("format_version") not in expected_versions:
        raise ColumnFileError(
            "version-unknown",
            f"version of {expected_format} is {header.get('format_version')!r}, expected {max(expected_versions)}",
        )


def _read_header(view: memoryview) -> tuple[dict[str, object], memoryview]:
    if len(view) < PREFIX_BYTES or bytes(view[:8]) != MAGIC:
        raise ColumnFileError("magic-wrong", "not a slowcol file")
    length = int.from_bytes(view[8:12], "little")
    end = PREFIX_BYTES + length
    if end % ALIGNMENT or end > len(view):
        raise ColumnFileError("header-damaged", f"header of {length} bytes in a file of {len(view)}")
    try:
        header = json.loads(bytes(view[PREFIX_BYTES:end]))
    except ValueError as error:
        raise ColumnFileError("header-damaged", "the header is not JSON") from error
    if not isinstance(header, dict):
        raise ColumnFileError("header-damaged", "the header is not a JSON object")
    return header, view[end:]


def _read_column(entry: object, body: memoryview) -> tuple[str, Array]:
    if not isinstance(entry, dict):
        raise ColumnFileError("header-damaged", "a column is not a JSON object")
    name, kind, offset, length = (entry.get(key) for key in ("name", "type", "offset", "length"))
    dtype = _DTYPES.get(kind) if isinstance(kind, str) else None
    if not isinstance(name, str) or dtype is None or not isinstance(offset, int) or not isinstance(length, int):
        raise ColumnFileError("header-damaged", f"column {name!r} is described wrongly")
    if offset % ALIGNMENT:
        raise ColumnFileError("column-misaligned", f"column {name!r} starts at byte {offset}, not a multiple of 8")
    if offset < 0 or length < 0 or offset + length * dtype.itemsize > len(body):
        raise ColumnFileError(
            "column-outside",
            f"column {name!r} needs bytes {offset} to {offset + length * dtype.itemsize} of {len(body)}",
        )
    return name, np.frombuffer(body, dtype=dtype, count=length, offset=offset)


def write_columns(header: ColumnHeader | Mapping[str, object], arrays: Mapping[str, Array]) -> bytes:
    """Return the container of `arrays`; a header that is a mapping has the format, its version and any other members."""
    listed: list[dict[str, object]] = []
    pieces: list[bytes | memoryview] = []
    offset = 0
    for name, array in arrays.items():
        dtype = array.dtype.newbyteorder("<")
        if dtype not in _NAMES:
            raise ColumnFileError("column-type", f"column {name!r} has type {array.dtype}, which the format lacks")
        data = np.ascontiguousarray(array, dtype=dtype).view(np.uint8).data
        listed.append({"name": name, "type": _NAMES[dtype], "offset": offset, "length": len(array)})
        padding = -len(data) % ALIGNMENT
        pieces += [data, bytes(padding)]
        offset += len(data) + padding
    members = vars(header) if isinstance(header, ColumnHeader) else header
    return b"".join([_write_header({**members, "columns": listed}), *pieces])


def upgrade_header(buffer: bytes, former: FormerNames) -> bytes:
    """Return the file with its header under the present names; unchanged if it has no former ones.

    Raises `ColumnFileError` if it is no such file.
    """
    header, body = _read_header(memoryview(buffer))
    renamed = former.rename(header)
    return buffer if renamed == header else _write_header(renamed) + bytes(body)


def _write_header(header: Mapping[str, object]) -> bytes:
    text = json.dumps(header, default=vars, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-(PREFIX_BYTES + len(text)) % ALIGNMENT)
    return MAGIC + len(text).to_bytes(4, "little") + bytes(4) + text


def pack_strings(texts: list[str]) -> dict[str, Array]:
    """A string table as two columns: `strings_offset` u32[n+1] and `strings_bytes` u8; lone surrogates become `?`."""
    encoded = [text.encode("utf-8", "replace") for text in texts]
    offsets = np.zeros(len(encoded) + 1, dtype=np.uint32)
    np.cumsum([len(piece) for piece in encoded], out=offsets[1:])
    return {"strings_offset": offsets, "strings_bytes": np.frombuffer(b"".join(encoded), dtype=np.uint8)}
