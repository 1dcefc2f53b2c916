"""Profile sets over HTTP: limits, what is refused, other teams."""

from uuid import uuid4

import pytest
from fastapi.testclient import TestClient

from slowpath.evidence.profiles.rules import MAX_LABEL_MATCHERS
from slowpath.platform.accounts.rules.roles import Role
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.factories.files import FilesFactory
from tests.support.app_under_test import AppUnderTest

pytestmark = pytest.mark.database

SETS = "/api/v1/profile-sets"


@pytest.fixture
def files(app: AppUnderTest, team: SomeTeam) -> FilesFactory:
    return FilesFactory(app, team)


def test_200_artifacts_are_a_set_and_201_are_refused(client: TestClient, files: FilesFactory) -> None:
    ids = [str(files.decoded(f"{number}.pprof", str(number).encode())) for number in range(201)]
    opened = client.post(SETS, json={"artifact_ids": ids[:200]})
    assert (opened.status_code, len(opened.json()["artifacts"])) == (200, 200)
    assert opened.json()["artifacts"][0]["samples"] == 1000
    assert opened.json()["artifacts"][0]["duration_ns"] == 10_000_000_000
    assert client.post(SETS, json={"artifact_ids": ids[199::-1]}).json()["id"] == opened.json()["id"]
    refused = client.post(SETS, json={"artifact_ids": ids})
    problem = refused.json()
    assert (refused.status_code, problem["type"]) == (429, "urn:slowpath:too-many-profiles")
    assert (problem["limit"], problem["value"], problem["unit"]) == (200, 201, "artifacts")


def test_artifacts_that_are_missing_or_listed_twice_are_refused(
    client: TestClient, files: FilesFactory, people: AccountsFactory
) -> None:
    mine = str(files.decoded())
    theirs = str(FilesFactory(files.app, people.team("Others")).decoded())
    for other in (theirs, str(uuid4())):
        answer = client.post(SETS, json={"artifact_ids": [mine, other]})
        assert (answer.status_code, answer.json()["type"]) == (404, "urn:slowpath:artifact-not-found")
    twice = client.post(SETS, json={"artifact_ids": [mine, mine]})
    assert (twice.status_code, twice.json()["type"]) == (422, "urn:slowpath:artifact-listed-twice")
    assert client.post(SETS, json={"artifact_ids": []}).status_code == 422


def test_a_set_of_another_team_is_not_there(client: TestClient, files: FilesFactory, people: AccountsFactory) -> None:
    opened = client.post(SETS, json={"artifact_ids": [str(files.decoded())]}).json()
    stranger = files.app.asked(cookie=people.team("Others").owner.cookie)
    for path in ("", f"/views/{uuid4()}", f"/exports/{uuid4()}"):
        assert stranger.get(f"{SETS}/{opened['id']}{path}").status_code == 404


def test_new_run_metadata_is_another_set(client: TestClient, files: FilesFactory) -> None:
    artifact_id = str(files.decoded())
    before = client.post(SETS, json={"artifact_ids": [artifact_id]}).json()
    client.patch(f"/api/v1/artifacts/{artifact_id}", json={"run_metadata": {"requests": 900}})
    after = client.post(SETS, json={"artifact_ids": [artifact_id]}).json()
    assert before["id"] != after["id"]


def test_a_viewer_may_open_profiles(files: FilesFactory, people: AccountsFactory) -> None:
    artifact_id = str(files.decoded())
    viewer = files.app.asked(cookie=people.member(files.team, Role.VIEWER).cookie, team=files.team.id)
    assert viewer.post(SETS, json={"artifact_ids": [artifact_id]}).status_code == 200


def test_label_matchers_have_limits(client: TestClient, files: FilesFactory) -> None:
    opened = client.post(SETS, json={"artifact_ids": [str(files.decoded())]}).json()
    asked = {"kind": "cpu", "sample_type": "cpu", "granularity": "function"}
    for labels in (
        [{"key": "k" * 65_536, "value": "a"}],
        [{"key": "a", "value": "b"}] * (MAX_LABEL_MATCHERS + 1),
        [{"key": "", "value": None}],
    ):
        assert client.post(f"{SETS}/{opened['id']}/views", json={**asked, "labels": labels}).status_code == 422
