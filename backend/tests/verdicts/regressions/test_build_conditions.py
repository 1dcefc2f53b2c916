"""Which conditions of two builds are equal, unknown or other ones."""

import pytest

from slowpath.evidence.artifacts.tables import Artifact
from slowpath.inventory.catalog.tables import Build
from slowpath.verdicts.regressions.service.build_conditions import (
    ConditionsMatch,
    describe_conditions,
    list_unknown,
    match_conditions,
    read_conditions,
)
from slowpath.verdicts.regressions.wording import describe_unknown_conditions

KNOWN = {"go_version": "go1.26.8", "goos": "linux", "goarch": "amd64", "gomaxprocs": 8, "cpu_model": "EPYC"}


def conditions(*facts: dict[str, object]) -> dict[str, frozenset[str]]:
    return read_conditions(Build(run_metadata={}), [Artifact(run_metadata=each) for each in facts])


@pytest.mark.parametrize(
    ("base", "candidate", "expected"),
    [
        (KNOWN, KNOWN, "equal"),
        ({}, {}, "equal"),
        ({}, KNOWN, "unknown"),
        ({"go_version": "go1.26.8"}, KNOWN, "unknown"),
        (KNOWN | {"gomaxprocs": 4}, KNOWN, "other"),
        (KNOWN | {"go_version": "go1.25.0"}, KNOWN, "other"),
        ({"goarch": "arm64"}, KNOWN, "other"),
    ],
)
def test_match(base: dict[str, object], candidate: dict[str, object], expected: ConditionsMatch) -> None:
    assert match_conditions(conditions(base), conditions(candidate)) == expected
    assert match_conditions(conditions(candidate), conditions(base)) == expected


def test_artifacts_of_one_build_with_several_values() -> None:
    mixed = conditions(KNOWN, KNOWN | {"go_version": "go1.25.0"})
    assert match_conditions(mixed, conditions(KNOWN)) == "other"
    assert match_conditions(conditions(KNOWN, {}), conditions(KNOWN)) == "equal"
    assert describe_conditions(mixed) == "go1.25.0 or go1.26.8, linux/amd64, EPYC, 8 procs"


def test_sentence() -> None:
    assert describe_unknown_conditions(()) == ""
    assert describe_unknown_conditions(list_unknown(conditions(KNOWN), conditions(KNOWN | {"gomaxprocs": 0}))) == (
        "Only one of the builds states its GOMAXPROCS: it may differ and explain a difference."
    )
