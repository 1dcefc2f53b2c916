"""A search from its plan to its end, over HTTP and jobs."""

from typing import Any

import pytest

from tests.bisects.conftest import Search, plan_of, sha, slower_from

pytestmark = pytest.mark.database


def test_the_culprit_is_named(search: Search) -> None:
    search.begin(plan_of(40))
    detail = search.run(slower_from(17))
    assert detail["state"] == "found"
    assert detail["culprit"]["sha"] == sha(17)
    assert detail["posterior"] >= 0.95
    assert detail["cost"]["running"] == 0
    assert len(search.runner.started) == len(set(search.runner.started)) == detail["deployments"]


@pytest.mark.processes
def test_a_verdict_beside_numbers_is_a_failed_build(search: Search) -> None:
    search.begin(plan_of(12))
    numbers = slower_from(8)
    failing = {sha(one) for one in (3, 4, 6)}

    def measure(lease: dict[str, Any]) -> float | str | None:
        return "slower" if lease["build"]["commit"] in failing else numbers(lease)

    detail = search.run(measure)
    assert detail["state"] == "found"
    assert detail["culprit"]["sha"] == sha(8)
    verdicts = {one["sha"]: one["verdict"] for one in detail["probes"]}
    assert all(verdicts[one] == "unbuildable" for one in failing & verdicts.keys())
    assert failing & verdicts.keys()
    tried = [one["sha"] for one in detail["probes"] if one["sha"] in failing]
    assert len(tried) == len(set(tried))
