"""What tokens of narrow scopes may do: a table written a second time, and only with what is their own."""

from dataclasses import dataclass
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from slowpath.platform.accounts.rules.roles import SCOPES_FOR, Permission, TokenScope
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.support.app_under_test import AppUnderTest
from tests.support.endpoints import all_endpoints

WATCHES = {"artifacts:get", "builds:verdict"}
SENDS_FILES = {
    "artifacts:upload", "artifacts:upload-many",
    "uploads:create", "uploads:get", "uploads:put-part", "uploads:complete", "uploads:delete",
}  # fmt: skip
SENDS_METADATA = {
    "builds:create", "builds:record", "builds:put-artifact", "builds:create-artifact", "compile-reports:create",
    "spans:receive-otlp", "metrics:receive-remote-write", "metrics:receive-otlp",
}  # fmt: skip
RUNS = {
    "runners:register", "runners:release", "runners:probes", "runners:lease", "probes:heartbeat", "probes:record-measurement", "probes:record-result", "probes:patch", "probes:record-compiler-decisions",
}  # fmt: skip
PROVISIONS = {
    "scim-discovery:config", "scim-discovery:resource-types", "scim-discovery:resource-type", "scim-discovery:schemas",
    "scim-discovery:schema", "scim-users:list", "scim-users:create", "scim-users:get", "scim-users:replace",
    "scim-users:update", "scim-users:delete", "scim-groups:list", "scim-groups:get", "scim-groups:replace",
    "scim-groups:update",
}  # fmt: skip
ALLOWED = {
    TokenScope.UPLOAD: WATCHES | SENDS_FILES | SENDS_METADATA,
    TokenScope.RUNNER: WATCHES | SENDS_FILES | RUNS,
    TokenScope.DEPLOY: {"deployments:create", "deployment-events:create"},
    TokenScope.AUDIT: {"audit-entries:list", "audit-entries:verify"},
    TokenScope.SCIM: PROVISIONS,
}
BUILD = "/api/v1/builds/checkout/" + 40 * "a"


@pytest.mark.parametrize("scope", list(ALLOWED))
def test_a_narrow_token_reaches_these_endpoints_and_no_others(scope: TokenScope) -> None:
    reached = {
        endpoint.operation_id
        for endpoint in all_endpoints()
        if endpoint.right is not Permission.ANYONE and scope in SCOPES_FOR.get(endpoint.right, ())
    }

    assert reached == ALLOWED[scope]


@dataclass(frozen=True)
class Programs:
    """Two programs of one team, by scope, and its owner."""

    owner: TestClient
    mine: TestClient
    theirs: TestClient
    runner: TestClient


@pytest.fixture
def programs(app: AppUnderTest, people: AccountsFactory, team: SomeTeam) -> Programs:
    def of(scope: TokenScope) -> TestClient:
        return app.asked(token=people.token(team, scope).secret)

    owner = app.asked(cookie=team.owner.cookie)
    return Programs(owner, of(TokenScope.UPLOAD), of(TokenScope.UPLOAD), of(TokenScope.RUNNER))


def sent(client: TestClient, content: bytes = b"bytes", **params: str) -> dict[str, str]:
    answer = client.put("/api/v1/artifacts/cpu.pprof", content=content, params=params)
    assert answer.status_code == 201, answer.text
    found: dict[str, str] = answer.json()
    return found


@pytest.mark.database
def test_artifacts_of_another_token_are_not_found(programs: Programs) -> None:
    mine, by_person = sent(programs.mine), sent(programs.owner, b"other bytes")

    assert programs.mine.get(f"/api/v1/artifacts/{mine['id']}").status_code == 200
    for one in (programs.theirs, programs.runner):
        assert one.get(f"/api/v1/artifacts/{mine['id']}").status_code == 404
    assert programs.mine.get(f"/api/v1/artifacts/{by_person['id']}").status_code == 404
    assert programs.owner.get(f"/api/v1/artifacts/{mine['id']}").status_code == 200


@pytest.mark.database
def test_a_multipart_upload_is_completed_only_by_its_creator(programs: Programs) -> None:
    begun = programs.mine.post(
        "/api/v1/uploads", json={"name": "cpu.pprof", "size_bytes": 5, "run_metadata": {}}
    ).json()
    path = f"/api/v1/uploads/{begun['id']}"

    for other in (programs.theirs, programs.runner):
        assert other.get(path).status_code == 404
        assert other.put(f"{path}/parts/1", content=b"forge").status_code == 404
        assert other.post(f"{path}/complete").status_code == 404
        assert other.delete(path).status_code == 404
    assert programs.mine.put(f"{path}/parts/1", content=b"bytes").status_code == 200
    assert programs.mine.post(f"{path}/complete").status_code == 201


@pytest.mark.database
def test_a_token_adds_metadata_and_replaces_only_its_own(programs: Programs) -> None:
    listed = programs.mine.post(BUILD, json={"branch": "main", "title": "Faster"}).json()["build"]
    build = UUID(listed["id"])
    assert programs.theirs.get(f"/api/v1/builds/{build}/verdict").status_code == 404

    forged = programs.theirs.post(BUILD, json={"branch": "evil", "title": "Forged", "author": "Ann"}).json()["build"]
    again = programs.mine.post(BUILD, json={"title": "Faster still"}).json()["build"]

    assert (forged["id"], forged["branch"], forged["title"], forged["author"]) == (
        listed["id"],
        "main",
        "Faster",
        "Ann",
    )
    assert again["title"] == "Faster still"
    assert programs.mine.get(f"/api/v1/builds/{build}/verdict").status_code == 200
    assert programs.theirs.get(f"/api/v1/builds/{build}/verdict").status_code == 200, "it has an event of it, too"
    assert programs.runner.get(f"/api/v1/builds/{build}/verdict").status_code == 404
    assert programs.runner.post(BUILD, json={"branch": "evil"}).status_code == 403


@pytest.mark.database
def test_a_file_is_sent_to_a_build_that_the_program_has_a_part_in(programs: Programs) -> None:
    build = programs.mine.post(BUILD, json={}).json()["build"]["id"]

    for other in (programs.theirs, programs.runner):
        refused = other.put("/api/v1/artifacts/cpu.pprof", content=b"bytes", params={"build_id": build})
        assert refused.json()["type"] == "urn:slowpath:build-not-found"
        begun = other.post(
            "/api/v1/uploads", json={"name": "a", "size_bytes": 5, "run_metadata": {}, "build_id": build}
        )
        assert begun.json()["type"] == "urn:slowpath:build-not-found"
    assert sent(programs.mine, build_id=build)["build_id"] == build


@pytest.mark.database
def test_a_runner_is_spoken_for_by_its_own_token(
    programs: Programs, app: AppUnderTest, people: AccountsFactory, team: SomeTeam
) -> None:
    other = app.asked(token=people.token(team, TokenScope.RUNNER).secret)
    fields = {"slots": 1, "labels": {}, "version": "1", "instance": "a" * 16, "host": "h"}
    assert programs.runner.put("/api/v1/runners/bench", json=fields).status_code == 200

    asked = {"instance": "a" * 16}
    leased = {"free_slots": [0], "wait_seconds": 0, **asked}

    assert other.get("/api/v1/runners/bench/probes", params=asked).status_code == 404
    assert other.post("/api/v1/runners/bench/leases", json=leased).status_code == 404
    assert other.post("/api/v1/runners/bench/release", json=asked).status_code == 404
    assert programs.runner.post("/api/v1/runners/bench/leases", json=leased).status_code == 200


@pytest.mark.database
def test_a_deployment_is_announced_by_a_token_for_that_alone(
    programs: Programs, app: AppUnderTest, people: AccountsFactory, team: SomeTeam
) -> None:
    announcer = app.asked(token=people.token(team, TokenScope.DEPLOY).secret)
    message = {"service": "checkout", "environment": "production", "commit": 40 * "a"}

    refused = [one.post("/api/v1/deployment-events", json=message) for one in (programs.mine, programs.runner)]
    announced = announcer.post("/api/v1/deployment-events", json=message)

    assert [answer.status_code for answer in refused] == [403, 403]
    assert announced.status_code == 201
    assert announcer.get(f"/api/v1/deployments/{announced.json()['id']}").status_code == 403
    assert announcer.put("/api/v1/artifacts/cpu.pprof", content=b"bytes").status_code == 403
