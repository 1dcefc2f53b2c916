"""What the verdicts are measured on where there is nothing but the project."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bench.captures import IN_TIME, captured, cases, pools
from bench.product_comparison import compared
from bench.resampled_sets import split

pytestmark = pytest.mark.processes


def test_without_a_corpus_there_are_steady_programs_and_an_unsteady_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLOWPATH_CORPUS", str(tmp_path))
    found = {pool.name: pool for pool in pools()}
    known = {"dd-mapchan": (24, 0.03), "tso-sched": (12, 0.0), "example": (10, 0.17), "quoter": (64, 0.09)}
    assert {name: (len(found[name].profiles), round(found[name].spread, 2)) for name in known} == known
    assert {name for name, pool in found.items() if pool.reserved} <= {"chroma", "sqlite"}
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


def test_requests_of_two_kinds_mixed_unevenly_by_chance_are_no_change_of_the_code() -> None:
    """Three of eight profiles have heavy requests; the sums of the runs hide it, and so do shares of the total."""
    pool = captured(IN_TIME / "goja")
    drawn = split(pool.profiles, 8, np.random.default_rng([2, 8]))
    assert not any(finding.is_significant for finding in compared(drawn.base, drawn.candidate).findings)


def test_consecutive_sides_are_distinguished_by_their_requests() -> None:
    heavy = (0.0, 0.0, 0.1, 0.1, 0.0, 0.0)
    pool = replace(captured(IN_TIME / "goja"), heavy=heavy)
    assert [pool.keeps_mix(begin, 2) for begin in range(3)] == [False, True, False]
