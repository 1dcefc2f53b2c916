"""Recorded results of comparisons are read in the current version of their format."""

import json
from pathlib import Path
from uuid import UUID

import numpy as np
import pytest

from slowpath.analysis.comparison.comparison_document import FORMAT
from slowpath.analysis.formats.column_file import read_columns, write_columns
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


FORMER_DASHBOARD = {
    "format": "slowpath.board", "format_version": 1, "order_source": "hand", "against": None,
    "against_why": "No deployment.", "deploys": [{"verdict": "cannot-tell", "check": {"doubts": [{"id": "few-requests"}]}}],
    "rows": [{"gaps": [{"why": "no samples"}], "latency": {"why": None}, "requests": {"why": "why"}}],
    "changes": [{"deploy_id": "1", "low_ms": 2, "high_ms": 3, "follows_service_id": None, "cause": "deploy"}],
    "headline": {"deploy_id": "1"}, "empty": {"why": "No samples in this time range."},
}  # fmt: skip
UPGRADED_DASHBOARD = {
    "format": "slowpath.board", "format_version": 1, "order_source": "manual", "time_shift": None,
    "time_shift_reason": "No deployment.",
    "deployments": [{"verdict": "inconclusive", "check": {"caveats": [{"id": "few-requests"}]}}],
    "rows": [{"gaps": [{"reason": "no samples"}], "latency": {"reason": None}, "requests": {"reason": "why"}}],
    "changes": [{
        "deployment_id": "1", "earliest_ms": 2, "latest_ms": 3, "upstream_cause_service_id": None, "cause": "deployment",
    }],
    "headline": {"deployment_id": "1"}, "empty": {"reason": "No samples in this time range."},
}  # fmt: skip


@pytest.mark.parametrize("request_path", ["/dashboard", "/dashboard?environment_id=1&hours=4"])
def test_the_header_of_a_former_dashboard_is_read_under_the_present_names(request_path: str) -> None:
    arrays = {"r0_qps_2xx": np.array([1.5, 2.5], dtype=np.float32)}
    upgraded = upgrade_response(request_path, write_columns(FORMER_DASHBOARD, arrays))
    file = read_columns(upgraded, "slowpath.board")
    assert {name: value for name, value in file.header.items() if name != "columns"} == UPGRADED_DASHBOARD
    assert file.column("r0_qps_2xx", "f32").tolist() == [1.5, 2.5]
    assert upgrade_response(request_path, upgraded) is upgraded
    assert upgrade_response(request_path, b"canary") == b"canary"


@pytest.mark.parametrize("path", ["chunks/first", "chunks/functions", "nodes/12"])
def test_the_header_of_a_former_diff_view_is_read_under_the_present_names(path: str) -> None:
    former = write_columns({"format": "slowpath.diff", "bases": [{"id": "share"}], "default_basis": "share"}, {})
    upgraded = upgrade_response(f"{REQUEST}/views/{UUID(int=2)}/{path}", former)
    assert upgraded == write_columns(
        {"format": "slowpath.diff", "normalizations": [{"id": "share"}], "default_normalization": "share"}, {}
    )
