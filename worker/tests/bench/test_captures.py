"""What the verdicts are measured on where there is nothing but the project."""

from pathlib import Path

import pytest

from bench.captures import cases, pools


def test_without_a_corpus_there_are_steady_programs_and_an_unsteady_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLOWPATH_CORPUS", str(tmp_path))
    found = {pool.name: pool for pool in pools()}
    known = {"dd-mapchan": (24, 0.03), "tso-sched": (12, 0.0), "example": (10, 0.17), "quoter": (64, 0.09)}
    assert {name: (len(found[name].profiles), round(found[name].spread, 2)) for name in known} == known
    assert {name for name, pool in found.items() if pool.reserved} <= {"bleve", "goja"}
    for pool in found.values():
        times = [profile.table.time_ns for profile in pool.profiles]
        assert times == sorted(times)
        assert not any(profile.facts.build_id or profile.table.build_ids for profile in pool.profiles)
    assert [case.name for case in cases() if case.base and case.candidate] == [
        "inlined->helper",
        "helper->pool",
        "dd-mapchan base->stringkey",
        "dd-mapchan base->itemchan",
    ]
