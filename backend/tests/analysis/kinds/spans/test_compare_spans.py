"""Two sets of spans: changes are found, equal sets have no findings, and sums on the page agree."""

from dataclasses import replace

import numpy as np
import pytest

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.spans.span_artifact import SpanArtifact
from slowpath.analysis.kinds.spans.spans_page import page_of_one
from tests.analysis.documents import as_json
from tests.analysis.kinds.spans.compare_helpers import compared, subjects
from tests.analysis.kinds.spans.generated_spans import MS, US, Drawn, Service, artifact_of, drawn_set

GAP = "distributor/push|decode|Push"
USUAL = Service()


def sets(service: Service, count: int, seed: int, traces: int = 300) -> list[SpanArtifact]:
    rng = np.random.default_rng(seed)
    return [drawn_set(service, rng, traces, f"set-{number}") for number in range(count)]


def test_a_longer_gap_is_found_where_it_is() -> None:
    slow = replace(USUAL, gap_ns=3 * MS, gap_sigma=0.8)
    comparison = compared(sets(USUAL, 3, 1), sets(slow, 3, 2))
    assert comparison.verdict == "regressed"
    finding = comparison.findings[0]
    assert (finding.kind, finding.subject, finding.direction, finding.unit) == (
        "spans.gap",
        GAP,
        "worse",
        "nanoseconds",
    )
    assert finding.is_significant
    assert finding.quantile == 0.9
    assert finding.change.ci_low < finding.candidate / finding.base < finding.change.ci_high
    assert "the gap in distributor push between decode and Push" in finding.sentence
    assert "of the request instead of" in finding.sentence
    assert finding.mechanism
    assert finding.advice
    back = compared(sets(slow, 3, 2), sets(USUAL, 3, 1))
    assert (back.verdict, back.findings[0].subject, back.findings[0].direction) == ("improved", GAP, "better")


def test_one_set_a_side_is_enough_for_a_large_effect() -> None:
    huge = compared(sets(USUAL, 1, 1), sets(replace(USUAL, gap_ns=12 * MS), 1, 2))
    assert huge.verdict == "regressed"
    assert "spans-single-set" in {caveat.id for caveat in huge.caveats}
    likely = compared(sets(USUAL, 1, 1), sets(replace(USUAL, gap_ns=1.6 * MS), 1, 2))
    assert likely.verdict == "inconclusive"


def test_more_calls_are_found() -> None:
    comparison = compared(sets(USUAL, 1, 1), sets(replace(USUAL, calls=5), 1, 2))
    assert subjects(comparison) == ["distributor->ingester"]
    finding = comparison.findings[0]
    assert (finding.kind, finding.base, finding.candidate, finding.is_significant) == (
        "spans.amplification",
        3.0,
        5.0,
        True,
    )
    assert finding.contributions[0].subject == "push"
    assert finding.sentence.startswith("distributor makes more calls to ingester: 3.00 → 5.00 for each push (×1.67")
    fewer = compared(sets(replace(USUAL, calls=5), 1, 1), sets(USUAL, 1, 2))
    assert (fewer.verdict, fewer.findings[0].direction) == ("improved", "better")


def test_a_call_that_was_not_made_before_is_found() -> None:
    def asking(calls: int, seed: int) -> SpanArtifact:
        rng = np.random.default_rng(seed)
        traces = []
        for n in range(200):
            start = 20 * MS * n
            half = start + int(rng.lognormal(np.log(2 * MS), 0.1))
            asked = tuple(
                Drawn(
                    "get",
                    half + k * MS,
                    half + k * MS + MS,
                    (Drawn("get", half + k * MS + US, half + k * MS + 9 * US, (), "cache", 2),),
                    "api",
                    3,
                )
                for k in range(calls)
            )
            traces.append([Drawn("read", start, half + 3 * MS, asked, "api", 2)])
        return artifact_of(*traces)

    comparison = compared([asking(0, 1)], [asking(1, 2)])
    new = next(finding for finding in comparison.findings if finding.kind == "spans.amplification")
    assert (new.subject, new.base, new.candidate, new.change.ci_of, new.change.ratio) == (
        "api->cache",
        0.0,
        1.0,
        "difference",
        None,
    )
    assert "where there were none" in new.sentence


@pytest.mark.processes
@pytest.mark.parametrize(
    "moods", [0.05, pytest.param(0.15, marks=pytest.mark.long), pytest.param(0.25, marks=pytest.mark.long)]
)
def test_equal_sets_have_no_findings(moods: float) -> None:
    """Sets of one build differ in their mood; forty comparisons of equal ones find next to nothing."""
    usual = replace(USUAL, mood=moods)
    found = []
    for seed in range(20):
        count = 1 + seed % 3
        comparison = compared(sets(usual, count, 2 * seed, 120), sets(usual, count, 2 * seed + 1, 120), seed=seed)
        found += [(seed, finding.subject) for finding in comparison.findings]
    assert len({seed for seed, _ in found}) <= 1, found


def test_many_equal_sets_are_unchanged() -> None:
    steady = replace(USUAL, mood=0.03)
    comparison = compared(sets(steady, 5, 1), sets(steady, 5, 2))
    assert comparison.verdict == "unchanged"
    assert all(each.ratio is not None and each.ratio < 2 for each in comparison.detectable[:2])


def test_the_page_is_json_and_its_sums_agree() -> None:
    comparison = compared(sets(USUAL, 2, 1), sets(replace(USUAL, gap_ns=4 * MS, calls=4), 2, 2))
    page = as_json(comparison.page("v1", "v2"))
    assert page["format"] == "slowpath.spans-comparison/1"
    assert [page["sides"][side]["label"] for side in ("base", "candidate")] == ["v1", "v2"]
    assert page["order"] == ["distributor", "ingester-0", "ingester-1", "ingester-2", "ingester-3"]
    states = {row["edge"]: row["state"] for row in page["gaps"]}
    assert states[GAP] == "more"
    assert states["ingester-3/Push|START|END"] == "only-candidate"
    for side in ("base", "candidate"):
        assert sum(row[side]["share"] for row in page["critical"] if row[side]) == pytest.approx(1, abs=0.01)
    pushes = [row for row in page["critical"] if row["path"] == ["distributor push", "distributor Push"]]
    assert [pushes[0][side]["calls_per_request"] for side in ("base", "candidate")] == [3.0, 4.0]
    edge = next(row for row in page["edges"] if row["callee"] == "ingester-0")
    assert edge["base"]["ratio"] == 1.0
    assert page["amplification"][0]["edge"] == "distributor->ingester"
    assert (page["amplification"][0]["base"]["mean"], page["amplification"][0]["candidate"]["mean"]) == (3.0, 4.0)
    assert {row["side"] for row in page["traces"]} == {"base", "candidate"}
    durations = [row["duration_ns"] for row in page["traces"] if row["side"] == "base"]
    assert durations == sorted(durations, reverse=True)


def test_one_set_alone_has_a_page() -> None:
    [alone] = sets(USUAL, 1, 1, 40)
    page = as_json(page_of_one(alone, "only"))
    assert page["sides"]["candidate"] is None
    assert page["sides"]["base"]["traces"] == 40
    assert all(row["candidate"] is None and row["state"] == "noise" for row in page["gaps"])
    assert page["amplification"][0]["base"]["mean"] == 3.0


def test_slow_requests_name_what_they_have_in_common() -> None:
    tenants = replace(USUAL, slow_tenant=30.0)
    page = as_json(page_of_one(sets(tenants, 1, 3, 400)[0]))
    leading = page["attributes"][0]
    assert (leading["key"], leading["value"]) == ("tenant", "tenant-0")
    assert leading["slow_share"] > 0.9
    assert leading["fast_share"] < 0.3
    assert as_json(page_of_one(sets(USUAL, 1, 3, 400)[0]))["attributes"] == []


def test_caveats_name_what_differs() -> None:
    few = compared(sets(USUAL, 1, 1, 30), sets(USUAL, 2, 2, 30))
    assert {"spans-few-traces", "spans-single-set"} <= {caveat.id for caveat in few.caveats}
    rng = np.random.default_rng(1)
    known = [
        replace(s, facts=RunMetadata(requests=n, go_version=f"go1.{n % 7}"))
        for s, n in zip(sets(USUAL, 2, 1), (300, 3000), strict=True)
    ]
    ids = {caveat.id: caveat.sentence for caveat in compared(known[:1], known[1:]).caveats}
    assert "100% of its requests, candidate 10.0%" in ids["spans-sampling"]
    assert "go-version" in ids
    other = artifact_of(*([Drawn("other", n * MS, n * MS + int(rng.integers(US, MS)), status=2)] for n in range(300)))
    mixed = {caveat.id: caveat.sentence for caveat in compared(sets(USUAL, 1, 1), [other]).caveats}
    assert "distributor push is 100% of base and 0% of candidate" in mixed["spans-root-operations"]
    assert {"spans-errors", "spans-rate"} <= set(mixed)
    broken = artifact_of(
        *(
            [Drawn("push", n * MS, n * MS + US, flags=1, skew=5), Drawn("lost", n * MS, n * MS + 9, flags=33)]
            for n in range(300)
        )
    )
    assert {"spans-missing-parents", "spans-skew", "spans-defects"} <= {
        d.id for d in compared([broken], [broken]).caveats
    }


def test_gaps_with_clock_skew_are_not_tested() -> None:
    def skewed(gap_ns: int) -> SpanArtifact:
        traces = []
        for n in range(200):
            start = 20 * MS * n
            server = Drawn("get", start + gap_ns, start + gap_ns + MS, (), "far", 2, skew=50 * MS)
            traces.append([Drawn("get", start, start + 2 * gap_ns + MS, (server,), "near", 3)])
        return artifact_of(*traces)

    assert compared([skewed(1 * MS)], [skewed(9 * MS)]).findings == ()


def test_sides_without_spans_are_refused() -> None:
    with pytest.raises(ValueError, match="both sides"):
        compared([], sets(USUAL, 1, 1, 5))
