"""Repositories and commits over HTTP: credentials are never returned, commits are listed, ranges are ranked."""

import json
import logging
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response

from slowpath.core.db_sessions import TeamScope
from slowpath.core.encryption import SecretEncryptor
from slowpath.core.ids import RepositoryId, ServiceId
from slowpath.inventory.repositories.errors import InvalidGitCredentials
from slowpath.inventory.repositories.rules import build_recipe
from slowpath.inventory.repositories.service import repositories, suspect_commits
from slowpath.inventory.repositories.service.repositories import GitCredentials
from slowpath.platform.accounts.rules.roles import Role
from tests.factories.accounts import SomeTeam
from tests.support.app_under_test import AppUnderTest
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.database
REPOSITORIES = "/api/v1/repositories"
URL = "https://github.com/example/api.git"
TOKEN = {"kind": "bearer", "token": "ghp-geheim"}
HOSTILE = "<img src=x onerror=alert(1)>\u202e=cmd()"


def sha(number: int) -> str:
    return f"{number:040x}"


def name_of(answer: Response) -> str:
    return str(answer.json()["type"]).removeprefix("urn:slowpath:")


def made(client: TestClient, **more: object) -> dict[str, object]:
    answer = client.post(REPOSITORIES, json={"name": "api", "url": URL, **more})
    assert answer.status_code == 201, answer.text
    body: dict[str, object] = answer.json()
    return body


def service(client: TestClient, name: str = "ingester") -> str:
    answer = client.post("/api/v1/services", json={"name": name})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def jobs(emptied: TestDatabase, name: str) -> int:
    with emptied.as_admin() as admin:
        found = admin.execute("SELECT count(*) FROM job WHERE name = %s", (name,)).fetchone()
    assert found is not None
    return int(found[0])


def test_a_repository_is_stored_fetched_and_deleted(client: TestClient, emptied: TestDatabase) -> None:
    built = {"service_id": service(client), "directory": "./services/api/", "main_package": "cmd/server"}
    one = made(client, services=[built])
    assert (one["kind"], one["web_url"], one["is_fetching"]) == ("github", "https://github.com/example/api", True)
    assert one["services"] == [
        {**built, "service_name": "ingester", "directory": "services/api"},
    ]
    assert client.post(f"{REPOSITORIES}/{one['id']}/fetch").status_code == 202
    assert jobs(emptied, "repositories.fetch") == 1  # it is waiting already
    assert client.get(REPOSITORIES).json()["items"] == [one]
    assert name_of(client.post(REPOSITORIES, json={"name": "again", "url": URL})) == "repository-taken"

    other = made(client, url="https://gitlab.example/a/b", services=[built])
    assert (other["kind"], other["web_url"]) == ("gitlab", "https://gitlab.example/a/b")
    assert client.get(f"{REPOSITORIES}/{one['id']}").json()["services"] == []  # a service is built from one repository

    changed = client.patch(f"{REPOSITORIES}/{one['id']}", json={"name": "mono", "kind": "other", "services": []})
    assert (changed.status_code, changed.json()["name"], changed.json()["kind"]) == (200, "mono", "other")
    assert client.delete(f"{REPOSITORIES}/{one['id']}").status_code == 204
    assert client.get(f"{REPOSITORIES}/{one['id']}").status_code == 404
    assert jobs(emptied, "repositories.delete-mirror") == 1


@pytest.mark.asked_by("member")
def test_only_admins_keep_repositories(client: TestClient) -> None:
    assert client.post(REPOSITORIES, json={"name": "api", "url": URL}).status_code == 403
    assert client.get(REPOSITORIES).status_code == 200


@pytest.mark.parametrize(
    "url",
    ["ext::sh -c id", "--upload-pack=id", "ssh://example.org/x", "file:///etc", "http://example.org/x", "http://169.254.169.254/x",
     "https://127.0.0.1/x", "https://[64:ff9b::a9fe:a9fe]/x", "https://u:p@example.org/x"],
)  # fmt: skip
def test_an_address_that_is_not_fetched_is_not_stored(client: TestClient, emptied: TestDatabase, url: str) -> None:
    answer = client.post(REPOSITORIES, json={"name": "api", "url": url})
    assert (answer.status_code, name_of(answer).split("-")[0]) == (422, "address")
    assert (client.get(REPOSITORIES).json()["items"], jobs(emptied, "repositories.fetch")) == ([], 0)


@pytest.mark.parametrize("folder", ["../x", "/etc", "a/../b", "a//b", "a\\b", "$(id)", "a b", "-x/;id"])
def test_folders_are_plain(client: TestClient, folder: str) -> None:
    built = {"service_id": service(client), "directory": folder}
    assert client.post(REPOSITORIES, json={"name": "api", "url": URL, "services": [built]}).status_code == 422


def test_credentials_are_encrypted_and_never_returned(
    app: AppUnderTest, team: SomeTeam, client: TestClient, emptied: TestDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        one = made(client, credentials=TOKEN)
        answers = [
            client.get(REPOSITORIES), client.patch(f"{REPOSITORIES}/{one['id']}", json={"credentials": TOKEN}),
            client.get(f"/api/v1/teams/{team.id}/audit-events"),
        ]  # fmt: skip
    with app.database.reading(TeamScope(team.id, team.owner.user_id)) as session:
        row = repositories.get_repository(session, RepositoryId(UUID(str(one["id"]))))
        sealer = app.app.state.sealer
        assert isinstance(sealer, SecretEncryptor)
        assert repositories.authorization(row, sealer) == GitCredentials("bearer", "ghp-geheim").header("github")
        with pytest.raises(InvalidGitCredentials):
            repositories.authorization(row, SecretEncryptor("another key"))
    with emptied.as_admin() as admin:
        rows = str(
            admin.execute("SELECT repository::text, encode(encrypted_credentials, 'escape') FROM repository").fetchall()
        )
    text = "".join([json.dumps(one), rows, caplog.text, *(answer.text for answer in answers)])
    for secret in ("ghp-geheim", str(GitCredentials("bearer", "ghp-geheim").header("github"))[6:]):
        assert secret not in text


def test_credentials_do_not_follow_to_another_host_unasked(client: TestClient) -> None:
    one = made(client, credentials=TOKEN)
    same = client.patch(f"{REPOSITORIES}/{one['id']}", json={"url": "https://github.com/example/other"})
    assert same.status_code == 200
    for change in ({"url": "https://evil.example/x"}, {"kind": "other"}):
        refused = client.patch(f"{REPOSITORIES}/{one['id']}", json=change)
        assert (refused.status_code, name_of(refused)) == (422, "credentials-needed-again")
    moved = client.patch(
        f"{REPOSITORIES}/{one['id']}", json={"url": "https://evil.example/x", "credentials": {"kind": "none"}}
    )
    assert (moved.status_code, moved.json()["credentials"]) == (200, "none")


FILES = [{"path": "store/get.go", "lines_added": 30, "lines_removed": 2}]


def commit_fields(number: int, *parents: int, **more: object) -> dict[str, object]:
    return {"sha": sha(number), "parents": [sha(one) for one in parents], **more}


def test_pushed_commits_are_listed_by_suspicion(client: TestClient) -> None:
    service_id = service(client)
    pushed = made(client, url=None, services=[{"service_id": service_id}])
    commits = f"{REPOSITORIES}/{pushed['id']}/commits"
    bumps = [{"module": "example.org/lib", "old_version": "v1.0.0", "new_version": "v1.1.0"}]
    recorded = client.post(
        commits,
        json={"commits": [
            commit_fields(1), commit_fields(2, 1, title=HOSTILE, author_name=HOSTILE, files=[{"path": HOSTILE}]), commit_fields(3, 2, files=FILES),
            commit_fields(4, 3, dependency_updates=bumps, files=[{"path": "go.mod", "lines_added": 1, "lines_removed": 1}]),
        ]},
    )  # fmt: skip
    assert (recorded.status_code, recorded.json()) == (200, {"new": 4})

    found = client.get(
        f"/api/v1/services/{service_id}/commits",
        params={"good": sha(1), "bad": sha(4), "function": ["example.org/app/store.(*Store).Get", "runtime.mallocgc"]},
    ).json()
    assert (found["total"], found["complete"], found["is_ancestor"], found["closure_state"]) == (
        3,
        True,
        True,
        "unknown",
    )
    assert [one["sha"] for one in found["commits"]] == [sha(4), sha(3), sha(2)]
    shares = {one["sha"]: one["suspicion"] for one in found["commits"]}
    assert shares[sha(3)]["probability"] > 0.7
    assert 0 < shares[sha(2)]["probability"] < 0.1
    assert shares[sha(3)]["reasons"] == [
        {"kind": "package", "sentence": "Touches a package of regressed functions: store."},
    ]
    assert [one["kind"] for one in shares[sha(4)]["reasons"]] == ["bump"]
    assert found["commits"][2]["title"] == HOSTILE

    by_file = client.get(
        f"/api/v1/services/{service_id}/commits",
        params={"good": sha(1), "bad": sha(4), "file": "/src/app/store/get.go", "limit": 1},
    ).json()
    assert ([one["sha"] for one in by_file["commits"]], by_file["total"]) == ([sha(4)], 3)

    one = client.get(f"{commits}/{sha(3)}").json()
    assert (one["commit"]["lines_added"], one["commit"]["url"], one["repository"]["kind"]) == (30, None, "pushed")
    assert client.get(f"{commits}/{sha(3)}/diff").json()["state"] == "unavailable"
    assert name_of(client.post(f"{commits}/{sha(3)}/diff")) == "not-fetched"
    closures = f"/api/v1/services/{service_id}/package-closures"
    assert name_of(client.post(closures, json={"good": sha(1), "bad": sha(4)})) == "not-fetched"
    assert client.post(f"{REPOSITORIES}/{pushed['id']}/fetch").status_code == 409


def test_unknown_values_are_reported(client: TestClient) -> None:
    service_id = service(client)
    ask = f"/api/v1/services/{service_id}/commits"
    body = {"good": sha(1), "bad": sha(2)}
    closures = f"/api/v1/services/{service_id}/package-closures"
    unlinked = client.get(ask, params=body)
    assert (unlinked.status_code, unlinked.json()["repository"], unlinked.json()["commits"]) == (200, None, [])
    assert unlinked.json()["unknown_reason"].startswith("No repository is linked to this service.")
    assert name_of(client.post(closures, json=body)) == "no-repository"
    one = made(client, services=[{"service_id": service_id}])
    unfetched = client.get(ask, params=body)
    assert (unfetched.status_code, unfetched.json()["commits"]) == (200, [])
    assert "is unknown in" in unfetched.json()["unknown_reason"]
    assert name_of(client.post(closures, json=body)) == "commit-not-found"
    assert client.get(f"/api/v1/services/{uuid4()}/commits", params=body).status_code == 404
    assert client.get(ask, params={"good": "HEAD~1", "bad": "--upload-pack=id"}).status_code == 422
    for bad in ("HEAD", "a" * 39, "--upload-pack=id"):
        assert client.get(f"{REPOSITORIES}/{one['id']}/commits/{bad}").status_code == 422
    assert client.get(f"{REPOSITORIES}/{one['id']}/commits/{sha(1)}").status_code == 404


def test_commits_with_an_equal_binary_are_no_suspects(
    app: AppUnderTest, team: SomeTeam, client: TestClient, emptied: TestDatabase
) -> None:
    service_id = service(client)
    one = made(client, services=[{"service_id": service_id}])
    commits = [
        commit_fields(1),
        commit_fields(2, 1),
        commit_fields(3, 2, files=FILES),
        commit_fields(4, 2),
        commit_fields(5, 3, 4),
    ]
    client.post(f"{REPOSITORIES}/{one['id']}/commits", json={"commits": commits})
    ask, body = f"/api/v1/services/{service_id}/commits", {"good": sha(1), "bad": sha(5)}
    begun = client.post(f"{ask.removesuffix('/commits')}/package-closures", json=body)
    assert (begun.status_code, begun.json()["job_id"] is not None) == (202, True)
    assert client.post(f"{ask.removesuffix('/commits')}/package-closures", json=body).json() == {
        "job_id": None
    }  # it is waiting already
    assert client.get(ask, params=body).json()["closure_state"] == "reading"

    with app.database.writing(TeamScope(team.id, team.owner.user_id)) as session:
        between, expected = suspect_commits.list_uncomputed_closures(
            session, ServiceId(UUID(service_id)), sha(1), sha(5)
        )
        recipe = build_recipe(between.built.directory, between.built.main_package)
        hashes = {sha(1): "a", sha(2): "a", sha(3): "b", sha(4): "a", sha(5): "b"}
        suspect_commits.record_closures(session, recipe, [(row, hashes[one], 3, None) for row, one in expected])
    with emptied.as_admin() as admin:
        admin.execute("UPDATE job SET state = 'done'")
    found = client.get(ask, params=body).json()
    assert found["closure_state"] == "known"
    assert {one["sha"]: one["suspicion"]["changes_binary"] for one in found["commits"]} == {
        sha(2): False, sha(3): True, sha(4): False, sha(5): False,
    }  # fmt: skip
    assert {one["sha"]: one["suspicion"]["probability"] for one in found["commits"]}[sha(3)] == 1.0


@pytest.mark.asked_by(Role.VIEWER)
def test_viewers_read(client: TestClient) -> None:
    assert client.get(REPOSITORIES).json()["items"] == []
    assert client.post(f"{REPOSITORIES}/{'0' * 8}-0000-4000-8000-{'0' * 12}/fetch").status_code in {403, 404}
