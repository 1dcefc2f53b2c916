"""Snapshots that were recorded under former names of the API are read under the present ones."""

import json
from uuid import UUID

import pytest

from slowpath.sharing.reports.service.former_snapshots import present_request, present_response

ID = str(UUID(int=7))


@pytest.mark.parametrize(
    ("former", "present"),
    [
        ("/board?against=week&from=1&seen_ms=3", "/dashboard?from=1&known_until_ms=3&time_shift=week"),
        (f"/builds/{ID}/judgement", f"/builds/{ID}/verdict"),
        ("/changes?from=1", "/metric-change-points?from=1"),
        (f"/comparisons/{ID}/parts/traces", f"/comparisons/{ID}/results/traces"),
        (f"/comparisons/{ID}/views/{ID}/first", f"/comparisons/{ID}/views/{ID}/chunks/first"),
        (f"/comparisons/{ID}/views/{ID}/search?q=x", f"/comparisons/{ID}/views/{ID}/search?q=x"),
        (f"/deploys/{ID}/check", f"/deployments/{ID}/check"),
        (f"/environments/{ID}/order", f"/environments/{ID}/service-order"),
        (f"/explanations/{ID}", f"/gap-explanations/{ID}"),
        ("/growth?artifact_id=a", "/growth-log-sets?artifact_id=a"),
        (f"/regressions/{ID}/history?limit=5", f"/regressions/{ID}/events?limit=5"),
        (f"/services/{ID}/watched-series", f"/services/{ID}/mute-rules"),
        (f"/spans/{ID}/traces/{ID}/explanations", f"/span-sets/{ID}/traces/{ID}/gap-explanations"),
        (f"/spans/{ID}/traces/{ID}", f"/span-sets/{ID}/traces/{ID}"),
        (f"/traces/{ID}", f"/execution-traces/{ID}"),
        (f"/span-sets/{ID}/traces/{ID}", f"/span-sets/{ID}/traces/{ID}"),
        ("/deployments", "/deployments"),
    ],
)
def test_requests_get_their_present_path(former: str, present: str) -> None:
    assert present_request(former) == present
    assert present_request(present) == present


def _present(request: str, document: object) -> object:
    return json.loads(present_response(request, "application/json", json.dumps(document).encode()))


def test_fields_and_values_get_their_present_names() -> None:
    recorded = {
        "state": "inseparable",
        "good": {"sha": "a", "at": "2026-11-01"},
        "settings": {"belief": 0.9, "max_deploys": 7},
        "levels": [
            {"bump": {"module": "m", "before": "v1", "after": "v2"}, "bars": {"belief": [1.0], "before": [0.5]}}
        ],
        "probes": [{"state": "annulled", "purpose": "mark", "verdict": "cannot-tell", "windows": [{"annulled": True}]}],
        "events": [{"at": "2026-11-02", "who": None, "facts": {}}],
    }
    assert _present(f"/bisects/{ID}", recorded) == {
        "state": "not-separable",
        "good": {"sha": "a", "at": "2026-11-01"},
        "settings": {"stop_probability": 0.9, "max_deployments": 7},
        "levels": [
            {
                "dependency_update": {"module": "m", "old_version": "v1", "new_version": "v2"},
                "bars": {"posterior": [1.0], "prior": [0.5]},
            }
        ],
        "probes": [
            {
                "state": "invalidated",
                "purpose": "override",
                "verdict": "inconclusive",
                "measurements": [{"invalidated": True}],
            }
        ],
        "events": [{"occurred_at": "2026-11-02", "actor": None, "details": {}}],
    }


def test_a_document_inside_a_response_stays() -> None:
    recorded = {
        "headline": "x",
        "result": {"format": "slowpath.comparison/1", "headline": {"sentence": "x"}, "parts": []},
    }
    assert _present(f"/comparisons/{ID}", recorded) == {"verdict_sentence": "x", "result": recorded["result"]}


def test_a_response_under_present_names_keeps_its_bytes() -> None:
    content = b'{ "display_name": "x",  "run_metadata": {} }'
    assert present_response(f"/builds/{ID}", "application/json", content) is content


@pytest.mark.parametrize(
    ("media_type", "content"), [("application/octet-stream", b'{"label": 1}'), ("application/json", b"{")]
)
def test_other_content_stays(media_type: str, content: bytes) -> None:
    assert present_response(f"/builds/{ID}", media_type, content) is content
