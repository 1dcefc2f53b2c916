"""A search of the server through Go releases and settings, with leases over HTTP."""

from typing import Any

import numpy as np
import pytest

from slowpath.verdicts.bisects.rules import search_plan
from slowpath.verdicts.bisects.rules.candidates import SearchLevel
from slowpath.verdicts.bisects.rules.go_releases import TOOLCHAIN, GoRelease, GoSelection, release_of
from slowpath.verdicts.bisects.rules.toolchain_levels import inside_release, release_level
from slowpath.verdicts.bisects.service import search_planner
from slowpath_cli.runner.core.leases import checked_lease
from tests.bisects.conftest import Search, nodes, sha

pytestmark = pytest.mark.database

OLD, NEW = GoRelease(22, 3), GoRelease(24, 2)


def expanded_plan() -> search_plan.SearchPlan:
    """Return a plan of three commits, of which the second one raises the Go version; all levels are expanded."""
    level = SearchLevel(tuple(nodes(3)), 3, label="mono", good=sha(0), bad=sha(3))
    plan = search_planner.make_plan(level, {})
    releases = release_level(level.nodes[1], GoSelection(OLD, OLD), GoSelection(NEW, NEW))
    plan = search_plan.expand_candidate(plan, sha(2), releases)
    for one in releases.nodes:
        if one.kind == "release":
            plan = search_plan.expand_candidate(plan, one.id, inside_release(one))
    for candidate in sorted(plan.line.hiding):
        plan = search_plan.expand_candidate(plan, candidate, SearchLevel((), 0))
    return search_plan.from_json(search_plan.to_json(plan))


@pytest.mark.processes
def test_a_release_and_its_setting_are_named(search: Search) -> None:
    rng = np.random.default_rng(3)

    def measure(lease: dict[str, Any]) -> float:
        build = checked_lease(lease, range(8))["build"]
        chosen = release_of(build["versions"].get(TOOLCHAIN, ""))
        release = chosen or (NEW if int(build["commit"], 16) >= 2 else OLD)
        slow = release.minor >= 23 and "asynctimerchan=1" not in build["settings"].get("GODEBUG", "").split(",")
        return float((1.4 if slow else 1.0) * np.exp(0.01 * rng.standard_normal()))

    search.begin(expanded_plan())
    detail = search.run(measure)
    assert detail["state"] == "found"
    assert detail["culprit"] == {"repository": "Go settings", "sha": "GODEBUG=asynctimerchan=1", "title": "Go 1.22.3 → 1.23.0"}  # fmt: skip
    assert detail["deployments"] <= 14
    assert detail["sentence"].startswith("Go 1.22.3 → 1.23.0 (the default that GODEBUG=asynctimerchan=1 restores) caused the regression")  # fmt: skip
    assert "GODEBUG=asynctimerchan=1 gives back 9" in detail["sentence"] or "gives back 10" in detail["sentence"]
    assert [one["repository"] for one in detail["levels"]][:3] == ["mono", "Go releases", "Go settings"]
    assert detail["levels"][1]["dependency_update"]["new_version"] == "go1.24.2"
    assert any("asynctimerchan=1" in one["overrides"].get("GODEBUG", "") for one in detail["probes"])
