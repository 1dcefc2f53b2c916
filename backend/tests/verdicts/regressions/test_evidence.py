"""The title of a regression and the findings of the comparison that it cites name the same place."""

import pytest

from slowpath.analysis.findings.findings import AttributedCaller, Effect, Finding
from slowpath.core.ids import ComparisonId, new_id
from slowpath.verdicts.comparisons.tables import Comparison
from slowpath.verdicts.regressions.service import evidence
from slowpath.verdicts.regressions.tables import Regression
from tests.factories.accounts import SomeTeam
from tests.support.app_under_test import AppUnderTest
from tests.verdicts.regressions.synthetic_builds import COSTS, SyntheticBuilds

pytestmark = pytest.mark.database

WRITE_SLOWER = {"write": COSTS["write"] * 1.5}


def finding(
    subject: str, *path: str, kind: str = "profile.function", certain: bool = True, direction: str = "worse"
) -> Finding:
    return Finding(
        kind=kind,
        profile_kind="cpu",
        subject=subject,
        direction="worse" if direction == "worse" else "better",
        base=1.0,
        candidate=5.0,
        unit="us/request",
        change=Effect(5.0, 4.0, 4.0, 6.0, 0.95, "ratio"),
        normalization="per_request",
        q_value=1e-6,
        attributed_callers=(AttributedCaller(path[-1], None, path, 4.0),) if path else (),
        contributions=(),
        is_significant=certain,
        profiles_needed=None,
        mechanism="",
        advice="",
        sentence="",
    )


@pytest.fixture
def synthetic(app: AppUnderTest, team: SomeTeam) -> SyntheticBuilds:
    synthetic = SyntheticBuilds.opened(app, team, seed=11)
    synthetic.history(60)
    synthetic.builds(6, WRITE_SLOWER)
    return synthetic


def title_after(synthetic: SyntheticBuilds, *findings: Finding) -> str:
    """Let the regression cite a comparison with these findings; twice, since a worker may do its job again."""
    (row,) = synthetic.regressions()
    with synthetic.writing() as session:
        cited = Comparison(team_id=synthetic.team.id, id=new_id(), name="", base_label="a", candidate_label="b")
        session.add(cited)
        session.flush()
        session.get_one(Regression, (synthetic.team.id, row.id)).comparison_id = cited.id
        session.flush()
        for _ in range(2):
            evidence.add_locations(session, ComparisonId(cited.id), findings)
    (row,) = synthetic.regressions()
    return row.title


def test_a_function_inside_the_regressed_one_is_named_beside_it(synthetic: SyntheticBuilds) -> None:
    before = synthetic.regressions()[0].title
    assert before.startswith("app.write takes more time: +")

    title = title_after(synthetic, finding("app.encode", "app.Handle", "app.Store", "app.write", "app.encode"))

    assert title == f"{before}, in app.encode"


def test_a_runtime_cost_attributed_below_the_regressed_function_is_named(synthetic: SyntheticBuilds) -> None:
    before = synthetic.regressions()[0].title
    growth = finding("stack-growth", "app.Handle", "app.write", "app.clone", kind="profile.category")
    assert title_after(synthetic, growth) == f"{before}, in stack growth (morestack)"


@pytest.mark.parametrize(
    "other",
    [
        finding("app.write", "app.Handle", "app.write"),
        finding("app.decode", "app.Handle", "app.decode"),
        finding("app.encode", "app.write", "app.encode", certain=False),
        finding("app.encode", "app.write", "app.encode", direction="better"),
    ],
    ids=["the function itself", "a function elsewhere", "not significant", "the other direction"],
)
def test_nothing_else_changes_the_title(synthetic: SyntheticBuilds, other: Finding) -> None:
    before = synthetic.regressions()[0].title
    assert title_after(synthetic, other) == before
