"""The repositories at a code host: listed with stored credentials, added with them, and hostile answers."""

import base64
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from slowpath.adapters.egress import create_outside
from slowpath.adapters.git_remotes import create_remotes
from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import RepositoryId
from slowpath.inventory.repositories.read_models import HostRepositories, HostRepository
from slowpath.inventory.repositories.service import repositories
from slowpath.inventory.repositories.service.host_access import HostAccess
from slowpath.inventory.repositories.service.host_repositories import list_host_repositories
from tests.factories.accounts import SomeTeam
from tests.support.app_under_test import AppUnderTest
from tests.support.fake_code_host import FakeCodeHost, serve_code_host
from tests.support.fake_github import APP, INSTALLATION, serve_github

pytestmark = pytest.mark.database
REPOSITORIES = "/api/v1/repositories"
TOKEN = "t0ken-of-this-host"


@pytest.fixture
def host(app: AppUnderTest) -> Iterator[FakeCodeHost]:
    settings = app.settings.model_copy(update={"egress_allowlist": "127.0.0.0/8"})
    app.app.state.outside = create_outside(settings)
    app.app.state.remotes = create_remotes(settings, app.app.state.outside)
    with serve_code_host() as served:
        yield served


def added(client: TestClient, url: str, kind: str, **more: object) -> str:
    credentials = {"kind": "bearer", "token": TOKEN}
    body = {"name": "api", "url": f"{url}/example/api.git", "kind": kind, "credentials": credentials} | more
    answer = client.post(REPOSITORIES, json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def entry(host: FakeCodeHost, name: str, kind: str = "github", **more: object) -> dict[str, object]:
    names = {"github": ("full_name", "clone_url"), "gitlab": ("path_with_namespace", "http_url_to_repo")}
    name_field, url_field = names["gitlab" if kind == "gitlab" else "github"]
    return {name_field: name, url_field: f"{host.url}/{name}.git", "default_branch": "main", **more}


@pytest.mark.parametrize(
    ("kind", "path", "header", "value"),
    [
        ("github", "/api/v3/user/repos", "authorization", f"Bearer {TOKEN}"),
        ("gitlab", "/api/v4/projects", "private-token", TOKEN),
        ("gitea", "/api/v1/user/repos", "authorization", f"token {TOKEN}"),
    ],
)
def test_all_pages_are_listed_with_the_stored_token(
    client: TestClient, host: FakeCodeHost, kind: str, path: str, header: str, value: str
) -> None:
    one = added(client, host.url, kind)
    host.pages = [
        [entry(host, "example/api", kind, description="  the\n API "), entry(host, "example/lib", kind)],
        [entry(host, "example/deep/web" if kind == "gitlab" else "example/web", kind, default_branch=None)],
    ]
    answer = client.get(f"{REPOSITORIES}/{one}/host-repositories")
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body["is_complete"]
    assert [(each["name"].rpartition("/")[2], each["is_added"]) for each in body["items"]] == [
        ("api", True),
        ("lib", False),
        ("web", False),
    ]
    assert body["items"][0]["description"] == "the API"
    assert [each["default_branch"] for each in body["items"]] == ["main", "main", None]
    assert {request.path for request in host.asked} == {path}
    assert [request.query["page"] for request in host.asked] == [["1"], ["2"], ["3"]]
    assert all(request.headers[header] == value for request in host.asked)


def test_bitbucket_data_center_lists_its_repositories(client: TestClient, host: FakeCodeHost) -> None:
    """The parts that are read of the documented answer of `GET /rest/api/1.0/repos`."""
    one = added(client, f"{host.url}/scm", "bitbucket")
    project = {"key": "SHOP", "id": 1, "name": "Shop", "type": "NORMAL"}
    host.pages = [
        {"size": 2, "limit": 100, "isLastPage": True, "start": 0, "values": [
            {"slug": "api", "id": 1, "project": {**project, "key": "EXAMPLE"}, "description": "the API"},
            {"slug": "lib", "id": 2, "project": project}, {"slug": "x", "project": None}, 3,
        ]},
        {"size": 0, "isLastPage": True, "start": 100, "values": []},
    ]  # fmt: skip
    body = client.get(f"{REPOSITORIES}/{one}/host-repositories").json()
    assert [(each["name"], each["url"].removeprefix(host.url), each["is_added"]) for each in body["items"]] == [
        ("example/api", "/scm/example/api.git", True), ("shop/lib", "/scm/shop/lib.git", False),
    ]  # fmt: skip
    assert [(request.path, request.query["start"]) for request in host.asked] == [
        ("/rest/api/1.0/repos", ["0"]), ("/rest/api/1.0/repos", ["100"]),
    ]  # fmt: skip
    assert host.asked[0].headers["authorization"] == f"Bearer {TOKEN}"


@pytest.mark.parametrize(
    ("secret", "header"),
    [
        ("Basic " + base64.b64encode(b"x-token-auth:t0ken").decode(), "Bearer t0ken"),
        ("Basic " + base64.b64encode(b"ann@example.org:t0ken").decode(), None),
    ],
)
def test_bitbucket_cloud_lists_the_workspace_of_the_repository(
    host: FakeCodeHost, app: AppUnderTest, secret: str, header: str | None
) -> None:
    """The parts that are read of the documented answer of `GET /2.0/repositories/{workspace}`."""
    cloud = "https://bitbucket.org"
    listed = {
        "full_name": "shop/lib", "mainbranch": {"type": "branch", "name": "main"}, "description": "",
        "links": {"clone": [{"name": "https", "href": "https://ann@bitbucket.org/shop/lib.git"}]},
    }  # fmt: skip
    host.pages = [{"pagelen": 100, "page": 1, "values": [listed], "next": "https://evil.example/"}, {"values": []}]
    access = HostAccess("bitbucket", host.url, cloud, "shop/api", secret)
    with app.app.state.outside.opened(host.url) as peer:
        found = list_host_repositories(peer, access, {f"{cloud}/shop/lib"}, datetime(2026, 11, 28, tzinfo=UTC))
    assert found == HostRepositories([HostRepository("shop/lib", f"{cloud}/shop/lib.git", "", "main", True)], True)
    assert {request.path for request in host.asked} == {"/2.0/repositories/shop"}
    assert [request.query["page"] for request in host.asked] == [["1"], ["2"]], "addresses in answers are not followed"
    assert host.asked[0].headers["authorization"] == (header or secret)


def test_a_listed_repository_is_added_with_the_credentials_of_its_host(
    client: TestClient, host: FakeCodeHost, app: AppUnderTest, team: SomeTeam
) -> None:
    one = added(client, host.url, "gitlab")
    body = {"name": "lib", "url": f"{host.url}/example/lib.git", "credentials_of": one}
    answer = client.post(REPOSITORIES, json=body)
    assert answer.status_code == 201, answer.text
    assert (answer.json()["credentials"], answer.json()["kind"]) == ("bearer", "gitlab")
    with app.database.reading(TeamScope(team.id)) as session:
        secrets = {
            repositories.authorization(
                repositories.get_repository(session, RepositoryId(UUID(each))), app.app.state.sealer
            )
            for each in (one, str(answer.json()["id"]))
        }
    assert secrets == {"Basic " + base64.b64encode(f"oauth2:{TOKEN}".encode()).decode()}


@pytest.mark.parametrize("change", [{"url": "https://evil.example/example/lib.git"}, {"kind": "gitea"}])
def test_stored_credentials_are_not_sent_to_another_host(
    client: TestClient, host: FakeCodeHost, change: dict[str, str]
) -> None:
    one = added(client, host.url, "gitlab")
    body = {"name": "lib", "url": f"{host.url}/example/lib.git", "kind": "gitlab", "credentials_of": one, **change}
    answer = client.post(REPOSITORIES, json=body)
    assert answer.status_code == 422, answer.text
    assert answer.json()["type"] == "urn:slowpath:credentials-of-another-host"
    both = {**body, "credentials": {"kind": "bearer", "token": TOKEN}}
    assert client.post(REPOSITORIES, json=both).status_code == 422


def test_an_app_lists_the_repositories_of_its_installation(
    client: TestClient, host: FakeCodeHost, app: AppUnderTest
) -> None:
    with serve_github(app.clock.now()) as github:
        key = base64.b64encode(github.key.as_pem(private=True)).decode()
        credentials = {"kind": "bearer", "token": f"github-app:{APP}:{INSTALLATION}:{key}"}
        one = added(client, github.url, "github", credentials=credentials)
        listed = {"full_name": "example/shop", "clone_url": f"{github.url}/example/shop.git"}
        github.listed["/installation/repositories"] = [
            json.dumps({"repositories": some}).encode() for some in ([listed], [])
        ]
        answer = client.get(f"{REPOSITORIES}/{one}/host-repositories")
        assert answer.status_code == 200, answer.text
        assert [each["name"] for each in answer.json()["items"]] == ["example/shop"]
        assert github.issued == [{"permissions": {"contents": "read"}}]


def test_addresses_at_other_hosts_and_malformed_entries_are_left_out(client: TestClient, host: FakeCodeHost) -> None:
    one = added(client, host.url, "github")
    good = entry(host, "example/lib", description=7, default_branch="a b")
    host.pages = [
        [
            good,
            {**good, "clone_url": "https://evil.example/example/lib.git"},
            {**good, "clone_url": f"{host.url}.evil.example/example/lib.git"},
            {**good, "clone_url": "file:///etc/example/lib.git"},
            {**good, "full_name": "example/<img src=x>"},
            {**good, "full_name": 3},
            {},
            None,
            "x",
        ]
    ]
    items = client.get(f"{REPOSITORIES}/{one}/host-repositories").json()["items"]
    assert items == [
        {
            "name": "example/lib",
            "url": f"{host.url}/example/lib.git",
            "description": "",
            "default_branch": None,
            "is_added": False,
        }
    ]


def test_a_list_without_end_is_cut(client: TestClient, host: FakeCodeHost) -> None:
    one = added(client, host.url, "github")
    host.pages = [[entry(host, f"example/r{page}-{number}") for number in range(150)] for page in range(30)]
    body = client.get(f"{REPOSITORIES}/{one}/host-repositories").json()
    assert (len(body["items"]), body["is_complete"], len(host.asked)) == (1_000, False, 10)


@pytest.mark.parametrize(
    ("status", "raw", "code", "name"),
    [
        (401, b"{}", 422, "credentials-cannot-list"),
        (500, b"oops", 503, "answer-no-list"),
        (200, b"[" * 100_000, 503, "answer-no-list"),
        (200, b'{"repositories": 3}', 503, "answer-no-list"),
        (302, b"", 422, "address-redirects"),
    ],
)
def test_failures_of_the_host_are_problems(
    client: TestClient, host: FakeCodeHost, status: int, raw: bytes, code: int, name: str
) -> None:
    one = added(client, host.url, "github")
    host.status, host.raw = status, raw
    answer = client.get(f"{REPOSITORIES}/{one}/host-repositories")
    assert (answer.status_code, answer.json()["type"]) == (code, f"urn:slowpath:{name}"), answer.text


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"kind": "other"}, "Only the APIs of GitHub"),
        ({"kind": "github", "credentials": None}, "has no credentials"),
        ({"url": None, "kind": None, "credentials": None}, "Only the APIs of GitHub"),
    ],
)
def test_a_host_without_credentials_or_list_is_not_requested(
    client: TestClient, host: FakeCodeHost, body: dict[str, object], reason: str
) -> None:
    request = {
        "name": "api",
        "url": f"{host.url}/example/api.git",
        "credentials": {"kind": "bearer", "token": TOKEN},
        **body,
    }
    one = client.post(REPOSITORIES, json=request).json()["id"]
    answer = client.get(f"{REPOSITORIES}/{one}/host-repositories")
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:slowpath:host-not-listed")
    assert reason in answer.json()["detail"]
    assert host.asked == []
