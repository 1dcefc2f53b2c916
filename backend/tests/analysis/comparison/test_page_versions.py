"""Pages of former formats are read under the present names."""

import gzip
import json

import pytest

from slowpath.analysis.comparison.page_versions import (
    FORMER_FORMATS,
    upgrade_document,
    upgrade_packed_page,
    upgrade_page,
)
from slowpath.analysis.kinds.exec_traces import trace_page_document

TRACE = {
    "format": "slowpath.trace-comparison/1",
    "groups": [{"victim": "main.batcher|network", "reason": "network"}],
    "blame": [{"victim": "victim", "parts": [{"class": "blame"}]}],
    "worst": [{"victim": "main.batcher|network", "blame": []}],
}
UPGRADED = {
    "format": trace_page_document.FORMAT,
    "groups": [{"waiter": "main.batcher|network", "reason": "network"}],
    "occupancy": [{"waiter": "victim", "parts": [{"class": "blame"}]}],
    "worst": [{"waiter": "main.batcher|network", "occupancy": []}],
}


def test_members_of_a_former_page_are_renamed_at_every_depth_and_values_stay() -> None:
    assert upgrade_document(TRACE) == UPGRADED


def test_a_gap_explanation_also_gets_its_present_basis() -> None:
    former = {
        "format": "slowpath.gap-explanation/1", "basis": "nobody", "why": "no-one", "sentence": "nobody",
        "doubts": ["why"], "parts": [{"reason": "network", "blame": [{"ns": 1}]}], "looked": [{"why": "unreadable"}],
    }  # fmt: skip
    assert upgrade_document(former) == {
        "format": "slowpath.gap-explanation/2", "basis": "no-goroutine", "reason": "no-one", "sentence": "nobody",
        "caveats": ["why"], "parts": [{"reason": "network", "occupancy": [{"ns": 1}]}],
        "looked": [{"reason": "unreadable"}],
    }  # fmt: skip


def test_a_growth_page_gets_its_present_names() -> None:
    former = {
        "format": "slowpath.growth-comparison/1", "basis": "per_request",
        "rows": [{"payer": "main.clone", "base": {"estimate": 7}}],
    }  # fmt: skip
    assert upgrade_document(former) == {
        "format": "slowpath.growth-comparison/2", "normalization": "per_request",
        "rows": [{"attributed_caller": "main.clone", "base": {"estimated_growths": 7}}],
    }  # fmt: skip


def test_a_packed_page_is_upgraded_once() -> None:
    upgraded = upgrade_packed_page(gzip.compress(json.dumps(TRACE).encode()))
    assert json.loads(gzip.decompress(upgraded)) == UPGRADED
    assert upgrade_packed_page(upgraded) is upgraded


@pytest.mark.parametrize("content", [b"", b"[]", b'{"format": "slowpath.spans-comparison/1"}', b"canary"])
def test_other_content_is_returned_as_it_is(content: bytes) -> None:
    packed = gzip.compress(content)
    assert (upgrade_page(content), upgrade_packed_page(packed)) == (content, packed)


def test_every_former_format_leads_to_the_next_version() -> None:
    for former, present in FORMER_FORMATS.items():
        assert (str(former).removesuffix("/1"), "/2") == (present.present[:-2], present.present[-2:])
