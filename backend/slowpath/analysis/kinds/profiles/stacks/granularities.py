"""The three granularities of a graph: functions, lines, packages.

Each has stacks with labels for their frames.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from slowpath.analysis.formats.go_function_names import package_of
from slowpath.analysis.kinds.profiles.decoded.function_keys import Labels
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable
from slowpath.analysis.kinds.profiles.stacks.distinct_stacks import DistinctStacks, unite_line_stacks
from slowpath.analysis.kinds.profiles.stacks.stack_frames import StackFrames, merged

Granularity = Literal["function", "package", "line"]
GRANULARITIES: tuple[Granularity, ...] = ("function", "package", "line")


def at_granularity(
    functions: DistinctStacks, tables: Sequence[ProfileTable], granularity: Granularity
) -> DistinctStacks:
    """Return the same stacks at another granularity."""
    if granularity == "line":
        return unite_line_stacks(tables, functions)
    return by_package(functions) if granularity == "package" else functions


def by_package(functions: DistinctStacks) -> DistinctStacks:
    """Merge runs of frames of one package into one frame."""
    names = [package_of(key) if key else "" for key in functions.labels.keys]
    unique = sorted(set(names) - {""})
    numbers = {"": 0, **{name: number + 1 for number, name in enumerate(unique)}}
    frames = functions.frames
    package = np.array([numbers[name] for name in names], dtype=np.int32)[frames.label]
    is_first = np.ones(len(package), dtype=np.bool_)
    is_first[1:] = package[1:] != package[:-1]
    is_first[frames.start[:-1][frames.depth > 0]] = True
    depth = np.bincount(frames.owner()[is_first], minlength=frames.count)
    ids, shorter = merged(StackFrames(np.concatenate([[0], np.cumsum(depth)]), package[is_first]))
    return DistinctStacks(
        labels=Labels.of_names(unique),
        frames=shorter,
        of_row=tuple(ids[each] for each in functions.of_row),
    )


class StacksByGranularity:
    """The stacks of some profiles at every granularity, each computed once, on demand."""

    def __init__(self, functions: DistinctStacks, tables: Sequence[ProfileTable]) -> None:
        self._tables = tables
        self._known: dict[Granularity, DistinctStacks] = {"function": functions}

    def at(self, granularity: Granularity) -> DistinctStacks:
        """Return the stacks at that granularity."""
        if granularity not in self._known:
            self._known[granularity] = at_granularity(self._known["function"], self._tables, granularity)
        return self._known[granularity]
