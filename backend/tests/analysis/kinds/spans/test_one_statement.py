"""Sentences of findings on spans and rows of the page have the same numbers."""

from dataclasses import replace

import pytest

from slowpath.analysis.findings.wording import format_duration
from tests.analysis.documents import as_json
from tests.analysis.kinds.spans.compare_helpers import compared
from tests.analysis.kinds.spans.generated_spans import MS, Service
from tests.analysis.kinds.spans.test_compare_spans import USUAL, sets

NAMES = {0.5: "p50", 0.9: "p90", 0.99: "p99"}


@pytest.mark.parametrize("slow", [replace(USUAL, gap_ns=3 * MS, gap_sigma=0.8), replace(USUAL, gap_ns=12 * MS)])
def test_gap_findings_and_rows_agree_at_every_quantile(slow: Service) -> None:
    for base, candidate in ((USUAL, slow), (slow, USUAL)):
        found = compared(sets(base, 3, 1), sets(candidate, 3, 2))
        rows = {row["edge"]: row for row in as_json(found.page())["gaps"]}
        gaps = [each for each in found.findings if each.kind == "spans.gap" and each.quantile is not None]
        assert gaps
        for finding in gaps:
            row, name = rows[finding.subject], NAMES[finding.quantile or 0.0]
            shown = tuple(row[side][f"{name}_ns"] for side in ("base", "candidate"))
            assert (finding.base, finding.candidate) == pytest.approx(shown)
            assert finding.change.ratio == pytest.approx(row["changes"][name]["ratio"])
            per_request = [row[side]["per_request_ns"] for side in ("candidate", "base")]
            text = f"on average it takes {format_duration(per_request[0])} of the request instead of {format_duration(per_request[1])}"
            assert text in finding.sentence
        for row in rows.values():
            for name, change in (row["changes"] or {}).items():
                if change is not None:
                    ratio = row["candidate"][f"{name}_ns"] / row["base"][f"{name}_ns"]
                    assert change["ratio"] == pytest.approx(ratio, rel=1e-6)
                    assert change["low"] <= change["ratio"] <= change["high"]


def test_where_gaps_moved_both_ways_the_time_of_the_request_decides() -> None:
    one = replace(USUAL, gap_ns=6 * MS, calls=2)
    other = replace(USUAL, gap_ns=USUAL.gap_ns, calls=5)
    forth, back = compared(sets(one, 3, 1), sets(other, 3, 2)), compared(sets(other, 3, 2), sets(one, 3, 1))
    opposite = {"regressed": "improved", "improved": "regressed", "mixed": "mixed"}
    assert back.verdict == opposite[forth.verdict]
