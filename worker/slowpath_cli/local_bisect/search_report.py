"""Format the report of a finished search as JSON or text."""

import shlex
from collections.abc import Sequence
from typing import Any, Final

from slowpath.analysis.bisect import measurement_normalization, search
from slowpath.analysis.bisect.limits import probe_limit
from slowpath.analysis.bisect.search import SearchResult
from slowpath.verdicts.bisects.rules.candidates import CandidateNode
from slowpath.verdicts.bisects.service.candidate_discovery import MultiRepositoryHistory
from slowpath_cli.local_bisect.local_repositories import LocalRepository
from slowpath_cli.local_bisect.search_driver import SearchSession

FORMAT: Final = "slowpath.bisect/2"
LIMITS: Final = ("--max-deployments", "--max-probes", "--max-deploys")
LIMITS_WITH_VALUE: Final = tuple(f"{one}=" for one in LIMITS)
OUTCOMES: Final = {
    "found": "Found.",
    "not-in-range": "No commit between good and bad is the culprit: both boundaries measure alike, or something else differs.",
    "not-separable": "The suspects cannot be separated: builds between them fail, or the measurements contradict each other.",
    "stopped": "Undecided at the limit of {limit} probes: these suspects remain.",
}


def make_search_document(
    session: SearchSession, history: MultiRepositoryHistory[LocalRepository], finished: SearchResult
) -> dict[str, Any]:
    """Return the JSON document of `--json`."""
    return {
        "format": FORMAT,
        "outcome": finished.outcome,
        "levels": levels(session, history, finished),
        "deployments": session.runs - session.unbuildable_runs,
        "builds": session.builds,
        "rounds": session.state.round,
        "seconds": round(session.seconds, 3),
    }


def levels(
    session: SearchSession, history: MultiRepositoryHistory[LocalRepository], finished: SearchResult
) -> list[dict[str, Any]]:
    """Return the levels of the search, outermost first, one per repository."""
    paths = [_path(session, one) for one in finished.suspects]
    if not paths:
        return [_level(history.repositories[""].label, None, [], [1 - finished.belief], session.levels.get("", (0, 0)))]
    belief = search.compute_state_posterior(session.state)
    probabilities = {one: float(belief.candidate_probabilities[at]) for at, one in enumerate(session.state.line.ids)}
    out, depth, is_found = [], 0, finished.outcome == "found"
    while any(len(path) > depth for path in paths):
        here = [path[depth] for path in paths if len(path) > depth]
        shas = list(dict.fromkeys(one.sha for one in here))
        each = [
            sum(_probabilities_inside(session, probabilities, {node.id for node in here if node.sha == sha}))
            for sha in shas
        ]
        label = history.repositories[here[0].repository].label
        culprit = shas[0] if is_found and len(shas) == 1 else None
        out.append(_level(label, culprit, shas, each, _counts(session, here)))
        if len(shas) > 1:
            break
        depth += 1
    return out


def _level(
    repository: str, culprit: str | None, suspects: list[str], probabilities: list[float], counts: tuple[int, int]
) -> dict[str, Any]:
    return {
        "repository": repository, "culprit": culprit, "suspects": suspects,
        "probability": round(sum(probabilities), 6),
        "probabilities": [round(one, 6) for one in probabilities[: len(suspects)]],
        "candidates": counts[0], "classes": counts[1],
    }  # fmt: skip


def _probabilities_inside(session: SearchSession, probabilities: dict[str, float], ids: set[str]) -> list[float]:
    """Return the posterior probabilities of the candidates `ids` and of all candidates inside them."""
    return [
        probabilities[one] for one in probabilities if any(outer_node.id in ids for outer_node in _outers(session, one))
    ]


def _outers(session: SearchSession, id_: str) -> list[CandidateNode]:
    """Return a candidate and the candidates that contain it, outermost first."""
    out: list[CandidateNode] = []
    at: str | None = id_
    while at is not None:
        out.append(session.nodes[at])
        at = session.nodes[at].outer
    return out[::-1]


def _path(session: SearchSession, id_: str) -> list[CandidateNode]:
    """Return the innermost candidate of each level; a commit of a branch replaces its merge."""
    path: list[CandidateNode] = []
    for one in _outers(session, id_):
        if path and path[-1].repository == one.repository:
            path[-1] = one
        else:
            path.append(one)
    return path


def _counts(session: SearchSession, here: list[CandidateNode]) -> tuple[int, int]:
    """Return the numbers of commits and classes of the nodes' level, including the branches of merges."""
    outermost = next(one for one in _outers(session, here[0].id) if one.repository == here[0].repository)
    expanded = {outermost.outer or ""} | {
        one.id for node in here for one in _outers(session, node.id)
        if one.repository == node.repository and one.id in session.levels
        and all(session.nodes[inner.id].repository == node.repository for inner in session.nodes.values() if inner.outer == one.id)
    }  # fmt: skip
    found = [session.levels[one] for one in expanded if one in session.levels]
    return sum(commits for commits, _ in found), sum(classes for _, classes in found)


def continue_command(words: Sequence[str], limit: int) -> str:
    """Return the command line that continues the search of `words` with a higher limit."""
    at = words.index("--") if "--" in words else len(words)
    options = list(words[:at])
    for place, word in reversed(list(enumerate(options))):
        if word in {"--restart", "--fresh"} or word.startswith(LIMITS_WITH_VALUE):
            del options[place]
        elif word in LIMITS:
            del options[place : place + 2]
    command = options.index("bisect") + 1
    return shlex.join(
        ["slowpath", *options[:command], LIMITS[0], str(limit), *options[command:], *words[at:]]
    )  # fmt: skip


def format_search_report(
    session: SearchSession,
    history: MultiRepositoryHistory[LocalRepository],
    finished: SearchResult,
    words: Sequence[str],
) -> str:
    """Format the report as text; `words` is the command line."""
    limit = probe_limit(session.state)
    lines = [OUTCOMES[finished.outcome].format(limit=limit)]
    for level in levels(session, history, finished):
        name = level["culprit"] or f"{len(level['suspects'])} suspects"
        lines.append(
            f"  {level['repository']}: {name} ({100 * level['probability']:.1f}%), {level['candidates']} commits in {level['classes']} classes"
        )
        for sha, probability in list(zip(level["suspects"], level["probabilities"], strict=True))[:10]:
            title = next((one.title for one in session.nodes.values() if one.sha == sha), "")
            lines.append(
                f"    {sha[:12]} {''.join(char if char.isprintable() else ' ' for char in title)[:100]} ({100 * probability:.1f}%)"
            )
    deployments = session.runs - session.unbuildable_runs
    lines.append(
        f"{deployments} probes of {session.builds} builds in {session.state.round} rounds, {session.seconds:.0f} s."
    )
    if measurement_normalization.has_drift(session.state, search.compute_state_posterior(session.state)):
        lines.append("The environment seems to drift during the measurements; --control corrects for it.")
    if finished.outcome == "stopped":
        lines += [
            f"To continue with these measurements and up to {limit} further probes:",
            f"  {continue_command(words, 2 * limit)}",
        ]
    return "\n".join(lines)
