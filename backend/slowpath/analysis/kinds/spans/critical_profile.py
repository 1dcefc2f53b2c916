"""The critical paths of a span set as a profile, so that the flame graph and its diff draw them like any other.

A stack is a call path, a value what the critical path spends at its end: `critical` in nanoseconds, and `count`, the
spans there. Frames are called `service op`.
"""

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.formats.column_file import pack_strings, write_columns
from slowpath.analysis.formats.column_sections import NONE
from slowpath.analysis.kinds.profiles.decoded.profile_header import ProfileCounts, ProfileHeader, SampleType
from slowpath.analysis.kinds.spans.call_paths import NO_PATH, CallPaths, paths_of
from slowpath.analysis.kinds.spans.span_artifact import SpanArtifact
from slowpath.analysis.kinds.spans.span_forest import SpanForest
from slowpath.analysis.kinds.spans.span_table import SpanTable
from slowpath.units import Nanoseconds

KIND = "critical-path"
SAMPLE_TYPES = (SampleType("count", "count"), SampleType("critical", "nanoseconds"))

_MIX, _FINISH_1, _FINISH_2 = 0x9E3779B97F4A7C15, 0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53
_FNV_BASIS, _FNV_PRIME, _WORD = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1


def critical_profile(table: SpanTable) -> bytes:
    """A `slowpath.profile` (version 1) of kind `critical-path`."""
    forest = SpanForest.of([SpanArtifact("", table, RunMetadata())])
    paths = paths_of(forest)
    order, parent, size = _preorder(paths)
    names = sorted({f"{service} {op}" for service, op in forest.pair_names})
    number = {name: place + 1 for place, name in enumerate(names)}
    key_of_pair = np.array([number[f"{service} {op}"] for service, op in forest.pair_names], dtype=np.uint32)
    keys = np.concatenate([[0], key_of_pair[paths.pair[order]]]).astype(np.uint32)
    count = len(order) + 1
    node_of_path = np.zeros(len(order), dtype=np.int64)
    node_of_path[order] = np.arange(1, count)
    node = node_of_path[paths.of_row]
    critical = np.zeros(count, dtype=np.int64)
    np.add.at(critical, node, paths.critical_ns)
    sampled = np.flatnonzero((np.bincount(node, minlength=count) > 0) | (critical > 0))
    preorder_parent = np.concatenate([[NONE], parent]).astype(np.uint32)
    functions = np.arange(1, len(names) + 1, dtype=np.uint32)
    return write_columns(
        _header(table, len(names), count, len(sampled)),
        {
            **pack_strings(["", *names]),
            "function_name": functions,
            "function_key": functions,
            "function_file": np.zeros(len(names), dtype=np.uint32),
            "function_start_line": np.zeros(len(names), dtype=np.int32),
            "node_parent": preorder_parent,
            "node_key": keys,
            "node_hash": _hashes(preorder_parent.tolist(), keys.tolist(), ["", *names]),
            "node_size": np.concatenate([[count], size]).astype(np.uint32),
            "line_node_parent": preorder_parent,
            "line_node_function": np.where(keys == 0, NONE, keys.astype(np.int64) - 1).astype(np.uint32),
            "line_node_line": np.zeros(count, dtype=np.int32),
            "line_node_node": np.arange(count, dtype=np.uint32),
            "sample_line_node": sampled.astype(np.uint32),
            "value_0": np.bincount(node, minlength=count)[sampled].astype(np.int64),
            "value_1": critical[sampled],
        },
    )


def _header(table: SpanTable, functions: int, nodes: int, samples: int) -> ProfileHeader:
    depth = int(table.spans.depth.max(initial=0)) + 1
    return ProfileHeader(
        kind=KIND,
        sample_types=SAMPLE_TYPES,
        default_sample_type=1,
        period=1,
        period_type=SAMPLE_TYPES[1],
        time_ns=Nanoseconds(table.start_ns),
        duration_ns=Nanoseconds(table.end_ns - table.start_ns),
        counts=ProfileCounts(
            samples=samples, locations=functions, functions=functions, stacks=nodes - 1, frames_max=depth
        ),
        source=table.source,
    )


def _preorder(paths: CallPaths) -> tuple[NDArray[np.int64], list[int], list[int]]:
    """(paths in preorder, the node of each one's parent, how many nodes its subtree has). Node 0 is the root."""
    children: dict[int, list[int]] = {}
    names = paths.forest.pair_names
    for path, parent in enumerate(paths.parent.tolist()):
        children.setdefault(parent, []).append(path)
    pair = paths.pair.tolist()
    for siblings in children.values():
        siblings.sort(key=lambda path: names[pair[path]])
    order: list[int] = []
    parent_node: list[int] = []
    sizes: dict[int, int] = {}
    stack = [(path, 0) for path in reversed(children.get(NO_PATH, []))]
    while stack:
        path, above = stack.pop()
        order.append(path)
        parent_node.append(above)
        stack += [(child, len(order)) for child in reversed(children.get(path, []))]
    for path in reversed(order):
        sizes[path] = 1 + sum(sizes[child] for child in children.get(path, []))
    return np.array(order, dtype=np.int64), parent_node, [sizes[path] for path in order]


def _hashes(parents: list[int], keys: list[int], names: list[str]) -> NDArray[np.uint64]:
    """The decoder's hash of a path of keys: the same path, the same number in every file."""
    of_key = [_fnv(name) for name in names]
    hashes = [0] * len(parents)
    for node in range(1, len(parents)):
        mixed = (hashes[parents[node]] * _MIX + of_key[keys[node]]) & _WORD
        mixed = ((mixed ^ mixed >> 33) * _FINISH_1) & _WORD
        mixed = ((mixed ^ mixed >> 33) * _FINISH_2) & _WORD
        hashes[node] = max(mixed ^ mixed >> 33, 1)
    return np.array(hashes, dtype=np.uint64)


def _fnv(text: str) -> int:
    """FNV-1a, 64 bits."""
    value = _FNV_BASIS
    for byte in text.encode():
        value = ((value ^ byte) * _FNV_PRIME) & _WORD
    return value
