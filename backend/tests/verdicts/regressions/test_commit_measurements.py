"""Measurements of the builds of a commit: all kinds are read with the same few statements."""

import numpy as np
import pytest

from slowpath.analysis.findings.build_measurements import KindMeasurement, SubjectValues
from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import ServiceId
from slowpath.verdicts.regressions.service.commit_measurements import CommitMeasurements, SubjectQuery
from slowpath.verdicts.regressions.tables import BuildMeasurement
from tests.factories.accounts import SomeTeam
from tests.factories.evidence import EvidenceFactory
from tests.support.app_under_test import AppUnderTest
from tests.support.statements import Statements

pytestmark = pytest.mark.database

COMMIT = "a" * 40
KINDS = ("profile.category", "profile.function", "profile.heap")


def test_more_kinds_need_no_more_statements(app: AppUnderTest, team: SomeTeam, queries: Statements) -> None:
    made = EvidenceFactory(app, team)
    service_id = made.service()
    build_id = made.build(service_id, COMMIT)
    made.profiles(build_id, 2)
    heap_id = made.profile(build_id, kind="heap")
    for number, kind in enumerate(KINDS):
        values = SubjectValues("us/request", np.array([number + 1.0]), np.array([0.1]))
        content = KindMeasurement(kind, 1, ("main.F",), {"per_request": values}).pack()
        row = BuildMeasurement(build_id=build_id, kind=kind, artifact_hashes="", artifacts=1, conditions="")
        row.content = content
        made.add(row)

    with app.database.reading(TeamScope(team.id)) as session:
        commits = CommitMeasurements(session, ServiceId(service_id))
        with queries.during() as counted:
            found = [commits.find_measurement(COMMIT, SubjectQuery(kind, "main.F", "us/request", 20)) for kind in KINDS]
            absent = commits.find_measurement("b" * 40, SubjectQuery(KINDS[0], "main.F", "us/request", 20))

    assert absent is None
    assert [(one.value, len(one.artifacts)) for one in found if one is not None] == [(1.0, 2), (2.0, 2), (3.0, 1)]
    assert found[2] is not None
    assert found[2].artifacts[0].id == heap_id
    assert len(counted) == 4  # builds, measurements and artifacts of the one commit, builds of the other
