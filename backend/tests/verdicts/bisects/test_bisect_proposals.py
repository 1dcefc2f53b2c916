"""Proposed settings of a bisect: signatures best first, boundaries as in the repository, and what is missing in words."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from fastapi.testclient import TestClient

from slowpath.analysis.findings.build_measurements import KindMeasurement, SubjectValues
from slowpath.analysis.findings.findings import AttributedCaller, Finding
from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import BuildId, ComparisonId, RegressionId, RepositoryId, new_id
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.inventory.catalog.service.catalog_entries import ensure_environment
from slowpath.inventory.catalog.tables import Build
from slowpath.inventory.repositories.rules import ChangedFile, CommitMetadata
from slowpath.inventory.repositories.service import commit_graph
from slowpath.inventory.repositories.tables import Repository, ServiceRepository
from slowpath.verdicts.bisects.rules.candidates import BuildInputs, CandidateNode, SearchLevel
from slowpath.verdicts.bisects.service import bisect_proposals, regressed_code, search_planner
from slowpath.verdicts.bisects.tables import Bisect
from slowpath.verdicts.comparisons.tables import Comparison, ComparisonArtifact
from slowpath.verdicts.regressions.service import build_measurements
from slowpath.verdicts.regressions.service.build_measurements import PackedMeasurement, PendingBuildMeasurement
from slowpath.verdicts.regressions.tables import Regression
from tests.factories.accounts import SomeTeam
from tests.factories.findings import FINDING, stored_result
from tests.support.app_under_test import AppUnderTest
from tests.verdicts.regressions.synthetic_builds import SyntheticBuilds

pytestmark = pytest.mark.database

GOOD, BAD = "a" * 40, "b" * 40
AT = datetime(2026, 11, 1, tzinfo=UTC)


def finding(kind: str, subject: str, base: float, candidate: float) -> Finding:
    return replace(FINDING, kind=kind, subject=subject, base=base, candidate=candidate, unit="x")


@pytest.fixture
def synthetic(app: AppUnderTest, team: SomeTeam) -> SyntheticBuilds:
    return SyntheticBuilds.opened(app, team, seed=3)


def reading(synthetic: SyntheticBuilds) -> Any:  # noqa: ANN401 - a context manager of a session
    return synthetic.database.reading(TeamScope(synthetic.team.id, synthetic.team.owner.user_id))


def with_repository(synthetic: SyntheticBuilds, url: str | None = "https://git.example.org/mono.git") -> UUID:
    repository_id = new_id()
    row = Repository(
        team_id=synthetic.team.id, id=repository_id, label="mono", kind="other" if url else "pushed", url=url,
        credentials="none", branch_heads={},
    )  # fmt: skip
    built = ServiceRepository(
        team_id=synthetic.team.id,
        id=new_id(),
        service_id=synthetic.service_id,
        repository_id=repository_id,
        main_package="cmd/x",
    )
    listed = [
        CommitMetadata(GOOD, (), title="First", committed_at=AT),
        CommitMetadata(BAD, (GOOD,), title="Second", committed_at=AT, files=(ChangedFile("db/get.go"),)),
    ]
    with synthetic.writing() as session:
        session.add(row)
        session.flush()
        session.add(built)
        commit_graph.record_commits(session, RepositoryId(repository_id), listed)
    return repository_id


def put(synthetic: SyntheticBuilds, **fields: Any) -> RegressionId:  # noqa: ANN401 - any column
    values = {
        "number": 1, "branch": "main", "state": "new", "title": "Stack growth takes more time: ×3.2", "sentence": "It does.",
        "kind": "profile.category", "subject": "stack-growth", "unit": "us/request", "direction": "worse",
        "before": 10.0, "after": 32.0, "ratio": 3.2, "since_commit": BAD, "since_at": AT, "good_commit": GOOD, "last_commit": BAD[:12],
        "related_series": [
            {"kind": "profile.category", "subject": "stack-growth", "ratio": 3.2, "is_move": False},
            {"kind": "profile.function", "subject": "example.org/db.(*T).Get", "ratio": 1.05, "is_move": False},
            {"kind": "growth.count", "subject": "total", "ratio": 4.5, "is_move": False},
            {"kind": "latency", "subject": "p99", "ratio": 1.4, "is_move": False},
        ],
    }  # fmt: skip
    row = Regression(
        team_id=synthetic.team.id, id=new_id(), confirmed=True, service_id=synthetic.service_id, **{**values, **fields}
    )
    regression_id = RegressionId(row.id)
    with synthetic.writing() as session:
        session.add(row)
    return regression_id


def test_a_regression_offers_its_ends_and_signatures_best_first(synthetic: SyntheticBuilds) -> None:
    repository_id, regression_id = with_repository(synthetic), put(synthetic)
    with reading(synthetic) as session:
        found = bisect_proposals.propose_bisect(session, regression_id=regression_id)

    assert found.missing == ()
    assert found.repository == (repository_id, "mono", "https://git.example.org/mono.git")
    assert found.good is not None
    assert found.bad is not None
    assert (found.good.sha, found.good.title, found.bad.sha, found.bad.title) == (GOOD, "First", BAD, "Second")
    offered = [(one.signature.kind, one.signature.subject, one.separates) for one in found.signatures]
    assert offered == [
        ("growth.count", "total", True),
        ("profile.category", "stack-growth", True),
        ("profile.function", "example.org/db.(*T).Get", False),
        ("custom", "", False),
    ]
    best = found.signatures[1]
    assert (best.before, best.after, best.signature.unit) == (10.0, 32.0, "us/request")
    assert best.signature.label == "CPU in stack growth (morestack)"
    assert "×3.2" in best.why
    assert best.signature.larger_is_worse


def latency_of(synthetic: SyntheticBuilds, build_id: UUID, **values: tuple[float, float]) -> None:
    """Write down what production measured of a build: value and error of each quantile."""
    subjects = tuple(f"lab {name}" for name in values)
    held = SubjectValues(
        "ns", np.array([one for one, _ in values.values()]), np.array([one for _, one in values.values()])
    )
    measure = KindMeasurement("latency", 1, subjects, {"quantile": held}, load={"lab": 20.0})
    with synthetic.writing() as session:
        source = PendingBuildMeasurement("latency", (), (), f"1 {build_id}", "")
        build_measurements.record_measurements(
            session, BuildId(build_id), [PackedMeasurement("latency", measure.pack(), source)]
        )


def test_latency_that_production_measured_of_both_builds_is_offered_by_its_interval(synthetic: SyntheticBuilds) -> None:
    good, bad = synthetic.prepare(), synthetic.prepare()
    latency_of(synthetic, good, p50=(1.0e6, 2.0e4), p99=(5.0e6, 1.5e6), p90=(3.0e6, 1e4))
    latency_of(synthetic, bad, p50=(1.4e6, 3.0e4), p99=(7.0e6, 2.0e6), p90=(2.9e6, 1e4))
    members = [{"kind": "latency", "subject": "lab p50", "ratio": 1.4, "is_move": False}]
    regression_id = put(
        synthetic,
        kind="latency",
        subject="lab p50",
        unit="ns",
        related_series=members,
        good_build_id=good,
        since_build_id=bad,
    )
    with synthetic.writing() as session:
        ensure_environment(session, "Lab")
    with reading(synthetic) as session:
        found = bisect_proposals.propose_bisect(session, regression_id=regression_id)

    offered = {one.signature.subject: one for one in found.signatures if one.signature.kind == "latency"}
    assert [(name, one.separates) for name, one in offered.items()] == [("lab p50", True)]
    assert [one.signature.subject for one in found.left_out if one.signature.kind == "latency"] == ["lab p99"]
    best = offered["lab p50"]
    assert best.why == "Measured in production: +40% (95% CI +32% to +48%)."
    assert (best.before, best.after, best.signature.unit) == (1.0e6, 1.4e6, "ns")
    assert best.board is not None
    assert (best.board.environment, best.board.measurement_seconds) == ("Lab", None)


def test_missing_parts_are_reported(synthetic: SyntheticBuilds) -> None:
    regression_id = put(synthetic, good_commit=None)
    with reading(synthetic) as session:
        without = bisect_proposals.propose_bisect(session, regression_id=regression_id)
    with_repository(synthetic, None)
    regression_id = put(synthetic, number=2, good_commit="c" * 40)
    with reading(synthetic) as session:
        pushed = bisect_proposals.propose_bisect(session, regression_id=regression_id)

    assert without.repository is None
    assert "No repository is linked" in without.missing[0]
    assert len(pushed.missing) == 2
    assert pushed.missing[0].startswith("mono has no address")
    assert pushed.missing[1].startswith("The good commit cccccccccc is not known in mono")


def test_a_comparison_offers_what_it_found_and_ranks_commits_by_it(
    synthetic: SyntheticBuilds, client: TestClient
) -> None:
    comparison_id, good, bad = new_id(), synthetic.prepare(), synthetic.prepare()
    repository_id = with_repository(synthetic)
    findings = [
        finding("profile.category", "gc", 10.0, 12.0),
        finding("bench", "BenchmarkX ops/s", 30.0, 10.0),
        replace(
            finding("profile.function", "example.org/db.Get", 1.0, 3.0),
            attributed_callers=(AttributedCaller("example.org/lib.F", None, ("main.main",), 2.0),),
        ),
        finding("spans.gap", "a/b", 1.0, 9.0),
        replace(finding("profile.category", "app", 9.0, 5.0), direction="better"),
    ]
    comparison = Comparison(
        team_id=synthetic.team.id, id=comparison_id, name="a against b", base_label="a", candidate_label="b", state="done",
        result=stored_result(*findings),
    )  # fmt: skip
    with synthetic.writing() as session:
        session.add(comparison)
        session.flush()
        for side, build_id, sha in (("base", good, GOOD), ("candidate", bad, BAD)):
            session.get(Build, (synthetic.team.id, build_id)).commit = sha
            artifact = Artifact(
                team_id=synthetic.team.id, id=new_id(), name=side, size_bytes=1, sha256="0" * 64, state="decoded", run_metadata={},
                build_id=build_id,
            )  # fmt: skip
            session.add(artifact)
            session.flush()
            session.add(
                ComparisonArtifact(
                    team_id=synthetic.team.id, id=new_id(), comparison_id=comparison_id, side=side, artifact_id=artifact.id,
                    position=0,
                )
            )  # fmt: skip
    asked = Bisect(comparison_id=comparison_id, signature={"kind": "custom", "subject": ""})
    with reading(synthetic) as session:
        found = bisect_proposals.propose_bisect(session, comparison_id=ComparisonId(comparison_id))
        regressed = regressed_code.find_regressed_code(session, regressed_code.subject_of(asked))
        node = CandidateNode(BAD, "", BAD, "Second", "commit", BuildInputs(BAD), BuildInputs(GOOD))
        level = search_planner.weight_candidates(
            session, RepositoryId(repository_id), SearchLevel((node,), 1), regressed, pruned=False
        )
    listed = client.get(
        f"/api/v1/services/{synthetic.service_id}/commits",
        params={"good": GOOD, "bad": BAD, "comparison_id": str(comparison_id)},
    ).json()

    assert found.missing == ()
    assert (found.good and found.good.sha, found.bad and found.bad.sha) == (GOOD, BAD)
    kinds = [one.signature.kind for one in found.signatures]
    assert kinds == ["bench", "profile.function", "profile.category", "custom"]
    assert not found.signatures[0].signature.larger_is_worse
    [reason] = listed["commits"][0]["suspicion"]["reasons"]
    assert reason["sentence"] == level.nodes[0].why == "Touches a package of regressed functions: db."
    assert list(regressed.functions) == ["example.org/db.Get", "example.org/lib.F", "main.main"]
