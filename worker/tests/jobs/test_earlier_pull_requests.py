"""Pull requests from before the webhook: asked for at code hosts whose answers have the fields of their documentation.

GitHub: "List pull requests associated with a commit", "List reviews for a pull request". GitLab: "List merge requests
associated with a commit", "Single merge request approvals", "List all merge request notes". Gitea: `repoGetCommitPullRequest`,
`repoListPullReviews`. Bitbucket Cloud: "List pull requests that contain a commit", "Get a pull request". Bitbucket Data
Center: "Get pull requests containing a commit".
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from slowpath.adapters.egress import create_outside
from slowpath.adapters.git_remotes import create_remotes
from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import JobId, RepositoryId
from slowpath.inventory.repositories.rules.pull_requests import PullRequestFacts, Reviewer
from slowpath.inventory.repositories.service import pull_requests
from slowpath.inventory.repositories.service.host_access import HostAccess
from slowpath.inventory.webhooks.service.earlier_pull_requests import find_pull_request
from tests.conftest import asker, client, role  # noqa: F401 - pytest finds fixtures by name
from tests.inventory.webhooks.webhook_senders import BITBUCKET
from tests.jobs.conftest import Bench
from tests.support.app_under_test import AppUnderTest
from tests.support.fake_code_host import FakeCodeHost, serve_code_host

pytestmark = pytest.mark.database
A, B, C, D, M = (digit * 40 for digit in "abcde")
"""main: A - B - M (merge of C - D)."""
TOKEN = "t0ken-of-this-host"
GITHUB_PULL = {
    "number": 7, "html_url": "https://x.example/pull/7", "state": "closed", "merged_at": "2026-05-06T10:00:00Z",
    "merge_commit_sha": M, "user": {"login": "ann", "type": "User"},
    "head": {"ref": "fast", "sha": D, "repo": {"id": 1}}, "base": {"ref": "main", "sha": B, "repo": {"id": 1}},
}  # fmt: skip


def review(login: str, state: str, kind: str = "User", name: str = "") -> dict[str, Any]:
    return {
        "id": 1,
        "user": {"login": login, "type": kind, "full_name": name},
        "body": "",
        "state": state,
        "commit_id": D,
    }


def note(username: str, *, system: bool = False) -> dict[str, Any]:
    author = {"id": 6, "username": username, "name": username.title(), "state": "active"}
    return {"id": 1, "body": "x", "author": author, "system": system, "noteable_type": "MergeRequest"}


AT_GITLAB = "/api/v4/projects/example%2Fapi"
AT_SERVER = "/rest/api/1.0/projects/example/repos/api"
ANSWERS: dict[str, dict[str, Any]] = {
    "github": {
        f"/api/v3/repos/example/api/commits/{C}/pulls": [{**GITHUB_PULL, "number": 6, "merged_at": None}, GITHUB_PULL],
        "/api/v3/repos/example/api/pulls/7/reviews": [
            review("lea", "COMMENTED"), review("lea", "APPROVED"), review("ann", "COMMENTED"),
            review("lint[bot]", "APPROVED", "Bot"), review("jo", "PENDING"),
        ],
    },
    "gitea": {
        f"/api/v1/repos/example/api/commits/{C}/pull": GITHUB_PULL,
        "/api/v1/repos/example/api/pulls/7/reviews": [
            review("lea", "APPROVED", name="Lea"), review("jo", "REQUEST_REVIEW"), review("ann", "COMMENT"),
        ],
    },
    "gitlab": {
        f"{AT_GITLAB}/repository/commits/{C}/merge_requests": [{
            "iid": 7, "web_url": "https://x.example/-/merge_requests/7", "state": "merged", "sha": D, "squash_commit_sha": None,
            "merged_at": "2026-05-06T10:00:00Z", "merge_commit_sha": M, "author": {"username": "ann"},
        }],
        f"{AT_GITLAB}/merge_requests/7/approvals": {"approved_by": [{"user": {"username": "lea", "name": "Lea"}}]},
        f"{AT_GITLAB}/merge_requests/7/notes": [note("ann"), note("lea"), note("jo", system=True)],
    },
    "bitbucket": {
        f"{AT_SERVER}/commits/{C}/pull-requests": {
            "size": 1, "isLastPage": True, "values": [BITBUCKET["pr:merged"]["pullRequest"]],
        },
    },
}  # fmt: skip


@pytest.fixture
def host(app: AppUnderTest) -> Iterator[FakeCodeHost]:
    settings = app.settings.model_copy(update={"egress_allowlist": "127.0.0.0/8"})
    app.app.state.outside = create_outside(settings)
    app.app.state.remotes = create_remotes(settings, app.app.state.outside)
    with serve_code_host() as served:
        yield served


@pytest.fixture
def near(bench: Bench) -> Bench:
    """Return a bench whose operator allows loopback addresses."""
    return bench.with_settings(bench.worker_context.settings.model_copy(update={"egress_allowlist": "127.0.0.0/8"}))


def added(client: TestClient, host: FakeCodeHost, kind: str) -> str:  # noqa: F811 - a fixture's name
    path = "/scm/example/api.git" if kind == "bitbucket" else "/example/api.git"
    credentials = {"kind": "bearer", "token": TOKEN}
    body = {"name": "api", "url": host.url + path, "kind": kind, "credentials": credentials}
    made = client.post("/api/v1/repositories", json=body)
    assert made.status_code == 201, made.text
    at = f"/api/v1/repositories/{made.json()['id']}/commits"
    parents = {A: [], B: [A], C: [A], D: [C], M: [B, D]}
    commits = [{"sha": sha, "parents": known, "title": sha[0], "author_name": "Ann"} for sha, known in parents.items()]
    assert client.post(at, json={"commits": commits}).status_code == 200
    return at


def run(bench: Bench) -> list[str]:
    """Run the waiting jobs that ask code hosts; return their states."""
    statement = "SELECT id FROM job WHERE name LIKE 'repositories.fetch-%pull-request%' AND state = 'waiting'"
    return [bench.carry_out(JobId(job_id))["state"] for (job_id,) in bench.admin.execute(statement).fetchall()]


@pytest.mark.parametrize("kind", list(ANSWERS))
def test_the_page_of_a_commit_asks_for_its_pull_request_once(
    client: TestClient,  # noqa: F811 - a fixture's name
    near: Bench,
    host: FakeCodeHost,
    kind: str,
) -> None:
    at = added(client, host, kind)
    host.answers = ANSWERS[kind]
    assert client.get(f"{at}/{C}/people").json()["reviewers"] == []
    for _ in range(2):
        assert client.post(f"{at}/{C}/diff").status_code == 202
    assert run(near) == ["done"]
    for sha in (C, D, M):
        people = client.get(f"{at}/{sha}/people").json()
        assert [one["name"] for one in people["reviewers"]] in (["Lea"], ["lea"], ["Lea Brandt"])
        assert people["pull_request"]["number"] == 7
    assert client.get(f"{at}/{B}/people").json()["reviewers"] == []
    stored = near.admin.execute("SELECT head_sha, base_sha, merge_sha, is_open FROM pull_request").fetchall()
    assert stored == [(D, None if kind == "gitlab" else B, M, False)]
    assert {request.path for request in host.asked} == set(ANSWERS[kind])
    assert all(TOKEN in (each.headers.get("authorization") or each.headers["private-token"]) for each in host.asked)
    assert client.post(f"{at}/{C}/diff").status_code == 202
    assert run(near) == [], "the answer is stored"


def test_the_newest_commits_are_asked_for_after_a_fetch_and_no_others(
    client: TestClient,  # noqa: F811 - a fixture's name
    near: Bench,
    host: FakeCodeHost,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    repository_id = RepositoryId(UUID(added(client, host, "github").split("/")[4]))
    near.admin.execute("UPDATE commit SET committed_at = now() - interval '1 day' * ascii(sha)")
    service = "slowpath.inventory.repositories.service.pull_requests"
    monkeypatch.setattr(f"{service}.MOST_LOOKED_UP", 3)
    monkeypatch.setattr(f"{service}.LOOKED_UP_AT_ONCE", 2)
    for _ in range(3):
        with near.worker_context.database.writing(TeamScope(near.team.id, near.team.owner.user_id)) as session:
            pull_requests.enqueue_lookup(session, repository_id)
        assert run(near) == ["done"]
    assert [request.path.split("/")[-2] for request in host.asked] == [A, B, C], "the newest three, each once"


@pytest.mark.parametrize(("status", "state", "asked"), [(401, "done", 1), (403, "done", 1), (500, "waiting", 1)])
def test_a_failing_host_is_asked_again_later(
    client: TestClient,  # noqa: F811 - a fixture's name
    near: Bench,
    host: FakeCodeHost,
    status: int,
    state: str,
    asked: int,
) -> None:
    at = added(client, host, "github")
    host.answers, host.status = ANSWERS["github"], status
    client.post(f"{at}/{C}/diff")
    assert run(near) == [state]
    assert len(host.asked) == asked
    assert near.admin.execute("SELECT count(*) FROM commit WHERE pull_request_checked_at IS NOT NULL").fetchone() == (
        0,
    )


def test_hostile_answers_bring_nothing(client: TestClient, near: Bench, host: FakeCodeHost) -> None:  # noqa: F811 - a fixture's name
    at = added(client, host, "github")
    pulls, reviews = ANSWERS["github"]
    hostile: tuple[Any, ...] = (
        [3, None, {}],
        {"a": 1},
        [{**GITHUB_PULL, "number": "../../x"}],
        [{**GITHUB_PULL, "head": {"sha": "main"}}],
    )
    for answer in hostile:
        host.answers = {pulls: answer, reviews: [review("lea", "APPROVED"), 3, None]}
        near.admin.execute("UPDATE commit SET pull_request_checked_at = NULL")
        client.post(f"{at}/{C}/diff")
        assert run(near) == ["done"]
    assert near.admin.execute("SELECT count(*) FROM pull_request").fetchone() == (0,)


def test_bitbucket_cloud_names_its_participants(host: FakeCodeHost, app: AppUnderTest) -> None:
    pull = BITBUCKET["pullrequest:fulfilled"]["pullrequest"]
    at = "/2.0/repositories/shop/api"
    host.answers = {f"{at}/commit/{C}/pullrequests": {"values": [{"id": 7}]}, f"{at}/pullrequests/7": pull}
    access = HostAccess("bitbucket", host.url, "https://bitbucket.org", "shop/api", f"Bearer {TOKEN}")
    with app.app.state.outside.opened(host.url) as peer:
        found = find_pull_request(peer, access, C, datetime(2026, 11, 28, tzinfo=UTC))
    url = "https://bitbucket.org/shop/api/pull-requests/7"
    assert found == PullRequestFacts(7, url, D[:12], B[:12], M[:12], (Reviewer("lea", "Lea Brandt"),))
