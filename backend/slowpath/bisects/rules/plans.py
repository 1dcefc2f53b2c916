"""The plan of a bisect: the line of candidates, what each is, and which levels were opened. It only ever grows deeper."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from slowpath.analysis.bisect import line as lines
from slowpath.analysis.bisect.line import GOOD_END, KNOWN_BAD, KNOWN_GOOD, Candidate, Line, line_of
from slowpath.bisects.rules import nodes as many
from slowpath.bisects.rules.nodes import Build, Level, Node, Pruned

TOP = ""
"""Key of the first level; the others have the id of the candidate that was opened."""


@dataclass(frozen=True)
class Opened:
    """One level as it is kept: its candidates are the nodes whose `outer` it is."""

    commits: int
    classes: int
    label: str
    """How people call its repository."""
    module: str
    """"" is the main repository."""
    good: str
    bad: str
    pruned: tuple[Pruned, ...]
    bump: tuple[str, str, str] | None


@dataclass(frozen=True)
class Plan:
    """What is searched."""

    line: Line
    nodes: Mapping[str, Node]
    levels: Mapping[str, Opened]
    modules: Mapping[str, str] = field(default_factory=dict)
    """Module to the id of the team's repository it lies in."""

    @property
    def good(self) -> Build:
        """What is built at the good end."""
        return Build(self.levels[TOP].good)

    def build(self, id_: str) -> Build:
        """Return what is built for a place on the line. Raises `KeyError`."""
        if id_ == KNOWN_BAD:
            return Build(self.levels[TOP].bad)
        return self.good if id_ in {GOOD_END, KNOWN_GOOD} else self.nodes[id_].build

    def level_of(self, id_: str) -> str:
        """Return the key of the level in which a candidate stands."""
        return TOP if id_ in {GOOD_END, KNOWN_GOOD, KNOWN_BAD} else self.nodes[id_].outer or TOP

    def way_to(self, id_: str) -> list[Node]:
        """Return a candidate and those in which it hid, the outermost first."""
        out: list[Node] = []
        at: str | None = id_
        while at is not None:
            out.append(self.nodes[at])
            at = self.nodes[at].outer
        return out[::-1]


def begun(level: Level, modules: Mapping[str, str]) -> Plan:
    """Return the plan of a search that has not begun. Raises `ValueError` without candidates."""
    return Plan(
        line_of([candidate_of(one) for one in level.nodes]),
        {one.id: one for one in level.nodes},
        {TOP: _kept(level)},
        dict(modules),
    )


def opened(plan: Plan, candidate: str, level: Level) -> Plan:
    """Return the plan in which was looked into a candidate."""
    inner = [candidate_of(one) for one in level.nodes]
    line = plan.line.opened(candidate, inner)
    if not inner:
        return Plan(line, plan.nodes, plan.levels, plan.modules)
    return Plan(
        line,
        {**plan.nodes, **{one.id: one for one in level.nodes}},
        {**plan.levels, candidate: _kept(level)},
        plan.modules,
    )


def candidate_of(node: Node) -> Candidate:
    """Return a node as the search knows it. Whether anything hides in it is looked up only once it is suspected."""
    return Candidate(node.id, node.weight, hides=not node.id.endswith("/itself"))


def to_json(plan: Plan) -> dict[str, Any]:
    """Return a plan as it is kept."""
    return {
        "line": lines.to_json(plan.line),
        "nodes": {id_: many.to_json(one) for id_, one in plan.nodes.items()},
        "levels": {
            key: {
                "commits": one.commits,
                "classes": one.classes,
                "repository": one.label,
                "module": one.module,
                "good": one.good,
                "bad": one.bad,
                "pruned": [{"why": each.why, "commits": each.commits} for each in one.pruned],
                "bump": list(one.bump) if one.bump else None,
            }
            for key, one in plan.levels.items()
        },
        "modules": dict(plan.modules),
    }


def from_json(told: Mapping[str, Any]) -> Plan:
    """Read a plan that was kept."""
    return Plan(
        lines.from_json(told["line"]),
        {id_: many.from_json(one) for id_, one in told["nodes"].items()},
        {
            key: Opened(
                int(one["commits"]), int(one["classes"]), one["repository"], one["module"], one["good"], one["bad"],
                tuple(Pruned(each["why"], int(each["commits"])) for each in one["pruned"]),
                (one["bump"][0], one["bump"][1], one["bump"][2]) if one["bump"] else None,
            )
            for key, one in told["levels"].items()
        },
        dict(told["modules"]),
    )  # fmt: skip


def _kept(level: Level) -> Opened:
    return Opened(
        level.commits, len(level.nodes), level.label, level.repository, level.good, level.bad, level.pruned, level.bump
    )  # fmt: skip
