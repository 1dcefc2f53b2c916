"""What something else than the code explains is not significant; what it does not explain still is."""

from dataclasses import replace

import numpy as np
import pytest

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.verdict.compare_profiles import ProfileComparison
from tests.analysis.kinds.profiles.compare_helpers import compared
from tests.analysis.kinds.profiles.generated_profiles import SECOND, artifact, at_times, runs, stacks, with_cpu

NAMES = [f"a/x{number}.F" for number in range(12)]


def drawing(counts: list[float]) -> str:
    return "\n".join(
        ["main.main " * len(counts), " ".join(NAMES[: len(counts)]), " ".join(str(round(n)) for n in counts)]
    )


def side(seed: int, counts: list[float], *, begin: float = 10, **options: object) -> list[ProfileArtifact]:
    return at_times(runs(drawing(counts), 8, seed=seed, **options), begin)  # type: ignore[arg-type]


def knowing(profiles: list[ProfileArtifact], **facts: object) -> list[ProfileArtifact]:
    return [replace(each, facts=replace(each.facts, **facts)) for each in profiles]  # type: ignore[arg-type]


def explaining(comparison: ProfileComparison) -> set[str]:
    return {caveat.id for caveat in comparison.caveats if caveat.explains_effect}


EVEN = [100.0] * 12
ONE_MORE = [160.0, *EVEN[1:]]
ALL_MORE = [130.0] * 12


def test_a_function_that_grew_is_significant() -> None:
    found = compared(with_cpu(side(1, EVEN)), with_cpu(side(2, ONE_MORE, begin=20)))
    assert (found.verdict, found.findings[0].subject, found.findings[0].is_significant) == ("regressed", NAMES[0], True)
    assert explaining(found) == set()


def test_profiles_of_one_binary_have_no_significant_finding() -> None:
    base, candidate = side(1, EVEN), side(2, ONE_MORE, begin=20)
    same = compared(knowing(base, build_id="b"), knowing(candidate, build_id="b"))
    assert same.verdict == "inconclusive"
    assert not any(finding.is_significant for finding in same.findings)
    assert "same-build" in explaining(same)
    other = compared(knowing(base, build_id="b", commit="c"), knowing(candidate, build_id="d", commit="c"))
    assert other.verdict == "regressed"


def test_one_binary_without_a_change_is_still_unchanged() -> None:
    base, candidate = with_cpu(side(1, EVEN)), with_cpu(side(2, EVEN, begin=20))
    assert compared(knowing(base, build_id="b"), knowing(candidate, build_id="b")).verdict == "unchanged"


def test_a_change_of_all_functions_is_the_machine_unless_the_process_total_differs() -> None:
    base, candidate = side(1, EVEN), side(2, ALL_MORE, begin=20)
    guessed = compared(base, candidate)
    assert (guessed.verdict, guessed.findings) == ("inconclusive", ())
    assert "×1.29" in {caveat.id: caveat.sentence for caveat in guessed.caveats}["common-factor"]
    assert "common-factor" in explaining(guessed)
    measured = compared(with_cpu(base), with_cpu(candidate))
    assert [finding.subject for finding in measured.findings] == ["total"]
    assert measured.verdict == "regressed"


def test_a_slow_machine_does_not_hide_what_grew_beyond_it() -> None:
    slow = [number * 1.15 for number in ONE_MORE]
    found = compared(side(1, EVEN), side(2, slow, begin=20))
    assert NAMES[0] in {finding.subject for finding in found.findings}
    assert not {finding.subject for finding in found.findings} & set(NAMES[1:])


def test_one_function_that_is_most_of_the_program_is_not_nearly_everything() -> None:
    # The others went both ways, and are too few samples each to say anything.
    base = [900.0, *[26.0] * 7, *[20.0] * 4]
    candidate = [1125.0, *[20.0] * 7, *[26.0] * 4]
    found = compared(side(1, base), side(2, candidate, begin=20))
    assert "common-factor" not in {caveat.id for caveat in found.caveats}
    assert found.findings[0].subject == NAMES[0]


def test_the_total_is_that_of_the_process() -> None:
    found = compared(with_cpu(side(1, EVEN), samples=1250), with_cpu(side(2, EVEN, begin=20), samples=1500))
    total = found.kinds[0].comparison.categories.estimates
    assert float(total.ratio[-1]) == pytest.approx(1.2)


def test_a_change_within_the_difference_of_coverage_is_not_significant() -> None:
    base = with_cpu(side(1, EVEN), samples=1400)
    more = [number * 1.25 for number in EVEN]
    found = compared(base, with_cpu(side(2, more, begin=20), samples=1550))
    assert found.verdict == "inconclusive"
    assert not any(finding.is_significant for finding in found.findings)
    assert "coverage" in explaining(found)


def test_work_in_step_with_the_clock_is_not_significant() -> None:
    def striding(counts: list[int], seed: int, begin: int) -> list[ProfileArtifact]:
        return [
            artifact(
                stacks(drawing([count, *EVEN[1:]])),
                facts=RunMetadata(run=f"{seed}/{i}", requests=1000),
                time_ns=(begin + 20 * i) * SECOND,
            )
            for i, count in enumerate(counts)
        ]

    low, high = [5, 10, 8, 200, 5, 12, 9, 6], [220, 190, 230, 210, 60, 200, 240, 215]
    found = compared(striding(low, 1, 10), striding(high, 2, 20))
    assert NAMES[0] not in {finding.subject for finding in found.findings}
    assert "overdispersed" in explaining(found)
    assert "x0.F" in {caveat.id: caveat.sentence for caveat in found.caveats}["overdispersed"]


def test_requests_in_step_with_the_clock_widen_the_interval() -> None:
    """At 50 requests a second, samples of a 100 Hz clock look like chance within a side, and drift between sides."""
    turns = compared(side(1, EVEN, requests=500), side(2, ONE_MORE, begin=20, requests=500))
    blocks = compared(side(1, EVEN, requests=500), side(2, ONE_MORE, begin=170, requests=500))
    uneven = compared(side(1, EVEN, requests=770), side(2, ONE_MORE, begin=170, requests=770))
    assert [each.verdict for each in (turns, blocks, uneven)] == ["regressed", "inconclusive", "regressed"]
    assert "in-step" in {caveat.id for caveat in blocks.caveats}
    assert "in-step" not in {caveat.id for caveat in uneven.caveats}


def test_a_drift_within_a_side_as_large_as_the_difference_explains_it() -> None:
    def drifting(first: int, begin: int) -> list[ProfileArtifact]:
        rng = np.random.default_rng(begin)
        return [
            artifact(
                stacks(drawing([rng.poisson(100 + first + 10 * i), *EVEN[1:]])),
                facts=RunMetadata(run=f"{begin}/{i}", requests=1000),
                time_ns=(begin + 20 * i) * SECOND,
            )
            for i in range(8)
        ]

    after = compared(drifting(0, 10), drifting(80, 170))
    assert not any(finding.is_significant for finding in after.findings)


def test_few_captures_of_two_processes_widen_the_interval() -> None:
    base, candidate = with_cpu(side(1, EVEN)), with_cpu(side(2, EVEN, begin=20))
    many = compared(base, candidate).kinds[0].comparison.categories.estimates
    two = compared(knowing(base, run="a"), knowing(candidate, run="b")).kinds[0].comparison.categories.estimates
    one = compared(knowing(base, run="a"), knowing(candidate, run="a")).kinds[0].comparison.categories.estimates
    assert float(two.log_error[-1]) > float(many.log_error[-1])
    assert float(one.log_error[-1]) == pytest.approx(float(many.log_error[-1]))


def test_a_function_that_changed_no_more_than_others_scatter_is_not_significant() -> None:
    """A new process, or data that grew: many functions change, each by a factor of its own."""
    scattered = [250.0, 40.0, 210.0, 55.0, 100.0, 160.0, 60.0, 110.0, 240.0, 45.0, 90.0, 120.0]
    alone = [250.0, *EVEN[1:]]
    later = compared(side(1, EVEN), side(2, scattered, begin=170))
    assert not any(finding.is_significant and finding.subject in NAMES for finding in later.findings)
    assert later.verdict == "inconclusive"
    in_turns = compared(side(1, EVEN), side(2, scattered, begin=20))
    assert NAMES[0] in {finding.subject for finding in in_turns.findings if finding.is_significant}
    changed = compared(side(1, EVEN), side(2, alone, begin=170))
    assert NAMES[0] in {finding.subject for finding in changed.findings if finding.is_significant}


@pytest.mark.parametrize(("counts", "significant"), [([160.0, *[140.0] * 11], False), ([60.0, *[140.0] * 11], True)])
def test_a_change_within_the_difference_of_load_is_not_significant(counts: list[float], significant: bool) -> None:
    """Work that is done per second costs a request less when there are more of them."""
    found = compared(side(1, ONE_MORE, requests=1_000), side(2, counts, begin=20, requests=1_400))
    assert (NAMES[0] in {finding.subject for finding in found.findings if finding.is_significant}) is significant
    assert "load" in explaining(found)
    assert "less than ×1.4" in {caveat.id: caveat.sentence for caveat in found.caveats}["load"]
