"""Jobs over HTTP: listed, tried again, cancelled; and the stream of their events."""

from uuid import uuid4

import pytest
from fastapi.testclient import TestClient

from slowpath.core.db_sessions import TeamScope
from slowpath.core.jobs import JobState
from slowpath.job_subjects import NAMED_SUBJECTS
from slowpath.platform.jobs.queries import select_subject_names
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.factories.comparisons import ComparisonsFactory
from tests.factories.files import FilesFactory
from tests.support.app_under_test import AppUnderTest
from tests.support.statements import Statements

pytestmark = pytest.mark.database

MANY = 20


@pytest.fixture
def files(app: AppUnderTest, team: SomeTeam) -> FilesFactory:
    return FilesFactory(app, team)


def test_a_job_names_its_subject(client: TestClient, files: FilesFactory) -> None:
    artifact_id = files.received()

    job = client.get("/api/v1/jobs").json()["items"][0]

    assert (job["name"], job["state"], job["attempts"]) == ("artifacts.decode", "waiting", 0)
    name = client.get(f"/api/v1/artifacts/{artifact_id}").json()["name"]
    assert name
    assert job["subject"] == {"kind": "artifact", "id": str(artifact_id), "name": name}
    assert job["created_by"] == str(files.team.owner.user_id)
    alone = client.get(f"/api/v1/jobs/{job['id']}").json()
    assert alone == {**job, "subject": {**job["subject"], "name": None}}


def test_a_set_of_profiles_has_the_name_of_its_first_artifact(client: TestClient, files: FilesFactory) -> None:
    first, second, third = (str(files.decoded(f"{name}.pprof", name.encode())) for name in ("b", "a", "c"))
    for artifact_ids in ([first], [first, second, third]):
        client.post("/api/v1/profile-sets", json={"artifact_ids": artifact_ids})

    jobs = client.get("/api/v1/jobs").json()["items"]

    names = [one["subject"]["name"] for one in jobs if one["subject"]["kind"] == "profile_set"]
    assert names[0] in {f"{name}.pprof and 2 more" for name in "abc"}
    assert names[1:] == ["b.pprof"]


def test_an_export_has_the_name_of_its_comparison(client: TestClient, files: FilesFactory) -> None:
    comparison_id = ComparisonsFactory(files).done("Monday against Friday")
    client.post(f"/api/v1/comparisons/{comparison_id}/exports", json={"format": "csv", "kind": "cpu"})

    job = client.get("/api/v1/jobs").json()["items"][0]

    assert (job["subject"]["kind"], job["subject"]["name"]) == ("export", "Monday against Friday")


@pytest.mark.usefixtures("client")
def test_names_of_every_kind_are_read_in_one_statement(app: AppUnderTest, team: SomeTeam, queries: Statements) -> None:
    ids = {kind: [uuid4()] for kind in NAMED_SUBJECTS}
    with app.database.reading(TeamScope(team.id)) as session, queries.during() as made:
        assert select_subject_names(session, NAMED_SUBJECTS, ids) == {}
    assert len(made) == 1


def test_a_subject_that_was_deleted_has_no_name(client: TestClient, files: FilesFactory) -> None:
    artifact_id = files.received()
    assert client.delete(f"/api/v1/artifacts/{artifact_id}").status_code == 204

    jobs = client.get("/api/v1/jobs").json()["items"]

    assert jobs
    assert {one["subject"]["name"] for one in jobs} == {None}


def test_jobs_can_be_listed_by_state(client: TestClient, files: FilesFactory) -> None:
    waiting, done = files.job_in(JobState.WAITING), files.job_in(JobState.DONE)

    def ids(*states: str) -> set[str]:
        return {each["id"] for each in client.get("/api/v1/jobs", params={"state": states}).json()["items"]}

    assert ids("waiting") == {str(waiting)}
    assert ids("waiting", "done") == {str(waiting), str(done)}
    assert client.get("/api/v1/jobs", params={"state": "asleep"}).status_code == 422


def test_a_long_list_asks_no_more_of_the_database(client: TestClient, files: FilesFactory, queries: Statements) -> None:
    files.received()
    client.get("/api/v1/jobs")
    with queries.during() as few:
        client.get("/api/v1/jobs")
    for _ in range(MANY):
        files.received()
    with queries.during() as many:
        assert len(client.get("/api/v1/jobs").json()["items"]) == MANY + 1

    assert len(many) == len(few) <= 3


@pytest.mark.parametrize("state", [JobState.FAILED, JobState.CANCELLED])
def test_failed_jobs_can_be_retried(client: TestClient, files: FilesFactory, state: JobState) -> None:
    job_id = files.job_in(state)

    response = client.post(f"/api/v1/jobs/{job_id}/retry")

    assert response.status_code == 200
    job = response.json()
    assert (job["state"], job["attempts"], job["problem"], job["finished_at"]) == ("waiting", 0, None, None)


@pytest.mark.parametrize(
    ("state", "slug"),
    [(JobState.WAITING, "job-still-open"), (JobState.RUNNING, "job-still-open"), (JobState.DONE, "job-done")],
)
def test_open_or_finished_jobs_are_not_retried(
    client: TestClient, files: FilesFactory, state: JobState, slug: str
) -> None:
    answer = client.post(f"/api/v1/jobs/{files.job_in(state)}/retry")

    assert answer.status_code == 409
    assert answer.json()["type"] == f"urn:slowpath:{slug}"


@pytest.mark.parametrize("state", [JobState.WAITING, JobState.RUNNING])
def test_an_open_job_can_be_asked_to_end(client: TestClient, files: FilesFactory, state: JobState) -> None:
    job_id = files.job_in(state)

    job = client.post(f"/api/v1/jobs/{job_id}/cancel").json()

    assert (job["state"], job["cancel_requested"]) == (state.value, True)


@pytest.mark.parametrize("state", [JobState.DONE, JobState.FAILED, JobState.CANCELLED])
def test_finished_jobs_cannot_be_cancelled(client: TestClient, files: FilesFactory, state: JobState) -> None:
    answer = client.post(f"/api/v1/jobs/{files.job_in(state)}/cancel")

    assert answer.status_code == 409
    assert answer.json()["type"] == "urn:slowpath:job-ended"
    assert state.value in answer.json()["detail"]


@pytest.mark.parametrize(("method", "path"), [("GET", ""), ("POST", "/retry"), ("POST", "/cancel")])
def test_a_job_that_there_is_not(client: TestClient, method: str, path: str) -> None:
    answer = client.request(method, f"/api/v1/jobs/{uuid4()}{path}")

    assert answer.status_code == 404
    assert answer.json()["type"] == "urn:slowpath:job-not-found"


def test_what_was_done_to_a_job_is_in_the_log(client: TestClient, files: FilesFactory, team: SomeTeam) -> None:
    client.post(f"/api/v1/jobs/{files.job_in(JobState.FAILED)}/retry")
    client.post(f"/api/v1/jobs/{files.job_in(JobState.WAITING)}/cancel")

    events = client.get(f"/api/v1/teams/{team.id}/audit-events").json()["items"]

    assert {"job.retried", "job.cancelled"} <= {event["action"] for event in events}


def test_the_event_stream_requires_sign_in(app: AppUnderTest, people: AccountsFactory) -> None:
    assert app.asked().get("/api/v1/updates").status_code == 401
    other = people.team()
    client = app.asked(cookie=people.team().owner.cookie, team=other.id)
    assert client.get("/api/v1/updates").status_code == 404
