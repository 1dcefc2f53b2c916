"""Function keys across many profiles: one number per normalized name, and a display name."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.decoded.key_numbers import KeyNumbers
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable, StringTable

I32 = NDArray[np.int32]
Index = NDArray[np.int64]


class FunctionKey(NamedTuple):
    """The name of a frame: the normalized key that matches across builds, and the display name."""

    key: str
    name: str
    file: str


ROOT = FunctionKey("", "", "")
NOWHERE = -1


@dataclass(frozen=True)
class Source:
    """The source of names and files of the labels from `first` on: string numbers.

    A file may be `NOWHERE`.
    """

    first: int
    strings: StringTable
    key: Index
    name: Index
    file: Index


@dataclass(frozen=True)
class Labels(Sequence[FunctionKey]):
    """Labels by number; number 0 is the root's.

    They are created on demand, since few of 200,000 are reported. Without a source, a label's name is its key, and it
    has no file.
    """

    numbers: KeyNumbers
    sources: tuple[Source, ...]

    @classmethod
    def of_names(cls, names: Sequence[str]) -> "Labels":
        """Create the root, and labels of these distinct names."""
        return cls(KeyNumbers([ROOT.key, *names]), ())

    @property
    def keys(self) -> list[str]:
        """Return the keys of all labels."""
        return self.numbers.keys

    def __len__(self) -> int:
        return len(self.keys)

    @overload
    def __getitem__(self, number: int) -> FunctionKey: ...

    @overload
    def __getitem__(self, number: slice) -> tuple[FunctionKey, ...]: ...

    def __getitem__(self, number: int | slice) -> FunctionKey | tuple[FunctionKey, ...]:
        if isinstance(number, slice):
            return tuple(self[each] for each in range(*number.indices(len(self))))
        key = self.keys[number]
        before = bisect_right(self._firsts, number) - 1
        if before < 0:
            return FunctionKey(key, key, "")
        source = self.sources[before]
        row = number - source.first
        file = int(source.file[row])
        return FunctionKey(key, source.strings[int(source.name[row])], source.strings[file] if file != NOWHERE else "")

    def __iter__(self) -> Iterator[FunctionKey]:
        files = [""] * len(self)
        for source in self.sources:
            distinct, row = np.unique(source.file, return_inverse=True)
            known = distinct != NOWHERE
            texts = [*([] if known.all() else [""]), *source.strings.texts(distinct[known])]
            files[source.first : source.first + len(row)] = [texts[each] for each in row.tolist()]
        return map(FunctionKey, self.keys, self.names, files)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the names of all labels."""
        names = list(self.keys)
        for source in self.sources:
            other = np.flatnonzero(source.name != source.key)
            for row, name in zip(other.tolist(), source.strings.texts(source.name[other]), strict=True):
                names[source.first + row] = name
        return tuple(names)

    @cached_property
    def _firsts(self) -> list[int]:
        return [source.first for source in self.sources]


def label_nodes(tables: Sequence[ProfileTable]) -> tuple[Labels, tuple[I32, ...]]:
    """Return (labels, per table the label of each string that names a node.

    Others have label 0, the root's).
    """
    numbers = KeyNumbers([ROOT.key])
    sources: list[Source] = []
    of_string: list[I32] = []
    seen: dict[tuple[bytes, bytes], I32] = {}
    for table in tables:
        used = _keys(table)
        # Profiles of one build often have identical functions.
        label_of_string = seen.get((table.strings.data, used.tobytes()))
        if label_of_string is None:
            first = len(numbers.keys)
            label_of_string = _number_keys(table, used, numbers)
            if len(numbers.keys) > first:
                sources.append(_source(table, used, label_of_string, first, len(numbers.keys) - first))
            seen[table.strings.data, used.tobytes()] = label_of_string
        of_string.append(label_of_string)
    return Labels(numbers, tuple(sources)), tuple(of_string)


def _keys(table: ProfileTable) -> Index:
    """Return the strings that name nodes."""
    if table.sums is not None:
        named = table.sums.functions.key.astype(np.int64)
        return named[named > 0]
    used = np.zeros(len(table.strings), dtype=np.bool_)
    used[table.node_key] = True
    used[0] = False
    return np.flatnonzero(used)


def _number_keys(table: ProfileTable, used: Index, numbers: KeyNumbers) -> I32:
    """Number each string that names a node."""
    numbers_of_strings = np.zeros(len(table.strings), dtype=np.int32)
    numbers_of_strings[used] = numbers.number(table.strings.texts(used))
    return numbers_of_strings


def _source(table: ProfileTable, used: Index, number: I32, first: int, size: int) -> Source:
    """Return where to read the names and files of the `size` labels that this table introduced."""
    fresh = used[number[used] >= first]
    function = _functions_of_keys(table)[fresh]
    known = function != 0
    row = np.abs(function[known]) - 1
    names, files = fresh.copy(), np.full(len(fresh), NOWHERE, dtype=np.int64)
    names[known] = np.where(function[known] > 0, table.function_name[row], fresh[known])
    files[known] = table.function_file[row]
    key, name, file = (np.empty(size, dtype=np.int64) for _ in range(3))
    place = number[fresh] - first
    key[place], name[place], file[place] = fresh, names, files
    return Source(first, table.strings, key, name, file)


def _functions_of_keys(table: ProfileTable) -> Index:
    """Return for each string that is a key one of its functions, counted from 1; 0 if there is none.

    Negative if functions of several names share the key: `New.func1` and `New.func2` share `New.func`, and either name would
    be misleading.
    """
    function_of_key = np.zeros(len(table.strings), dtype=np.int64)
    if len(table.function_key) == 0:
        return function_of_key
    order = np.lexsort((table.function_name, table.function_key))
    keys, names = table.function_key[order], table.function_name[order]
    first = np.concatenate([[True], keys[1:] != keys[:-1]])
    last = np.concatenate([first[1:], [True]])
    chosen = order[first] + 1
    function_of_key[keys[first]] = np.where(names[first] != names[last], -chosen, chosen)
    return function_of_key
