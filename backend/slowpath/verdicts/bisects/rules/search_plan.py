"""The plan of a bisect: the line of candidates, what each is, and which levels were opened. It only ever grows deeper."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from slowpath.analysis.bisect import candidate_sequence as lines
from slowpath.analysis.bisect.candidate_sequence import (
    GOOD_END,
    KNOWN_BAD,
    KNOWN_GOOD,
    Candidate,
    CandidateSequence,
    line_of,
)
from slowpath.verdicts.bisects.rules import candidates as many
from slowpath.verdicts.bisects.rules.candidates import BuildInputs, CandidateNode, PrunedCommits, SearchLevel

TOP = ""
"""Key of the first level; the others have the id of the candidate that was opened."""


@dataclass(frozen=True)
class ExpandedLevel:
    """One level as it is kept: its candidates are the nodes whose `outer` it is."""

    commits: int
    classes: int
    label: str
    """How people call its repository."""
    module: str
    """"" is the main repository."""
    good: str
    bad: str
    pruned: tuple[PrunedCommits, ...]
    bump: tuple[str, str, str] | None


@dataclass(frozen=True)
class SearchPlan:
    """What is searched."""

    line: CandidateSequence
    nodes: Mapping[str, CandidateNode]
    levels: Mapping[str, ExpandedLevel]
    modules: Mapping[str, str] = field(default_factory=dict)
    """Module to the id of the team's repository it lies in."""

    @property
    def good(self) -> BuildInputs:
        """What is built at the good end."""
        return BuildInputs(self.levels[TOP].good)

    def build(self, id_: str) -> BuildInputs:
        """Return what is built for a place on the line. Raises `KeyError`."""
        if id_ == KNOWN_BAD:
            return BuildInputs(self.levels[TOP].bad)
        return self.good if id_ in {GOOD_END, KNOWN_GOOD} else self.nodes[id_].build

    def level_of(self, id_: str) -> str:
        """Return the key of the level in which a candidate stands."""
        return TOP if id_ in {GOOD_END, KNOWN_GOOD, KNOWN_BAD} else self.nodes[id_].outer or TOP

    def way_to(self, id_: str) -> list[CandidateNode]:
        """Return a candidate and those in which it hid, the outermost first."""
        out: list[CandidateNode] = []
        at: str | None = id_
        while at is not None:
            out.append(self.nodes[at])
            at = self.nodes[at].outer
        return out[::-1]


def make_search_plan(level: SearchLevel, modules: Mapping[str, str]) -> SearchPlan:
    """Return the plan of a search that has not begun. Raises `ValueError` without candidates."""
    return SearchPlan(
        line_of([candidate_of(one) for one in level.nodes]),
        {one.id: one for one in level.nodes},
        {TOP: _kept(level)},
        dict(modules),
    )


def expand_candidate(plan: SearchPlan, candidate: str, level: SearchLevel) -> SearchPlan:
    """Return the plan in which was looked into a candidate."""
    inner = [candidate_of(one) for one in level.nodes]
    line = plan.line.opened(candidate, inner)
    if not inner:
        return SearchPlan(line, plan.nodes, plan.levels, plan.modules)
    return SearchPlan(
        line,
        {**plan.nodes, **{one.id: one for one in level.nodes}},
        {**plan.levels, candidate: _kept(level)},
        plan.modules,
    )


def candidate_of(node: CandidateNode) -> Candidate:
    """Return a node as the search knows it. Whether anything hides in it is looked up only once it is suspected."""
    return Candidate(node.id, node.weight, hides=not node.id.endswith("/itself"))


def to_json(plan: SearchPlan) -> dict[str, Any]:
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


def from_json(told: Mapping[str, Any]) -> SearchPlan:
    """Read a plan that was kept."""
    return SearchPlan(
        lines.from_json(told["line"]),
        {id_: many.from_json(one) for id_, one in told["nodes"].items()},
        {
            key: ExpandedLevel(
                int(one["commits"]), int(one["classes"]), one["repository"], one["module"], one["good"], one["bad"],
                tuple(PrunedCommits(each["why"], int(each["commits"])) for each in one["pruned"]),
                (one["bump"][0], one["bump"][1], one["bump"][2]) if one["bump"] else None,
            )
            for key, one in told["levels"].items()
        },
        dict(told["modules"]),
    )  # fmt: skip


def _kept(level: SearchLevel) -> ExpandedLevel:
    return ExpandedLevel(
        level.commits, len(level.nodes), level.label, level.repository, level.good, level.bad, level.pruned, level.bump
    )  # fmt: skip
