"""How the verdicts of several kinds become one."""

import itertools

import pytest

from slowpath.analysis.findings.combined_verdict import KindVerdict, combined_verdict, deciding_kinds
from slowpath.analysis.findings.findings import Verdict

SWAPPED: dict[Verdict, Verdict] = {
    "regressed": "improved",
    "improved": "regressed",
    "mixed": "mixed",
    "unchanged": "unchanged",
    "inconclusive": "inconclusive",
}


def cost(kind: str, verdict: Verdict, *, enough: bool = True) -> KindVerdict:
    return KindVerdict(kind, verdict, measures_cost=True, has_enough_data=enough)


def share(kind: str, verdict: Verdict, *, enough: bool = True) -> KindVerdict:
    return KindVerdict(kind, verdict, measures_cost=False, has_enough_data=enough)


@pytest.mark.parametrize(
    ("verdicts", "combined"),
    [
        ([], "inconclusive"),
        ([cost("cpu", "improved"), share("allocs", "regressed")], "improved"),
        ([share("mutex", "improved"), cost("traces", "regressed")], "regressed"),
        ([cost("cpu", "improved"), cost("traces", "regressed")], "mixed"),
        ([share("allocs", "improved"), share("mutex", "regressed")], "mixed"),
        ([cost("cpu", "unchanged"), share("allocs", "regressed")], "regressed"),
        ([cost("cpu", "mixed"), cost("traces", "improved")], "mixed"),
        ([cost("cpu", "improved"), cost("traces", "inconclusive")], "improved"),
        ([cost("cpu", "unchanged"), cost("traces", "inconclusive")], "inconclusive"),
        ([cost("cpu", "unchanged"), cost("traces", "inconclusive", enough=False)], "inconclusive"),
        ([cost("cpu", "unchanged"), share("allocs", "inconclusive")], "inconclusive"),
        ([cost("cpu", "unchanged"), share("heap", "inconclusive", enough=False)], "unchanged"),
        ([share("heap", "inconclusive", enough=False)], "inconclusive"),
        ([cost("cpu", "unchanged"), cost("benchmarks", "unchanged")], "unchanged"),
    ],
)
def test_verdicts_combine_by_what_they_measure(verdicts: list[KindVerdict], combined: Verdict) -> None:
    assert combined_verdict(verdicts) == combined
    assert combined_verdict(verdicts[::-1]) == combined


def test_swapped_sides_swap_the_combined_verdict() -> None:
    for first, second, third in itertools.product(SWAPPED, repeat=3):
        verdicts = [cost("cpu", first), cost("traces", second), share("allocs", third)]
        swapped = [cost("cpu", SWAPPED[first]), cost("traces", SWAPPED[second]), share("allocs", SWAPPED[third])]
        assert combined_verdict(swapped) == SWAPPED[combined_verdict(verdicts)]


def test_unchanged_never_outranks_inconclusive() -> None:
    for first, second in itertools.product(SWAPPED, repeat=2):
        if "inconclusive" in {first, second}:
            assert combined_verdict([cost("cpu", first), cost("traces", second)]) != "unchanged"


def test_the_deciding_kinds_bear_the_verdict() -> None:
    allocs, cpu, traces = share("allocs", "regressed"), cost("cpu", "improved"), cost("traces", "inconclusive")
    assert deciding_kinds([allocs, cpu, traces]) == [cpu]
    assert deciding_kinds([cost("cpu", "unchanged"), traces]) == [traces]
