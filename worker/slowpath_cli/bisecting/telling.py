"""How a search ended, as JSON and in words."""

from typing import Any, Final

from slowpath.analysis.bisect import numbers, search
from slowpath.analysis.bisect.search import Finished
from slowpath.bisects.rules.nodes import Node
from slowpath.bisects.service.history import History
from slowpath_cli.bisecting.driving import Session
from slowpath_cli.bisecting.repositories import Repository

FORMAT: Final = "slowpath.bisect/1"
OUTCOMES: Final = {
    "found": "Found.",
    "not-in-range": "Nothing between good and bad makes the difference: the two ends measure alike, or something else differs.",
    "inseparable": "The suspects can not be told apart: what lies between them does not build, or the measurements do not agree.",
    "stopped": "Stopped at the asked number of deploys.",
}


def document(session: Session, history: History[Repository], finished: Finished) -> dict[str, Any]:
    """Return the JSON that `--json` ends in."""
    return {
        "format": FORMAT,
        "outcome": finished.outcome,
        "levels": levels(session, history, finished),
        "deploys": session.runs - session.unbuildable_runs,
        "builds": session.builds,
        "rounds": session.state.round,
        "seconds": round(session.seconds, 3),
    }


def levels(session: Session, history: History[Repository], finished: Finished) -> list[dict[str, Any]]:
    """Return the way down: one level a repository, the whole range first."""
    ways = [_way(session, one) for one in finished.suspects]
    if not ways:
        return [_level(history.repositories[""].label, None, [], 1 - finished.belief, session.levels.get("", (0, 0)))]
    belief = search.belief_of(session.state)
    mass = {one: float(belief.here[at]) for at, one in enumerate(session.state.line.ids)}
    out, depth, named = [], 0, finished.outcome == "found"
    while any(len(way) > depth for way in ways):
        here = [way[depth] for way in ways if len(way) > depth]
        shas = list(dict.fromkeys(one.sha for one in here))
        below = {one for one in mass if any(node.id == own.id for node in here for own in _outers(session, one))}
        label = history.repositories[here[0].repository].label
        culprit = shas[0] if named and len(shas) == 1 else None
        out.append(_level(label, culprit, shas, sum(mass[one] for one in below), _counts(session, here)))
        if len(shas) > 1:
            break
        depth += 1
    return out


def _level(
    repository: str, culprit: str | None, suspects: list[str], belief: float, counts: tuple[int, int]
) -> dict[str, Any]:
    return {
        "repository": repository, "culprit": culprit, "suspects": suspects, "belief": round(belief, 6),
        "candidates": counts[0], "classes": counts[1],
    }  # fmt: skip


def _outers(session: Session, id_: str) -> list[Node]:
    """Return a candidate and those it hid in, the outermost first."""
    out: list[Node] = []
    at: str | None = id_
    while at is not None:
        out.append(session.nodes[at])
        at = session.nodes[at].outer
    return out[::-1]


def _way(session: Session, id_: str) -> list[Node]:
    """Return the innermost candidate of each repository on the way down: a branch's commit stands for its merge."""
    way: list[Node] = []
    for one in _outers(session, id_):
        if way and way[-1].repository == one.repository:
            way[-1] = one
        else:
            way.append(one)
    return way


def _counts(session: Session, here: list[Node]) -> tuple[int, int]:
    """Return commits and classes of the level that the nodes of a repository belong to, branches of merges counted in."""
    outermost = next(one for one in _outers(session, here[0].id) if one.repository == here[0].repository)
    opened = {outermost.outer or ""} | {
        one.id for node in here for one in _outers(session, node.id)
        if one.repository == node.repository and one.id in session.levels
        and all(session.nodes[inner.id].repository == node.repository for inner in session.nodes.values() if inner.outer == one.id)
    }  # fmt: skip
    found = [session.levels[one] for one in opened if one in session.levels]
    return sum(commits for commits, _ in found), sum(classes for _, classes in found)


def told(session: Session, history: History[Repository], finished: Finished) -> str:
    """Return how it ended, for people."""
    lines = [OUTCOMES[finished.outcome]]
    for level in levels(session, history, finished):
        name = level["culprit"] or f"{len(level['suspects'])} suspects"
        lines.append(
            f"  {level['repository']}: {name} ({100 * level['belief']:.1f} %), {level['candidates']} commits in {level['classes']} classes"
        )
        for sha in level["suspects"][:10]:
            title = next((one.title for one in session.nodes.values() if one.sha == sha), "")
            lines.append(f"    {sha[:12]} {''.join(char if char.isprintable() else ' ' for char in title)[:100]}")
    deploys = session.runs - session.unbuildable_runs
    lines.append(
        f"{deploys} deploys of {session.builds} builds in {session.state.round} rounds, {session.seconds:.0f} s."
    )
    if numbers.wanders(session.state, search.belief_of(session.state)):
        lines.append("The environment seems to drift while it is measured; --control takes that off.")
    return "\n".join(lines)
