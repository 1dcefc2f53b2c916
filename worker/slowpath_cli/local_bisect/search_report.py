"""Format the report of a finished search as JSON or text."""

import os
import shlex
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from slowpath.analysis.bisect import measurement_normalization, search
from slowpath.analysis.bisect.boundary_difference import compare_boundaries
from slowpath.analysis.bisect.limits import probe_limit
from slowpath.analysis.bisect.range_levels import find_slower_build
from slowpath.analysis.bisect.search_state import SearchResult
from slowpath.analysis.findings.wording import pluralize
from slowpath.commit_names import short_commit
from slowpath.verdicts.bisects.rules.candidates import CandidateNode
from slowpath.verdicts.bisects.rules.toolchain_levels import GO_LEVELS
from slowpath.verdicts.bisects.service.candidate_discovery import MultiRepositoryHistory
from slowpath_cli.core.program_words import program_words
from slowpath_cli.local_bisect.boundary_report import describe_levels
from slowpath_cli.local_bisect.local_repositories import LocalRepository
from slowpath_cli.local_bisect.progress_lines import measurement_limit
from slowpath_cli.local_bisect.search_answers import (
    describe_candidate,
    describe_explained,
    describe_outcome,
    describe_outlying,
    describe_slower_build,
    explained,
    find_commit,
    indent,
    next_steps,
)
from slowpath_cli.local_bisect.search_driver import SearchSession

FORMAT: Final = "slowpath.bisect/2"
LIMITS: Final = ("--max-deployments", "--max-probes", "--max-deploys")
LIMITS_WITH_VALUE: Final = tuple(f"{one}=" for one in LIMITS)
CLASSES: Final = "classes (commits of one class build from the same inputs, so one of them is measured)"


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
        "budget": measurement_limit(session.state),
        "explained": None if (found := explained(session, finished)) is None else asdict(found),
        "slower_build": _slower_build(session),
        "sentences": sentences(session, finished),
    }


def sentences(session: SearchSession, finished: SearchResult) -> list[str]:
    """Return the outcome, what the culprit explains, and a build that is slower than both boundaries, in words."""
    return [
        describe_outcome(session, finished), *describe_explained(session, finished), *describe_slower_build(session), *describe_outlying(session)
    ]  # fmt: skip


def _slower_build(session: SearchSession) -> dict[str, Any] | None:
    found = find_slower_build(session.state)
    return None if found is None else {"commit": session.nodes[found.build].sha, "excess": found.excess}


def levels(
    session: SearchSession, history: MultiRepositoryHistory[LocalRepository], finished: SearchResult
) -> list[dict[str, Any]]:
    """Return the levels of the search, outermost first, one per repository."""
    order = _by_probability(session, finished)
    paths = [_path(session, one) for one in order]
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
        each, shas = (
            list(some) for some in zip(*sorted(zip(each, shas, strict=True), key=lambda one: -one[0]), strict=True)
        )
        place = here[0].repository
        label = GO_LEVELS[place] if place in GO_LEVELS else history.repositories[place].label
        culprit = shas[0] if is_found and len(shas) == 1 else None
        out.append(_level(label, culprit, shas, each, _counts(session, here)))
        if len(shas) > 1:
            break
        depth += 1
    return out


def _by_probability(session: SearchSession, finished: SearchResult) -> list[str]:
    """Return the suspects with the highest posterior first."""
    belief, line = search.compute_state_posterior(session.state).candidate_probabilities, session.state.line
    return sorted(finished.suspects, key=lambda one: -float(belief[line.position(one) - 1]))


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
        [*program_words(os.environ), *options[:command], LIMITS[0], str(limit), *options[command:], *words[at:]]
    )  # fmt: skip


def _count_suspects(count: int) -> str:
    return "one suspect" if count == 1 else f"{count} suspects, the most likely first"


def format_search_report(
    session: SearchSession,
    history: MultiRepositoryHistory[LocalRepository],
    finished: SearchResult,
    words: Sequence[str],
    folder: Path,
) -> str:
    """Format the report as text; `words` is the command line, `folder` that of the search."""
    limit = probe_limit(session.state)
    first, *others = sentences(session, finished)
    lines = [first]
    if finished.outcome == "not-in-range" and (ends := compare_boundaries(session.state)) is not None:
        lines += describe_levels(ends)
    for level in levels(session, history, finished) if finished.suspects else ():
        name = level["culprit"] or _count_suspects(len(level["suspects"]))
        counts = f"{level['candidates']} commits in {level['classes']} {CLASSES}"
        if level["repository"] in GO_LEVELS.values():
            counts = pluralize(level["classes"], "candidate")
        lines.append(f"  {level['repository']}: {name} ({100 * level['probability']:.1f}%), {counts}")
        for sha, probability in zip(level["suspects"], level["probabilities"], strict=True):
            node = next((one for one in session.nodes.values() if one.sha == sha), None)
            lines.append(f"    {describe_candidate(node) if node else short_commit(sha)} ({100 * probability:.1f}%)")
    lines += others
    deployments = session.runs - session.unbuildable_runs
    lines.append(
        f"{deployments} probes of {session.builds} builds in {session.state.round} rounds, {session.seconds:.0f} s; the limit is {limit} probes"
        + (", each with a measurement of the control." if session.state.settings.control else ".")
    )
    if finished.outcome != "not-separable" and measurement_normalization.has_drift(
        session.state, search.compute_state_posterior(session.state)
    ):
        lines.append("The environment seems to drift during the measurements; --control corrects for it.")
    repository = history.repositories[
        find_commit(session, finished.suspects[0]).repository if finished.suspects else ""
    ]
    lines += ["Next:", *indent(next_steps(session, finished, repository, folder))]
    if finished.outcome == "stopped":
        lines += [
            f"To continue with these measurements and up to {limit} further probes:",
            f"  {continue_command(words, 2 * limit)}",
        ]
    return "\n".join(lines)
