"""Open pull requests are listed at code hosts, whose answers have the fields of their documentation.

GitHub: "List pull requests". Gitea: `repoListPullRequests`. GitLab: "List project merge requests". Bitbucket Cloud: "List pull
requests". Bitbucket Data Center: "Get pull requests".
"""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import RepositoryId, ServiceId, new_id
from slowpath.inventory.catalog.service import catalog_entries
from slowpath.inventory.repositories.errors import InvalidGitCredentials
from slowpath.inventory.repositories.rules.pull_requests import PullRequestFacts
from slowpath.inventory.repositories.service import pull_requests
from slowpath.inventory.repositories.service.host_access import HostAccess
from slowpath.inventory.repositories.tables import ServiceRepository
from slowpath.inventory.webhooks.service.open_pull_requests import PER_PAGE, OpenPullRequests, list_open_pull_requests
from slowpath.verdicts.bisects.jobs import MeasureOpenPullRequests
from tests.conftest import asker, client, role  # noqa: F401 - pytest finds fixtures by name
from tests.inventory.webhooks.webhook_senders import BITBUCKET
from tests.jobs.conftest import Bench
from tests.jobs.test_earlier_pull_requests import added, host, near  # noqa: F401 - pytest finds fixtures by name
from tests.support.app_under_test import AppUnderTest
from tests.support.fake_code_host import FakeCodeHost

pytestmark = pytest.mark.database
B, D = "b" * 40, "d" * 40
URL = "https://x.example/7"
GITHUB = {
    "number": 7, "html_url": URL, "state": "open", "draft": False, "merged_at": None, "merge_commit_sha": "e" * 40,
    "head": {"ref": "fast", "sha": D, "repo": {"id": 1}}, "base": {"ref": "main", "sha": B, "repo": {"id": 1}},
}  # fmt: skip
FORK = {**GITHUB, "number": 8, "head": {"ref": "fast", "sha": D, "repo": {"id": 2}}}
DELETED_FORK = {**GITHUB, "number": 9, "head": {"ref": "fast", "sha": D, "repo": None}}
GITLAB = {
    "iid": 7, "web_url": URL, "state": "opened", "sha": D, "source_branch": "fast", "target_branch": "main",
    "source_project_id": 4, "target_project_id": 4,
}  # fmt: skip
AT_SERVER = "/rest/api/1.0/projects/shop/repos/api/pull-requests"
LISTS: dict[str, tuple[str, Any]] = {
    "github": ("/repos/shop/api/pulls", [GITHUB, FORK, DELETED_FORK]),
    "gitea": ("/api/v1/repos/shop/api/pulls", [GITHUB, FORK]),
    "gitlab": ("/api/v4/projects/shop%2Fapi/merge_requests", [GITLAB, {**GITLAB, "iid": 8, "source_project_id": 5}]),
    "bitbucket": (
        "/2.0/repositories/shop/api/pullrequests",
        {"values": [BITBUCKET["pullrequest:created"]["pullrequest"]]},
    ),
    "bitbucket-server": (AT_SERVER, {"values": [BITBUCKET["pr:opened"]["pullRequest"]], "isLastPage": True}),
}


def listed(app: AppUnderTest, host: FakeCodeHost, api: Any) -> OpenPullRequests:  # noqa: ANN401, F811
    access = HostAccess(api, host.url, "https://x.example", "shop/api", "Bearer t0ken")
    with app.app.state.outside.opened(host.url) as peer:
        return list_open_pull_requests(peer, access, datetime(2026, 11, 28, tzinfo=UTC))


@pytest.mark.parametrize("api", list(LISTS))
def test_open_pull_requests_are_listed_without_those_of_forks(app: AppUnderTest, host: FakeCodeHost, api: str) -> None:  # noqa: F811 - a fixture's name
    path, answer = LISTS[api]
    host.answers = {path: answer}
    found = listed(app, host, api)
    assert found.is_complete is (api != "gitea"), "its operator may allow fewer per page"
    [only] = found.facts
    assert (only.number, only.base_branch, only.is_open, only.merge) == (7, "main", True, None)
    assert only.head == (D[:12] if api == "bitbucket" else D)
    [request] = host.asked
    assert {"state", "sort"} & request.query.keys()


def test_a_full_page_may_not_be_all(app: AppUnderTest, host: FakeCodeHost) -> None:  # noqa: F811 - a fixture's name
    host.answers = {"/repos/shop/api/pulls": [{**GITHUB, "number": one} for one in range(1, PER_PAGE + 1)]}
    found = listed(app, host, "github")
    assert (len(found.facts), found.is_complete) == (PER_PAGE, False)
    assert found.facts[0] == PullRequestFacts(1, URL, D, B).with_branches("fast", "main", is_open=True)


@pytest.mark.parametrize("answer", [None, {"message": "x"}, [3, None, {}], [{**GITHUB, "head": {"sha": "main"}}], "x"])
def test_hostile_answers_bring_nothing(app: AppUnderTest, host: FakeCodeHost, answer: object) -> None:  # noqa: F811 - a fixture's name
    host.answers = {"/repos/shop/api/pulls": answer}
    assert listed(app, host, "github").facts == ()


def test_no_list_closes_nothing(app: AppUnderTest, host: FakeCodeHost) -> None:  # noqa: F811 - a fixture's name
    assert listed(app, host, "github") == OpenPullRequests((), is_complete=False)
    host.answers, host.status = {"/repos/shop/api/pulls": []}, 403
    with pytest.raises(InvalidGitCredentials):
        listed(app, host, "github")


def test_the_list_of_the_host_replaces_what_webhooks_reported(
    client: TestClient,  # noqa: F811 - a fixture's name
    near: Bench,  # noqa: F811 - a fixture's name
    host: FakeCodeHost,  # noqa: F811 - a fixture's name
) -> None:
    repository_id = RepositoryId(UUID(added(client, host, "github").split("/")[4]))
    scope, now = TeamScope(near.team.id, near.team.owner.user_id), datetime(2026, 11, 28, tzinfo=UTC)
    with near.worker_context.database.writing(scope) as session:
        row = catalog_entries.ensure_service(session, "checkout")
        source = {"repository_id": repository_id, "directory": "", "main_package": ""}
        session.add(ServiceRepository(team_id=session.team_id, id=new_id(), service_id=row.id, **source))
        service_id = ServiceId(row.id)
        for number in (7, 8):
            facts = PullRequestFacts(number, URL, B, B).with_branches("old", "main", is_open=True)
            pull_requests.record_pull_request(session, repository_id, facts, now)
    host.answers = {"/api/v3/repos/example/api/pulls": [GITHUB]}
    assert near.carry_out(near.write_down(MeasureOpenPullRequests(service_id)))["state"] == "done"
    stored = near.admin.execute("SELECT number, head_sha, branch, is_open FROM pull_request ORDER BY number").fetchall()
    assert stored == [(7, D, "fast", True), (8, B, "old", False)]
    statement = "SELECT payload->>'number' FROM job WHERE name = 'webhooks.pull-request-changed'"
    assert near.admin.execute(statement).fetchall() == [("7",)]
