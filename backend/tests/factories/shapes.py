"""Values of columns that only the features understand, for rows that are made up from the tables.

A feature whose endpoints read a JSON column, or a text with a meaning, says here what may stand in it.
"""

from typing import Any

from slowpath.analysis.metrics.chunks import Block, encode_block
from slowpath.analysis.metrics.samples import NOTHING, pack_tail

GROWTH_LOG = "growth-log"
"""The key of a decoded stack-growth log."""
SPANS = "spans"
"""The key of a decoded set of spans."""
PACKED = "packed"
"""The key of a blob that is sent as it lies: gzip."""

SHAPES: dict[str, dict[str, Any]] = {
    "api_token": {"scopes": ["read"]},
    "artifact": {"kind": "profile.cpu", "summary": None},
    "benchmark_output": {"units": [], "warnings": []},
    "commit": {"sha": 40 * "c", "parents": [], "files": [], "bumps": []},
    "commit_closure": {"problem": None},
    "commit_diff": {"content": None, "problem": None},
    "comparison": {"verdict": "regressed", "parts": {"traces": PACKED}, "windows": {}},
    "comparison_view": {
        "kind": "asked",
        "sample_type": "asked",
        "granularity": "package",
        "bases": [],
        "state": "waiting",  # so that no blob of it is read
    },
    "board_order": {"service_ids": []},
    "build": {"pull_request": {"number": 1, "url": None}, "facts": {}},
    "deploy": {"commits": [], "ended_at": None},
    "export": {"format": "csv", "kind": None, "media_type": "text/csv", "state": "done"},
    "growth_log": {"columns_key": GROWTH_LOG},
    "metric_chunk": {"content": encode_block(Block())},
    "metric_series": {"role": "gauge"},
    "metric_settings": {"retention_days": 30, "retained_at": None},
    "metric_source": {"last_import": None},
    "metric_tail": {"content": pack_tail(NOTHING), "samples": 1},
    "repository": {"kind": "other", "problem": None, "heads": {}},
    "span_push": {"dialect": "json"},
    "span_set": {"columns_key": SPANS, "page_key": PACKED},
    "trace": {"page_key": PACKED, "tiles_key": PACKED, "tiles": {"1/1/1": [0, 1000]}, "duration_ns": 10**9},
    "upload": {"artifact_id": None, "build_id": None},
}


def problem(canary: str) -> dict[str, Any]:
    """Return what a column called `problem` holds."""
    return {"type": "urn:slowpath:refused", "title": canary, "detail": canary, "status": 422}
