"""Triage of regressions: when one is closed, what is no change, and which comparisons cannot become a regression."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select

from slowpath.analysis.findings.findings import Finding
from slowpath.core.ids import ComparisonId, RegressionId, new_id
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.verdicts.comparisons.tables import Comparison, ComparisonArtifact
from slowpath.verdicts.regressions.errors import ComparisonNotClaimable, RegressionNotConfirmed
from slowpath.verdicts.regressions.rules import OPEN, RegressionState
from slowpath.verdicts.regressions.service import triage
from slowpath.verdicts.regressions.tables import Regression, RegressionEvent, RegressionEvidence
from tests.factories.accounts import SomeTeam
from tests.factories.findings import FINDING, stored_result
from tests.support.app_under_test import AppUnderTest
from tests.verdicts.regressions.synthetic_builds import SyntheticBuilds
from tests.verdicts.regressions.test_endpoints import put

pytestmark = pytest.mark.database

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
LATER = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.fixture
def synthetic(app: AppUnderTest, team: SomeTeam) -> SyntheticBuilds:
    return SyntheticBuilds.opened(app, team, seed=3)


def update(synthetic: SyntheticBuilds, regression_id: UUID, at: datetime = NOW, **fields: Any) -> None:  # noqa: ANN401 - any member of an update
    with synthetic.writing() as session:
        triage.update_regressions(session, [RegressionId(regression_id)], fields, at)


def stored(synthetic: SyntheticBuilds, regression_id: UUID) -> tuple[str, datetime | None]:
    with synthetic.writing() as session:
        row = session.get_one(Regression, (synthetic.team.id, regression_id))
        return row.state, row.closed_at


def events(synthetic: SyntheticBuilds) -> list[str]:
    with synthetic.writing() as session:
        return sorted(session.scalars(select(RegressionEvent.kind)))


def compared(synthetic: SyntheticBuilds, findings: Sequence[Finding] | None, *candidates: UUID | None) -> ComparisonId:
    """Store a comparison whose candidate has an artifact of each of these builds."""
    comparison_id = ComparisonId(new_id())
    with synthetic.writing() as session:
        session.add(
            Comparison(
                team_id=synthetic.team.id,
                id=comparison_id,
                name="a against b",
                base_label="a",
                candidate_label="b",
                state="done",
                result=None if findings is None else stored_result(*findings),
            )
        )
        session.flush()
        for position, build_id in enumerate(candidates):
            artifact = Artifact(
                team_id=synthetic.team.id, id=new_id(), name=str(position), size_bytes=1, sha256="0" * 64, state="decoded",
                run_metadata={}, build_id=build_id,
            )  # fmt: skip
            session.add(artifact)
            session.flush()
            session.add(
                ComparisonArtifact(
                    team_id=synthetic.team.id, id=new_id(), comparison_id=comparison_id, side="candidate",
                    artifact_id=artifact.id, position=position,
                )
            )  # fmt: skip
    return comparison_id


@pytest.mark.parametrize("state", list(RegressionState))
def test_a_regression_has_an_end_exactly_when_its_state_is_not_open(
    synthetic: SyntheticBuilds, state: RegressionState
) -> None:
    regression_id = put(synthetic, state="investigating" if state != "investigating" else "new")
    update(synthetic, regression_id, state=state)
    assert stored(synthetic, regression_id) == (state, None if state in OPEN else NOW)


def test_the_end_is_that_of_the_last_closing(synthetic: SyntheticBuilds) -> None:
    regression_id = put(synthetic)
    update(synthetic, regression_id, state="ignored")
    update(synthetic, regression_id, LATER, state="ignored")
    assert stored(synthetic, regression_id) == ("ignored", NOW), "what is closed already is not closed again"
    update(synthetic, regression_id, LATER, state="new")
    update(synthetic, regression_id, LATER, state="fixed")
    assert stored(synthetic, regression_id) == ("fixed", LATER)
    assert events(synthetic) == ["state", "state", "state"]


def test_an_update_without_change_is_no_event(synthetic: SyntheticBuilds) -> None:
    regression_id = put(synthetic)
    update(synthetic, regression_id, state="new", assignee_id=None, due_on=None, note="")
    assert events(synthetic) == []
    update(synthetic, regression_id, due_on=date(2026, 12, 1))
    update(synthetic, regression_id, due_on=date(2026, 12, 1))
    update(synthetic, regression_id, due_on=None)
    assert events(synthetic) == ["due", "due"]


def test_one_unconfirmed_regression_stops_the_change_of_all(synthetic: SyntheticBuilds) -> None:
    confirmed, candidate = put(synthetic, 1), put(synthetic, None)
    with pytest.raises(RegressionNotConfirmed), synthetic.writing() as session:
        triage.update_regressions(
            session, [RegressionId(confirmed), RegressionId(candidate)], {"state": "acknowledged"}, NOW
        )
    assert stored(synthetic, confirmed) == ("new", None)


@pytest.mark.parametrize("findings", [None, [], [replace(FINDING, direction="better")]])
def test_a_comparison_without_a_worse_finding_is_no_regression(
    synthetic: SyntheticBuilds, findings: Sequence[Finding] | None
) -> None:
    comparison_id = compared(synthetic, findings, synthetic.prepare())
    with pytest.raises(ComparisonNotClaimable, match="no worse finding"), synthetic.writing() as session:
        triage.create_regression_from_comparison(session, comparison_id, None, None)


def test_a_candidate_of_no_single_build_is_no_regression(synthetic: SyntheticBuilds) -> None:
    for builds in ((synthetic.prepare(), synthetic.prepare()), (None,), ()):
        comparison_id = compared(synthetic, [FINDING], *builds)
        with pytest.raises(ComparisonNotClaimable, match="several builds or to none"), synthetic.writing() as session:
            triage.create_regression_from_comparison(session, comparison_id, None, None)


def test_evidence_is_cited_once(synthetic: SyntheticBuilds) -> None:
    comparison_id, regression_id = compared(synthetic, [FINDING], synthetic.prepare()), put(synthetic)
    for _ in range(2):
        with synthetic.writing() as session:
            row = session.get_one(Regression, (synthetic.team.id, regression_id))
            triage.add_evidence(session, row, comparison_id)
    with synthetic.writing() as session:
        cited = session.scalars(select(RegressionEvidence.comparison_id)).all()
    assert cited == [comparison_id]
