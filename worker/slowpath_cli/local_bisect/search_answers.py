"""Sentences about the result of a search: what the culprit explains, what is undecided and why, and what to do next."""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from slowpath.analysis.bisect import measurement_normalization, search, suspects
from slowpath.analysis.bisect.boundary_difference import compare_boundaries
from slowpath.analysis.bisect.limits import probe_limit
from slowpath.analysis.bisect.range_levels import (
    ExplainedIncrease,
    ShareInterval,
    explain_increase,
    find_better_build,
    find_slower_build,
)
from slowpath.analysis.bisect.search_state import SearchResult
from slowpath.analysis.findings.certainty import format_share_interval
from slowpath.commit_names import short_commit
from slowpath.verdicts.bisects.rules.candidates import CandidateNode
from slowpath.verdicts.bisects.rules.toolchain_levels import GO_LEVELS, describe_go_change
from slowpath_cli.core.program_words import program_words
from slowpath_cli.local_bisect.local_repositories import LocalRepository
from slowpath_cli.local_bisect.search_driver import SearchSession

OUTCOMES: Final = {
    "found": "Found.",
    "not-in-range": "No commit between good and bad is the culprit: both boundaries measure alike, or something else differs.",
    "not-separable": "Undecided: the suspects cannot be separated.",
    "stopped": "Undecided at the limit of {limit} probes: these suspects remain.",
}
LIKELY_NONE: Final = 0.5
LOGS: Final = frozenset({"stdout", "stderr"})


def describe_outcome(session: SearchSession, finished: SearchResult) -> str:
    """Describe the outcome and, of an undecided search, the reason."""
    words = OUTCOMES[finished.outcome].format(limit=probe_limit(session.state))
    reason = _reason(session, finished)
    return f"{words} {reason}" if reason else words


def _reason(session: SearchSession, finished: SearchResult) -> str:
    if finished.outcome in {"found", "not-in-range"}:
        return ""
    belief = search.compute_state_posterior(session.state)
    if belief.probability_of_none > LIKELY_NONE:
        return f"Most likely no commit between good and bad is the culprit ({100 * belief.probability_of_none:.0f}%)."
    if finished.fork is not None:
        fork = session.nodes[finished.fork]
        return f"They started from {short_commit(fork.sha)}, which is bad already and is not in the range: a merge brings them in."
    if measurement_normalization.has_drift(session.state, belief):
        return "The environment drifts more than the builds differ; --control corrects for it."
    return _reason_of_measurements(session, finished)


def _reason_of_measurements(session: SearchSession, finished: SearchResult) -> str:
    if find_better_build(session.state) is not None and _ends_measure_alike(session):
        return "Good and bad measure alike, but a build between them does not."
    failed = {one.build for one in session.state.deploys if one.state == "unbuildable"}
    if failed & set(finished.suspects):
        return f"{len(failed & set(finished.suspects))} of the builds between them failed."
    return "Measurements of the same builds contradict each other: a quieter machine, or longer measurements, separate them."


def explained(session: SearchSession, finished: SearchResult) -> ExplainedIncrease | None:
    """Return how much of the increase the culprit explains; None without one, or without numbers."""
    return explain_increase(session.state, finished.suspects[0]) if finished.outcome == "found" else None


def describe_explained(session: SearchSession, finished: SearchResult) -> list[str]:
    """Describe how much of the increase the culprit explains, and what explains the rest."""
    found = explained(session, finished)
    if found is None:
        return []
    node = session.nodes[finished.suspects[0]]
    if node.repository in GO_LEVELS:
        return [describe_go_change(node, _interval(found.culprit))]
    sha = short_commit(node.sha)
    change = f"{'increase' if session.state.settings.larger_is_worse else 'decrease'} between good and bad"
    if not found.leaves_rest:
        return [f"{sha} explains {_interval(found.culprit)} of the {change}."]
    lines = [f"{sha} explains only {_interval(found.culprit)} of the {change}."]
    if found.has_earlier_rest:
        lines.append(f"Something earlier explains {_interval(found.earlier)}: search with --bad {sha}~1.")
    if found.has_later_rest:
        lines.append(f"Something later explains {_interval(found.later)}: run again with --rest to search for it.")
    return lines


def _interval(share: ShareInterval) -> str:
    return format_share_interval(share.share, share.low, share.high)


def _ends_measure_alike(session: SearchSession) -> bool:
    ends = compare_boundaries(session.state)
    return ends is not None and ends.relation == "equal"


def describe_slower_build(session: SearchSession) -> list[str]:
    """Describe a build between the boundaries that is slower than both, or better than both if these measure alike."""
    slower = find_slower_build(session.state)
    if slower is None:
        return _describe_better_build(session)
    node = session.nodes[slower.build]
    hint = "" if node.repository in GO_LEVELS else f" Fixed since? Try --bad {short_commit(node.sha)}."
    return [f"{short_commit(node.sha)} between them is {100 * slower.excess:.0f}% worse than both good and bad.{hint}"]


def _describe_better_build(session: SearchSession) -> list[str]:
    better = find_better_build(session.state) if _ends_measure_alike(session) else None
    if better is None:
        return []
    sha = short_commit(session.nodes[better.build].sha)
    return [
        f"{sha} between them is {100 * better.excess:.0f}% better than both good and bad. To find what undid it, try --good {sha}."
    ]


def find_commit(session: SearchSession, candidate: str) -> CandidateNode:
    """Return a candidate, or the commit that brings a Go release or setting."""
    node = session.nodes[candidate]
    while node.repository in GO_LEVELS and node.outer is not None:
        node = session.nodes[node.outer]
    return node


def next_steps(session: SearchSession, finished: SearchResult, repository: LocalRepository, folder: Path) -> list[str]:
    """Return the commands that show the culprit and compare it with its parent, and where logs and report are."""
    lines = [f"Logs and files of each probe: {folder / 'out'}/NUMBER-RUN", f"Report: {folder / 'report.json'}"]
    if finished.outcome != "found":
        return lines
    culprit = session.nodes[finished.suspects[0]]
    commit = find_commit(session, culprit.id)
    lines.insert(0, f"git -C {shlex.quote(str(repository.folder))} show {commit.sha}")
    if not commit.repository and session.question.get("script"):
        lines.insert(1, f"{_experiment(session, commit.sha)}    # measures what would fix it")
    before = suspects.neighbours(session.state, (session.state.line.position(culprit.id),))[0]
    sides = [_evidence(session, position, folder) for position in (before, session.state.line.position(culprit.id))]
    if all(sides):
        base, candidate = (" ".join(shlex.quote(str(one)) for one in side) for side in sides)
        lines.insert(1, f"{shlex.join(program_words(os.environ))} compare --base {base} --candidate {candidate}")
    return lines


def _experiment(session: SearchSession, culprit: str) -> str:
    """Return the command that measures what would fix the culprit, with the search's script and options."""
    question = session.question
    options = [
        word
        for name in ("directory", "signature", "better")
        if question.get(name) and question[name] != "smaller"
        for word in (f"--{name}", str(question[name]))
    ]
    ends = ["--repo", str(question["repo"]), "--commit", str(question["bad"]), "--culprit", culprit]
    return shlex.join([*program_words(os.environ), "experiment", *ends, *options, "--", *question["script"]])


def _evidence(session: SearchSession, position: int, folder: Path) -> list[Path]:
    """Return the output folders of a build's probes that contain more than logs."""
    numbers = [
        one.number
        for one in session.state.deploys
        if one.is_measured and session.state.line.position(one.build) == position
    ]
    found = [place for number in numbers for place in sorted((folder / "out").glob(f"{number:04}-*"))]
    return [place for place in found if any(one.name not in LOGS for one in place.iterdir())]


def describe_candidate(node: CandidateNode) -> str:
    """Return id and title of a candidate, without characters that a terminal would interpret."""
    return f"{short_commit(node.sha)} {''.join(char if char.isprintable() else ' ' for char in node.title)[:100]}"


def describe_outlying(session: SearchSession) -> list[str]:
    """Describe how many measurements were left out because they are outlying."""
    noise = search.compute_state_posterior(session.state).noise
    count = 0 if noise is None else len(measurement_normalization.values_left_out(session.state, noise))
    values = sum(len(one.windows) for one in session.state.deploys if one.is_measured)
    if not count:
        return []
    return [
        f"{count} of {values} measurements are outliers and are not counted: another process, throttling or a cold cache may be the cause."
    ]


def indent(lines: Sequence[str]) -> list[str]:
    """Return lines with an indent."""
    return [f"  {line}" for line in lines]
