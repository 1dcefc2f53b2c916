"""What functions are called across many profiles: one number for each normalised name, and a name for people."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.profiles.profile_table import ProfileTable

I32 = NDArray[np.int32]


@dataclass(frozen=True)
class Label:
    """What a frame is called: the normalised key that matches across builds, and the name that people read."""

    key: str
    name: str
    file: str


ROOT = Label("", "", "")


def label_nodes(tables: Sequence[ProfileTable]) -> tuple[tuple[Label, ...], tuple[I32, ...]]:
    """(labels, per table the label of each of its strings that names a node; others have label 0, the root's)."""
    numbers: dict[str, int] = {ROOT.key: 0}
    labels = [ROOT]
    of_string: list[I32] = []
    seen: dict[tuple[bytes, bytes], I32] = {}
    for table in tables:
        used = _keys(table)
        # Profiles of one build often name the very same functions.
        mine = seen.get((table.strings.data, used.tobytes()))
        if mine is None:
            mine = _numbered(table, used, numbers, labels)
            seen[table.strings.data, used.tobytes()] = mine
        of_string.append(mine)
    return tuple(labels), tuple(of_string)


def _keys(table: ProfileTable) -> NDArray[np.int64]:
    """The strings that name nodes."""
    if table.sums is not None:
        named = table.sums.functions.key.astype(np.int64)
        return named[named > 0]
    used = np.zeros(len(table.strings), dtype=np.bool_)
    used[table.node_key] = True
    used[0] = False
    return np.flatnonzero(used)


def _numbered(table: ProfileTable, used: NDArray[np.int64], numbers: dict[str, int], labels: list[Label]) -> I32:
    keys = [table.strings[string] for string in used.tolist()]
    known = _functions_of_keys(table) if any(key not in numbers for key in keys) else {}
    for string, key in zip(used.tolist(), keys, strict=True):
        if key not in numbers:
            numbers[key] = len(labels)
            labels.append(_label(table, key, known.get(string)))
    mine = np.zeros(len(table.strings), dtype=np.int32)
    mine[used] = [numbers[key] for key in keys]
    return mine


def _label(table: ProfileTable, key: str, function: int | None) -> Label:
    if function is None:
        return Label(key, key, "")
    file = table.strings[int(table.function_file[abs(function) - 1])]
    name = key if function < 0 else table.strings[int(table.function_name[function - 1])]
    return Label(key, name, file)


def _functions_of_keys(table: ProfileTable) -> dict[int, int]:
    """For each key string one of its functions, counted from 1; negative when functions of several names share it.

    `New.func1` and `New.func2` share the key `New.func`: showing either name would be a lie.
    """
    if len(table.function_key) == 0:
        return {}
    order = np.lexsort((table.function_name, table.function_key))
    keys, names = table.function_key[order], table.function_name[order]
    first = np.concatenate([[True], keys[1:] != keys[:-1]])
    last = np.concatenate([first[1:], [True]])
    chosen = order[first] + 1
    several = names[first] != names[last]
    return dict(zip(keys[first].tolist(), np.where(several, -chosen, chosen).tolist(), strict=True))
