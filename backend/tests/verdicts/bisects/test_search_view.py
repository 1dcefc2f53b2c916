"""The data of a bisect's page."""

import json

from slowpath.verdicts.bisects.rules import search_plan
from slowpath.verdicts.bisects.rules.bisect_settings import BisectSettings
from slowpath.verdicts.bisects.rules.candidates import BuildInputs, CandidateNode, SearchLevel
from slowpath.verdicts.bisects.rules.probe_observations import ProbeObservation, build_search_state
from slowpath.verdicts.bisects.rules.search_view import compute_search_view

SHAS = [digit * 40 for digit in "7a1f09c3"]


def nodes(shas: list[str], outer: str | None = None) -> tuple[CandidateNode, ...]:
    """Commits on a line, whose ids are not in the order of the alphabet."""
    prefix = f"{outer}/" if outer else ""
    return tuple(
        CandidateNode(f"{prefix}{sha}", "", sha, "", "commit", BuildInputs(sha), BuildInputs(sha), (sha,), outer=outer)
        for sha in shas
    )


def test_candidates_follow_the_order_of_the_line_though_they_were_stored_without_one() -> None:
    plan = search_plan.make_search_plan(SearchLevel(nodes(SHAS), 8, label="mono"), {})
    plan = search_plan.expand_candidate(
        plan, SHAS[2], SearchLevel(nodes(["9" * 40, "2" * 40, "5" * 40], SHAS[2]), 3, label="lib")
    )
    stored = search_plan.from_json(json.loads(json.dumps(search_plan.to_json(plan), sort_keys=True)))
    state = build_search_state(stored.line, BisectSettings(), (), larger_is_worse=True)
    top, inner = compute_search_view(stored, state, ()).levels
    assert [one.node.sha for one in top.candidates] == SHAS
    assert [one.node.sha for one in inner.candidates] == ["9" * 40, "2" * 40, "5" * 40]


def test_the_posterior_preview_is_the_posterior_without_one_side() -> None:
    plan = search_plan.make_search_plan(SearchLevel(nodes(SHAS), 8, label="mono"), {})
    known = (
        ProbeObservation(1, SHAS[3], "probe", 1, "done", measurements_requested=1, bad=2),
        ProbeObservation(2, SHAS[4], "probe", 2, "soaking", measurements_requested=1),
    )
    state = build_search_state(plan.line, BisectSettings(), known, larger_is_worse=True)
    view = compute_search_view(plan, state, known)
    assert list(view.would) == [2]
    slower, not_slower = view.would[2].slower, view.would[2].not_slower
    assert slower is not None
    assert not_slower is not None
    believed = [one.belief for one in view.levels[0].candidates]
    assert slower[0].sha in SHAS[:5]
    assert not_slower[0].sha in SHAS[5:]
    for expected, side in ((slower, believed[:5]), (not_slower, believed[5:])):
        assert max(side) / (sum(side) + view.elsewhere) <= expected[1] <= max(side) / sum(side)


def test_all_candidates_of_a_level_are_returned_on_request() -> None:
    shas = [f"{at:040x}" for at in range(300)]
    plan = search_plan.make_search_plan(SearchLevel(nodes(shas), 300, label="mono"), {})
    state = build_search_state(plan.line, BisectSettings(), (), larger_is_worse=True)
    assert len(compute_search_view(plan, state, ()).levels[0].candidates) == 200
    assert len(compute_search_view(plan, state, (), most=300).levels[0].candidates) == 300
