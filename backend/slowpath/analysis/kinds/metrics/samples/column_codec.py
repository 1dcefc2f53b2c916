"""Encode numbers as bytes that compress well: complete columns at a time, lossless.

Integers are zigzag-encoded and split into the fewest byte planes that fit the largest; a general compressor then sees long
runs instead of interleaved noise. Floats that are integers, or decimals of up to six places, are encoded as integers; others
keep their bits, each xored with the previous one.
"""

import struct
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.metrics.samples.series_data import STALE_NAN_BITS

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bits = NDArray[np.uint64]

RAW: Final = 255  # the row's bits are stored
MOST_PLACES: Final = 6
INTEGER_LIMIT: Final = float(2**53)
COUNT: Final = struct.Struct("<I")
UNZIGZAGGED: Final = ((np.arange(256) >> 1) ^ -(np.arange(256) & 1)).astype(np.int16)
"""Decoded value of each zigzag byte: most columns have one byte, and a lookup takes one step instead of four."""


class CorruptChunk(ValueError):
    """The bytes are not the output of `ColumnWriter`."""


class ColumnWriter:
    """Write columns one after the other."""

    def __init__(self) -> None:
        """Start with an empty buffer."""
        self._parts: list[bytes] = []

    def bytes(self) -> bytes:
        """Return everything written."""
        return b"".join(self._parts)

    def count(self, value: int) -> None:
        """Write a number from 0 to 2^32 - 1."""
        self._parts.append(COUNT.pack(value))

    def ints(self, values: Ints) -> None:
        """Write integers whose count the reader knows.

        A byte of width, then byte planes of the zigzagged values.
        """
        flat = np.ascontiguousarray(values, np.int64).reshape(-1)
        folded = ((flat << 1) ^ (flat >> 63)).view(np.uint64)
        width = (int(folded.max()).bit_length() + 7) // 8 if flat.size else 0
        self._parts.append(bytes([width]))
        self._parts.append(np.ascontiguousarray(folded.view(np.uint8).reshape(-1, 8)[:, :width].T).tobytes())

    def ascending(self, values: Ints) -> None:
        """Write ascending integers as differences."""
        self.ints(np.diff(values, prepend=np.int64(0)))

    def times(self, values: Ints) -> None:
        """Write times at a nearly constant interval as differences of differences."""
        self.ints(np.diff(np.diff(values, prepend=np.int64(0)), prepend=np.int64(0)))

    def floats(self, rows: Floats) -> None:
        """Write a matrix whose shape the reader knows, one series per row, including stale markers."""
        bits = np.ascontiguousarray(rows, np.float64).view(np.uint64)
        stale = np.flatnonzero(bits == STALE_NAN_BITS)
        self.count(len(stale))
        if len(stale):
            self.ascending(stale)
            bits = _without_stale(bits)
        kinds, integers = _scaled(bits.view(np.float64))
        self._parts.append(kinds.tobytes())
        scaled = integers[kinds != RAW]
        self.ints(scaled[:, :1])
        self.ints(np.diff(scaled, axis=1))
        raw_rows = bits[kinds == RAW]
        if len(raw_rows):
            xored = raw_rows.copy()
            xored[:, 1:] ^= raw_rows[:, :-1]
            self._parts.append(np.ascontiguousarray(xored.view(np.uint8).reshape(-1, 8).T).tobytes())


class ColumnReader:
    """Read columns in the order in which they were written."""

    def __init__(self, content: bytes) -> None:
        """Start at the first byte."""
        self._content = content
        self._bytes = np.frombuffer(content, np.uint8)
        self._at = 0

    @property
    def at_end(self) -> bool:
        """Return whether everything was read."""
        return self._at == len(self._content)

    def count(self) -> int:
        """Read a number. Raises `CorruptChunk`."""
        self._take(COUNT.size)
        value: int = COUNT.unpack_from(self._content, self._at - COUNT.size)[0]
        return value

    def ints(self, n: int) -> Ints:
        """Read n integers. Raises `CorruptChunk`."""
        return self._narrow(n).astype(np.int64)

    def _narrow(self, n: int) -> NDArray[np.signedinteger[Any]]:
        """Read n integers in the narrowest type that fits them: most columns are differences of one byte."""
        width = int(self._take(1)[0])
        return np.zeros(n, np.int16) if width == 0 else _join_planes(self._planes(width, n))

    def _planes(self, width: int, n: int) -> NDArray[np.uint8]:
        """Read [width, n] byte planes, the lowest first."""
        if width > 8:
            raise CorruptChunk(f"an integer has {width} bytes, at most 8 are possible")
        return self._take(width * n).reshape(width, n)

    def nothing(self, columns: int) -> bool:
        """Read empty integer columns: one byte each."""
        return not self._take(columns).any()

    def ascending(self, n: int) -> Ints:
        """Read n ascending integers."""
        out: Ints = self.ints(n).cumsum()
        return out

    def times(self, n: int) -> Ints:
        """Read n times.

        The first two differences are as large as the time itself; the rest is jitter, mostly one byte.
        """
        width = int(self._take(1)[0])
        planes = self._planes(width, n)
        steps = np.zeros(n, np.int64)
        for place in range(min(n, 2)):
            steps[place] = _unzigzag(int.from_bytes(planes[:, place].tobytes(), "little"))
        rest = planes[:, 2:]
        if rest.any():
            narrow = width
            while not rest[narrow - 1].any():
                narrow -= 1
            steps[2:] = _join_planes(rest[:narrow])
        out: Ints = steps.cumsum().cumsum()
        return out

    def same(self, n: int, known: dict[bytes, Ints]) -> Ints:
        """Read n ascending integers that were often read before: hours of one block contain the same series."""
        start = self._at
        width = int(self._take(1)[0])
        self._planes(width, n)
        key = self._content[start : self._at]
        found = known.get(key)
        if found is None:
            self._at = start
            found = known[key] = self.ascending(n)
        return found

    def floats(self, rows: int, columns: int) -> Floats:
        """Read a matrix. Raises `CorruptChunk`."""
        n_stale = self.count()
        stale = self.ascending(n_stale) if n_stale else None
        kinds = self._take(rows)
        n_raw = self._content.count(RAW, self._at - rows, self._at)
        if n_raw == 0:
            values = self._scaled(rows, columns, kinds)
        else:
            values = np.empty((rows, columns), np.float64)
            is_raw = kinds == RAW
            values[~is_raw] = self._scaled(rows - n_raw, columns, kinds[~is_raw])
            planes = self._take(8 * n_raw * columns).reshape(8, -1)
            bits = np.ascontiguousarray(planes.T).view(np.uint64).reshape(n_raw, columns)
            values[is_raw] = np.bitwise_xor.accumulate(bits, axis=1).view(np.float64)
        if stale is not None:
            if stale[-1] >= values.size or stale[0] < 0:
                raise CorruptChunk("a stale marker is outside of the matrix")
            values.view(np.uint64).reshape(-1)[stale] = STALE_NAN_BITS
        return values

    def _scaled(self, rows: int, columns: int, kinds: NDArray[np.uint8]) -> Floats:
        n_first, n_steps = min(columns, 1), max(columns - 1, 0)
        values = np.empty((rows, columns), np.float64)
        values[:, :1] = self._narrow(rows * n_first).reshape(rows, n_first)
        values[:, 1:] = self._narrow(rows * n_steps).reshape(rows, n_steps)
        # Integers below 2^53 add up exactly.
        np.cumsum(values, axis=1, out=values)
        if kinds.any():
            if kinds.max() > MOST_PLACES:
                raise CorruptChunk("a row has too many decimal places")
            values /= np.power(10.0, kinds)[:, None]
        return values

    def _take(self, n: int) -> NDArray[np.uint8]:
        if self._at + n > len(self._content):
            raise CorruptChunk(f"the chunk ends {self._at + n - len(self._content)} bytes early")
        taken = self._bytes[self._at : self._at + n]
        self._at += n
        return taken


def _join_planes(planes: NDArray[np.uint8]) -> NDArray[np.signedinteger[Any]]:
    """Join byte planes (one to eight) and decode the zigzag, in the narrowest type that fits the integers."""
    width = len(planes)
    if width == 1:
        small: NDArray[np.signedinteger[Any]] = UNZIGZAGGED[planes[0]]
        return small
    folded = planes[0].astype(np.uint64 if width > 4 else np.uint32 if width > 2 else np.uint16)
    for place in range(1, width):
        folded |= planes[place].astype(folded.dtype) << (8 * place)
    one = folded.dtype.type(1)
    signs = np.negative(folded & one)
    unfolded: NDArray[np.signedinteger[Any]] = ((folded >> one) ^ signs).view(f"i{folded.itemsize}")
    return unfolded


def _unzigzag(folded: int) -> int:
    return (folded >> 1) ^ -(folded & 1)


def _without_stale(bits: Bits) -> Bits:
    """Replace each stale marker by the value before it in its row (0 at the start).

    A zero difference is smallest.
    """
    is_value = bits != STALE_NAN_BITS
    columns = np.arange(bits.shape[1])
    before = np.maximum.accumulate(np.where(is_value, columns, -1), axis=1)
    filled = np.take_along_axis(bits, np.maximum(before, 0), axis=1)
    filled[before < 0] = 0
    return filled


def _scaled(rows: Floats) -> tuple[NDArray[np.uint8], Ints]:
    """Return for each row by how many decimal places it is an integer (or RAW), and those integers."""
    kinds = np.full(len(rows), RAW, np.uint8)
    integers = np.zeros(rows.shape, np.int64)
    plain = np.isfinite(rows) & ((rows != 0) | ~np.signbit(rows))  # -0 is not 0
    remaining = np.flatnonzero(plain.all(axis=1))
    for places in range(MOST_PLACES + 1):
        if not len(remaining):
            break
        power = 10.0**places
        with np.errstate(over="ignore"):
            candidates = np.rint(rows[remaining] * power)
        exact = (candidates / power == rows[remaining]) & (np.abs(candidates) < INTEGER_LIMIT)
        fits = exact.all(axis=1)
        kinds[remaining[fits]] = places
        integers[remaining[fits]] = candidates[fits].astype(np.int64)
        remaining = remaining[~fits]
    return kinds, integers
