"""The JSON document of a comparison, and its headline."""

import json

from slowpath.analysis.comparison.comparison_document import make_comparison_document
from slowpath.analysis.findings.findings import Caveat
from slowpath.analysis.formats.document_json import dump_document
from tests.analysis.compare_helpers import compared
from tests.analysis.kinds.profiles.generated_profiles import artifact, runs, stacks

BASE = "main.main main.main main.main\na/x.A a/x.B runtime.mallocgc\n300 200 50"
FINDING = {
    "kind", "profile_kind", "subject", "direction", "base", "candidate", "unit", "change", "normalization", "quantile",
    "q_value", "attributed_callers", "contributions", "is_significant", "profiles_needed", "mechanism", "advice", "sentence",
    "cost_s_per_s", "exclusive_difference", "signature", "whole_difference",
}  # fmt: skip


def test_a_regression_as_json() -> None:
    comparison = compared(runs(BASE), runs(BASE.replace("50", "250"), seed=2))
    document = json.loads(dump_document(make_comparison_document(comparison, [Caveat("more", "One more.")])))
    assert document["format"] == "slowpath.comparison/2"
    assert document["verdict"] == "regressed"
    (finding,) = document["findings"]
    assert set(finding) == FINDING
    assert (finding["kind"], finding["subject"], finding["direction"]) == ("profile.category", "allocation", "worse")
    assert finding["signature"] == "profile.category:allocation"
    assert set(finding["change"]) == {"ratio", "difference", "ci_low", "ci_high", "confidence_level", "ci_of"}
    assert finding["change"]["difference"] == finding["candidate"] - finding["base"]
    assert set(finding["attributed_callers"][0]) == {"function", "entry", "path", "difference"}
    assert [each["id"] for each in document["caveats"]] == ["consecutive", "more"]
    assert document["sides"]["base"]["run_count"] == 8
    assert document["sides"]["base"]["run_metadata"]["requests"] == 8000
    assert {"kind", "subject", "ratio"} == set(document["minimum_detectable_effects"][0])
    assert document["headline"]["sentence"].startswith("Regressed: 36% more CPU per request (95% CI ")
    assert document["headline"]["total"]["unit"] == "us/request"
    (kind,) = document["profile_kinds"]
    assert set(kind["totals"]) == {"share", "per_second", "per_request"}
    assert kind["totals"]["share"]["base"] == 1


def test_headlines_without_findings() -> None:
    same = make_comparison_document(compared(runs(BASE, 10), runs(BASE, 10, seed=2)))
    assert same.headline.sentence.startswith("Unchanged: no change of CPU per request larger than ")
    little = make_comparison_document(
        compared(runs(BASE.replace("00", "0"), 3), runs(BASE.replace("00", "0"), 3, seed=2))
    )
    assert "but the limit for unchanged is 10%; record " in little.headline.sentence
    assert "Minimum detectable change of the total: " in (little.headline.minimum_detectable_effect or "")


def test_a_headline_of_one_against_one() -> None:
    document = make_comparison_document(
        compared([artifact(stacks(BASE))], [artifact(stacks(BASE.replace("50", "950")))])
    )
    assert "likely, none is significant; record " in document.headline.sentence


def test_nothing_in_common() -> None:
    heap = artifact(stacks(BASE), kind="heap", types=[("inuse_space", "bytes")], ticks=[1])
    document = make_comparison_document(compared([artifact(stacks(BASE))], [heap]))
    assert document.verdict == "inconclusive"
    assert document.headline.sentence == "Inconclusive: the two sides have no artifacts that can be compared."
    assert [caveat.id for caveat in document.caveats] == ["kind-missing"]


def test_common_metadata_is_shown_and_differing_is_left_out() -> None:
    comparison = compared(runs(BASE), runs(BASE, seed=2))
    metadata = make_comparison_document(comparison).sides.candidate.run_metadata
    assert metadata.run is None
    assert metadata.wall_ns == 80_000_000_000
