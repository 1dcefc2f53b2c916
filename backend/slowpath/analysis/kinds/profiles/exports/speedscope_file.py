"""Write a tree of stacks for Speedscope: its file format with one evented profile per sample type.

A node opens where it begins on the axis of values and closes where it ends, so that a file is as long as the tree has nodes.
"""

import json
from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.decoded.profile_header import SampleType
from slowpath.analysis.kinds.profiles.exports.export_tree import ExportTree
from slowpath.analysis.kinds.profiles.stacks.stack_trie import StackTrie

F64 = NDArray[np.float64]

SCHEMA: Final = "https://www.speedscope.app/file-format-schema.json"
UNITS: Final = frozenset({"nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"})
"""Units that the format knows; any other is `none`."""


def write_speedscope(tree: ExportTree, name: str) -> Iterator[str]:
    """Yield the file as pieces of text."""
    yield f'{{"$schema":{json.dumps(SCHEMA)},"version":"0.0.1","exporter":"slowpath","name":{json.dumps(name)},'
    yield '"activeProfileIndex":0,"shared":{"frames":['
    for number, frame in enumerate(tree.frames[1:]):
        file = {"file": frame.file} if frame.file else {}
        line = {"line": frame.line} if frame.line else {}
        yield f"{',' if number else ''}{json.dumps({'name': frame.name or '[unknown]', **file, **line})}"
    yield ']},"profiles":['
    for number, sample_type in enumerate(tree.sample_types):
        yield "," if number else ""
        yield from _write_profile(tree, sample_type)
    yield "]}"


def _write_profile(tree: ExportTree, sample_type: SampleType) -> Iterator[str]:
    trie, own = tree.trie, tree.self_values(sample_type)
    total = trie.totals(own)
    unit = sample_type.unit if sample_type.unit in UNITS else "none"
    yield f'{{"type":"evented","name":{json.dumps(sample_type.type)},"unit":"{unit}","startValue":0,'
    yield f'"endValue":{_number(float(total[0]))},"events":['
    yield from _write_events(tree, total, _begins(trie, own))
    yield "]}"


def _begins(trie: StackTrie, own: F64) -> F64:
    """Return where each node begins: after the values of all nodes before it, except those of its ancestors.

    The value of a node without its children is behind them.
    """
    above = np.zeros(trie.count)
    for depth in range(1, int(trie.depth.max(initial=0)) + 1):
        level = np.flatnonzero(trie.depth == depth)
        above[level] = above[trie.parent[level]] + own[trie.parent[level]]
    begins: F64 = np.cumsum(own) - own - above
    return begins


def _write_events(tree: ExportTree, total: F64, begins: F64) -> Iterator[str]:
    """Open and close each node with a value; the depth of the next node says which are closed before it."""
    shown = np.flatnonzero(total > 0)
    shown = shown[shown > 0]
    is_open: list[tuple[int, str]] = []
    separator = ""
    ends = begins + total
    rows = zip(
        tree.trie.depth[shown].tolist(),
        tree.frame_of_node[shown].tolist(),
        begins[shown].tolist(),
        ends[shown].tolist(),
        strict=True,
    )
    for depth, frame, begin, end in rows:
        while len(is_open) >= depth:
            yield _close(is_open.pop())
        yield f'{separator}{{"type":"O","frame":{frame - 1},"at":{_number(begin)}}}'
        is_open.append((frame - 1, _number(end)))
        separator = ","
    while is_open:
        yield _close(is_open.pop())


def _close(opened: tuple[int, str]) -> str:
    frame, end = opened
    return f',{{"type":"C","frame":{frame},"at":{end}}}'


def _number(value: float) -> str:
    """Format a value without an exponent or needless decimals."""
    return str(int(value)) if value == int(value) else repr(value)
