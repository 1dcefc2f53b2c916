"""Statements on the compiler: their sentences, and the findings that they are attached to."""

from dataclasses import replace
from typing import Any, cast

import pytest

from slowpath.analysis.comparison.compiler_findings import (
    make_compiler_section,
    profile_kind_of,
    regressed_functions,
)
from slowpath.analysis.comparison.compiler_report import CompilerReport, ReportedFinding
from slowpath.analysis.comparison.compiler_wording import describe_finding
from slowpath.analysis.findings.findings import AttributedCaller, Effect, Finding

GROWTH = Finding(
    kind="profile.category",
    profile_kind="cpu",
    subject="stack-growth",
    direction="worse",
    base=1.0,
    candidate=2.0,
    unit="us/request",
    change=Effect(2.0, 1.0, 1.9, 2.1, 0.95, "ratio"),
    normalization="per_request",
    q_value=0.001,
    attributed_callers=(AttributedCaller("a/b.F", "runtime.newstack", (), 1.0),),
    contributions=(),
    is_significant=True,
    profiles_needed=None,
    mechanism="",
    advice="",
    sentence="",
)
OWN = replace(GROWTH, kind="profile.function", subject="a/b.F", attributed_callers=())
ALLOCATION = replace(GROWTH, subject="allocation")


def reported(kind: str, **more: object) -> ReportedFinding:
    return cast(
        "ReportedFinding",
        {"kind": kind, "grade": "binary", "builds_differ": False, "function": "a/b.F", "file": "b.go", **more},
    )


def edge(**more: object) -> ReportedFinding:
    crossed: dict[str, Any] = {
        "exact": True,
        "start": 2048,
        "starts": [2048],
        "depth": 3168,
        "base_need": [3120, 3120],
        "candidate_need": [3192, 3192],
        "base_distance": 48,
        "candidate_distance": -24,
        "path": 0,
        "paths": 1,
    }
    return reported("edge-crossed", grade="predicted", edge=crossed | more)


def report(*findings: ReportedFinding, differences: tuple[dict[str, str], ...] = ()) -> CompilerReport:
    names = {"a/b.F": 3048, "a/b.G": 3120}
    frames = [
        {"function": each, "depth": at, "frame": 64, "check": True, "wrapper": False} for each, at in names.items()
    ]
    side = {
        "depth": [3120, 3120],
        "need": [3120, 3120],
        "limit": 3168,
        "start": 2048,
        "final": 4096,
        "distance": 48,
        "frames": frames,
    }
    build = {"go": "go1.26.8", "arch": "amd64", "build_id": "a", "pgo": None}
    return cast(
        "CompilerReport",
        {
            "version": 1,
            "base": build,
            "candidate": build,
            "differences": list(differences),
            "unread": [],
            "paths": [{"stack": ["a/b.F", "a/b.G"], "share": 1.0, "base": side, "candidate": side}],
            "findings": list(findings),
            "omitted": 0,
            "hot_paths": [],
            "only_pgo": False,
            "other_builds": [],
            "addressed": [],
            "instances": [],
            "omitted_instances": 0,
        },
    )


@pytest.mark.parametrize(
    ("finding", "sentence"),
    [
        (reported("call-new", callee="a/b.G", callee_frame=40), "b.F now calls b.G (frame 40 B)."),
        (reported("inlining-lost", callee="a/b.G"), "b.G is not inlined in b.F anymore, but called."),
        (
            reported("inlining-gained", callee="a/b.G", callee_frame=16536, base={"inlined": 0}, candidate={"inlined": 3}),
            "b.G (frame 16,536 B) is inlined 3 times in b.F, which called it before.",
        ),
        (reported("frame-shrank", base={"bytes": 16536}, candidate={"bytes": 256}), "The frame of b.F shrank from 16,536 to 256 B."),
        (
            reported("frame-grew", function="a/b.F[...]", arguments="go.shape.int,go.shape.[]uint8", base={"bytes": 8}, candidate={"bytes": 16}),
            "The frame of b.F[...] with int, []uint8 grew from 8 to 16 B.",
        ),
        (reported("stack-check", candidate={"check": True}), "b.F has a stack check."),
        (
            reported("heap-allocation-new", base={"called": 1}, candidate={"called": 3}),
            "b.F has more calls that allocate memory on the heap: 3 instead of 1.",
        ),
    ],
)  # fmt: skip
def test_a_statement_has_a_sentence(finding: ReportedFinding, sentence: str) -> None:
    assert describe_finding(finding) == sentence


@pytest.mark.parametrize(
    ("finding", "among", "explains"),
    [
        (edge(), (OWN, GROWTH), 1),
        (edge(), (OWN,), None),
        (edge(), (replace(GROWTH, direction="better"), OWN), None),
        (edge(), (replace(GROWTH, is_significant=False), OWN), None),
        (reported("call-new", callee="a/b.G"), (OWN,), 0),
        (reported("call-new", callee="a/b.G"), (replace(OWN, subject="a/b.G"),), 0),
        (reported("call-new", callee="a/b.G"), (replace(OWN, subject="a/b.H"),), None),
        (reported("heap-allocation-new"), (ALLOCATION,), 0),
        (reported("heap-allocation-new"), (GROWTH,), None),
        (reported("frame-shrank"), (OWN,), None),
    ],
)
def test_a_statement_explains_what_moved_in_its_category(
    finding: ReportedFinding, among: tuple[Finding, ...], explains: int | None
) -> None:
    [stated] = make_compiler_section(report(finding), among).findings
    assert (stated.explains, stated.is_cause) == (explains, explains is not None)


def test_other_settings_and_possible_crossings_are_not_causes() -> None:
    differs = edge() | {"builds_differ": True}
    possible = edge() | {"grade": "possible"}
    for finding in (differs, possible):
        [stated] = make_compiler_section(report(finding), (GROWTH,)).findings
        assert (stated.explains, stated.is_cause) == (0, False)
    assert "may cross 3,168" in stated.sentence


def test_a_crossing_names_the_bytes_to_save_and_its_start() -> None:
    [stated] = make_compiler_section(report(edge(start=4096)), (GROWTH,)).findings
    assert stated.sentence == (
        "The path of 2 frames grew from 3,120 to 3,192 B and crosses 3,168: each goroutine grows its stack once more, if it "
        "starts with 4 KiB."
    )
    assert "shrink the path by 32 B; its functions return at most: b.F 72 B, b.G 72 B." in stated.advice


def test_without_a_regression_only_crossings_are_listed() -> None:
    section = make_compiler_section(report(edge(), reported("frame-grew")), ())
    assert [each.kind for each in section.findings] == ["edge-crossed"]


def test_stacks_are_those_of_functions_that_cost_more() -> None:
    findings = (OWN, replace(GROWTH, direction="better"), replace(GROWTH, profile_kind="heap"))
    assert regressed_functions(findings) == ["a/b.F"]
    assert profile_kind_of(findings, ("heap", "cpu")) == "cpu"
    assert profile_kind_of((), ("heap", "cpu")) == "heap"


@pytest.mark.parametrize(
    ("base", "candidate", "unknown"),
    [
        (("p", None), ("p", None), "base and the candidate"),
        (("p", "a" * 64), ("p", None), "candidate"),
        (("p", "a" * 64), ("p", "b" * 64), None),
        (("p", None), ("q", None), None),
        ((None, None), (None, None), None),
    ],
)
def test_unknown_content_of_pgo_profiles_is_stated(
    base: tuple[str | None, str | None], candidate: tuple[str | None, str | None], unknown: str | None
) -> None:
    sides = [
        {"go": "", "arch": "", "build_id": "", "pgo": pgo, "pgo_sha256": sha256} for pgo, sha256 in (base, candidate)
    ]
    section = make_compiler_section(cast("CompilerReport", {**report(), "base": sides[0], "candidate": sides[1]}), ())
    assert section.base.pgo_sha256 == base[1]
    if unknown is None:
        assert section.pgo_comparison is None
    else:
        assert f"only the path is compared, p: the content of the PGO profile of the {unknown} is not known." in str(
            section.pgo_comparison
        )
