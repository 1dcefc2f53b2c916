"""Deliveries of GitHub and GitLab are processed once; missed ones are requested again."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from fastapi.testclient import TestClient

from slowpath.adapters.egress import create_outside
from slowpath.core.ids import JobId
from tests.conftest import asker, client, role  # noqa: F401 - pytest finds fixtures by name
from tests.inventory.webhooks.webhook_senders import (
    BITBUCKET,
    EXAMPLES,
    GITLAB_DEPLOYMENT,
    GITLAB_PIPELINE,
    GITLAB_PUSH,
    Sender,
)
from tests.jobs.conftest import Bench
from tests.support.app_under_test import AppUnderTest

pytestmark = pytest.mark.database

RUN = EXAMPLES["workflow_run"][0]
RUN_SHA = RUN["workflow_run"]["head_sha"]
TOKEN = "ghp_of_the_api_and_secret"


@pytest.fixture
def near(bench: Bench) -> Bench:
    """Return a bench whose operator allows loopback addresses."""
    settings = bench.worker_context.settings.model_copy(update={"egress_allowlist": "127.0.0.0/8"})
    return bench.with_settings(settings)


def hook(client: TestClient, app: AppUnderTest, **fields: Any) -> Sender:  # noqa: ANN401, F811 - any JSON value; a fixture's name
    answer = client.post("/api/v1/webhooks", json={"name": "Ingester", "kind": "github", **fields})
    assert answer.status_code == 201, answer.text
    return Sender(app.asked(), answer.json())


def service(client: TestClient, name: str = "Ingester") -> str:  # noqa: F811 - a fixture's name
    return str(client.post("/api/v1/services", json={"name": name}).json()["id"])


def repository(client: TestClient, service_id: str) -> str:  # noqa: F811 - a fixture's name
    fields = {"name": "app", "services": [{"service_id": service_id, "directory": "", "main_package": ""}]}
    answer = client.post("/api/v1/repositories", json=fields)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def run(bench: Bench, name: str) -> None:
    """Carry out what waits of a name, now."""
    found = bench.admin.execute("SELECT id FROM job WHERE state = 'waiting' AND name = %s ORDER BY created_at", (name,))
    for (job_id,) in found.fetchall():
        bench.change(JobId(job_id), "not_before = clock_timestamp()")
        bench.carry_out(JobId(job_id))


def taken(bench: Bench, client: TestClient, sender: Sender) -> tuple[str, str]:  # noqa: F811 - a fixture's name
    run(bench, "webhooks.process-delivery")
    newest = client.get(f"/api/v1/webhooks/{sender.hook_id}/deliveries").json()["items"][0]
    return newest["state"], newest["outcome"]


def test_a_push_records_commits_and_updates_builds(client: TestClient, bench: Bench, app: AppUnderTest) -> None:  # noqa: F811
    of_service = service(client)
    sender = hook(client, app, kind="gitlab", repository_id=repository(client, of_service))
    client.post(f"/api/v1/builds/{of_service}/{'b' * 40}", json={"author": "set before"})

    sender.send(GITLAB_PUSH, "Push Hook")
    assert taken(bench, client, sender) == ("done", "1 new of 1 commits recorded on main; 1 builds updated")
    sender.send({**GITLAB_PUSH, "user_name": "another message of the same"}, "Push Hook")
    assert taken(bench, client, sender) == ("done", "0 new of 1 commits recorded on main; 1 builds updated")

    [build] = client.get("/api/v1/builds").json()["items"]
    assert (build["branch"], build["title"], build["author"]) == ("main", "Faster", "set before")
    assert build["parent"] == "a" * 40
    commits = bench.admin.execute("SELECT sha, parents, title FROM commit").fetchall()
    assert commits == [("b" * 40, ["a" * 40], "Faster")]


def test_an_organisation_hook_reveals_no_other_repository(
    client: TestClient, bench: Bench, app: AppUnderTest,  # noqa: F811
) -> None:  # fmt: skip
    sender = hook(client, app, kind="gitlab", repository_id=repository(client, service(client)), target="Group/App")
    project = {"path_with_namespace": "group/other"}

    sender.send({**GITLAB_PUSH, "project": project}, "Push Hook")
    assert taken(bench, client, sender) == (
        "ignored",
        "The delivery is from group/other, but this webhook belongs to Group/App.",
    )
    sender.send({**GITLAB_PUSH, "project": {"path_with_namespace": "group/app"}}, "Push Hook")
    assert taken(bench, client, sender)[0] == "done"


def test_a_run_of_ci_completes_builds_of_its_commit(client: TestClient, bench: Bench, app: AppUnderTest) -> None:  # noqa: F811
    of_service = service(client)
    sender = hook(client, app, service_ids=[of_service])

    client.put(f"/api/v1/builds/{of_service}/{RUN_SHA}/artifacts/a", content=b"1")
    sender.send(RUN, "workflow_run")

    assert taken(bench, client, sender) == ("done", "1 builds updated")
    [build] = client.get("/api/v1/builds").json()["items"]
    assert build["ci_url"] == RUN["workflow_run"]["html_url"]
    assert build["pull_request"]["number"] == 2


def test_a_run_of_a_commit_without_a_build_is_stored_for_the_first_build(
    client: TestClient,  # noqa: F811 - a fixture's name
    bench: Bench,
    app: AppUnderTest,
) -> None:
    of_service, elsewhere = service(client), service(client, "Other")
    sender = hook(client, app, service_ids=[of_service])

    sender.send(RUN, "workflow_run")
    assert taken(bench, client, sender) == ("done", "Stored until this commit has a build")
    client.post(f"/api/v1/builds/{of_service}/{RUN_SHA}", json={"title": "set by CI"})
    client.post("/api/v1/builds", json={"service_id": of_service, "commit": RUN_SHA, "go_version": "go1.20"})
    client.post(f"/api/v1/builds/{elsewhere}/{RUN_SHA}", json={})

    other, by_hand, by_ci = client.get("/api/v1/builds").json()["items"]
    assert by_ci["ci_url"] == by_hand["ci_url"] == RUN["workflow_run"]["html_url"]
    assert (by_ci["pull_request"]["number"], by_ci["title"]) == (2, "set by CI")
    assert by_ci["committed_at"] is not None
    assert other["ci_url"] is None


def test_a_deployment_is_stored_once_per_service(client: TestClient, bench: Bench, app: AppUnderTest) -> None:  # noqa: F811
    services = [service(client, "Ingester"), service(client, "Distributor")]
    sender = hook(client, app, service_ids=services)
    alone = hook(client, app, kind="gitlab")
    success = EXAMPLES["deployment_status"][0]

    sender.send(success, "deployment_status")
    assert taken(bench, client, sender) == ("done", "2 deployments recorded")
    sender.send({**success, "redelivered": True}, "deployment_status")
    assert taken(bench, client, sender) == ("done", "The deployment already exists")
    alone.send(GITLAB_DEPLOYMENT, "Deployment Hook")
    assert taken(bench, client, alone) == ("done", "1 deployments recorded")

    deploys = client.get("/api/v1/deployments").json()["items"]
    assert {each["service_id"] for each in deploys} > set(services)
    assert sorted(each["commit"][:7] for each in deploys) == ["279484c", "f95f852", "f95f852"]


def test_pipelines_of_gitlab(client: TestClient, bench: Bench, app: AppUnderTest) -> None:  # noqa: F811 - a fixture's name
    of_service = service(client)
    sender = hook(client, app, kind="gitlab", service_ids=[of_service])
    client.post(f"/api/v1/builds/{of_service}/{'b' * 40}", json={})

    sender.send(GITLAB_PIPELINE, "Pipeline Hook")
    assert taken(bench, client, sender) == ("done", "1 builds updated")
    [build] = client.get("/api/v1/builds").json()["items"]
    assert (build["branch"], build["pull_request"]["number"]) == ("fast", 7)


@pytest.mark.parametrize(
    "message", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 100_000, b"payload=", b"payload=%7B", b'{"ref": "\\ud800"}']
)
def test_an_invalid_message_is_ignored(client: TestClient, bench: Bench, app: AppUnderTest, message: bytes) -> None:  # noqa: F811
    sender = hook(client, app)
    sender.send(message)

    assert taken(bench, client, sender)[0] == "ignored"
    assert bench.admin.execute("SELECT count(*) FROM webhook_delivery WHERE content IS NOT NULL").fetchone() == (0,)


def test_a_form_and_a_ping_of_github_are_accepted(client: TestClient, bench: Bench, app: AppUnderTest) -> None:  # noqa: F811
    sender = hook(client, app)
    sender.send(b"payload=%7B%22repository%22%3A%7B%22full_name%22%3A%22o%2Fr%22%7D%7D", "ping")

    assert taken(bench, client, sender) == ("done", "Ping from GitHub: the webhook is set up.")
    assert client.get(f"/api/v1/webhooks/{sender.hook_id}").json()["target"] == "o/r"


def test_a_service_that_is_gone_and_a_hook_that_is_gone(client: TestClient, bench: Bench, app: AppUnderTest) -> None:  # noqa: F811
    of_service = service(client)
    sender = hook(client, app, service_ids=[of_service])
    client.delete(f"/api/v1/services/{of_service}")
    sender.send(RUN, "workflow_run")
    assert taken(bench, client, sender)[0] == "ignored"

    sender.send(EXAMPLES["push"][0])
    client.delete(f"/api/v1/webhooks/{sender.hook_id}")
    run(bench, "webhooks.process-delivery")
    states = bench.admin.execute("SELECT DISTINCT state FROM job WHERE name = 'webhooks.process-delivery'").fetchall()
    assert ("waiting",) not in states


# --- what did not arrive


@dataclass
class GitHub:
    """GitHub's API, as far as it is asked."""

    url: str = ""
    listed: object = field(default_factory=list)
    status: int = 200
    later: list[object] = field(default_factory=list)
    """Further pages."""
    asked: list[tuple[str, str]] = field(default_factory=list)
    tokens: set[str | None] = field(default_factory=set)


@contextmanager
def answering() -> Iterator[GitHub]:
    github = GitHub()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            number = int(self.path.partition("cursor=v1_")[2] or 0)
            page = [github.listed, *github.later][number]
            self._answer(github.status, json.dumps(page).encode(), number + 1 if number < len(github.later) else None)

        def do_POST(self) -> None:
            self._answer(202 if github.status == 200 else github.status, b"{}")

        def _answer(self, status: int, content: bytes, following: int | None = None) -> None:
            github.asked.append((self.command, self.path))
            github.tokens.add(self.headers["Authorization"])
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            if status == 302:
                self.send_header("Location", "http://169.254.169.254/")
            if following is not None:
                self.send_header(
                    "Link", f'<https://elsewhere.example/x?per_page=100&cursor=v1_{following}>; rel="next"'
                )
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base has it
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    github.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield github
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def delivered(number: int, guid: str, minutes: float = 10, status: int = 502) -> dict[str, Any]:
    at = datetime.now(UTC) - timedelta(minutes=minutes)  # noqa: TID251 - the worker's clock is the real one
    return {"id": number, "guid": guid, "delivered_at": at.isoformat(), "status_code": status, "event": "push"}


def watched(client: TestClient, app: AppUnderTest, github: GitHub, near: Bench) -> Sender:  # noqa: F811 - a fixture's name
    """Return a webhook whose sender has an API; the operator allows loopback addresses."""
    app.app.state.outside = create_outside(near.worker_context.settings)
    sender = hook(client, app, target="o/r", api={"url": github.url, "token": TOKEN})
    near.admin.execute("UPDATE webhook SET external_id = '7'")
    return sender


def get_webhook(client: TestClient, sender: Sender) -> dict[str, Any]:  # noqa: F811 - a fixture's name
    found: dict[str, Any] = client.get(f"/api/v1/webhooks/{sender.hook_id}").json()
    return found


def test_a_missed_delivery_is_requested_once_and_arrives(
    client: TestClient,  # noqa: F811
    near: Bench,
    app: AppUnderTest,
) -> None:
    with answering() as github:
        sender = watched(client, app, github, near)
        sender.send(EXAMPLES["push"][0], delivery_id="arrived")
        github.listed = [delivered(3, "arrived"), delivered(2, "lost"), delivered(1, "well", status=200)]

        run(near, "webhooks.reconcile")
        first = list(github.asked)
        sender.send(EXAMPLES["push"][1], delivery_id="lost")
        run(near, "webhooks.reconcile")

    assert first == [
        ("GET", "/repos/o/r/hooks/292430182/deliveries?per_page=100"), ("POST", "/repos/o/r/hooks/292430182/deliveries/2/attempts"),
    ]  # fmt: skip
    assert github.asked[2:] == first[:1], "what has arrived meanwhile is not asked for"
    assert github.tokens == {f"Bearer {TOKEN}"}
    assert get_webhook(client, sender)["problem"] is None


@pytest.mark.parametrize(
    ("status", "listed", "slug"),
    [(404, [], "nothing-to-reconcile"), (302, [], "address-redirects"), (200, "x" * (5 << 20), "answer-too-large")],
)
def test_a_refusing_host_is_recorded_and_queried_again_later(
    client: TestClient, near: Bench, app: AppUnderTest, status: int, listed: object, slug: str,  # noqa: F811
) -> None:  # fmt: skip
    with answering() as github:
        sender = watched(client, app, github, near)
        github.status, github.listed = status, listed
        run(near, "webhooks.reconcile")

    assert get_webhook(client, sender)["problem"]["type"] == f"urn:slowpath:{slug}"
    assert TOKEN not in json.dumps(get_webhook(client, sender))
    waiting = near.admin.execute(
        "SELECT count(*) FROM job WHERE name = 'webhooks.reconcile' AND state = 'waiting' AND due_at > now() + interval '50 min'"
    ).fetchone()
    assert waiting == (1,)


def test_all_pages_are_read_back_to_the_oldest_delivery_that_is_redelivered(
    client: TestClient,  # noqa: F811
    near: Bench,
    app: AppUnderTest,
) -> None:
    days = 24 * 60
    with answering() as github:
        watched(client, app, github, near)
        github.listed = [delivered(9, "came", status=200)]
        github.later = [
            [delivered(8, "lost", 2 * days)],
            [delivered(7, "too old", 4 * days)],
            [delivered(6, "older", 5 * days)],
        ]
        run(near, "webhooks.reconcile")

    start = "/repos/o/r/hooks/7/deliveries"
    assert github.asked == [
        ("GET", f"{start}?per_page=100"), ("GET", f"{start}?per_page=100&cursor=v1_1"),
        ("GET", f"{start}?per_page=100&cursor=v1_2"), ("POST", f"{start}/8/attempts"),
    ]  # fmt: skip


def test_a_webhook_without_token_deletes_old_deliveries(client: TestClient, near: Bench, app: AppUnderTest) -> None:  # noqa: F811
    sender = hook(client, app)
    sender.send(EXAMPLES["ping"][0], "ping", delivery_id="old")
    run(near, "webhooks.process-delivery")
    near.admin.execute("UPDATE webhook_delivery SET created_at = now() - interval '31 days'")
    sender.send(EXAMPLES["push"][0], delivery_id="new")

    run(near, "webhooks.reconcile")

    assert [
        each["delivery_id"] for each in client.get(f"/api/v1/webhooks/{sender.hook_id}/deliveries").json()["items"]
    ] == ["new"]


A, B, C, D, M = (digit * 40 for digit in "abcde")


def test_reviewers_of_a_pull_request_are_people_of_its_commits_and_of_their_deployment(
    client: TestClient, bench: Bench, app: AppUnderTest,  # noqa: F811
) -> None:  # fmt: skip
    """main: A - B - M (merge of C - D)."""
    of_service = service(client)
    repository_id = repository(client, of_service)
    sender = hook(client, app, service_ids=[of_service])
    parents = {A: [], B: [A], C: [A], D: [C], M: [B, D]}
    commits = [{"sha": sha, "parents": known, "title": sha[0], "author_name": "Ann"} for sha, known in parents.items()]
    at = f"/api/v1/repositories/{repository_id}/commits"
    assert client.post(at, json={"commits": commits}).status_code == 200

    def pull(event: str, action: str, **fields: Any) -> tuple[str, str]:  # noqa: ANN401 - any JSON value
        example = EXAMPLES[event][0]
        commits = {
            "head": {**example["pull_request"]["head"], "sha": D},
            "base": {**example["pull_request"]["base"], "sha": B},
        }
        changed = {**example["pull_request"], **commits, **fields.pop("pull_request", {})}
        sender.send({**example, "action": action, "pull_request": changed, **fields}, event)
        return taken(bench, client, sender)

    def reviewed(login: str) -> dict[str, Any]:
        example = EXAMPLES["pull_request_review"][0]["review"]
        return {**example, "user": {**example["user"], "login": login}}

    assert pull("pull_request_review", "submitted", review=reviewed("octo-lea")) == (
        "done", "Pull request 2: reviewed by octo-lea",
    )  # fmt: skip
    assert pull("pull_request_review", "submitted", review=reviewed("Jo"))[0] == "done"
    assert pull("pull_request_review", "dismissed", review=reviewed("octo-lea"))[0] == "done"
    assert client.put("/api/v1/user/code-host-logins", json={"logins": ["octo-lea"]}).status_code == 200

    def people(sha: str) -> tuple[list[str], list[bool], int | None]:
        found = client.get(f"{at}/{sha}/people").json()
        number = (found["pull_request"] or {}).get("number")
        persons = found["reviewers"]
        return [one["name"] for one in persons], [one["user_id"] is not None for one in persons], number

    both = (["octo-lea", "Jo"], [True, False], 2)
    assert [people(sha) for sha in (C, D)] == [both, both]
    assert [people(sha) for sha in (A, B, M)] == [([], [], None)] * 3, "the merge is not reported yet"
    merged = {"merged": True, "merge_commit_sha": M}
    assert pull("pull_request", "closed", pull_request=merged)[0] == "done"
    assert [people(sha) for sha in (C, D, M)] == [both] * 3
    assert [people(sha) for sha in (A, B)] == [([], [], None)] * 2

    where = {
        "service_id": of_service,
        "environment_id": client.post("/api/v1/environments", json={"name": "x"}).json()["id"],
    }
    [*_, newest] = [
        client.post("/api/v1/deployments", json={**where, "commit": sha, "started_at": f"2026-05-0{day}T00:00:00Z"})
        for day, sha in enumerate((B, M), 1)
    ]
    found = client.get(f"/api/v1/deployments/{newest.json()['id']}/people").json()
    assert [(one["name"], one["commits"]) for one in found["reviewers"]] == [("octo-lea", 3), ("Jo", 3)]


def test_pull_requests_of_bitbucket_wait_for_the_commits_that_they_abbreviate(
    client: TestClient, bench: Bench, app: AppUnderTest,  # noqa: F811
) -> None:  # fmt: skip
    """Nothing answers at the address of the repository: only pushes bring commits."""
    of_service = service(client)
    body = {"name": "api", "url": "https://bitbucket.org/shop/api.git", "kind": "bitbucket"}
    made = client.post("/api/v1/repositories", json={**body, "services": [{"service_id": of_service}]})
    repository_id = made.json()["id"]
    sender = hook(client, app, kind="bitbucket", repository_id=repository_id)

    def send(event: str) -> tuple[str, str]:
        assert sender.send(BITBUCKET[event], event).status_code == 202
        return taken(bench, client, sender)

    assert send("pullrequest:created") == ("waiting", ""), "its head is not known yet"
    assert send("repo:push")[0] == "done"
    bench.admin.execute("UPDATE job SET not_before = now() WHERE state = 'waiting'")
    run(bench, "webhooks.process-delivery")
    assert send("pullrequest:approved") == ("done", "Pull request 7: reviewed by Lea Brandt")
    rows = "SELECT number, head_sha, base_sha, merge_sha, branch, base_branch, is_open FROM pull_request"
    assert bench.admin.execute(rows).fetchall() == [(7, D, B, None, "fast", "main", True)]

    assert send("pullrequest:fulfilled") == ("waiting", ""), "the merge is not known yet"
    bench.admin.execute("UPDATE webhook_delivery SET created_at = created_at - interval '11 minutes'")
    bench.admin.execute("UPDATE job SET not_before = now() WHERE state = 'waiting'")
    run(bench, "webhooks.process-delivery")
    newest = client.get(f"/api/v1/webhooks/{sender.hook_id}/deliveries").json()["items"][0]
    assert (newest["state"], newest["outcome"]) == ("failed", f"The repository has no commit {M[:12]} yet.")

    at = f"/api/v1/repositories/{repository_id}/commits"
    assert client.post(at, json={"commits": [{"sha": M, "parents": [B, D], "title": "Merge"}]}).status_code == 200
    assert send("pullrequest:fulfilled")[0] == "done"
    assert bench.admin.execute(rows).fetchall() == [(7, D, B, M, "fast", "main", False)]
    assert [one["name"] for one in client.get(f"{at}/{M}/people").json()["reviewers"]] == ["Lea Brandt"]
