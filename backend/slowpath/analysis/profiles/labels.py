"""What functions are called across many profiles: one number for each normalised name, and a name for people."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.profiles.profile_table import ProfileTable

I32 = NDArray[np.int32]


class Label(NamedTuple):
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
    keys = table.strings.texts(used)
    fresh = np.array([key not in numbers for key in keys], dtype=np.bool_)
    for label in _labels(table, used[fresh]):
        numbers[label.key] = len(labels)
        labels.append(label)
    mine = np.zeros(len(table.strings), dtype=np.int32)
    mine[used] = [numbers[key] for key in keys]
    return mine


def _labels(table: ProfileTable, used: NDArray[np.int64]) -> list[Label]:
    """The labels of strings that name nodes, each once."""
    function = _functions_of_keys(table)[used]
    known = function != 0
    strings, row = table.strings, np.abs(function[known]) - 1
    names, files = used.copy(), np.zeros(len(used), dtype=np.int64)
    names[known] = np.where(function[known] > 0, table.function_name[row], used[known])
    files[known] = table.function_file[row]
    distinct, number = np.unique(files, return_inverse=True)
    paths = strings.texts(distinct)
    made = zip(strings.texts(used), strings.texts(names), number.tolist(), known.tolist(), strict=True)
    return list({key: Label(key, name, paths[file] if has else "") for key, name, file, has in made}.values())


def _functions_of_keys(table: ProfileTable) -> NDArray[np.int64]:
    """For each string that is a key, one of its functions, counted from 1; 0 where there is none.

    Negative when functions of several names share the key. `New.func1` and `New.func2` share `New.func`: showing
    either name would be a lie.
    """
    found = np.zeros(len(table.strings), dtype=np.int64)
    if len(table.function_key) == 0:
        return found
    order = np.lexsort((table.function_name, table.function_key))
    keys, names = table.function_key[order], table.function_name[order]
    first = np.concatenate([[True], keys[1:] != keys[:-1]])
    last = np.concatenate([first[1:], [True]])
    chosen = order[first] + 1
    found[keys[first]] = np.where(names[first] != names[last], -chosen, chosen)
    return found
