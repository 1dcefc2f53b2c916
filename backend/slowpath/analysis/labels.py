"""What functions are called across many profiles: one number for each normalised name, and a name for people."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.profile_table import ProfileTable

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
    of_string = []
    for table in tables:
        used = np.zeros(len(table.strings), dtype=np.bool_)
        used[table.node_key] = True
        used[0] = False
        known = _functions_of_keys(table)
        mine = np.zeros(len(table.strings), dtype=np.int32)
        for string in np.flatnonzero(used).tolist():
            key = table.strings[string]
            if key not in numbers:
                numbers[key] = len(labels)
                labels.append(_label(table, key, known.get(string)))
            mine[string] = numbers[key]
        of_string.append(mine)
    return tuple(labels), tuple(of_string)


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
