"""Findings and results of comparisons, as values."""

import json
from typing import Any

from slowpath.analysis.comparison.comparison_document import FORMAT, ComparisonDocument, SideSummaries, SideSummary
from slowpath.analysis.findings.findings import Effect, Finding
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.formats.document_json import dump_document
from slowpath.analysis.kinds.profiles.verdict.profile_headline import ProfileHeadline

FINDING = Finding(
    kind="profile.function",
    profile_kind="cpu",
    subject="main.clone",
    direction="worse",
    base=1.0,
    candidate=2.0,
    unit="us/request",
    change=Effect(2.0, 1.0, 1.8, 2.2, 0.95, "ratio"),
    normalization="per_request",
    q_value=0.001,
    attributed_callers=(),
    contributions=(),
    is_significant=True,
    profiles_needed=None,
    mechanism="",
    advice="",
    sentence="main.clone takes more time.",
)
"""A significant finding that got worse: 2 µs per request instead of 1."""


def make_result(*findings: Finding, sentence: str = "main.clone takes more time.") -> ComparisonDocument:
    """Return the result of a comparison that regressed."""
    side = SideSummary((), 1, RunMetadata(), None)
    return ComparisonDocument(
        format=FORMAT,
        verdict="regressed",
        headline=ProfileHeadline(sentence, None, (), None),
        findings=findings,
        sides=SideSummaries(side, side),
        minimum_detectable_effects=(),
        cost_shifts=(),
        caveats=(),
        profile_kinds=(),
        artifact_kinds=(),
        views=(),
    )


def stored_result(*findings: Finding) -> dict[str, Any]:
    """Return the result of a comparison that regressed, as its row stores it."""
    stored: dict[str, Any] = json.loads(dump_document(make_result(*findings)))
    return stored
