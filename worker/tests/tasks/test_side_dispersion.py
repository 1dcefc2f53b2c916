"""Without measured builds, the preview of a comparison reads the variation from the files of its sides."""

import gzip
from collections.abc import Sequence
from math import log
from statistics import mean, stdev
from typing import Any

import pytest
from fastapi.testclient import TestClient

from slowpath.analysis.comparison.expected_effects import Dispersion, EvidenceSide, conclude
from slowpath.verdicts.comparison_previews.service import side_dispersion
from tests.jobs.conftest import Bench
from tests.tasks.conftest import EXAMPLE, PROFILES
from tests.tasks.test_decode_handlers import put, run_all

pytestmark = pytest.mark.database
BASE = [98.0, 101.0, 100.0, 99.0, 103.0, 97.0]
CANDIDATE = [110.0, 112.0, 108.0, 111.0, 109.0, 113.0]


def bench_text(values: Sequence[float]) -> bytes:
    lines = [f"BenchmarkEncode-8 \t 1000 \t {value} ns/op" for value in values]
    return "\n".join(["goos: linux", "goarch: amd64", "pkg: example.org/app", *lines, "PASS", ""]).encode()


def preview(client: TestClient, base: Sequence[dict[str, Any]], candidate: Sequence[dict[str, Any]]) -> dict[str, Any]:
    sides = [{"type": "artifacts", "artifact_ids": [each["id"] for each in side]} for side in (base, candidate)]
    answer = client.post("/api/v1/comparison-previews", json={"base": sides[0], "candidate": sides[1]})
    assert answer.status_code == 200, answer.text
    [found] = answer.json()["conclusions"]
    assert isinstance(found, dict)
    return found


def test_benchmarks_vary_as_their_own_values_do(client: TestClient, bench: Bench) -> None:
    base, candidate = (put(client, bench_text(each), f"{name}.txt") for name, each in (("a", BASE), ("b", CANDIDATE)))
    run_all(bench)
    found = preview(client, [base], [candidate])
    cvs = [stdev(each) / mean(each) for each in (BASE, CANDIDATE)]
    pooled = Dispersion((sum(cv**2 for cv in cvs) / 2) ** 0.5, 10)
    expected = conclude("bench", EvidenceSide(1, 6), EvidenceSide(1, 6), pooled, is_explained=False)
    assert expected is not None
    assert expected.minimum_detectable_ratio is not None
    reach = log(found["minimum_detectable_ratio"]) / log(expected.minimum_detectable_ratio)
    assert 1.0 <= reach < 1.5, "builds measure medians, which vary by a quarter more than means"
    assert "would be found" in found["sentence"]


@pytest.mark.parametrize("kind", ["heap", "mutex", "block"])
def test_profiles_vary_as_those_of_the_sides_do(client: TestClient, bench: Bench, kind: str) -> None:
    if kind == "heap":
        names = [f"{build}/heap.0{number}.pb.gz" for build in ("helper", "inlined", "pool") for number in range(2)]
        contents = [(EXAMPLE / "artifacts" / name).read_bytes() for name in names]
    else:
        first = (PROFILES / f"go-{kind}-1.26.pb.gz").read_bytes()
        contents = [gzip.compress(gzip.decompress(first), level) for level in range(1, 7)]
    files = [put(client, content, f"{number}.pb.gz") for number, content in enumerate(contents)]
    run_all(bench)
    found = preview(client, files[:3], files[3:])
    assert found["evidence"] == f"profile.{kind}"
    assert (found["base_count"], found["candidate_count"]) == (3, 3)
    assert found["minimum_detectable_ratio"] is not None, found
    few = preview(client, files[:1], files[1:2])
    assert few["minimum_detectable_ratio"] is None
    assert few["improvement"].startswith("Record ")


def test_what_is_too_large_is_not_read(client: TestClient, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    base, candidate = (put(client, bench_text(each), f"{name}.txt") for name, each in (("a", BASE), ("b", CANDIDATE)))
    run_all(bench)
    monkeypatch.setattr(side_dispersion, "MOST_BYTES", 10)
    found = preview(client, [base], [candidate])
    assert found["minimum_detectable_ratio"] is None
    assert "known once builds of the service with two or more each are measured" in found["sentence"]
