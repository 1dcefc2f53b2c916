"""One decision combines the history of a branch and the comparison with an earlier build."""

from dataclasses import replace
from typing import Literal

import pytest

from slowpath.analysis.builds.comparison_answer import ComparisonAnswer, announced_level
from slowpath.verdicts.regressions.read_models import AncestorAnswer, AncestorState, SeriesAnswer
from slowpath.verdicts.regressions.service.build_decision import (
    decide_build_verdict,
    dump_ancestor,
    dump_series,
    load_ancestor,
    load_series,
)

BASE = "0123456789" + "0" * 30
UNCHANGED = ComparisonAnswer("unchanged", None, False, "no change of CPU larger than 7%.", 1.07, None, None, ())
CHANGED = ComparisonAnswer("changed", "worse", True, "32% more CPU per request.", None, 1.32, None, ())
LIKELY = replace(CHANGED, is_announced=False, profiles_needed=3)
BETTER = replace(CHANGED, direction="better", reason="20% less CPU per request.")
UNDECIDED = ComparisonAnswer("inconclusive", None, False, "only 1 profile per side (CPU).", None, None, 2, ())
FEW = SeriesAnswer("skipped", "7 more builds needed.", builds=7)
STEADY = SeriesAnswer("passed", "No change in 40 series.")
STEP = SeriesAnswer("inconclusive", "Possible change: Clone (+9%).", 2, 4)
REGRESSED = SeriesAnswer("changed", "Clone takes more time, since 0123456.")


def compared(answer: ComparisonAnswer) -> AncestorAnswer:
    return AncestorAnswer("compared", BASE, comparison=answer)


@pytest.mark.parametrize(
    ("series", "answer", "state", "is_announced", "sentence"),
    [
        (REGRESSED, UNCHANGED, "changed", True, "Clone takes more time, since 0123456."),
        (FEW, CHANGED, "changed", True, "Regressed against 0123456789: 32% more CPU per request."),
        (STEADY, CHANGED, "changed", True, "Regressed against 0123456789: 32% more CPU per request."),
        (FEW, BETTER, "passed", True, "Improved against 0123456789: 20% less CPU per request."),
        (STEADY, LIKELY, "inconclusive", False,
         "Possible change against 0123456789: 32% more CPU per request. Required to confirm: 3 more profiles per build."),
        (FEW, LIKELY, "inconclusive", False,
         ("Possible change against 0123456789: 32% more CPU per request."
          " Required to confirm: 3 more profiles per build or 7 more builds.")),
        (STEP, UNCHANGED, "inconclusive", False, "Possible change: Clone (+9%)."),
        (FEW, UNCHANGED, "passed", False, "Unchanged against 0123456789: no change of CPU larger than 7%."),
        (STEADY, UNCHANGED, "passed", False, "Unchanged against 0123456789: no change of CPU larger than 7%."),
        (STEADY, UNDECIDED, "passed", False, "No change in 40 series."),
        (FEW, UNDECIDED, "inconclusive", False, "Inconclusive against 0123456789: only 1 profile per side (CPU)."),
    ],
)  # fmt: skip
def test_the_first_rule_that_applies_decides(
    series: SeriesAnswer,
    answer: ComparisonAnswer,
    state: str,
    is_announced: bool,
    sentence: str,
) -> None:
    found = decide_build_verdict(series, compared(answer))
    assert (found.state, found.is_announced, found.sentence) == (state, is_announced, sentence)


def test_later_builds_correct_a_change_that_they_would_show() -> None:
    assert decide_build_verdict(replace(STEADY, excluded=1.4), compared(CHANGED)).state == "changed"
    found = decide_build_verdict(replace(STEADY, excluded=1.1), compared(CHANGED))
    assert (found.state, found.is_announced) == ("passed", False)
    assert found.sentence.startswith("Not confirmed: the difference from 0123456789 was not lasting.")
    unknown = replace(CHANGED, effect=None)
    assert decide_build_verdict(replace(STEADY, excluded=1.1), compared(unknown)).state == "changed"


@pytest.mark.parametrize(
    ("ancestor", "series", "state", "builds"),
    [
        ("pending", FEW, "evaluating", None), ("pending", REGRESSED, "changed", None),
        ("first-build", FEW, "skipped", 7), ("first-build", STEADY, "passed", None),
        ("other-conditions", FEW, "inconclusive", 1), ("other-conditions", STEADY, "passed", None),
        ("no-match", FEW, "inconclusive", 1), ("failed", FEW, "inconclusive", None),
    ],
)  # fmt: skip
def test_without_a_comparison_the_history_decides_once_it_is_long_enough(
    ancestor: AncestorState, series: SeriesAnswer, state: str, builds: int | None
) -> None:
    found = decide_build_verdict(series, AncestorAnswer(ancestor, BASE, reason="Why."))
    assert (found.state, found.builds) == (state, builds)
    assert decide_build_verdict(series, None).sentence == series.sentence


@pytest.mark.parametrize("series", [FEW, STEADY, STEP, REGRESSED, replace(STEADY, excluded=1.2)])
@pytest.mark.parametrize("answer", [UNCHANGED, CHANGED, LIKELY, BETTER, UNDECIDED])
def test_an_announcement_always_names_what_was_announced(series: SeriesAnswer, answer: ComparisonAnswer) -> None:
    found = decide_build_verdict(series, compared(answer))
    word: Literal["Unchanged", "Inconclusive"]
    for word in ("Unchanged", "Inconclusive"):
        assert not (found.is_announced and word in found.sentence)
    assert found.is_announced or found.state != "changed"
    assert load_series(dump_series(series)) == series
    assert load_ancestor(dump_ancestor(compared(answer))) == compared(answer)


def test_the_level_of_announcements_is_shared_by_kinds_and_tests() -> None:
    assert announced_level(1) * 3 == pytest.approx(0.005)
    assert announced_level(4) * 12 == pytest.approx(0.005)
