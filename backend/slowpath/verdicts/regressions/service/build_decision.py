"""Combine what the history of a branch and the comparison with an earlier build show into one verdict on a build.

Everything that is displayed or sent is made from the `BuildDecision`, so that two answers cannot contradict each other. The
first line that applies decides:

1. The history confirmed a regression since this build: *changed*.
2. The comparison found a change at the level of announcements: *changed* for a worse or mixed change, *passed* for a better one.
   Unless the history refutes it: later builds of the branch show no change, and would show one of this size.
3. The comparison is not finished: *evaluating*.
4. The comparison found a change, not at the level of announcements, and the history does not refute it: *inconclusive*.
5. The history has an unconfirmed change at this build: *inconclusive*.
6. The comparison excludes a large change: *passed*.
7. The history has enough builds: its answer.
8. The comparison is inconclusive, or the nearest earlier build has other conditions: *inconclusive*.
9. The answer of the history, which has too few builds or nothing to evaluate.

A budget that the build exceeds first makes the verdict *changed* whatever the others answer: its users set the limit. Warnings
about stack sizes are predictions: they are added to the sentence and change nothing else.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from pydantic import TypeAdapter

from slowpath.analysis.builds.comparison_answer import ComparisonAnswer
from slowpath.verdicts.regressions import wording
from slowpath.verdicts.regressions.read_models import AncestorAnswer, BuildDecision, SeriesAnswer
from slowpath.verdicts.regressions.rules import BuildVerdictState

_SERIES: Final = TypeAdapter(SeriesAnswer)
_ANCESTOR: Final = TypeAdapter(AncestorAnswer)


def dump_series(answer: SeriesAnswer) -> dict[str, Any]:
    """Return the stored JSON of an answer of a history."""
    dumped: dict[str, Any] = _SERIES.dump_python(answer, mode="json")
    return dumped


def load_series(stored: dict[str, Any]) -> SeriesAnswer:
    """Return the answer of a history from stored JSON."""
    return _SERIES.validate_python(stored)


def dump_ancestor(answer: AncestorAnswer) -> dict[str, Any]:
    """Return the stored JSON of an answer of a comparison."""
    dumped: dict[str, Any] = _ANCESTOR.dump_python(answer, mode="json")
    return dumped


def load_ancestor(stored: dict[str, Any] | None) -> AncestorAnswer | None:
    """Return the answer of a comparison from stored JSON."""
    return None if stored is None else _ANCESTOR.validate_python(stored)


def decide_build_verdict(
    series: SeriesAnswer,
    ancestor: AncestorAnswer | None,
    exceeded_budgets: Sequence[str] = (),
    stack_warning: str = "",
) -> BuildDecision:
    """Return the verdict on a build; the module's docstring has the order."""
    decision = _with_budgets(_decide(series, ancestor), exceeded_budgets)
    if decision.state is BuildVerdictState.EVALUATING:
        return decision
    return replace(decision, sentence=f"{decision.sentence} {stack_warning}".rstrip())


def _with_budgets(decision: BuildDecision, exceeded_budgets: Sequence[str]) -> BuildDecision:
    if not exceeded_budgets:
        return decision
    is_interim = decision.state is BuildVerdictState.EVALUATING
    sentences = [*exceeded_budgets, *([] if is_interim else [decision.sentence])]
    return replace(decision, state=BuildVerdictState.CHANGED, sentence=" ".join(sentences), is_announced=True)


def _decide(series: SeriesAnswer, ancestor: AncestorAnswer | None) -> BuildDecision:
    if series.state == "changed":
        return BuildDecision(BuildVerdictState.CHANGED, series.sentence, is_announced=True)
    if ancestor is None:
        return _of_series(series)
    if ancestor.state == "pending":
        return BuildDecision(BuildVerdictState.EVALUATING, wording.describe_pending_comparison(ancestor.commit))
    compared = ancestor.comparison
    if compared is not None and compared.state == "changed" and not is_refuted(series, compared):
        return _changed(series, ancestor, compared)
    if series.state == "inconclusive":
        return _of_series(series)
    return _without_change(series, ancestor)


def _without_change(series: SeriesAnswer, ancestor: AncestorAnswer) -> BuildDecision:
    """Return the verdict on a build of which neither answer shows a change."""
    compared = ancestor.comparison
    if compared is not None and is_refuted(series, compared):
        return BuildDecision(
            BuildVerdictState.PASSED, wording.describe_refuted_change(ancestor.commit, series.excluded)
        )
    if compared is not None and compared.state == "unchanged":
        return BuildDecision(BuildVerdictState.PASSED, _describe(series, ancestor, compared))
    return _of_series(series) if series.state == "passed" else _undecided(series, ancestor)


def is_refuted(series: SeriesAnswer, compared: ComparisonAnswer) -> bool:
    """Return whether later builds would have shown a change as large as the comparison's, and do not."""
    return (
        compared.state == "changed"
        and series.excluded is not None
        and compared.effect is not None
        and compared.effect >= series.excluded
    )


def _describe(series: SeriesAnswer, ancestor: AncestorAnswer, compared: ComparisonAnswer) -> str:
    sentence = wording.describe_comparison(
        ancestor.commit, compared, series.builds, is_merge_base=ancestor.is_merge_base
    )
    return f"{sentence} {wording.describe_unknown_conditions(ancestor.unknown_conditions)}".rstrip()


def _changed(series: SeriesAnswer, ancestor: AncestorAnswer, compared: ComparisonAnswer) -> BuildDecision:
    sentence = _describe(series, ancestor, compared)
    if not compared.is_announced:
        return BuildDecision(
            BuildVerdictState.INCONCLUSIVE, sentence, builds=series.builds, profiles=compared.profiles_needed
        )
    state = BuildVerdictState.PASSED if compared.direction == "better" else BuildVerdictState.CHANGED
    return BuildDecision(state, sentence, is_announced=True)


def _of_series(series: SeriesAnswer) -> BuildDecision:
    return BuildDecision(
        BuildVerdictState(series.state), series.sentence, builds=series.builds, profiles=series.profiles
    )


def _undecided(series: SeriesAnswer, ancestor: AncestorAnswer) -> BuildDecision:
    """Return the verdict without a change, an exclusion of one, or a history that is long enough."""
    compared = ancestor.comparison
    if compared is not None:
        return BuildDecision(
            BuildVerdictState.INCONCLUSIVE,
            _describe(series, ancestor, compared),
            builds=series.builds,
            profiles=compared.profiles_needed,
        )
    if ancestor.state == "first-build" or (series.state == "skipped" and series.builds is None):
        return BuildDecision(
            BuildVerdictState.SKIPPED, ancestor.reason if series.builds else series.sentence, builds=series.builds
        )
    more = None if ancestor.state == "failed" else 1  # the next build is compared with this one
    return BuildDecision(BuildVerdictState.INCONCLUSIVE, ancestor.reason, builds=more)
