"""Recorded results of comparisons are read in the current version of their format."""

import json
from pathlib import Path
from uuid import UUID

import pytest

from slowpath.analysis.comparison.comparison_document import FORMAT
from slowpath.sharing.reports.service.recorded_versions import upgrade_response
from tests.factories.findings import FINDING, stored_result

TESTDATA = Path(__file__).parents[2] / "analysis" / "comparison" / "testdata"
STORED = json.loads((TESTDATA / "comparison-1.json").read_text("utf-8"))
REQUEST = f"/comparisons/{UUID(int=1)}"


def test_a_result_of_version_1_is_upgraded_and_nothing_else_changes() -> None:
    body = json.loads(upgrade_response(REQUEST, json.dumps({"name": "a against b", "result": STORED}).encode()))
    assert body["name"] == "a against b"
    assert body["result"]["format"] == FORMAT
    assert len(body["result"]["caveats"]) == len(STORED["doubts"])


@pytest.mark.parametrize(
    ("request_path", "body"),
    [
        (REQUEST, {"result": stored_result(FINDING)}),
        (REQUEST, {"result": None}),
        (REQUEST, []),
        (f"{REQUEST}/parts/traces", {"result": STORED}),
        ("/comparisons", {"result": STORED}),
    ],
)
def test_other_bodies_are_returned_as_they_are(request_path: str, body: object) -> None:
    content = json.dumps(body).encode()
    assert upgrade_response(request_path, content) is content


GAP = {"format": "slowpath.gap-explanation/1", "basis": "nobody", "doubts": []}
UPGRADED_GAP = {"format": "slowpath.gap-explanation/2", "basis": "no-goroutine", "caveats": []}


@pytest.mark.parametrize(
    ("request_path", "body", "upgraded"),
    [
        (
            f"/gap-explanations/{UUID(int=1)}",
            {"state": "done", "document": GAP},
            {"state": "done", "document": UPGRADED_GAP},
        ),
        (
            f"/span-sets/{UUID(int=1)}/traces/0a/gap-explanations",
            [{"document": None}, {"document": GAP}],
            [{"document": None}, {"document": UPGRADED_GAP}],
        ),
        (
            f"/execution-traces/{UUID(int=1)}",
            {"format": "slowpath.trace-comparison/1", "blame": []},
            {"format": "slowpath.trace-comparison/2", "occupancy": []},
        ),
        (
            f"{REQUEST}/results/growth",
            {"format": "slowpath.growth-comparison/1", "basis": "count"},
            {"format": "slowpath.growth-comparison/2", "normalization": "count"},
        ),
    ],
)
def test_pages_and_gap_explanations_of_version_1_are_upgraded(
    request_path: str, body: object, upgraded: object
) -> None:
    assert json.loads(upgrade_response(request_path, json.dumps(body).encode())) == upgraded
