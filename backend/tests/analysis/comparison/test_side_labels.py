"""A side is limited to samples with labels."""

import pytest

from slowpath.analysis.comparison.side_labels import NoMatchingSample, select_side
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.comparison_sides import ComparisonSide
from slowpath.analysis.kinds.profiles.decoded.label_values import LabelMatcher
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.units import Nanoseconds
from tests.analysis.kinds.profiles.generated_profiles import artifact, labelled_stacks

DRAWING = """
    main          main          main         main         main         main
    endpoint=/a   endpoint=/b   endpoint=/c  endpoint=/d  endpoint=/e  tenant=acme
    9             8             3            2            1            1
"""
FACTS = RunMetadata(requests=100, cpu_ns=Nanoseconds(10**9))


def drawn() -> ProfileArtifact:
    """A profile with several endpoints."""
    samples, labels = labelled_stacks(DRAWING)
    return artifact(samples, facts=FACTS, labels=labels)


HEAP = artifact([(("main",), 5)], "heap.pb.gz", kind="heap")


def test_only_matching_samples_and_their_kinds_stay() -> None:
    side = select_side(ComparisonSide((drawn(), HEAP)), "base", [LabelMatcher("endpoint", "/b")])
    [cpu] = side.profiles
    assert (cpu.table.total(0), cpu.labels) == (8, (LabelMatcher("endpoint", "/b"),))
    assert (cpu.facts.requests, cpu.facts.cpu_ns) == (100, None)


def test_a_profile_without_such_a_sample_counts_as_0_beside_others() -> None:
    idle = artifact([(("main",), 5)])
    side = select_side(ComparisonSide((drawn(), idle)), "base", [LabelMatcher("endpoint", "/b")])
    assert [each.table.total(0) for each in side.profiles] == [8, 0]


def test_without_labels_a_side_stays_as_it_is() -> None:
    side = ComparisonSide((drawn(), HEAP))
    assert select_side(side, "base", []) is side


@pytest.mark.parametrize(
    ("matchers", "message"),
    [
        ([LabelMatcher("endpoint", "/x")], "Label endpoint has no value /x in base: it has /a, /b and 3 more."),
        ([LabelMatcher("tenant", "x")], "Label tenant has no value x in base: it has acme."),
        ([LabelMatcher("flag", "on")], "No label flag in base: it has endpoint and tenant."),
        (
            [LabelMatcher("endpoint", "/a"), LabelMatcher("tenant", "acme")],
            "No sample in base has endpoint=/a and tenant=acme.",
        ),
    ],
)
def test_without_a_matching_sample_the_values_are_named(matchers: list[LabelMatcher], message: str) -> None:
    with pytest.raises(NoMatchingSample) as raised:
        select_side(ComparisonSide((drawn(),)), "base", matchers)
    assert str(raised.value) == message


def test_a_side_without_labels_says_so() -> None:
    with pytest.raises(NoMatchingSample, match=r"No label endpoint in candidate: no sample there has labels\."):
        select_side(ComparisonSide((HEAP,)), "candidate", [LabelMatcher("endpoint", "/a")])
