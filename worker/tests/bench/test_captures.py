"""What the verdicts are measured on where there is nothing but the project."""

from pathlib import Path

import pytest

from bench.captures import cases, pools


def test_without_a_corpus_there_are_steady_programs_and_an_unsteady_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLOWPATH_CORPUS", str(tmp_path))
    found = {pool.name: (len(pool.profiles), round(pool.spread, 2)) for pool in pools()}
    assert found == {"dd-mapchan": (24, 0.03), "tso-sched": (12, 0.0), "example": (10, 0.17)}
    assert [case.name for case in cases() if case.base and case.candidate] == [
        "inlined->helper",
        "helper->pool",
        "dd-mapchan base->stringkey",
        "dd-mapchan base->itemchan",
    ]
