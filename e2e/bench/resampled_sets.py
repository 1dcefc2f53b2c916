"""Resampled real captures: A/A splits, and sets with an injected effect of known size.

Only the effect is simulated: profiles are real ones of one binary, with real dispersion between runs. An effect is injected by
adding a Poisson-distributed number of its own samples to every stack that contains a function.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from slowpath.analysis.findings.route_requests import RouteRequests
from slowpath.analysis.formats.column_file import pack_strings
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable, StringTable
from slowpath.analysis.kinds.profiles.decoded.profile_trees import NO_NODE, LineNodes, LineTree
from slowpath.analysis.kinds.profiles.stacks.distinct_stacks import DistinctStacks, unite_stacks
from slowpath.analysis.kinds.profiles.stacks.stack_segments import build_stack_segments
from slowpath.analysis.kinds.profiles.stacks.stack_trie import make_nodes
from slowpath.units import NANOSECONDS_PER_SECOND, Nanoseconds


@dataclass(frozen=True)
class Draw:
    """Two sets of profiles of one binary."""

    base: tuple[ProfileArtifact, ...]
    candidate: tuple[ProfileArtifact, ...]


def with_mix(artifact: ProfileArtifact, heavy: float) -> ProfileArtifact:
    """Return the profile with the requests by route of a load with this share of heavy requests."""
    requests = artifact.facts.requests or 0
    count = round(requests * heavy)
    routes = tuple(
        RouteRequests(f"/{route}", "", "", each) for route, each in (("light", requests - count), ("heavy", count))
    )
    return replace(artifact, facts=replace(artifact.facts, requests_by_route=routes))


def split(pool: Sequence[ProfileArtifact], size: int, rng: Generator) -> Draw:
    """Return two disjoint sets of `size` profiles each."""
    chosen = rng.permutation(len(pool))[: 2 * size]
    return Draw(tuple(pool[i] for i in chosen[:size]), tuple(pool[i] for i in chosen[size:]))


def consecutive(pool: Sequence[ProfileArtifact], size: int, begin: int) -> Draw:
    """Return the captures of one time range from `begin`: the earlier half and the later one."""
    return Draw(tuple(pool[begin : begin + size]), tuple(pool[begin + size : begin + 2 * size]))


def alternating(pool: Sequence[ProfileArtifact], size: int, rng: Generator) -> Draw:
    """Return the captures of one time range, in turns."""
    begin = int(rng.integers(0, len(pool) - 2 * size + 1))
    window = tuple(pool[begin : begin + 2 * size])
    draw = Draw(window[::2], window[1::2])
    return Draw(draw.candidate, draw.base) if rng.random() < 0.5 else draw


def in_turns(profiles: Sequence[ProfileArtifact], size: int) -> Draw:
    """Return profiles without times as two sides captured in turns."""
    seconds = NANOSECONDS_PER_SECOND * 40
    dated = tuple(
        replace(each, table=replace(each.table, time_ns=Nanoseconds((number + 1) * seconds)))
        for number, each in enumerate(profiles[: 2 * size])
    )
    return Draw(dated[::2], dated[1::2])


def lengthened(
    pool: Sequence[ProfileArtifact], count: int, samples: int, rng: Generator
) -> tuple[ProfileArtifact, ...]:
    """Return `count` profiles of about `samples` samples each, each joined from as many captures (drawn with replacement) as needed.

    A profile of n captures therefore has the dispersion of a longer one over n windows of the service: real dispersion
    between runs and real sampling noise, each divided by n.
    """
    tables = [artifact.table for artifact in pool]
    stacks = unite_stacks(tables)
    own = np.zeros((len(pool), stacks.frames.count), dtype=np.int64)
    for row, (where, values) in zip(own, stacks.values(tables, [count_column(t) for t in tables]), strict=True):
        row[where] = values
    each = max(1, round(samples / own.sum(axis=1).mean()))
    common = table_of(stacks, tables[0])
    return tuple(
        _joined([pool[i] for i in chosen], own[chosen].sum(axis=0), common, f"longer/{number}")
        for number, chosen in enumerate(rng.integers(0, len(pool), (count, each)))
    )


def _joined(
    parts: Sequence[ProfileArtifact], counts: NDArray[np.int64], common: ProfileTable, run: str
) -> ProfileArtifact:
    """Return one profile that covers the windows of all its parts."""
    duration = Nanoseconds(sum(part.table.duration_ns for part in parts))
    table = replace(common, values=(counts, counts * common.period), duration_ns=duration)
    facts = replace(
        parts[0].facts,
        run=run,
        requests=sum(part.facts.requests or 0 for part in parts) or None,
        wall_ns=Nanoseconds(sum(part.facts.wall_ns or 0 for part in parts)) or None,
        cpu_ns=Nanoseconds(sum(part.facts.cpu_ns or 0 for part in parts)) or None,
    )
    return ProfileArtifact(run, table, facts)


def table_of(stacks: DistinctStacks, like: ProfileTable) -> ProfileTable:
    """Return a table with every stack of the pool once, in the order of the stacks, with empty values."""
    segments = build_stack_segments(stacks.frames, stacks.order)
    tree = make_nodes(segments, segments.number_nodes(segments.totals(np.ones(stacks.frames.count))))
    texts = [label.key for label in stacks.labels]
    packed = pack_strings(texts)
    numbers = np.arange(len(texts), dtype=np.uint32)
    parent = tree.parent.astype(np.uint32)
    parent[0] = NO_NODE
    empty = np.zeros(stacks.frames.count, dtype=np.int64)
    return replace(
        like,
        strings=StringTable(packed["strings_offset"], packed["strings_bytes"].tobytes()),
        function_name=numbers,
        function_key=numbers,
        function_file=np.zeros(len(texts), dtype=np.uint32),
        node_parent=parent,
        node_key=tree.label.astype(np.uint32),
        node_hash=np.arange(tree.count, dtype=np.uint64),
        lines=LineTree.of(LineNodes(parent, tree.label.astype(np.uint32), np.zeros(tree.count, dtype=np.int32))),
        sample_node=tree.node_of_stack.astype(np.uint32),
        sample_line_node=tree.node_of_stack.astype(np.uint32),
        sample_labels=None,
        values=(empty, empty),
    )


def with_effect(artifact: ProfileArtifact, key: str, effect: float, rng: Generator) -> ProfileArtifact:
    """Return the profile as if the function `key` (total) took `1 + effect` times as long, and the process accordingly."""
    table = artifact.table
    inside = stacks_with(table, key)
    count = count_column(table)
    counts = table.values[count]
    more = np.where(inside, rng.poisson(np.abs(counts) * effect), 0)
    grown = tuple(_grown(values, counts, more) for values in table.values)
    facts = artifact.facts
    if facts.cpu_ns:  # by the expected share, not the drawn one: the system counts CPU time without sampling
        part = effect * float(counts[inside].sum()) / max(float(counts.sum()), 1.0)
        facts = replace(facts, cpu_ns=Nanoseconds(round(facts.cpu_ns * (1 + part))))
    return replace(artifact, table=replace(table, values=grown), facts=facts)


def _grown(values: NDArray[np.int64], counts: NDArray[np.int64], more: NDArray[np.int64]) -> NDArray[np.int64]:
    each = values / np.maximum(counts, 1)
    return values + np.rint(each * more).astype(np.int64)


def count_column(table: ProfileTable) -> int:
    """Return the sample type that counts samples, else the first one."""
    return next((i for i, each in enumerate(table.sample_types) if each.unit == "count"), 0)


def stacks_with(table: ProfileTable, key: str) -> NDArray[np.bool_]:
    """Return which samples have the function on their stack."""
    is_key = np.array([table.strings[i] == key for i in range(len(table.strings))])
    inside = is_key[table.node_key]
    inside[0] = False
    parent = table.node_parent.astype(np.int64)
    parent[0] = 0
    for node in range(1, len(inside)):  # in preorder, the parent is already known
        inside[node] |= inside[parent[node]]
    return inside[table.sample_node]


def inclusive_share(pool: Sequence[ProfileArtifact], key: str) -> float:
    """Return the share of samples that have the function on their stack."""
    hit = sum(float(a.table.values[count_column(a.table)][stacks_with(a.table, key)].sum()) for a in pool)
    return hit / sum(float(a.table.values[count_column(a.table)].sum()) for a in pool)
