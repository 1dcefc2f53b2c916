"""Ends of a bisect are found by name, and a request is checked before its first deployment: from mirrors of real repositories."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from slowpath.adapters.egress import create_outside
from slowpath.adapters.git_remotes import create_remotes
from slowpath.core.encryption import create_sealer
from slowpath.core.ids import BisectPreflightId, RepositoryId
from slowpath.inventory.repositories.jobs import FetchRepository
from slowpath.inventory.repositories.service import repositories
from slowpath.inventory.repositories.service.repositories import GitCredentials
from slowpath.platform.accounts.rules.roles import TokenScope
from slowpath.verdicts.bisects.jobs import CheckBisectRange
from tests.conftest import app, asker, client, emptied, engine, migrated, people, role, team  # noqa: F401 - fixtures
from tests.factories.accounts import AccountsFactory
from tests.jobs.conftest import Bench
from tests.jobs.test_bisect_plans import Three, done, near, scope, server, three  # noqa: F401 - fixtures
from tests.support.git_repositories import GitServer

pytestmark = pytest.mark.database

END = datetime(2026, 12, 20, tzinfo=UTC)
"""End of a token."""
ENDS, PREFLIGHTS = "/api/v1/bisect-ends", "/api/v1/bisect-preflights"


class Page:
    """The start page of a user."""

    def __init__(self, bench: Bench, person: TestClient, built: tuple[Three, dict[str, UUID], UUID]) -> None:
        """Fetch all repositories."""
        self.bench, self.person = bench, person
        self.history, self.ids, self.service_id = built
        for one in self.ids.values():
            done(bench, FetchRepository(RepositoryId(one)))

    def find(self, text: str, **more: str) -> list[dict[str, Any]]:
        """Return the ends that a text may name."""
        asked = {"repository_id": str(self.ids["mono"]), "service_id": str(self.service_id), "search": text, **more}
        response = self.person.get(ENDS, params=asked)
        assert response.status_code == 200, response.text
        found: list[dict[str, Any]] = response.json()
        return found

    def check(self, good: str, bad: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - members of a body
        """Return the preflight of a range once its candidates are counted."""
        body = {"service_id": str(self.service_id), "good_sha": good, "bad_sha": bad, **more}
        response = self.person.post(PREFLIGHTS, json=body)
        assert response.status_code == 201, response.text
        preflight: dict[str, Any] = response.json()
        if preflight["is_running"]:
            done(self.bench, CheckBisectRange(BisectPreflightId(UUID(preflight["id"]))))
        read: dict[str, Any] = self.person.get(f"{PREFLIGHTS}/{preflight['id']}").json()
        return read


def checks(preflight: dict[str, Any]) -> dict[str, str]:
    return {one["key"]: one["state"] for one in preflight["checks"]}


def fixes(preflight: dict[str, Any], key: str) -> list[tuple[str, str]]:
    return [(fix["action"], fix["value"]) for one in preflight["checks"] if one["key"] == key for fix in one["fixes"]]


@pytest.fixture
def page(near: Bench, three: tuple[Three, dict[str, UUID], UUID], people: AccountsFactory) -> Page:  # noqa: F811
    return Page(near, people.app.asked(cookie=near.team.owner.cookie, team=near.team.id), three)


@pytest.fixture
def tagged(near: Bench, three: tuple[Three, dict[str, UUID], UUID], people: AccountsFactory) -> Page:  # noqa: F811
    mono, history = three[0].mono, three[0]
    mono.git("tag", "v1.9.0", history.good)
    mono.git("tag", "-a", "-m", "release", "v1.10.0", history.monos[-1])
    mono.git("tag", "v1.10.0-rc1", history.monos[6])
    mono.git("branch", "release/1.9", history.monos[1])
    return Page(near, people.app.asked(cookie=near.team.owner.cookie, team=near.team.id), three)


def test_an_end_is_found_by_tag_branch_and_abbreviated_sha(tagged: Page) -> None:
    history = tagged.history
    assert [(one["name"], one["type"], one["is_exact"]) for one in tagged.find("v1.")] == [
        ("v1.10.0", "tag", False), ("v1.10.0-rc1", "tag", False), ("v1.9.0", "tag", False),
    ]  # fmt: skip
    [tag, *_] = tagged.find("v1.10.0")
    assert (tag["sha"], tag["title"], tag["author"] != "", tag["is_exact"]) == (
        history.monos[-1], "mono 9", True, True,
    )  # fmt: skip
    [branch] = tagged.find("origin/release/1.9")
    assert (branch["type"], branch["sha"], branch["title"]) == ("branch", history.monos[1], "mono 2")
    [commit] = tagged.find(history.monos[3][:9])
    assert (commit["type"], commit["sha"], commit["is_exact"]) == ("commit", history.monos[3], True)
    assert tagged.find("")[0]["type"] == "branch"


def test_an_end_is_found_by_date_build_and_deployment(page: Page, people: AccountsFactory) -> None:  # noqa: F811
    history = page.history
    [at] = [one for one in page.find("2200-01-01") if one["type"] == "date"]
    assert (at["sha"], at["is_exact"]) == (history.monos[-1], True)
    assert [one for one in page.find("1980-01-01") if one["type"] == "date"] == []
    person = page.person
    environment = person.post("/api/v1/environments", json={"name": "production"}).json()["id"]
    build = {"service_id": str(page.service_id), "commit": history.monos[4], "display_name": "nightly 7"}
    assert person.post("/api/v1/builds", json=build).status_code == 201
    fields = {"service_id": str(page.service_id), "environment_id": environment, "commit": history.monos[4]}
    started = "2026-01-01T00:00:00Z"
    deployed = person.post("/api/v1/deployments", json={**fields, "label": "release 12", "started_at": started})
    assert deployed.status_code == 201, deployed.text
    [by_build] = page.find("nightly 7")
    assert (by_build["type"], by_build["sha"]) == ("build", history.monos[4])
    assert [(one["type"], one["sha"]) for one in page.find("in production")] == [("deployment", history.monos[4])]
    assert [(one["type"], one["is_exact"]) for one in page.find("release 12")] == [("deployment", True)]


@pytest.mark.parametrize(
    "text",
    ["$(id)", "--upload-pack=touch /tmp/x", ";id", "v1..v2", "@{-1}", "%", "refs/heads/../../x", "':(top)", "🦊"],
)
def test_hostile_names_find_nothing(page: Page, text: str) -> None:
    assert page.find(text) == []


def test_control_characters_are_rejected(page: Page) -> None:
    asked = {"repository_id": str(page.ids["mono"]), "search": "v1\n"}
    assert page.person.get(ENDS, params=asked).status_code == 422


def test_a_range_is_counted_before_anything_is_deployed(page: Page) -> None:
    history = page.history
    found = page.check(history.good, history.monos[-1])
    assert checks(found) == {
        "repositories": "ok", "commits": "ok", "candidates": "ok", "runner": "missing", "good": "warning",
        "bad": "warning", "effect": "warning",
    }  # fmt: skip
    assert not any(one["blocks_start"] for one in found["checks"])
    report = found["report"]
    assert (report["commits"], report["classes"], report["pruned"][0]["commits"]) == (9, 4, 5)
    assert [(one["module"], one["before"], one["after"], one["is_linked"]) for one in report["modules"]] == [
        ("example.org/deep", "v1.0.0", "v1.1.0", True), ("example.org/lib", "v1.0.0", "v1.1.0", True),
    ]  # fmt: skip
    assert 0 < report["with_prior"]["low"] <= report["with_prior"]["mean"] <= report["with_prior"]["high"]
    assert report["git_bisect_probes"] == 20
    assert report["first_round"][0]["sha"] in history.monos
    assert 0 < report["first_round"][0]["prior"] < 1
    assert found["expected_seconds"] == pytest.approx(report["with_prior"]["mean"] * found["probe_seconds"])
    again = page.check(history.good, history.monos[-1])
    assert again["id"] == found["id"], "an equal request of the last minutes is not counted again"
    assert page.check(history.good, history.monos[-1], is_repeated=True)["id"] != found["id"]


def test_swapped_ends_are_offered_to_be_exchanged(page: Page) -> None:
    found = page.check(page.history.monos[-1], page.history.good)
    assert fixes(found, "commits") == [("swap-ends", "")]
    assert [one["blocks_start"] for one in found["checks"] if one["key"] == "commits"] == [True]
    assert found["report"]["relation"] == "swapped"


def test_the_merge_base_of_a_release_branch_is_named(
    near: Bench,  # noqa: F811
    three: tuple[Three, dict[str, UUID], UUID],  # noqa: F811
    people: AccountsFactory,  # noqa: F811
) -> None:
    history = three[0]
    history.mono.git("checkout", "--quiet", "-b", "release", history.monos[3])
    released = history.mono.commit({"docs.md": "release\n"}, "prepare the release")
    page = Page(near, people.app.asked(cookie=near.team.owner.cookie, team=near.team.id), three)
    found = page.check(released, history.monos[-1])
    assert fixes(found, "commits") == [("use-merge-base", history.monos[3])]
    assert checks(page.check(history.monos[3], history.monos[-1]))["commits"] == "ok"


def test_an_unknown_commit_is_explained_and_can_be_tried_again(page: Page) -> None:
    body = {"service_id": str(page.service_id), "good_sha": 40 * "e", "bad_sha": page.history.monos[-1]}
    made = page.person.post(PREFLIGHTS, json=body).json()
    row = page.bench.carry_out(page.bench.write_down(CheckBisectRange(BisectPreflightId(UUID(made["id"])))))
    assert row["state"] == "failed"
    found = page.person.get(f"{PREFLIGHTS}/{made['id']}").json()
    [commits] = [one for one in found["checks"] if one["key"] == "commits"]
    assert "has no commit" in commits["detail"]
    assert [one["action"] for one in commits["fixes"]] == ["run-again", "fetch-repository"]
    assert not found["is_running"]
    assert page.person.post(PREFLIGHTS, json=body).json()["id"] != made["id"], "a failed one is not reused"


def test_a_dependency_without_a_repository_is_a_warning(page: Page) -> None:
    assert page.person.delete(f"/api/v1/repositories/{page.ids['deep']}").status_code == 204
    found = page.check(page.history.good, page.history.monos[-1])
    [one] = [one for one in found["checks"] if one["key"] == "repositories"]
    assert (one["state"], one["value"], one["blocks_start"]) == ("warning", "2 of 3", False)
    assert "example.org/deep changes its version" in one["detail"]


def test_without_an_address_the_fix_is_on_the_page(page: Page, people: AccountsFactory) -> None:  # noqa: F811
    service = page.person.post("/api/v1/services", json={"name": "other"}).json()["id"]
    body = {"service_id": service, "good_sha": 40 * "a", "bad_sha": 40 * "b"}
    found = page.person.post(PREFLIGHTS, json=body).json()
    assert fixes(found, "repositories")[0] == ("add-repository", "")
    assert not found["is_running"]
    made = page.person.post("/api/v1/repositories", json={"name": "pushed", "services": [{"service_id": service}]})
    found = page.person.post(PREFLIGHTS, json=body).json()
    assert fixes(found, "repositories")[0] == ("set-repository-url", made.json()["id"])


def test_a_runner_with_matching_labels_is_looked_for(page: Page, people: AccountsFactory) -> None:  # noqa: F811
    token = people.token(page.bench.team, TokenScope.RUNNER)
    runner = people.app.asked(token=token.secret)
    fields = {"slots": 2, "version": "1", "instance": "one", "host": "lab", "labels": {"zone": "eu"}}
    people.app.clock.at = page.bench.admin.execute("SELECT clock_timestamp()").fetchone()[0]  # type: ignore[index]  # one row
    assert runner.put("/api/v1/runners/lab", json=fields).status_code == 200
    ends = (page.history.good, page.history.monos[-1])
    assert checks(page.check(*ends))["runner"] == "ok"
    assert checks(page.check(*ends, settings={"runner_labels": {"zone": "us"}}))["runner"] == "missing"
    assert checks(page.check(*ends, settings={"slots": 3}))["runner"] == "warning"


def test_a_viewer_may_not_begin_a_check_and_sees_none_of_another_team(page: Page, people: AccountsFactory) -> None:  # noqa: F811
    found = page.check(page.history.good, page.history.monos[-1])
    other = people.team()
    theirs = people.app.asked(cookie=other.owner.cookie, team=other.id)
    assert theirs.get(f"{PREFLIGHTS}/{found['id']}").status_code == 404
    assert theirs.get(ENDS, params={"repository_id": str(page.ids["mono"])}).status_code == 404


def token_row(page: Page) -> dict[str, Any]:
    """Return the check of the credentials of a range that is read again."""
    found = page.check(page.history.good, page.history.monos[-1], is_repeated=True)
    [one] = [one for one in found["checks"] if one["key"] == "credentials"]
    assert isinstance(one, dict)
    return one


def protect(page: Page, server: GitServer, kind: str) -> None:  # noqa: F811 - the fixture
    """Require a token for the monorepo, and give it to the product."""
    settings = page.bench.worker_context.settings
    with page.bench.worker_context.database.writing(scope(page.bench)) as session:
        repositories.update_repository(
            session, create_sealer(settings), create_remotes(settings, create_outside(settings)),
            RepositoryId(page.ids["mono"]), values={"kind": kind}, sign_in=GitCredentials("bearer", "tok-1"), services=None,
        )  # fmt: skip
    server.credentials = GitCredentials("bearer", "tok-1").header(kind)


@pytest.mark.parametrize(
    ("kind", "path", "answer", "header"),
    [
        ("gitlab", "/api/v4/personal_access_tokens/self", b'{"expires_at": "2026-12-20"}', None),
        ("github", "/api/v3/repos/mono", b"{}", "2026-12-20 00:00:00 UTC"),
    ],
)
def test_the_end_of_a_token_is_shown_with_its_fix(
    page: Page,
    server: GitServer,  # noqa: F811
    people: AccountsFactory,  # noqa: F811
    kind: str,
    path: str,
    answer: bytes,
    header: str | None,
) -> None:
    protect(page, server, kind)
    server.open_responses[path] = (answer, {} if header is None else {"GitHub-Authentication-Token-Expiration": header})
    people.app.clock.at = END - timedelta(days=22)
    valid = token_row(page)
    assert (valid["state"], valid["value"]) == ("ok", "1 of 1")
    assert valid["detail"].endswith("on 2026-12-20 00:00 UTC.")
    people.app.clock.at = END - timedelta(days=9, hours=12)
    soon = token_row(page)
    assert (soon["state"], soon["title"], soon["value"]) == ("warning", "A token expires soon", "9 days")
    assert soon["fixes"][0]["action"] == "set-credentials"
    assert soon["fixes"][0]["value"] == str(page.ids["mono"])
    people.app.clock.at = END + timedelta(days=1)
    over = token_row(page)
    assert over["state"] == "missing"
    assert over["detail"].endswith("expired on 2026-12-20 00:00 UTC.")


def test_refused_credentials_are_shown_and_replaced_on_the_page(page: Page, server: GitServer) -> None:  # noqa: F811
    protect(page, server, "other")
    assert token_row(page)["detail"] == "The code hosts state no end of their validity."
    works, server.credentials = server.credentials, "Bearer another"
    refused = token_row(page)
    assert (refused["state"], refused["value"], refused["blocks_start"]) == ("missing", "0 of 1", False)
    assert "answered 401 for this repository" in refused["detail"]
    server.credentials = works
    assert token_row(page)["state"] == "ok"


def test_repositories_without_credentials_have_no_row(page: Page) -> None:
    assert "credentials" not in checks(page.check(page.history.good, page.history.monos[-1]))
