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
from slowpath.analysis.estimate import Estimates, Moments, estimate
from slowpath.analysis.forest import Forest, Granularity, by_line, by_package
from slowpath.analysis.kind_comparison import KindComparison, prior_of, quantum_of
from slowpath.analysis.measure import Measured, measure
from slowpath.analysis.profile_table import NO_NODE, SampleType
from slowpath.analysis.sets import Basis, Sets, bases_of, make_sets
from slowpath.analysis.tree import Index

F64 = NDArray[np.float64]
U8 = NDArray[np.uint8]

FIRST_NODES = 8_192
MOST_NODES = 500_000

INSIDE_NOISE, MORE, LESS, ONLY_CANDIDATE, ONLY_BASE = range(5)
ROOT_NAME = "root"


@dataclass(frozen=True)
class Changes:
    """Per row and basis: what to colour, and the interval of the ratio of totals."""

    state: U8
    estimates: Estimates


class ViewMaker:
    """Makes the views of one kind; forests are made once per granularity."""

    def __init__(self, comparison: KindComparison) -> None:
        self.comparison = comparison
        self._forests: dict[Granularity, Forest] = {"function": comparison.measured.forest}

    def sample_types(self) -> list[SampleType]:
        """Sample types that every profile has, the compared one first."""
        sets = self.comparison.sets
        shared = [
            each
            for each in sets.artifacts[0].table.sample_types
            if each != sets.sample_type and all(each in a.table.sample_types for a in sets.artifacts)
        ]
        return [sets.sample_type, *shared]

    def forest(self, granularity: Granularity) -> Forest:
        """The forest of that granularity."""
        if granularity not in self._forests:
            functions = self._forests["function"]
            self._forests[granularity] = (
                by_package(functions)
                if granularity == "package"
                else by_line(functions, [artifact.table for artifact in self.comparison.sets.artifacts])
            )
        return self._forests[granularity]

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
        base, candidate = self._scale(self._default)
        scale = np.where(self._sets.is_base, base, candidate)
        return measure(self.maker.forest(self.granularity), self._sets, scale)

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
        return node_sums(self._measured, self._sets, self._bases)

    def diff_columns(self, part: str = "all") -> bytes:
        """The merged tree: `all` nodes up to 500,000, the `first` 8,192, or the `rest`."""
        measured, sums = self._measured, self._sums
        chosen = _chosen(sums, self._scale(self._default), part)
        return self._diff_of(measured, sums, chosen, part)

    def subtree_columns(self, node_id: int) -> bytes:
        """The largest nodes beneath one node, itself included."""
        measured, sums = self._measured, self._sums
        size = int(measured.tree.size[node_id])
        inside = np.arange(node_id, node_id + size)
        weight = sums.weight(self._scale(self._default))[inside]
        kept = inside if size <= FIRST_NODES else np.sort(inside[np.argsort(-weight, kind="stable")[:FIRST_NODES]])
        return self._diff_of(measured, sums, kept, "subtree")

    def _diff_of(self, measured: Measured, sums: "NodeSums", chosen: Index, part: str) -> bytes:
        forest, order = measured.forest, measured.tree.order
        attribution = self.maker.comparison.attribution
        function_node = forest.function_node[order]
        names, texts = _node_names(measured, chosen, self.granularity)
        hidden = _hidden(measured, sums, chosen)
        arrays: dict[str, Array] = {
            "node_id": chosen.astype(np.uint32),
            "node_parent": np.where(chosen == 0, NO_NODE, measured.tree.parent[chosen]).astype(np.uint32),
            "node_name": names,
            "node_category": attribution.category[function_node[chosen]],
            "node_runtime": attribution.is_runtime[function_node[chosen]].astype(np.uint8),
            "base_self": sums.own_base[chosen],
            "base_total": sums.base[chosen],
            "candidate_self": sums.own_candidate[chosen],
            "candidate_total": sums.candidate[chosen],
            "node_size": measured.tree.size[chosen].astype(np.uint32),
            **hidden,
        }
        for basis in self._bases:
            changes = self._node_changes[basis.id]
            arrays[f"state_{basis.id}"] = changes.state[chosen]
            arrays[f"low_{basis.id}"] = _single(changes.estimates.low[chosen])
            arrays[f"high_{basis.id}"] = _single(changes.estimates.high[chosen])
        header = self._header("slowpath.diff") | {
            "part": part,
            "nodes_total": measured.nodes,
            "nodes_sent": len(chosen),
        }
        return write_columns(header, {**arrays, **pack_strings(texts)})

    @cached_property
    def _node_changes(self) -> dict[str, Changes]:
        return {
            basis.id: self._changes(self._sums.moments(number), basis)
            for number, basis in enumerate(self._bases)
        }

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
        """The table of functions: totals and own values on both sides, intervals and states per basis."""
        measured = self._measured
        labels = measured.forest.labels
        total = measured.inclusive(measured.label, len(labels))
        own = measured.by_group(measured.label, len(labels))
        base = self._sets.is_base
        kept = np.flatnonzero(np.abs(total).sum(axis=1) > 0)
        kept = kept[kept > 0]
        strings = [""]
        names = _intern(strings, [labels[row].name for row in kept])
        files = _intern(strings, [labels[row].file for row in kept])
        arrays: dict[str, Array] = {
            "name": names,
            "file": files,
            "category": self._label_category()[kept],
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

    def _row_moments(self, rows: F64, basis: Basis) -> tuple[Moments, Moments]:
        values = self._sets.folded(rows)
        weights = self._sets.folded(basis.weights[np.newaxis, :])
        return Moments.of(values[0], weights[0][0]), Moments.of(values[1], weights[1][0])

    def _label_category(self) -> U8:
        measured, attribution = self._measured, self.maker.comparison.attribution
        category = np.zeros(len(measured.forest.labels), dtype=np.uint8)
        nodes = measured.forest.function_node[measured.tree.order]
        # In reverse, so that the heaviest node of a label (first in preorder) has the last word.
        category[measured.label[::-1]] = attribution.category[nodes][::-1]
        return category

    def line_columns(self) -> bytes:
        """Own and total values per line of each function, sorted by function and line."""
        forest = self.maker.forest("line")
        base, candidate = self._scale(self._default)
        measured = (
            self._measured
            if self.granularity == "line"
            else measure(forest, self._sets, np.where(self._sets.is_base, base, candidate))
        )
        line = forest.line[measured.tree.order]
        pairs = measured.label * (int(line.max(initial=0)) + 1) + line
        unique, group = np.unique(pairs, return_inverse=True)
        total = measured.inclusive(group, len(unique))
        own = measured.by_group(group, len(unique))
        is_base = self._sets.is_base
        label_of, line_of = unique // (int(line.max(initial=0)) + 1), unique % (int(line.max(initial=0)) + 1)
        texts = [forest.labels[row].name for row in label_of]
        kept = np.array(sorted((i for i in range(len(unique)) if label_of[i] > 0), key=lambda i: (texts[i], line_of[i])), dtype=np.int64)
        strings = [""]
        arrays: dict[str, Array] = {
            "function": _intern(strings, [texts[i] for i in kept]),
            "line": line_of[kept].astype(np.int32),
            "base_self": own[kept][:, is_base].sum(axis=1),
            "base_total": total[kept][:, is_base].sum(axis=1),
            "candidate_self": own[kept][:, ~is_base].sum(axis=1),
            "candidate_total": total[kept][:, ~is_base].sum(axis=1),
        }
        return write_columns(self._header("slowpath.lines"), {**arrays, **pack_strings(strings)})


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


def node_sums(measured: Measured, sets: Sets, bases: tuple[Basis, ...]) -> NodeSums:
    """One pass over the replicates of both sides; dense arrays of one replicate at a time."""
    own, total, squares, weights, replicates = [], [], [], [], []
    for side in (sets.is_base, ~sets.is_base):
        numbers = np.flatnonzero(side)
        side_own, side_total = np.zeros(measured.nodes), np.zeros(measured.nodes)
        side_squares = [np.zeros(measured.nodes) for _ in bases]
        runs = sets.replicate[numbers]
        for run in np.unique(runs):
            members = numbers[runs == run]
            dense = np.zeros(measured.nodes)
            for profile in members:
                where, values = measured.own[profile]
                dense[where] += values
            here = measured.tree.totals(dense)
            side_own += dense
            side_total += here
            square = np.square(here)
            for each, basis in zip(side_squares, bases, strict=True):
                weight = float(basis.weights[members].sum())
                if weight > 0:
                    each += square / weight
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


def _chosen(sums: NodeSums, scale: tuple[float, float], part: str) -> Index:
    """Ids of the nodes to send, ascending. A parent is at least as large as its child, so the largest are connected."""
    weight = sums.weight(scale)
    count = len(weight)
    if part == "all" and count <= MOST_NODES:
        return np.arange(count)
    # Ties are broken by preorder, so that a parent stands before a child of the same size.
    by_size = np.argsort(-weight, kind="stable")
    if part == "first":
        return np.sort(by_size[:FIRST_NODES])
    if part == "rest":
        return np.sort(by_size[FIRST_NODES:MOST_NODES])
    return np.sort(by_size[:MOST_NODES])


def _hidden(measured: Measured, sums: NodeSums, chosen: Index) -> dict[str, Array]:
    """What is not sent beneath each sent node: values of direct children, and the number of nodes."""
    parent = measured.tree.parent
    sent = np.zeros(measured.nodes, dtype=np.bool_)
    sent[chosen] = True
    missing = np.flatnonzero(~sent)
    missing = missing[missing > 0]
    tops = missing[sent[parent[missing]]]
    base = np.bincount(parent[tops], weights=sums.base[tops], minlength=measured.nodes)
    candidate = np.bincount(parent[tops], weights=sums.candidate[tops], minlength=measured.nodes)
    nodes = np.bincount(parent[tops], weights=measured.tree.size[tops].astype(np.float64), minlength=measured.nodes)
    return {
        "hidden_base": base[chosen],
        "hidden_candidate": candidate[chosen],
        "hidden_nodes": nodes[chosen].astype(np.uint32),
    }


def _node_names(measured: Measured, chosen: Index, granularity: Granularity) -> tuple[Array, list[str]]:
    labels = measured.forest.labels
    if granularity != "line":
        used, inverse = np.unique(measured.label[chosen], return_inverse=True)
        texts = [labels[row].name or ROOT_NAME for row in used.tolist()]
        return (inverse + 1).astype(np.uint32), ["", *texts]
    line = measured.forest.line[measured.tree.order][chosen]
    pairs = np.stack([measured.label[chosen], line], axis=1)
    unique, inverse = np.unique(pairs, axis=0, return_inverse=True)
    texts = [f"{labels[row].name}:{number}" if row else ROOT_NAME for row, number in unique.tolist()]
    return (inverse.reshape(-1) + 1).astype(np.uint32), ["", *texts]


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
