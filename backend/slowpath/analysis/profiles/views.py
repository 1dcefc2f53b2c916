"""The diff as columns: a merged tree, a table of functions, and lines, for the page to draw.

A node is coloured only when its interval excludes the noise, at a confidence corrected for how many nodes are
looked at; everything else is grey, however large. Sending is in two parts: the largest nodes first, then the rest.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.columns import Array, pack_strings, write_columns
from slowpath.analysis.profiles.attribution import categories_of
from slowpath.analysis.profiles.decoded_totals import LineRows, function_totals, line_totals
from slowpath.analysis.profiles.estimate import Estimates, Moments, estimate
from slowpath.analysis.profiles.frames import Frames, Index
from slowpath.analysis.profiles.kind_comparison import KindComparison, prior_of, quantum_of
from slowpath.analysis.profiles.layouts import Granularity, at_granularity
from slowpath.analysis.profiles.measure import Measured, Occurrences, measure, own_rows
from slowpath.analysis.profiles.profile_table import NO_NODE, SampleType
from slowpath.analysis.profiles.runtime_rules import runtime_rules
from slowpath.analysis.profiles.sets import Basis, Sets, bases_of, make_sets
from slowpath.analysis.profiles.stacks import Stacks
from slowpath.analysis.profiles.sums import sum_by
from slowpath.analysis.profiles.trie import Trie, grow, inherit

F64 = NDArray[np.float64]
U8 = NDArray[np.uint8]

FIRST_NODES = 8_192
MOST_NODES = 500_000
# Up to this many frames the whole tree is grown, beyond it only what is heavy enough to be drawn.
MOST_FRAMES = 6_000_000
# Nodes that are estimated at a time.
SLICE = 65_536

INSIDE_NOISE, MORE, LESS, ONLY_CANDIDATE, ONLY_BASE = range(5)
ROOT_NAME = "root"


@dataclass(frozen=True)
class Changes:
    """Per row and basis: what to colour, and the interval of the ratio of totals."""

    state: U8
    estimates: Estimates


@dataclass(frozen=True)
class NodeChanges:
    """Per node: what to colour, and the interval of the ratio of totals."""

    state: U8
    low: NDArray[np.float32]
    high: NDArray[np.float32]


class ViewMaker:
    """Makes the views of one kind; stacks are laid out once per granularity."""

    def __init__(self, comparison: KindComparison) -> None:
        self.comparison = comparison
        self._layouts: dict[Granularity, Stacks] = {"function": comparison.measured.stacks}

    def sample_types(self) -> list[SampleType]:
        """Sample types that every profile has, the compared one first."""
        sets = self.comparison.sets
        shared = [
            each
            for each in sets.artifacts[0].table.sample_types
            if each != sets.sample_type and all(each in a.table.sample_types for a in sets.artifacts)
        ]
        return [sets.sample_type, *shared]

    def layout(self, granularity: Granularity) -> Stacks:
        """The stacks at that granularity."""
        if granularity not in self._layouts:
            tables = [artifact.table for artifact in self.comparison.sets.artifacts]
            self._layouts[granularity] = at_granularity(self._layouts["function"], tables, granularity)
        return self._layouts[granularity]

    def view(self, sample_type: SampleType, granularity: Granularity) -> "View":
        """The view of one sample type at one granularity."""
        return View(self, sample_type, granularity)


@dataclass(frozen=True)
class View:
    """One diff view, computed when asked."""

    maker: ViewMaker
    sample_type: SampleType
    granularity: Granularity

    @property
    def kind(self) -> str:
        """Kind of the profiles: cpu, heap, ..."""
        return self.maker.comparison.kind

    @cached_property
    def _sets(self) -> Sets:
        comparison = self.maker.comparison
        if self.sample_type == comparison.sets.sample_type:
            return comparison.sets
        sets = make_sets(comparison.sets.base, comparison.sets.candidate, self.sample_type)
        if sets is None:
            raise ValueError(f"no profile has sample type {self.sample_type}")
        return sets

    @cached_property
    def _bases(self) -> tuple[Basis, ...]:
        return bases_of(self._sets)

    @cached_property
    def _default(self) -> Basis:
        wanted = self.maker.comparison.basis.id
        return next((basis for basis in self._bases if basis.id == wanted), self._bases[0])

    @cached_property
    def _measured(self) -> Measured:
        comparison = self.maker.comparison
        if self._sets is comparison.sets and self.granularity == "function":
            return comparison.measured
        return measure(self._stacks, self._sets)

    @cached_property
    def _stacks(self) -> Stacks:
        return self.maker.layout(self.granularity)

    @cached_property
    def _tree(self) -> Trie:
        """The whole tree, or where that is too large, all of it that is heavy enough to be drawn."""
        base, candidate = self._scale(self._default)
        weight = self._measured.weighted(np.where(self._sets.is_base, base, candidate))
        frames = self._stacks.frames
        if len(frames.label) <= MOST_FRAMES:
            return grow(frames, weight)
        least = float(np.abs(weight).sum()) / MOST_NODES
        tree = grow(frames, weight, least)
        while tree.count < MOST_NODES // 2:
            least /= 4
            tree = grow(frames, weight, least)
        return tree

    def _scale(self, basis: Basis) -> tuple[float, float]:
        base = self._sets.is_base
        sums = float(basis.weights[base].sum()), float(basis.weights[~base].sum())
        return (basis.factor / sums[0] if sums[0] else 0.0), (basis.factor / sums[1] if sums[1] else 0.0)

    def describe(self) -> dict[str, Any]:
        """What the result JSON says of this view."""
        return {
            "kind": self.kind,
            "sample_type": {"type": self.sample_type.type, "unit": self.sample_type.unit},
            "unit": self.sample_type.unit,
            "granularity": self.granularity,
            "bases": [basis.id for basis in self._bases],
            "default_basis": self._default.id,
        }

    def _header(self, name: str) -> dict[str, Any]:
        sides = []
        for mask, label in ((self._sets.is_base, "base"), (~self._sets.is_base, "candidate")):
            sides.append(
                {"label": label, "artifacts": int(mask.sum()), "total_raw": float(self._sets.totals()[mask].sum())}
            )
        return {
            "format": name,
            "format_version": 1,
            "kind": self.kind,
            "sample_type": {"type": self.sample_type.type, "unit": self.sample_type.unit},
            "granularity": self.granularity,
            "bases": [
                {
                    "id": basis.id,
                    "unit": basis.unit,
                    "base_scale": self._scale(basis)[0],
                    "candidate_scale": self._scale(basis)[1],
                }
                for basis in self._bases
            ],
            "default_basis": self._default.id,
            "categories": list(self.maker.comparison.attribution.categories),
            "base": sides[0],
            "candidate": sides[1],
        }

    @cached_property
    def _sums(self) -> "NodeSums":
        return node_sums(self._measured, self._tree, self._sets, self._bases)

    def diff_columns(self, part: str = "all") -> bytes:
        """The merged tree: `all` nodes, the `first` 8,192, or the `rest` of the 500,000 largest."""
        return self._diff_of(_chosen(self._sums.weight(self._scale(self._default)), part), part)

    def subtree_columns(self, node_id: int) -> bytes:
        """The largest nodes beneath one node, itself included; `IndexError` if there is no such node."""
        if not 0 <= node_id < self._tree.count:
            raise IndexError(node_id)
        inside = np.arange(node_id, node_id + int(self._tree.size[node_id]))
        weight = self._sums.weight(self._scale(self._default))[inside]
        largest = inside[np.argsort(-weight, kind="stable")[:FIRST_NODES]]
        return self._diff_of(np.sort(largest), "subtree")

    def _diff_of(self, chosen: Index, part: str) -> bytes:
        tree, sums = self._tree, self._sums
        category, runtime = self._node_kinds
        names, texts = self._node_names(chosen)
        arrays: dict[str, Array] = {
            "node_id": chosen.astype(np.uint32),
            "node_parent": np.where(chosen == 0, NO_NODE, tree.parent[chosen]).astype(np.uint32),
            "node_name": names,
            "node_category": category[chosen],
            "node_runtime": runtime[chosen].astype(np.uint8),
            "base_self": sums.own_base[chosen],
            "base_total": sums.base[chosen],
            "candidate_self": sums.own_candidate[chosen],
            "candidate_total": sums.candidate[chosen],
            "node_size": (tree.size + tree.totals(tree.unseen.astype(np.float64)).astype(np.int64))[chosen].astype(
                np.uint32
            ),
            **_hidden(tree, sums, chosen),
        }
        for basis in self._bases:
            changes = self._node_changes[basis.id]
            arrays[f"state_{basis.id}"] = changes.state[chosen]
            arrays[f"low_{basis.id}"] = changes.low[chosen]
            arrays[f"high_{basis.id}"] = changes.high[chosen]
        header = self._header("slowpath.diff") | {
            "part": part,
            "nodes_total": int(tree.count + tree.unseen.sum()),
            "nodes_sent": len(chosen),
        }
        return write_columns(header, {**arrays, **pack_strings(texts)})

    @cached_property
    def _node_kinds(self) -> tuple[U8, NDArray[np.bool_]]:
        """(category of a stack that would end at each node, whether its frame is the runtime's)."""
        rules, labels = runtime_rules(), self._stacks.labels
        if self.granularity == "package":
            is_runtime = np.array([bool(rules.runtime_prefix.match(f"{label.key}.")) for label in labels])[
                self._tree.label
            ]
            return self._package_categories(), is_runtime
        bits = [rules.bits(label.key) for label in labels]
        runtime = np.array([each.is_runtime for each in bits])[self._tree.label]
        runtime[0] = False
        matched, unless, leaf = (
            np.array([getattr(each, name) for each in bits], dtype=np.uint64)[self._tree.label]
            for name in ("any", "unless", "leaf")
        )
        parent = self._tree.parent
        category = categories_of(
            inherit(parent, matched, runtime), inherit(parent, unless, runtime), leaf, len(rules.rules)
        )
        return np.where(runtime, category, 0).astype(np.uint8), runtime

    def _package_categories(self) -> U8:
        """Of the stacks that end in a package, the category of the heaviest."""
        comparison = self.maker.comparison
        category = np.zeros(self._tree.count, dtype=np.uint8)
        for functions, packages in zip(comparison.measured.stacks.of_row, self._stacks.of_row, strict=True):
            category[self._tree.node_of_stack[packages]] = comparison.attribution.category[functions]
        return category

    def _node_names(self, chosen: Index) -> tuple[Array, list[str]]:
        labels, tree = self._stacks.labels, self._tree
        if self.granularity != "line":
            used, inverse = np.unique(tree.label[chosen], return_inverse=True)
            return (inverse + 1).astype(np.uint32), ["", *(labels[row].name or ROOT_NAME for row in used.tolist())]
        pairs = np.stack([tree.label[chosen], tree.line[chosen]], axis=1)
        unique, inverse = np.unique(pairs, axis=0, return_inverse=True)
        texts = [f"{labels[row].name}:{number}" if row else ROOT_NAME for row, number in unique.tolist()]
        return (inverse.reshape(-1) + 1).astype(np.uint32), ["", *texts]

    @cached_property
    def _node_changes(self) -> dict[str, NodeChanges]:
        return {
            basis.id: self._in_slices(self._sums.moments(number), basis) for number, basis in enumerate(self._bases)
        }

    def _in_slices(self, moments: tuple[Moments, Moments], basis: Basis) -> NodeChanges:
        """Estimates take some twenty arrays: over millions of nodes at once they would be written to fresh memory."""
        begins = range(0, len(moments[0].values), SLICE)
        parts = [
            self._changes((moments[0].part(begin, begin + SLICE), moments[1].part(begin, begin + SLICE)), basis)
            for begin in begins
        ]
        return NodeChanges(
            state=np.concatenate([part.state for part in parts]),
            low=np.concatenate([_single(part.estimates.low) for part in parts]),
            high=np.concatenate([_single(part.estimates.high) for part in parts]),
        )

    def _changes(self, moments: tuple[Moments, Moments], basis: Basis) -> Changes:
        thresholds = self.maker.comparison.thresholds
        base, candidate = moments
        estimates = estimate(
            base,
            candidate,
            quantum=self._quantum,
            share=basis.id == "share",
            prior=prior_of(thresholds, self.kind, min(base.replicates, candidate.replicates)),
            confidence=thresholds.confidence,
        )
        return Changes(
            state=_states(estimates, base, candidate, 1 - thresholds.view_alpha),
            estimates=estimates,
        )

    @cached_property
    def _quantum(self) -> float:
        return quantum_of(self._sets)

    def function_columns(self) -> bytes:
        """The table of functions (or packages): totals and own values on both sides, intervals and states per basis."""
        measured, labels = self._measured, self._stacks.labels
        total = self._function_totals()
        own = own_rows(measured, self._stacks.frames, len(labels))
        base = self._sets.is_base
        kept = np.flatnonzero(np.abs(total).sum(axis=1) > 0)
        kept = kept[kept > 0]
        strings = [""]
        arrays: dict[str, Array] = {
            "name": _intern(strings, [labels[row].name for row in kept]),
            "file": _intern(strings, [labels[row].file for row in kept]),
            "category": self._label_categories()[kept],
            "base_self": own[kept][:, base].sum(axis=1),
            "base_total": total[kept][:, base].sum(axis=1),
            "candidate_self": own[kept][:, ~base].sum(axis=1),
            "candidate_total": total[kept][:, ~base].sum(axis=1),
        }
        for basis in self._bases:
            of_total = self._changes(self._row_moments(total[kept], basis), basis)
            of_own = self._changes(self._row_moments(own[kept], basis), basis)
            arrays |= {
                f"low_{basis.id}": _single(of_total.estimates.low),
                f"high_{basis.id}": _single(of_total.estimates.high),
                f"q_{basis.id}": _single(of_total.estimates.p_value),
                f"state_{basis.id}": of_total.state,
                f"self_low_{basis.id}": _single(of_own.estimates.low),
                f"self_high_{basis.id}": _single(of_own.estimates.high),
                f"self_state_{basis.id}": of_own.state,
            }
        return write_columns(self._header("slowpath.functions"), {**arrays, **pack_strings(strings)})

    def _function_totals(self) -> F64:
        counted = function_totals(self._stacks, self._sets) if self.granularity == "function" else None
        return self._occurrences.rows(self._measured) if counted is None else counted

    def _row_moments(self, rows: F64, basis: Basis) -> tuple[Moments, Moments]:
        values = self._sets.folded(rows)
        weights = self._sets.folded(basis.weights[np.newaxis, :])
        return Moments.of(values[0], weights[0][0]), Moments.of(values[1], weights[1][0])

    @cached_property
    def _occurrences(self) -> Occurrences:
        comparison = self.maker.comparison
        if self.granularity == "function":
            return comparison.occurrences
        return Occurrences.of(self._stacks.frames, len(self._stacks.labels))

    def _label_categories(self) -> U8:
        """Of each function, the category of the heaviest node that it stands at."""
        tree = self._tree
        category = np.zeros(len(self._stacks.labels), dtype=np.uint8)
        # In reverse of size, so that the heaviest has the last word.
        order = np.argsort(self._sums.weight(self._scale(self._default)), kind="stable")
        category[tree.label[order]] = self._node_kinds[0][order]
        return category

    def line_columns(self) -> bytes:
        """Own and total values per line of each function, sorted by function and line."""
        labels = self.maker.layout("function").labels
        rows = line_totals(self.maker.layout("function"), self._sets) or self._counted_lines()
        texts = [labels[row].name for row in rows.label.tolist()]
        lines = rows.line.tolist()
        order = sorted(range(len(lines)), key=lambda i: (texts[i], lines[i]))
        is_base = self._sets.is_base
        strings = [""]
        arrays: dict[str, Array] = {
            "function": _intern(strings, [texts[i] for i in order]),
            "line": rows.line[order].astype(np.int32),
            "base_self": rows.own[order][:, is_base].sum(axis=1),
            "base_total": rows.total[order][:, is_base].sum(axis=1),
            "candidate_self": rows.own[order][:, ~is_base].sum(axis=1),
            "candidate_total": rows.total[order][:, ~is_base].sum(axis=1),
        }
        return write_columns(self._header("slowpath.lines"), {**arrays, **pack_strings(strings)})

    def _counted_lines(self) -> LineRows:
        """The same from the stacks: those cut off at the root were put elsewhere, or the decoder did not add up."""
        stacks = self.maker.layout("line")
        measured = measure(stacks, self._sets)
        frames = stacks.frames
        lines = np.zeros(len(frames.label), dtype=np.int64) if frames.line is None else frames.line.astype(np.int64)
        room = int(lines.max(initial=0)) + 1
        unique, group = np.unique(frames.label.astype(np.int64) * room + lines, return_inverse=True)
        by_line = Frames(frames.start, group.astype(np.int32))
        return LineRows(
            label=unique // room,
            line=unique % room,
            own=own_rows(measured, by_line, len(unique)),
            total=Occurrences.of(by_line, len(unique)).rows(measured),
        )


@dataclass(frozen=True)
class NodeSums:
    """Sums over profiles for every node, in preorder; `squares[b]` belongs to basis b: (base, candidate)."""

    own_base: F64
    own_candidate: F64
    base: F64
    candidate: F64
    squares: tuple[tuple[F64, F64], ...]
    weights: tuple[tuple[float, float], ...]
    replicates: tuple[int, int]

    def moments(self, basis: int) -> tuple[Moments, Moments]:
        """What the estimates need on one basis."""
        return (
            Moments(self.replicates[0], self.weights[basis][0], self.base, self.squares[basis][0]),
            Moments(self.replicates[1], self.weights[basis][1], self.candidate, self.squares[basis][1]),
        )

    def weight(self, scale: tuple[float, float]) -> F64:
        """Width of each node in the merged picture."""
        return self.base * scale[0] + self.candidate * scale[1]


def node_sums(measured: Measured, tree: Trie, sets: Sets, bases: tuple[Basis, ...]) -> NodeSums:
    """One pass over the replicates of both sides; dense arrays of one replicate at a time."""
    ends = measured.stacks.frames.depth == tree.depth[tree.node_of_stack]
    own, total, squares, weights, replicates = [], [], [], [], []
    for side in (sets.is_base, ~sets.is_base):
        numbers = np.flatnonzero(side)
        side_own, side_total = np.zeros(tree.count), np.zeros(tree.count)
        side_squares = [np.zeros(tree.count) for _ in bases]
        runs = sets.replicate[numbers]
        for run in np.unique(runs):
            members = numbers[runs == run]
            dense = np.zeros(tree.count)
            for profile in members:
                where, values = measured.own[profile]
                node = tree.node_of_stack[where]
                dense += sum_by(node, values, tree.count)
                side_own += sum_by(node, values * ends[where], tree.count)
            here = tree.totals(dense)
            side_total += here
            square = np.square(here)
            for number, basis in enumerate(bases):
                weight = float(basis.weights[members].sum())
                if weight > 0:
                    side_squares[number] += square / weight
        own.append(side_own)
        total.append(side_total)
        squares.append(side_squares)
        weights.append([float(basis.weights[numbers].sum()) for basis in bases])
        replicates.append(len(np.unique(runs)))
    return NodeSums(
        own_base=own[0],
        own_candidate=own[1],
        base=total[0],
        candidate=total[1],
        squares=tuple(zip(squares[0], squares[1], strict=True)),
        weights=tuple(zip(weights[0], weights[1], strict=True)),
        replicates=(replicates[0], replicates[1]),
    )


def _chosen(weight: F64, part: str) -> Index:
    """Ids of the nodes to send, ascending. A parent is at least as large as its child, so the largest are connected."""
    count = len(weight)
    if part == "all":
        return np.arange(count)
    # Ties are broken by preorder, so that a parent stands before a child of the same size.
    by_size = np.argsort(-weight, kind="stable")
    return np.sort(by_size[:FIRST_NODES] if part == "first" else by_size[FIRST_NODES:MOST_NODES])


def _hidden(tree: Trie, sums: NodeSums, chosen: Index) -> dict[str, Array]:
    """What is not sent beneath each node: values of direct children, and the number of nodes.

    Of a node that was not grown further, the value is exact, and the number of stacks stands for that of nodes.
    """
    sent = np.zeros(tree.count, dtype=np.bool_)
    sent[chosen] = True
    sent[0] = False
    children = np.flatnonzero(sent)
    above = tree.parent[children]
    shown_base = sum_by(above, sums.base[children], tree.count)
    shown_candidate = sum_by(above, sums.candidate[children], tree.count)
    everything = tree.size + tree.totals(tree.unseen.astype(np.float64)).astype(np.int64)
    shown_nodes = sum_by(above, everything[children], tree.count)
    nodes = np.maximum(everything - 1 - shown_nodes.astype(np.int64), 0)
    hides = nodes > 0
    return {
        "hidden_base": np.where(hides, sums.base - sums.own_base - shown_base, 0.0)[chosen],
        "hidden_candidate": np.where(hides, sums.candidate - sums.own_candidate - shown_candidate, 0.0)[chosen],
        "hidden_nodes": nodes[chosen].astype(np.uint32),
    }


def _single(values: F64) -> NDArray[np.float32]:
    """Single precision; what is too large for it becomes its largest number."""
    largest = float(np.finfo(np.float32).max)
    return np.clip(values, -largest, largest).astype(np.float32)


def _intern(strings: list[str], texts: list[str]) -> Array:
    known = {text: i for i, text in enumerate(strings)}
    numbers = []
    for text in texts:
        if text not in known:
            known[text] = len(strings)
            strings.append(text)
        numbers.append(known[text])
    return np.array(numbers, dtype=np.uint32)


def _states(estimates: Estimates, base: Moments, candidate: Moments, confidence: float) -> U8:
    """What to colour: a p-value below what the many looks allow."""
    significant = estimates.beyond(confidence)
    more = estimates.difference > 0
    state = np.where(significant, np.where(more, MORE, LESS), INSIDE_NOISE)
    state = np.where(significant & (base.values == 0), ONLY_CANDIDATE, state)
    state = np.where(significant & (candidate.values == 0), ONLY_BASE, state)
    return state.astype(np.uint8)
