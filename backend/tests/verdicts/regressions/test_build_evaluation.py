"""Builds get verdicts: what is reported, when, and above all what is not."""

from functools import partial
from itertools import pairwise
from typing import Any
from uuid import UUID

import pytest

from slowpath.analysis.findings.build_measurements import KindMeasurement
from slowpath.core.ids import RepositoryId, new_id
from slowpath.inventory.catalog.tables import Build
from slowpath.inventory.repositories.rules import CommitMetadata
from slowpath.inventory.repositories.service.commit_graph import record_commits
from slowpath.inventory.repositories.tables import Repository, ServiceRepository
from slowpath.verdicts.regressions.rules import RegressionState
from slowpath.verdicts.regressions.service.evaluation_inputs import measurement_conditions
from slowpath.verdicts.regressions.tables import RegressionEvent, RegressionEvidence
from tests.factories.accounts import SomeTeam
from tests.support.app_under_test import AppUnderTest
from tests.verdicts.regressions.synthetic_builds import COSTS, SyntheticBuilds

pytestmark = pytest.mark.database

DECODE_SLOWER = {"decode": COSTS["decode"] * 1.5}
MOVED = {"clone": 2.0, "cloneBytes": 10.0}


@pytest.fixture
def synthetic(app: AppUnderTest, team: SomeTeam) -> SyntheticBuilds:
    return SyntheticBuilds.opened(app, team, seed=7)


def test_an_unmeasured_build_has_the_conditions_of_the_previous_one() -> None:
    listed = [None, "go1.26", None, "go1.27", None]
    loaded = [None, KindMeasurement("latency", 1, (), {}, load={"production": 90.0}), *[None] * 3]

    assert measurement_conditions(listed, [None] * 5) == ["go1.26"] * 3 + ["go1.27"] * 2
    assert measurement_conditions(listed, loaded)[0] == "go1.26, production: about 90 requests a second"


def test_the_first_builds_are_skipped_with_the_number_needed(synthetic: SyntheticBuilds) -> None:
    first, second = synthetic.builds(2)

    known = synthetic.judgements()
    assert known[first].state == known[second].state == "skipped"
    assert known[second].required_evidence == {"builds": 7, "profiles": None}
    assert "7 more builds" in known[second].sentence


def test_unchanged_builds_pass_without_notifications(synthetic: SyntheticBuilds) -> None:
    synthetic.history(20)
    synthetic.builds(20)

    assert synthetic.regressions() == synthetic.regressions(confirmed=False) == []
    assert set(synthetic.states()[20:]) == {"passed"}
    assert len(synthetic.jobs("regressions.notify-build-evaluated")) == 21


def test_a_regression_is_sent_once_with_its_build_and_change(synthetic: SyntheticBuilds) -> None:
    good = synthetic.history()
    bad = synthetic.builds(8, DECODE_SLOWER)

    [row] = synthetic.regressions()
    assert row.number == 1
    assert row.since_build_id == bad[0]
    assert row.good_build_id == good[-1]
    assert (row.kind, row.subject) == ("profile.function", "app.decode")
    assert row.ratio == pytest.approx(1.5, rel=0.06)
    assert row.ratio_low is not None
    assert row.ratio_high is not None
    assert row.ratio_low < 1.5 < row.ratio_high
    assert "app.decode takes more time" in row.sentence
    assert {member["subject"] for member in row.related_series} >= {"app.decode"}
    assert row.sparkline is not None
    assert row.sparkline["values"][row.sparkline["step_at"]] == pytest.approx(45, rel=0.1)
    assert len(synthetic.jobs("regressions.notify-opened")) == 1
    opened = [event for event in synthetic.rows(RegressionEvent) if event.kind == "opened"]
    assert [event.user_id for event in opened] == [None], "no user did it: an uploader has claimed nothing"
    assert row.created_by is None
    assert synthetic.judgements()[bad[0]].state == "changed"
    assert synthetic.judgements()[bad[0]].regression_ids == [str(row.id)]
    assert synthetic.judgements()[bad[-1]].state == "passed"


def test_candidates_are_not_notified(synthetic: SyntheticBuilds) -> None:
    synthetic.history()
    synthetic.build({"decode": COSTS["decode"] * 1.3})

    assert synthetic.regressions() == []
    [candidate] = synthetic.regressions(confirmed=False)
    assert candidate.number is None
    assert candidate.required_evidence is not None
    assert candidate.required_evidence["builds"] > 0
    assert synthetic.states()[-1] == "inconclusive"
    assert synthetic.jobs("regressions.notify-opened") == []
    assert synthetic.jobs("regressions.notify-changed") == []


def test_an_invalid_candidate_leaves_nothing(synthetic: SyntheticBuilds) -> None:
    synthetic.history()
    outlier = synthetic.build({"decode": COSTS["decode"] * 1.3})
    synthetic.builds(6)

    assert synthetic.regressions() == synthetic.regressions(confirmed=False) == []
    assert synthetic.judgements()[outlier].state == "passed"
    assert "was not confirmed" in synthetic.judgements()[outlier].sentence


def test_a_cost_that_moves_is_no_regression(synthetic: SyntheticBuilds) -> None:
    synthetic.history()
    synthetic.builds(10, MOVED)

    assert synthetic.regressions() == []
    assert synthetic.jobs("regressions.notify-opened") == []
    assert {point.subject for point in synthetic.change_points()} >= {"app.cloneBytes"}


def test_another_machine_is_a_finding_of_its_own_and_no_regression(synthetic: SyntheticBuilds) -> None:
    synthetic.history()
    slower = {name: cost * 1.3 for name, cost in COSTS.items()}
    synthetic.builds(8, slower, machine="two")

    assert synthetic.regressions() == []
    assert {point.cause for point in synthetic.change_points()} == {"conditions"}


def test_a_second_regression_later_is_another_one(synthetic: SyntheticBuilds) -> None:
    synthetic.history()
    synthetic.builds(14, DECODE_SLOWER)
    both = synthetic.builds(8, {**DECODE_SLOWER, "write": COSTS["write"] * 1.4})

    first, second = synthetic.regressions()
    assert (first.number, second.number) == (1, 2)
    assert second.since_build_id == both[0]
    assert second.subject == "app.write"


def test_judging_again_does_nothing_twice(synthetic: SyntheticBuilds) -> None:
    synthetic.history()
    bad = synthetic.builds(8, DECODE_SLOWER)
    before = (
        len(synthetic.change_points()),
        len(synthetic.jobs("regressions.notify-opened")),
        len(synthetic.jobs("regressions.notify-build-evaluated")),
    )
    for build_id in (bad[0], bad[-1], bad[-1]):
        synthetic.judge(build_id)

    assert len(synthetic.regressions()) == 1
    after = (
        len(synthetic.change_points()),
        len(synthetic.jobs("regressions.notify-opened")),
        len(synthetic.jobs("regressions.notify-build-evaluated")),
    )
    assert after == before


def test_a_fix_closes_it_with_proof_against_both_sides(synthetic: SyntheticBuilds) -> None:
    synthetic.history()
    synthetic.builds(8, DECODE_SLOWER)
    fixed = synthetic.builds(8)

    [row] = synthetic.regressions()
    assert row.state == RegressionState.FIXED
    assert row.fixed_build_id == fixed[0]
    assert row.closed_at is not None
    proofs = [each for each in synthetic.rows(RegressionEvidence) if each.kind == "fix-verification"]
    assert {each.details["against"] for each in proofs} == {"good", "bad"}
    assert [job["what"] for job in synthetic.jobs("regressions.notify-changed")] == ["fixed"]


def test_an_improvement_is_reported_as_one(synthetic: SyntheticBuilds) -> None:
    synthetic.history()
    synthetic.builds(8, DECODE_SLOWER)
    synthetic.builds(8, {"decode": COSTS["decode"] * 0.6})

    assert [row.state for row in synthetic.regressions()] == [RegressionState.IMPROVED]


def test_half_a_fix_leaves_it_open(synthetic: SyntheticBuilds) -> None:
    synthetic.history()
    synthetic.builds(8, {"decode": COSTS["decode"] * 2})
    synthetic.builds(10, DECODE_SLOWER)

    [row] = synthetic.regressions()
    assert (row.state, row.fixed_build_id) == (RegressionState.NEW, None)
    assert [job["what"] for job in synthetic.jobs("regressions.notify-changed")] == ["still-slower"]


def test_a_muted_series_is_not_notified(synthetic: SyntheticBuilds, app: AppUnderTest, team: SomeTeam) -> None:
    client = app.asked(cookie=team.owner.cookie)
    for kind in ("profile.function", "profile.category"):
        response = client.put(
            f"/api/v1/services/{synthetic.service_id}/mute-rules", json={"kind": kind, "is_muted": True}
        )
        assert response.status_code == 200, response.text
    synthetic.history()
    synthetic.builds(8, DECODE_SLOWER)

    assert synthetic.regressions() == []
    assert synthetic.change_points() != []


def test_a_build_that_comes_late_takes_its_place_in_the_line(synthetic: SyntheticBuilds) -> None:
    synthetic.history(40)
    between = synthetic.clock
    synthetic.history(20)
    bad = synthetic.builds(6, DECODE_SLOWER)
    synthetic.build(at=between)

    [row] = synthetic.regressions()
    assert row.since_build_id == bad[0]


def test_builds_are_ordered_by_the_parents_that_they_name(synthetic: SyntheticBuilds) -> None:
    synthetic.history()
    with synthetic.writing() as session:
        last = session.get_one(Build, (synthetic.team.id, synthetic.made[-1])).commit
    early = synthetic.clock.replace(year=2020)
    bad = synthetic.prepare(DECODE_SLOWER, parent=last, at=early)  # a machine whose clock is wrong
    with synthetic.writing() as session:
        commit = session.get_one(Build, (synthetic.team.id, bad)).commit
    synthetic.judge(bad)
    for _ in range(7):
        after = synthetic.build(DECODE_SLOWER, parent=commit)
        with synthetic.writing() as session:
            commit = session.get_one(Build, (synthetic.team.id, after)).commit

    [row] = synthetic.regressions()
    assert row.since_build_id == bad


def test_a_branch_is_held_against_the_builds_that_it_came_from(synthetic: SyntheticBuilds) -> None:
    synthetic.history()
    on_branch = synthetic.builds(4, {"decode": COSTS["decode"] * 1.6}, branch="faster-decode")
    synthetic.builds(4)

    [row] = synthetic.regressions()
    assert (row.branch, row.since_build_id) == ("faster-decode", on_branch[0])


def record_builds(synthetic: SyntheticBuilds, count: int, branch: str, **fields: Any) -> list[UUID]:  # noqa: ANN401 - columns of a build
    made = []
    for _ in range(count):
        made.append(synthetic.prepare(DECODE_SLOWER, branch=branch))
        with synthetic.writing() as session:
            row = session.get_one(Build, (synthetic.team.id, made[-1]))
            for name, value in fields.items():
                setattr(row, name, value)
        synthetic.judge(made[-1])
    return made


def test_a_branchs_regression_goes_along_when_its_pull_request_is_squashed(synthetic: SyntheticBuilds) -> None:
    synthetic.history()
    record_builds(synthetic, 4, "copy-less", pull_request={"number": 7})
    [before] = synthetic.regressions()
    merged = record_builds(synthetic, 5, "main", title="Copy less (#7)")

    [row] = synthetic.regressions()
    assert (row.id, row.number, row.branch) == (before.id, before.number, "main")
    assert row.since_build_id == merged[0]
    assert synthetic.regressions(confirmed=False) == []
    assert len(synthetic.jobs("regressions.notify-opened")) == 1
    assert [job["what"] for job in synthetic.jobs("regressions.notify-changed")] == ["merged-to-branch"]
    assert synthetic.judgements()[merged[0]].regression_ids == [str(row.id)]

    record_builds(synthetic, 2, "copy-less")
    assert [each.id for each in synthetic.regressions()] == [row.id]


def test_changes_of_different_pull_requests_are_separate_regressions(synthetic: SyntheticBuilds) -> None:
    synthetic.history()
    record_builds(synthetic, 4, "copy-less", pull_request={"number": 7})
    record_builds(synthetic, 5, "main", title="Read twice (#8)")

    assert [row.branch for row in synthetic.regressions()] == ["copy-less", "main"]


@pytest.mark.parametrize("rewritten", [False, True])
def test_a_branchs_regression_goes_along_with_its_commits(synthetic: SyntheticBuilds, rewritten: bool) -> None:
    history = synthetic.history()
    with synthetic.writing() as session:
        at = {build_id: session.get_one(Build, (synthetic.team.id, build_id)).commit for build_id in history}
        repository = Repository(team_id=synthetic.team.id, id=new_id(), label="mono", kind="pushed", credentials="none")
        session.add(repository)
        session.flush()
        session.add(
            ServiceRepository(
                team_id=synthetic.team.id, id=new_id(), service_id=synthetic.service_id, repository_id=repository.id
            )
        )
        trunk = list(at.values())
        number = len(synthetic.made)
        branch, main = ([f"{number + each:07x}" + "0" * 33 for each in some] for some in (range(1, 5), range(5, 10)))
        make_commit = partial(CommitMetadata, title="Copy less", author_email="a@example.com")
        commits = [CommitMetadata(one, [before]) for before, one in pairwise(trunk)]
        commits += [make_commit(branch[0], [trunk[-1]])]
        commits += [CommitMetadata(one, [before]) for before, one in pairwise(branch)]
        commits += [
            make_commit(main[0], [trunk[-1]]) if rewritten else CommitMetadata(main[0], [trunk[-1], branch[-1]])
        ]
        commits += [CommitMetadata(one, [before]) for before, one in pairwise(main)]
        record_commits(session, RepositoryId(repository.id), commits)
    record_builds(synthetic, 4, "copy-less")
    [before] = synthetic.regressions()
    record_builds(synthetic, 5, "main")

    [row] = synthetic.regressions()
    assert (row.id, row.branch) == (before.id, "main")


def test_regressions_at_the_same_build_are_one(synthetic: SyntheticBuilds) -> None:
    synthetic.history()
    synthetic.builds(
        10, {"decode": COSTS["decode"] * 1.5, "write": COSTS["write"] * 1.5, "gc-mark": COSTS["gc-mark"] * 1.5}
    )

    [row] = synthetic.regressions()
    assert len(row.related_series) > 1
    assert len(synthetic.jobs("regressions.notify-opened")) == 1
