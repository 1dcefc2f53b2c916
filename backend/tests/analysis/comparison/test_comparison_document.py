"""The JSON that people keep, and its headline."""

import json

from slowpath.analysis.comparison.comparison_document import to_json
from slowpath.analysis.findings.findings import Caveat
from tests.analysis.compare_helpers import compared
from tests.analysis.kinds.profiles.generated_profiles import artifact, runs, stacks

BASE = "main.main main.main main.main\na/x.A a/x.B runtime.mallocgc\n300 200 50"
FINDING = {
    "kind", "profile", "subject", "direction", "base", "candidate", "unit", "change", "basis", "quantile", "q_value", "payers",
    "by", "certain", "more_profiles", "mechanism", "advice", "sentence", "cost", "exclusive",
}  # fmt: skip


def test_a_regression_as_json() -> None:
    comparison = compared(runs(BASE), runs(BASE.replace("50", "250"), seed=2))
    document = json.loads(json.dumps(to_json(comparison, [Caveat("more", "One more.")]), allow_nan=False))
    assert document["format"] == "slowpath.comparison/1"
    assert document["verdict"] == "regressed"
    (finding,) = document["findings"]
    assert set(finding) == FINDING
    assert (finding["kind"], finding["subject"], finding["direction"]) == ("profile.category", "allocation", "worse")
    assert set(finding["change"]) == {"ratio", "difference", "low", "high", "confidence", "of"}
    assert finding["change"]["difference"] == finding["candidate"] - finding["base"]
    assert set(finding["payers"][0]) == {"function", "entry", "path", "difference"}
    assert [each["id"] for each in document["doubts"]] == ["consecutive", "more"]
    assert document["sides"]["base"]["runs"] == 8
    assert document["sides"]["base"]["facts"]["requests"] == 8000
    assert {"kind", "subject", "ratio"} == set(document["detectable"][0])
    assert document["headline"]["sentence"].startswith("Regressed: 36% more CPU per request (95% CI ")
    assert document["headline"]["overall"]["unit"] == "us/request"
    (kind,) = document["kinds"]
    assert set(kind["totals"]) == {"share", "per_second", "per_request"}
    assert kind["totals"]["share"]["base"] == 1


def test_headlines_of_silence() -> None:
    same = to_json(compared(runs(BASE, 10), runs(BASE, 10, seed=2)))
    assert same["headline"]["sentence"].startswith("Unchanged: no change of CPU per request larger than ")
    little = to_json(compared(runs(BASE.replace("00", "0"), 3), runs(BASE.replace("00", "0"), 3, seed=2)))
    assert "but the limit for unchanged is 10%; upload " in little["headline"]["sentence"]
    assert "Minimum detectable change of the total: " in little["headline"]["detectable"]


def test_a_headline_of_one_against_one() -> None:
    document = to_json(compared([artifact(stacks(BASE))], [artifact(stacks(BASE.replace("50", "950")))]))
    assert "likely, none is significant; upload " in document["headline"]["sentence"]


def test_nothing_in_common() -> None:
    heap = artifact(stacks(BASE), kind="heap", types=[("inuse_space", "bytes")], ticks=[1])
    document = to_json(compared([artifact(stacks(BASE))], [heap]))
    assert document["verdict"] == "inconclusive"
    assert document["headline"]["sentence"] == "Inconclusive: the two sides have no artifacts that can be compared."
    assert [doubt["id"] for doubt in document["doubts"]] == ["kind-missing"]


def test_facts_that_all_agree_on_are_told_and_others_left_out() -> None:
    comparison = compared(runs(BASE), runs(BASE, seed=2))
    facts = to_json(comparison)["sides"]["candidate"]["facts"]
    assert "run" not in facts
    assert facts["wall_ns"] == 80_000_000_000
