"""Kinds of artifacts together: one verdict, one list, one document each."""

from dataclasses import replace

import numpy as np

from slowpath.analysis.comparison.comparison_document import ArtifactKindVerdict, make_comparison_document
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.formats.document_json import dump_document
from slowpath.analysis.kinds.comparison_sides import ComparisonSide
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.registry import EXECUTION_TRACE, SPAN_SET, STACK_GROWTH
from tests.analysis.compare_helpers import compared_sides
from tests.analysis.kinds.exec_traces.generated_traces import GeneratedWaiter, traces
from tests.analysis.kinds.growth_logs.growth_log_samples import golden
from tests.analysis.kinds.profiles.generated_profiles import runs
from tests.analysis.kinds.spans.generated_spans import Service, drawn_set

TRACE, SPANS, GROWTH = EXECUTION_TRACE.id, SPAN_SET.id, STACK_GROWTH.id
PROFILE = "main.main main.main main.main\na/x.A a/x.B runtime.mallocgc\n300 200 50"
CALM = GeneratedWaiter("main.batcher", "network", median_ns=10_000.0)
BEHIND_A_HOG = GeneratedWaiter("main.batcher", "network", median_ns=5_000_000.0, occupancy={"user|main.hog": 1.0})


def side(*, slow: bool) -> ComparisonSide:
    """All sorts on one side: in a slow one allocation, the batcher's delay and growth are worse."""
    profiles = runs(PROFILE.replace("50", "250") if slow else PROFILE, seed=2 if slow else 1)
    return ComparisonSide(
        profiles=tuple(profiles),
        others={
            TRACE: traces([BEHIND_A_HOG if slow else CALM], 5, seed=2 if slow else 1),
            GROWTH: (golden("helper" if slow else "inlined"),),
        },
    )


def test_sorts_become_one_list_ranked_by_cost() -> None:
    comparison = compared_sides(side(slow=False), side(slow=True))
    kinds = [finding.kind for finding in comparison.findings if finding.is_significant]
    costs = [
        abs(finding.cost_s_per_s or 0)
        for finding in comparison.findings
        if finding.is_significant and finding.direction == "worse"
    ]

    assert comparison.verdict == "regressed"
    assert {"trace.sched_delay", "profile.category"} <= set(kinds)
    assert costs == sorted(costs, reverse=True)
    assert not comparison.findings[-1].is_significant or all(finding.is_significant for finding in comparison.findings)


def test_each_part_but_profiles_has_a_document_for_the_page() -> None:
    comparison = compared_sides(side(slow=False), side(slow=True))
    documents = comparison.documents("229227f", "9c41e0a")

    assert set(documents) == {"traces", "growth"}
    assert "229227f" in dump_document(documents["traces"])
    assert "9c41e0a" in dump_document(documents["growth"])


def test_the_headline_is_of_what_leads() -> None:
    of_traces = compared_sides(
        *(ComparisonSide(others={TRACE: side(slow=slow).others[TRACE]}) for slow in (False, True))
    )
    document = make_comparison_document(of_traces)

    assert document.headline.sentence.startswith("Regressed: p99")
    assert "main.hog" in document.headline.sentence
    assert document.artifact_kinds == (ArtifactKindVerdict("traces", "regressed"),)
    assert document.views == ()
    assert len(document.sides.base.artifact_names) == 5


def test_traces_without_findings_are_reported_as_unchanged() -> None:
    calm = (
        ComparisonSide(others={TRACE: traces([CALM], 5, seed=1)}),
        ComparisonSide(others={TRACE: traces([CALM], 5, seed=2)}),
    )
    document = make_comparison_document(compared_sides(*calm))

    assert document.verdict in {"unchanged", "inconclusive"}
    assert document.findings == ()
    assert document.headline.sentence.startswith(document.verdict.capitalize())


def test_kinds_of_one_side_raise_a_caveat_and_are_not_compared() -> None:
    base, candidate = side(slow=False), side(slow=True)
    comparison = compared_sides(base, ComparisonSide(profiles=candidate.profiles))
    listed = [caveat.sentence for caveat in comparison.caveats if caveat.id == "kind-missing"]

    assert not comparison.parts
    assert "The candidate has no execution traces: they were not compared." in listed
    assert "The candidate has no stack-growth logs: they were not compared." in listed


def test_spans_stand_beside_the_other_sorts() -> None:
    rng = np.random.default_rng(1)
    slow = replace(Service(), gap_ns=20_000_000.0)
    sides = [
        ComparisonSide(others={SPANS: (drawn_set(service, rng, 120), drawn_set(service, rng, 120))})
        for service in (Service(), slow)
    ]
    comparison = compared_sides(*sides)
    document = make_comparison_document(comparison)

    assert document.artifact_kinds == (ArtifactKindVerdict("spans", "regressed"),)
    assert document.headline.sentence.startswith("Regressed: p90 of the gap in distributor push")
    assert document.findings[0].subject == "distributor/push|decode|Push"
    assert set(comparison.documents("a", "b")) == {"spans"}
    alone = make_comparison_document(
        compared_sides(
            ComparisonSide(others={**sides[0].others, GROWTH: (golden("helper"),)}),
            ComparisonSide(others={GROWTH: (golden("helper"),)}),
        )
    )
    assert "The candidate has no spans: they were not compared." in [caveat.sentence for caveat in alone.caveats]


def test_a_bound_is_given_though_another_kind_is_inconclusive() -> None:
    few = ComparisonSide(profiles=tuple(runs(PROFILE, 10)), others={TRACE: traces([CALM], 1, seed=1)})
    same = ComparisonSide(profiles=tuple(runs(PROFILE, 10, seed=2)), others={TRACE: traces([CALM], 1, seed=2)})
    comparison = compared_sides(few, same)
    sentence = make_comparison_document(comparison).headline.sentence

    assert comparison.verdict == "inconclusive"
    assert sentence.startswith("Inconclusive: no change of CPU per request larger than ")
    assert "%, but a change of the waiting below " in sentence
    assert "could have been missed" in sentence


def test_a_kind_with_too_little_data_does_not_hide_that_the_cost_is_unchanged() -> None:
    def heap(seed: int) -> list[ProfileArtifact]:
        types = [("inuse_space", "bytes")]
        return runs(PROFILE, 2, seed=seed, requests=None, kind="heap", types=types, ticks=(524_288,))

    sides = [ComparisonSide(profiles=(*runs(PROFILE, 10, seed=seed), *heap(seed + 5))) for seed in (1, 2)]
    assert compared_sides(sides[0], sides[1]).verdict == "unchanged"


def test_the_cost_of_a_request_outranks_a_shift_of_shares() -> None:
    """CPU per request falls while the mutex profile, a share, shows a new waiter: improved, whichever is listed first."""
    mutex = {"kind": "mutex", "types": [("contentions", "count"), ("delay", "nanoseconds")], "ticks": (1, 1_000_000)}
    waiting = "main.main main.main main.main\na/x.Serve a/x.Log a/x.Push\n300 300 {}"

    def waits(count: int, seed: int) -> list[ProfileArtifact]:
        made = runs(waiting.format(count), 8, seed=seed, requests=None, duration_ns=0, **mutex)
        return [ProfileArtifact(each.name, each.table, RunMetadata(run=each.facts.run)) for each in made]

    slow = ComparisonSide(profiles=(*runs(PROFILE.replace("300", "600"), seed=3), *waits(10, 5)))
    fast = ComparisonSide(profiles=(*runs(PROFILE, seed=4), *waits(400, 6)))
    forward, backward = compared_sides(slow, fast), compared_sides(fast, slow)

    assert forward.profiles is not None
    assert {each.comparison.kind: each.verdict for each in forward.profiles.kinds} == {
        "cpu": "improved",
        "mutex": "regressed",
    }
    assert (forward.verdict, backward.verdict) == ("improved", "regressed")
    assert make_comparison_document(forward).headline.sentence.startswith("Improved: 33% less CPU per request")


def test_a_smaller_part_of_the_processors_does_not_oppose_the_cost_of_a_request() -> None:
    """A service whose requests cost more CPU serves fewer, so that the collector has a smaller part of the processors."""
    base, candidate = (
        replace(side(slow=slow), others={TRACE: traces([CALM], 5, seed=2 if slow else 1, gc_fraction=part)})
        for slow, part in ((False, 0.3), (True, 0.05))
    )
    comparison = compared_sides(base, candidate)
    of_traces = next(each for each in comparison.kind_verdicts if each.kind == "traces")

    assert {finding.normalization for finding in comparison.parts["traces"].findings if finding.is_significant} == {
        "share"
    }
    assert (of_traces.verdict, of_traces.measures_cost) == ("improved", False)
    assert comparison.verdict == "regressed"
