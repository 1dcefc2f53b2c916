"""What a comparison could conclude, before it is computed: against the comparison itself."""

import numpy as np
import pytest

from slowpath.analysis.comparison.expected_effects import (
    Dispersion,
    EvidenceSide,
    conclude,
    format_change,
    noise_model,
)
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.registry import compared_ids
from slowpath.units import Nanoseconds
from tests.analysis.kinds.profiles.compare_helpers import compared
from tests.analysis.kinds.profiles.generated_profiles import SECOND, table

COSTS = (1500, 1000, 800, 400, 200, 100)
"""Ticks of the functions of a profile."""


def side(count: int, samples: int | None = None) -> EvidenceSide:
    return EvidenceSide(count, count, samples)


def detectable(kind: str, base: EvidenceSide, candidate: EvidenceSide, history: Dispersion | None = None) -> float:
    model = noise_model(kind)
    assert model is not None
    found = model.with_history(history).detectable(base, candidate)
    assert found is not None
    return found


def test_every_compared_kind_has_a_model() -> None:
    assert all(noise_model(kind) for kind in compared_ids())
    assert noise_model("binary") is None
    assert conclude("binary", side(1), side(1), None, is_explained=False) is None


@pytest.mark.parametrize("kind", compared_ids())
def test_more_replicates_detect_less(kind: str) -> None:
    known = Dispersion(0.1, 8)
    ratios = [detectable(kind, side(count), side(count), known) for count in (2, 4, 8, 16, 32)]
    assert ratios == sorted(ratios, reverse=True)
    assert ratios[0] > ratios[-1] > 1
    assert detectable(kind, side(2), side(32), known) > ratios[-1]


def test_measured_dispersion_replaces_the_prior_by_degrees_of_freedom() -> None:
    prior = detectable("profile.cpu", side(8), side(8))
    noisy = [detectable("profile.cpu", side(8), side(8), Dispersion(0.2, df)) for df in (1, 10, 100)]
    assert prior < noisy[0] < noisy[1] < noisy[2]
    calm = detectable("profile.cpu", side(8), side(8), Dispersion(0.001, 1000))
    assert calm < prior


def test_few_samples_limit_what_is_detectable() -> None:
    many, few = (detectable("profile.cpu", side(8, samples), side(8, samples)) for samples in (80_000, 400))
    assert few > 1.15 > many


def test_the_detectable_ratio_is_found_with_the_stated_power() -> None:
    """Simulate sides with the prior's variation: a t-test finds the ratio about as often as the power."""
    count, kind = 8, "profile.cpu"
    model = noise_model(kind)
    assert model is not None
    assert model.prior_cv is not None
    ratio = detectable(kind, side(count), side(count))
    rng = np.random.default_rng(1)
    base = rng.normal(0, model.prior_cv, (4000, count))
    candidate = rng.normal(np.log(ratio), model.prior_cv, (4000, count))
    own = (base.var(axis=1, ddof=1) + candidate.var(axis=1, ddof=1)) * (count - 1)
    df = model.prior_df + 2 * count - 2
    moderated = (model.prior_df * model.prior_cv**2 + own) / df
    score = (candidate.mean(axis=1) - base.mean(axis=1)) / np.sqrt(2 * moderated / count)
    assert model.confidence == 0.997
    found = float(np.mean(score >= 3.35))  # the two-sided 0.3% quantile of t with 19 degrees of freedom
    assert 0.72 <= found <= 0.9


def test_states_sentences_and_advice() -> None:
    def of(
        kind: str, base: EvidenceSide, candidate: EvidenceSide, *, is_explained: bool = False
    ) -> tuple[str, str | None]:
        found = conclude(kind, base, candidate, None, is_explained=is_explained)
        assert found is not None
        return found.state, found.improvement

    assert of("profile.cpu", side(0), side(3)) == ("not-compared", "Record 4 CPU profiles of the base.")
    assert of("trace", side(3), side(0)) == ("not-compared", "Record 2 execution traces of the candidate.")
    assert of("profile.cpu", side(1), side(1)) == ("tentative", "Record 1 more CPU profile per side.")
    assert of("profile.heap", side(2), side(1)) == (
        "tentative",
        "Record 2 more heap profiles of the base and 3 of the candidate.",
    )
    assert of("profile.cpu", side(9), side(9)) == ("conclusive", None)
    assert of("profile.cpu", side(9), side(9), is_explained=True)[0] == "tentative"
    assert of("profile.heap", side(4), side(4)) == ("tentative", None)
    noisy = conclude("profile.heap", side(4), side(4), Dispersion(0.1, 30), is_explained=False)
    assert noisy is not None
    assert noisy.state == "conclusive"
    assert noisy.sentence.startswith("4 heap profiles in base, 4 in candidate: only a change of the total by ")
    assert noisy.improvement is not None
    assert noisy.improvement.endswith(" heap profiles per side to find changes from 10.0%.")


def test_the_estimate_is_near_that_of_the_comparison() -> None:
    """Compare CPU profiles in turns with the usual variation: the comparison states about the same ratio."""
    rng = np.random.default_rng(0)
    for count in (4, 8, 16):
        profiles = [
            ProfileArtifact(
                f"{number}",
                table(
                    [(("main.main", f"app.f{row}"), float(value)) for row, value in enumerate(rng.poisson(COSTS))],
                    time_ns=Nanoseconds(1_700_000_000 * SECOND + number * 60 * SECOND),
                ),
                RunMetadata(requests=10_000, wall_ns=Nanoseconds(10 * SECOND)),
            )
            for number in range(2 * count)
        ]
        effects = compared(profiles[::2], profiles[1::2]).detectable
        stated = next(each.ratio for each in effects if each.subject == "total")
        assert stated is not None
        estimated = detectable("profile.cpu", side(count, sum(COSTS) * count), side(count, sum(COSTS) * count))
        assert 0.5 <= np.log(estimated) / np.log(stated) <= 2, (count, estimated, stated)


def test_benchmarks_are_conclusive_once_their_variation_is_known() -> None:
    unknown = conclude("bench", EvidenceSide(1, 10, 100), EvidenceSide(1, 10, 100), None, is_explained=False)
    assert unknown is not None
    assert (unknown.state, unknown.minimum_detectable_ratio) == ("tentative", None)
    known = conclude(
        "bench", EvidenceSide(1, 10, 100), EvidenceSide(1, 10, 100), Dispersion(0.02, 40), is_explained=False
    )
    assert known is not None
    assert known.minimum_detectable_ratio is not None
    assert (known.state, 1.01 < known.minimum_detectable_ratio < 1.06) == ("conclusive", True)
    few = conclude("bench", EvidenceSide(1, 2, 20), EvidenceSide(1, 10, 100), None, is_explained=False)
    assert few is not None
    assert few.improvement == "Run the benchmarks of the base with -count 10."


def test_changes_are_formatted_as_percent_or_factor() -> None:
    assert [format_change(ratio) for ratio in (1.041, 1.35, 3.2)] == ["4.10%", "35.0%", "×3.20"]
