"""The plan of a bisect: candidates in order, and expanded levels. Levels are only ever added."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
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
"""Key of the first level; the key of others is the ID of the expanded candidate."""


@dataclass(frozen=True)
class ExpandedLevel:
    """One level as stored: its candidates are the nodes whose `outer` is its key."""

    commits: int
    classes: int
    label: str
    """Display name of its repository."""
    module: str
    """"" is the main repository."""
    good: str
    bad: str
    pruned: tuple[PrunedCommits, ...]
    bump: tuple[str, str, str] | None


@dataclass(frozen=True)
class SearchPlan:
    """The plan of a search."""

    line: CandidateSequence
    nodes: Mapping[str, CandidateNode]
    levels: Mapping[str, ExpandedLevel]
    modules: Mapping[str, str] = field(default_factory=dict)
    """Repository ID by module."""
    good_build: BuildInputs | None = None
    """Build inputs of the good boundary if it is the culprit of a former search; None: a commit of the main repository."""

    @property
    def good(self) -> BuildInputs:
        """Return the build inputs of the good boundary."""
        return self.good_build or BuildInputs(self.levels[TOP].good)

    def build(self, id_: str) -> BuildInputs:
        """Return the build inputs of a candidate or boundary. Raises `KeyError`."""
        if id_ == KNOWN_BAD:
            return BuildInputs(self.levels[TOP].bad)
        return self.good if id_ in {GOOD_END, KNOWN_GOOD} else self.nodes[id_].build

    @property
    def shown_levels(self) -> list[str]:
        """Return the keys of the levels, outer levels first, without those that only add the parent of a suspect."""
        shown = [key for key, one in self.levels.items() if one.commits or key == TOP]
        return sorted(shown, key=lambda key: 0 if key == TOP else len(self.way_to(key)))

    def shown_candidate(self, id_: str) -> str:
        """Return the candidate that pages show for a build: a suspect instead of itself after its parent."""
        outer = self.nodes[id_].outer if id_.endswith("/itself") else None
        return outer if outer is not None and not self.levels[outer].commits else id_

    def level_of(self, id_: str) -> str:
        """Return the key of the level of a candidate."""
        return TOP if id_ in {GOOD_END, KNOWN_GOOD, KNOWN_BAD} else self.nodes[id_].outer or TOP

    def way_to(self, id_: str) -> list[CandidateNode]:
        """Return a candidate after the candidates it was expanded from, the outermost first."""
        out: list[CandidateNode] = []
        at: str | None = id_
        while at is not None:
            out.append(self.nodes[at])
            at = self.nodes[at].outer
        return out[::-1]


def make_search_plan(level: SearchLevel, modules: Mapping[str, str]) -> SearchPlan:
    """Return the initial plan of a search. Raises `ValueError` without candidates."""
    return SearchPlan(
        line_of([candidate_of(one) for one in level.nodes]),
        {one.id: one for one in level.nodes},
        {TOP: _expanded_level(level)},
        dict(modules),
    )


def expand_candidate(plan: SearchPlan, candidate: str, level: SearchLevel) -> SearchPlan:
    """Return the plan with a candidate replaced by its level."""
    inner = [candidate_of(one) for one in level.nodes]
    line = plan.line.opened(candidate, inner)
    if not inner:
        return replace(plan, line=line)
    return replace(
        plan,
        line=line,
        nodes={**plan.nodes, **{one.id: one for one in level.nodes}},
        levels={**plan.levels, candidate: _expanded_level(level)},
    )


def plan_rest(plan: SearchPlan, culprit: str) -> SearchPlan:
    """Return the plan of the search for what follows a culprit, whose build becomes the good boundary.

    Raises `ValueError` if the culprit is the last candidate.
    """
    line, good = plan.line.after(culprit), plan.nodes[culprit].build
    nodes = {one.id: one for id_ in line.ids for one in plan.way_to(id_)}
    top = [one for one in nodes.values() if one.outer is None]
    commits = sum(max(len(one.members), 1) for one in top)
    classes = sum(one.kind not in many.NOT_SUSPECTED for one in top)
    first = replace(plan.levels[TOP], good=good.commit, commits=commits, classes=classes, pruned=())
    inner = {key: one for key, one in plan.levels.items() if key in nodes}
    return SearchPlan(line, nodes, {TOP: first, **inner}, plan.modules, good)


def candidate_of(node: CandidateNode) -> Candidate:
    """Return a node as a candidate of the search. Its expansion is read only once it is suspected."""
    is_fork = node.kind == "fork"
    hides = not is_fork and not node.id.endswith("/itself")
    return Candidate(node.id, node.weight, hides=hides, is_pruned=node.kind == "pruned", is_fork=is_fork)


def to_json(plan: SearchPlan) -> dict[str, Any]:
    """Return the stored JSON of a plan."""
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
        "good_build": None if plan.good_build is None else asdict(plan.good_build),
    }


def from_json(stored: Mapping[str, Any]) -> SearchPlan:
    """Return the plan of stored JSON."""
    return SearchPlan(
        lines.from_json(stored["line"]),
        {id_: many.from_json(one) for id_, one in stored["nodes"].items()},
        {
            key: ExpandedLevel(
                int(one["commits"]), int(one["classes"]), one["repository"], one["module"], one["good"], one["bad"],
                tuple(PrunedCommits(each["why"], int(each["commits"])) for each in one["pruned"]),
                (one["bump"][0], one["bump"][1], one["bump"][2]) if one["bump"] else None,
            )
            for key, one in stored["levels"].items()
        },
        dict(stored["modules"]),
        BuildInputs(**stored["good_build"]) if stored.get("good_build") else None,
    )  # fmt: skip


def _expanded_level(level: SearchLevel) -> ExpandedLevel:
    return ExpandedLevel(
        level.commits, level.classes, level.label, level.repository, level.good, level.bad, level.pruned, level.bump
    )  # fmt: skip
