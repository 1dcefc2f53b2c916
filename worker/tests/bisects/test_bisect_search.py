"""A search from its plan to its end, over HTTP and jobs."""

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
