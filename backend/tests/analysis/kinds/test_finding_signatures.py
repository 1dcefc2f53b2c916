"""Findings of comparisons and the measurements of builds have the same names."""

from dataclasses import replace

import pytest

from slowpath.analysis.findings.findings import Finding
from slowpath.analysis.kinds.finding_signatures import format_signature
from tests.analysis.compare_helpers import compared
from tests.analysis.kinds.profiles.generated_profiles import runs

BASE = "main.main main.main main.main\na/x.A a/x.B runtime.mallocgc\n300 200 50"


@pytest.fixture(scope="module")
def found() -> Finding:
    return compared(runs(BASE), runs(BASE.replace("50", "250"), seed=2)).findings[0]


@pytest.mark.parametrize(
    ("kind", "profile_kind", "subject", "signature"),
    [
        ("profile.category", "cpu", "gc", "profile.category:gc"),
        ("profile.function", "cpu", "a/x.A", "profile.function:a/x.A"),
        ("profile.function", "heap", "a/x.A", "profile.heap:a/x.A"),
        ("profile.category", "heap", "total", "profile.heap:total"),
        ("profile.category", "heap", "gc", None),
        ("profile.function", "goroutine", "a/x.A", None),
        ("profile.label", "cpu", "endpoint=/a", None),
        ("trace.sched_delay", "trace", "main.main|sync", "trace.sched_delay:main.main|sync p99"),
        ("trace.gc", "trace", "mmu", None),
        ("growth.count", "growth", "total", "growth.count:total"),
        ("bench", "bench", "Get-2|sec/op", "bench:Get-2 sec/op"),
        ("bench", "bench", "yaml.v3.Parse/a.b|c-2|B/op", "bench:Parse/a.b|c-2 B/op"),
        ("metrics.latency", "latency", "api", None),
    ],
)
def test_signatures_of_findings(
    found: Finding, kind: str, profile_kind: str, subject: str, signature: str | None
) -> None:
    finding = replace(found, kind=kind, profile_kind=profile_kind, subject=subject, quantile=0.99)
    assert format_signature(finding) == signature
    assert format_signature(replace(finding, quantile=0.9)) == (None if kind == "trace.sched_delay" else signature)
