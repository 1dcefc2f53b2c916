"""Verdict, headline, findings, totals and CLI text state the same numbers: all are read from one object."""

import re

import pytest

from slowpath.analysis.comparison.comparison_document import ComparisonDocument, make_comparison_document
from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import TOTAL
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.verdict.profile_headline import TotalChange
from slowpath_cli.commands.compare_text import format_comparison
from tests.analysis.compare_helpers import compared
from tests.analysis.kinds.profiles.generated_profiles import runs

BASE = runs("main main main\na    b    c\n400  300  300", 12)
CASES = {
    "regressed": (BASE, runs("main main main\na    b    c\n560  300  300", 12, seed=2)),
    "improved": (BASE, runs("main main main\na    b    c\n200  300  300", 12, seed=3)),
    "new code": (BASE, runs("main main main main\na    b    c    d\n400  300  300  900", 12, seed=4)),
    "both ways": (BASE, runs("main main main\na    b    c\n600  100  300", 12, seed=5)),
    "equal": (BASE, runs("main main main\na    b    c\n400  300  300", 12, seed=6)),
    "single": (BASE[:1], runs("main main main\na    b    c\n560  300  300", 1, seed=7)),
    "without load": (
        runs("main main main\na    b    c\n400  300  300", 12, seed=8, requests=None),
        runs("main main main\na    b    c\n800  300  300", 12, seed=9, requests=None),
    ),
}
TOTAL_CHANGE = re.compile(r": (?:(?P<percent>[\d.]+)% (?P<word>more|less)|×(?P<ratio>[\d.,]+)) ")
SHARE = re.compile(r"; (?:(?P<share>\d+)%|nearly all) of it is (?P<name>[^,]+?)[,.]")
LIMIT = re.compile(r"larger than (?P<limit>[\d.]+)%")


def document_of(base: list[ProfileArtifact], candidate: list[ProfileArtifact]) -> ComparisonDocument:
    return make_comparison_document(compared(base, candidate))


@pytest.mark.parametrize("case", CASES)
def test_the_headline_states_the_verdict_and_the_numbers_of_its_rows(case: str) -> None:
    document = document_of(*CASES[case])
    sentence, overall = document.headline.sentence, document.headline.total

    assert sentence.lower().startswith(document.verdict)
    if (change := TOTAL_CHANGE.search(sentence)) is not None:
        assert overall is not None
        if change["percent"]:
            assert float(change["percent"]) == pytest.approx(100 * abs((overall.ratio or 0) - 1), abs=0.51)
            assert (change["word"] == "more") == (overall.candidate > overall.base)
        else:
            assert float(change["ratio"].replace(",", "")) == pytest.approx(overall.ratio, rel=0.01)
    if (part := SHARE.search(sentence)) is not None:
        assert overall is not None
        row = next(each for each in document.findings if each.subject.endswith(part["name"]))
        whole = overall.candidate - overall.base
        share = 100 * row.change.difference / whole
        assert share == pytest.approx(float(part["share"]), abs=0.51) if part["share"] else share > 90


@pytest.mark.parametrize("case", CASES)
def test_ratio_values_and_interval_of_a_row_belong_together(case: str) -> None:
    for row in document_of(*CASES[case]).findings:
        change = row.change
        assert change.difference == pytest.approx(row.candidate - row.base, rel=1e-6)
        if change.ci_of == "ratio":
            assert change.ratio == pytest.approx(row.candidate / row.base, rel=1e-6)
            assert change.ratio is not None
            assert change.ci_low <= change.ratio <= change.ci_high
        assert (row.direction == "worse") == (change.difference > 0)


@pytest.mark.parametrize("case", CASES)
def test_nothing_is_both_found_and_too_small_to_detect(case: str) -> None:
    document = document_of(*CASES[case])
    found = {row.subject for row in document.findings if row.is_significant}
    assert not found & {each.subject for each in document.minimum_detectable_effects}
    if TOTAL_CHANGE.search(document.headline.sentence):
        assert TOTAL not in {each.subject for each in document.minimum_detectable_effects}
        assert document.headline.minimum_detectable_effect is None


@pytest.mark.parametrize("case", CASES)
def test_the_command_line_prints_the_same_sentences(case: str) -> None:
    document = document_of(*CASES[case])
    printed = " ".join(format_comparison(document, color=False).split())
    for sentence in (document.headline.sentence, *(row.sentence for row in document.findings)):
        assert " ".join(sentence.split()) in printed


def test_equal_sides_are_bounded_and_not_called_inconclusive() -> None:
    document = document_of(*CASES["equal"])
    limit = LIMIT.search(document.headline.sentence)
    assert document.verdict == "unchanged"
    assert limit is not None
    assert document.headline.total is not None
    assert _largest_change(document.headline.total) == pytest.approx(float(limit["limit"]), abs=0.1)


def _largest_change(overall: TotalChange) -> float:
    return 100 * (max(1 / overall.ci_low, overall.ci_high) - 1)
