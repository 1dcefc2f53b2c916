"""Documented regressions of public modules: the first finding and the headline name the cause, both ways."""

import json
from pathlib import Path

import pytest

from slowpath.analysis.comparison.comparison_document import make_comparison_document
from slowpath.analysis.findings import wording
from tests.analysis.compare_helpers import compared
from tests.analysis.kinds.profiles.test_verdict_corpus import ROOT, cpu_profiles

FOLDER = ROOT / "e2e" / "bench" / "testdata" / "public_regressions"
REGRESSIONS = sorted(path.parent.name for path in FOLDER.glob("*/manifest.json"))


@pytest.mark.parametrize("name", REGRESSIONS)
def test_the_first_finding_names_the_cause(name: str, tmp_path: Path) -> None:
    guilty = json.loads((FOLDER / name / "manifest.json").read_text(encoding="utf-8"))["guilty"]
    good, bad = (cpu_profiles(FOLDER / name / each, tmp_path) for each in ("good", "bad"))
    for base, candidate, verdict, direction in ((good, bad, "regressed", "worse"), (bad, good, "improved", "better")):
        comparison = compared(base, candidate)
        assert comparison.verdict == verdict
        first = comparison.findings[0]
        assert first.direction == direction
        named = first.attributed_callers[0].function if first.kind == "profile.category" else first.subject
        assert named in guilty
        categories = [each for each in comparison.findings if each.kind == "profile.category"]
        assert all(bool(each.advice) == (each.direction == "worse") for each in categories)  # nothing to fix otherwise
        assert wording.function(named) in make_comparison_document(comparison).headline.sentence


def test_there_are_three() -> None:
    assert len(REGRESSIONS) >= 3
