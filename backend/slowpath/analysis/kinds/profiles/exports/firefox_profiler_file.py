"""Write a tree of stacks for the Firefox Profiler: its processed profile format, version 48, one thread per sample type.

The format is a structure of arrays (docs-developer/processed-profile-format.md of firefox-devtools/profiler). Nodes are rows
of the stack table, whose prefix is the parent. A profile has no times of its samples, so that they follow each other.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from slowpath.analysis.kinds.profiles.decoded.profile_header import SampleType
from slowpath.analysis.kinds.profiles.exports.export_tree import ExportTree

VERSION: Final = 48
GECKO_VERSION: Final = 29
CATEGORY_COLORS: Final = ("blue", "orange", "yellow", "green", "purple", "lightblue", "red", "magenta", "brown")
"""Colors that the format knows, for the runtime categories in turn."""
APPLICATION, OTHER = "Application", "Other"
PIECE: Final = 4_096
"""Numbers per piece of text."""
MILLISECONDS: Final = {"nanoseconds": 1e-6, "microseconds": 1e-3, "milliseconds": 1.0, "seconds": 1e3}


def write_firefox_profile(tree: ExportTree, name: str, started_ms: int) -> Iterator[str]:
    """Yield the file as pieces of text. `started_ms`: Unix time of the first profile, 0 if unknown."""
    yield f'{{"meta":{json.dumps(_meta(tree, name, started_ms))},"libs":[],"threads":['
    for number, sample_type in enumerate(tree.sample_types):
        yield "," if number else ""
        yield from _write_thread(tree, sample_type, number)
    yield "]}"


def _meta(tree: ExportTree, name: str, started_ms: int) -> dict[str, object]:
    categories = [
        {"name": OTHER, "color": "grey", "subcategories": [OTHER]},
        {"name": APPLICATION, "color": CATEGORY_COLORS[0], "subcategories": [OTHER]},
        *(
            {"name": category, "color": CATEGORY_COLORS[number % len(CATEGORY_COLORS)], "subcategories": [OTHER]}
            for number, category in enumerate(tree.values.attribution.categories[1:], start=1)
        ),
    ]
    return {
        "version": GECKO_VERSION,
        "preprocessedProfileVersion": VERSION,
        "interval": 10,
        "startTime": started_ms,
        "processType": 0,
        "product": name,
        "importedFrom": "Slowpath",
        "stackwalk": 1,
        "symbolicated": True,
        "categories": categories,
        "markerSchema": [],
        "usesOnlyOneStackType": True,
        "sourceCodeIsNotOnSearchfox": True,
    }


def _write_thread(tree: ExportTree, sample_type: SampleType, number: int) -> Iterator[str]:
    thread = {
        "processType": "default",
        "processStartupTime": 0,
        "processShutdownTime": None,
        "registerTime": 0,
        "unregisterTime": None,
        "pausedRanges": [],
        "name": sample_type.type,
        "processName": sample_type.type,
        "isMainThread": True,
        "pid": str(number),
        "tid": number,
        "markers": {"data": [], "name": [], "startTime": [], "endTime": [], "phase": [], "category": [], "length": 0},
        "resourceTable": {"lib": [], "name": [], "host": [], "type": [], "length": 0},
        "nativeSymbols": {"libIndex": [], "address": [], "name": [], "functionSize": [], "length": 0},
    }
    yield json.dumps(thread)[:-1]
    strings = {
        text: row
        for row, text in enumerate(dict.fromkeys(each for f in tree.functions[1:] for each in (f.name, f.file)))
    }
    yield ',"stringArray":['
    yield from _pieces(json.dumps(text) for text in strings)
    yield "]"
    yield from _write_functions(tree, strings)
    yield from _write_stacks(tree)
    yield from _write_samples(tree, sample_type)
    yield "}"


def _write_functions(tree: ExportTree, strings: dict[str, int]) -> Iterator[str]:
    """Write the functions, and one frame for each line of them."""
    functions, frames = tree.functions[1:], tree.frames[1:]
    count = len(functions)
    yield from _table(
        "funcTable",
        count,
        {
            "isJS": ["false"] * count,
            "relevantForJS": ["false"] * count,
            "name": (str(strings[each.name]) for each in functions),
            "resource": ["-1"] * count,
            "fileName": (str(strings[each.file]) if each.file else "null" for each in functions),
            "lineNumber": ["null"] * count,
            "columnNumber": ["null"] * count,
        },
    )
    count = len(frames)
    yield from _table(
        "frameTable",
        count,
        {
            "address": ["-1"] * count,
            "inlineDepth": ["0"] * count,
            "category": ["null"] * count,
            "subcategory": ["null"] * count,
            "func": (str(frame.function - 1) for frame in frames),
            "nativeSymbol": ["null"] * count,
            "innerWindowID": ["null"] * count,
            "implementation": ["null"] * count,
            "line": (str(frame.line) if frame.line else "null" for frame in frames),
            "column": ["null"] * count,
        },
    )


def _write_stacks(tree: ExportTree) -> Iterator[str]:
    """Write the nodes below the root; the category of a node is that of a stack that ends there."""
    trie, count = tree.trie, tree.trie.count - 1
    category = tree.categories[1:].astype(np.int64) + 1
    yield from _table(
        "stackTable",
        count,
        {
            "frame": map(str, (tree.frame_of_node[1:] - 1).tolist()),
            "category": map(str, category.tolist()),
            "subcategory": ["0"] * count,
            "prefix": ("null" if parent == 0 else str(parent - 1) for parent in trie.parent[1:].tolist()),
        },
    )


def _write_samples(tree: ExportTree, sample_type: SampleType) -> Iterator[str]:
    """Write one sample per node with a value of its own, one after the other."""
    own = tree.self_values(sample_type)
    nodes = np.flatnonzero(own > 0)
    factor = MILLISECONDS.get(sample_type.unit)
    weight = own[nodes] * (factor or 1.0)
    kind = "tracing-ms" if factor else "bytes" if sample_type.unit == "bytes" else "samples"
    time = np.cumsum(weight) - weight if factor else np.arange(len(nodes), dtype=np.float64)
    yield from _table(
        "samples",
        len(nodes),
        {
            "stack": ("null" if node == 0 else str(node - 1) for node in nodes.tolist()),
            "time": map(repr, time.tolist()),
            "weight": map(repr, weight.tolist()),
        },
        {"weightType": kind},
    )


def _table(
    name: str, length: int, columns: dict[str, Iterable[str]], members: dict[str, str] | None = None
) -> Iterator[str]:
    yield f",{json.dumps(name)}:{{"
    for column, values in columns.items():
        yield f"{json.dumps(column)}:["
        yield from _pieces(values)
        yield "],"
    for member, value in (members or {}).items():
        yield f"{json.dumps(member)}:{json.dumps(value)},"
    yield f'"length":{length}}}'


def _pieces(values: Iterable[str]) -> Iterator[str]:
    """Yield values separated by commas, thousands at a time."""
    piece: list[str] = []
    separator = ""
    for value in values:
        piece.append(value)
        if len(piece) == PIECE:
            yield separator + ",".join(piece)
            piece, separator = [], ","
    if piece:
        yield separator + ",".join(piece)
