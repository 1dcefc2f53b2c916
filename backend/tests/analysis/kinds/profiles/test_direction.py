"""The direction of the verdict: net change, contradiction by the total, bounds, and swapped sides."""

from typing import Any

import numpy as np
import pytest

from slowpath.analysis.comparison.comparison_document import make_comparison_document
from slowpath.analysis.findings.findings import Verdict
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.units import Nanoseconds
from tests.analysis.compare_helpers import compared
from tests.analysis.kinds.profiles.generated_profiles import SECOND, artifact, runs, stacks, with_cpu

OPPOSITE: dict[Verdict, Verdict] = {
    "regressed": "improved",
    "improved": "regressed",
    "mixed": "mixed",
    "unchanged": "unchanged",
    "inconclusive": "inconclusive",
}
FLAT = "main.main main.main main.main\na/x.A a/x.B a/x.C\n{} {} {}"


def sides(
    base: tuple[int, int, int],
    candidate: tuple[int, int, int],
    count: int = 10,
    **options: Any,  # noqa: ANN401 - header fields of any kind are passed on to the file
) -> tuple[list[ProfileArtifact], list[ProfileArtifact]]:
    return runs(FLAT.format(*base), count, **options), runs(FLAT.format(*candidate), count, seed=2, **options)


def as_shares(side: list[ProfileArtifact]) -> list[ProfileArtifact]:
    return [ProfileArtifact(each.name, each.table, RunMetadata(run=each.facts.run)) for each in side]


@pytest.mark.parametrize(
    ("base", "candidate", "verdict"),
    [
        ((400, 200, 200), (400, 200, 200), "unchanged"),
        ((400, 200, 200), (400, 300, 200), "regressed"),
        ((400, 30, 200), (100, 60, 200), "improved"),  # one got worse, the net is what counts
        ((100, 60, 200), (400, 30, 200), "regressed"),
        ((400, 200, 800), (200, 400, 800), "mixed"),
        ((40, 20, 20), (40, 20, 20), "inconclusive"),
    ],
)
def test_the_net_change_decides_and_swapped_sides_give_the_opposite(
    base: tuple[int, int, int], candidate: tuple[int, int, int], verdict: Verdict
) -> None:
    count = 10 if base[0] > 40 else 3
    one, other = sides(base, candidate, count)
    assert compared(one, other).verdict == verdict
    assert compared(other, one).verdict == OPPOSITE[verdict]


@pytest.mark.parametrize(
    ("base", "candidate", "verdict"),
    [
        ((400, 200, 800), (400, 400, 800), "regressed"),
        ((400, 200, 800), (100, 260, 800), "improved"),
        ((400, 200, 1600), (200, 400, 1600), "mixed"),
    ],
)
def test_the_net_change_of_shares(
    base: tuple[int, int, int], candidate: tuple[int, int, int], verdict: Verdict
) -> None:
    one, other = (as_shares(side) for side in sides(base, candidate, requests=None, duration_ns=0))
    assert compared(one, other).verdict == verdict
    assert compared(other, one).verdict == OPPOSITE[verdict]


def test_a_mixed_headline_has_both_amounts() -> None:
    headline = make_comparison_document(compared(*sides((400, 200, 800), (200, 400, 800)))).headline.sentence
    assert headline.startswith("Mixed: x.B +")
    assert ", x.A −" in headline
    assert headline.endswith(" per request.")


def noisy_total(*, vanished: bool, seed: int) -> list[ProfileArtifact]:
    """Return profiles whose total varies between runs by a fifth, with a small function that is there or not."""
    rng = np.random.default_rng(seed)
    made = []
    for number in range(10):
        scale = (0.7 + 0.06 * number) * (1.1 if vanished else 1)
        drawn = stacks(FLAT.format(2000, 0 if vanished else 60, 900))
        samples = [(stack, float(rng.poisson(mean * (scale if stack[-1] != "a/x.B" else 1)))) for stack, mean in drawn]
        facts = RunMetadata(run=f"{seed}/{number}", requests=1_000, wall_ns=Nanoseconds(10 * SECOND))
        made.append(artifact(samples, f"cpu.{number:02}.pb.gz", facts))
    return made


def test_a_function_that_vanished_while_the_total_did_not_fall_is_no_improvement() -> None:
    base, candidate = noisy_total(vanished=False, seed=3), noisy_total(vanished=True, seed=8)
    forward = compared(base, candidate)
    document = make_comparison_document(forward)
    assert {(each.subject, each.direction) for each in forward.findings if each.is_significant} == {("a/x.B", "better")}
    assert document.headline.total is not None
    assert (document.headline.total.ratio or 0) > 1
    assert forward.verdict == "inconclusive"
    assert "but the total did not fall (×1." in document.headline.sentence
    backward = compared(candidate, base)
    assert backward.verdict == "inconclusive"
    assert "but the total did not rise (×0." in make_comparison_document(backward).headline.sentence


def test_unchanged_states_its_bound_and_inconclusive_what_settles_it() -> None:
    same = make_comparison_document(compared(*sides((400, 200, 200), (400, 200, 200))))
    bound = float(same.headline.sentence.rpartition(" ")[2].rstrip("%."))
    overall = same.headline.total
    assert same.verdict == "unchanged"
    assert overall is not None
    assert bound == pytest.approx(100 * (max(overall.ci_high, 1 / overall.ci_low) - 1), abs=0.01)
    assert bound <= 10
    wide = make_comparison_document(compared(*sides((40, 20, 20), (40, 20, 20), 3))).headline.sentence
    assert wide.startswith("Inconclusive: no change of CPU per request larger than ")
    assert "per side for a conclusive result" in wide


def test_many_small_findings_one_way_do_not_hide_those_the_other_way() -> None:
    """More functions regressed than findings are shown; the improvements still count, on swapped sides alike."""
    names = " ".join(f"a/x{number}.F" for number in range(20))
    drawing = "main.main " * 20 + f"\n{names}\n"
    base = drawing + " ".join(["200"] * 14 + ["900"] * 6)
    candidate = drawing + " ".join(["300"] * 14 + ["300"] * 6)
    forward, backward = compared(runs(base), runs(candidate, seed=2)), compared(runs(candidate, seed=2), runs(base))
    assert (forward.verdict, backward.verdict) == ("improved", "regressed")
    assert {each.subject for each in forward.findings} == {each.subject for each in backward.findings}


@pytest.mark.parametrize("seed", range(16))
def test_swapped_sides_give_the_opposite_verdict_on_generated_cases(seed: int) -> None:
    rng = np.random.default_rng(seed)
    before = rng.integers(20, 600, 5)
    after = before * rng.choice([0.0, 0.5, 1.0, 1.0, 1.5, 3.0], 5)
    tree = "main.main main.main a/y.Loop main.main a/y.Loop\na/x.A a/x.B a/x.C a/x.A a/y.D\n. . . a/x.E .\n"
    options = {} if seed % 2 else {"requests": None, "duration_ns": 0}
    one = runs(tree + " ".join(str(int(each)) for each in before), 8, seed=seed, **options)
    other = runs(tree + " ".join(str(int(each)) for each in after), 8, seed=seed + 100, **options)
    if not seed % 2:
        one, other = as_shares(one), as_shares(other)
    forward, backward = compared(one, other), compared(other, one)
    assert backward.verdict == OPPOSITE[forward.verdict]
    assert {frozenset({m.from_function, m.to_function}) for m in forward.cost_shifts} == {
        frozenset({m.from_function, m.to_function}) for m in backward.cost_shifts
    }
    assert sorted(m.amount for m in forward.cost_shifts) == pytest.approx(
        sorted(m.amount for m in backward.cost_shifts)
    )
    for comparison in (forward, backward):
        assert make_comparison_document(comparison).headline.sentence.startswith(comparison.verdict.capitalize())


def test_a_function_that_fell_while_an_exact_total_did_not_is_no_improvement() -> None:
    """What compensates it is spread over many functions, each too small for a finding: only the total shows it."""
    names = " ".join(f"a/x{number}.F" for number in range(40))
    drawing = "main.main " * 41 + f"\na/x.A {names}\n"
    base = with_cpu(runs(drawing + " ".join(["400", *["100"] * 40])), 4_400)
    candidate = with_cpu(runs(drawing + " ".join(["200", *["105"] * 40]), seed=2), 4_399)
    for one, other in ((base, candidate), (candidate, base)):
        comparison = compared(one, other)
        assert {each.subject for each in comparison.findings if each.is_significant} == {"a/x.A"}
        assert comparison.verdict == "inconclusive"
        headline = make_comparison_document(comparison).headline.sentence
        assert "but the total" in headline
