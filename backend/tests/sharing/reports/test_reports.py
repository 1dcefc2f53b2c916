"""Reports over HTTP: written, frozen through our own API, published, deleted."""

import gzip
import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from slowpath.core.db_sessions import TeamScope
from slowpath.core.jobs import JobRow
from slowpath.platform.accounts.rules.roles import Role, TokenScope
from slowpath.sharing.reports.service import snapshots
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.factories.comparisons import ComparisonsFactory
from tests.factories.files import FilesFactory
from tests.support.app_under_test import AppUnderTest
from tests.support.endpoints import schema_app

pytestmark = pytest.mark.database

ANYBODY = {"title": "CPU of the ingester", "path": "/comparisons/x?kind=cpu"}


@pytest.fixture
def comparison(app: AppUnderTest, team: SomeTeam) -> UUID:
    return ComparisonsFactory(FilesFactory(app, team)).done()


def begun(client: TestClient, title: str = "Why 1.25 is slower") -> dict[str, Any]:
    answer = client.post("/api/v1/reports", json={"title": title})
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


def frozen(client: TestClient, report: dict[str, Any], requests: Sequence[str], **expected: str) -> Any:  # noqa: ANN401
    return client.post(
        f"/api/v1/reports/{report['id']}/snapshots", json={**ANYBODY, **expected, "requests": list(requests)}
    )


def unpacked(answer: Any) -> tuple[dict[str, Any], bytes]:  # noqa: ANN401 - an answer of httpx
    """Return header and bytes of a recording; httpx has unpacked the gzip."""
    assert answer.status_code == 200, answer.text
    length = int.from_bytes(answer.content[:4], "little")
    return json.loads(answer.content[4 : 4 + length]), answer.content[4 + length :]


def of_view(client: TestClient, comparison: UUID) -> list[str]:
    body = client.get(f"/api/v1/comparisons/{comparison}").json()
    view = next(each for each in body["views"] if each["granularity"] == "function")["id"]
    path = f"/comparisons/{comparison}"
    return [
        path,
        f"{path}/views/{view}/chunks/first",
        f"{path}/views/{view}/chunks/rest",
        f"{path}/views/{view}/nodes/0",
    ]


# -- writing


def test_a_report_is_begun_listed_and_found(client: TestClient) -> None:
    first, second = begun(client, "One"), begun(client, "Two <b>")

    assert (first["number"], second["number"]) == (1, 2)
    assert (first["state"], first["version"], first["blocks"], first["links_count"]) == ("draft", 0, [], 0)
    assert [one["title"] for one in client.get("/api/v1/reports").json()["items"]] == ["Two <b>", "One"]
    assert [one["title"] for one in client.get("/api/v1/reports?search=one").json()["items"]] == ["One"]
    assert client.get(f"/api/v1/reports/{first['id']}").json() == first


def test_prose_is_stored_as_it_was_written(client: TestClient) -> None:
    report = begun(client)
    hostile = "# <script>alert(1)</script>\n[x](javascript:alert(1)) ![y](https://evil.example/z.png) </script>"

    changed = client.patch(
        f"/api/v1/reports/{report['id']}",
        json={"blocks": [{"kind": "text", "markdown": hostile}, {"kind": "text", "markdown": "b"}]},
    ).json()
    assert [block["markdown"] for block in changed["blocks"]] == [hostile, "b"]

    one, two = (block["id"] for block in changed["blocks"])
    turned = client.patch(
        f"/api/v1/reports/{report['id']}", json={"blocks": [{"id": two}, {"id": one, "markdown": "a"}]}
    )
    assert [block["markdown"] for block in turned.json()["blocks"]] == ["b", "a"]
    assert [block["id"] for block in turned.json()["blocks"]] == [two, one]


def test_an_outdated_edit_is_rejected(client: TestClient, app: AppUnderTest) -> None:
    report = begun(client)
    path = f"/api/v1/reports/{report['id']}"
    app.clock.move(seconds=1)
    assert client.patch(path, json={"title": "Hers", "updated_at": report["updated_at"]}).status_code == 200

    late = client.patch(path, json={"title": "His", "updated_at": report["updated_at"]})

    assert late.status_code == 409
    assert late.json()["type"] == "urn:slowpath:report-changed"
    assert client.get(path).json()["title"] == "Hers"


@pytest.mark.parametrize(
    "body",
    [
        {"title": ""},
        {"title": "a\nb"},
        {"title": "turned \u202e around"},
        {"title": "x" * 201},
        {"blocks": [{"id": str(UUID(int=7))}]},
        {"blocks": [{"kind": "text", "markdown": "\u0000"}]},
        {"blocks": [{"kind": "text"}] * 201},
        {"state": "published"},
    ],
)
def test_invalid_retention_rules_are_rejected(client: TestClient, body: dict[str, Any]) -> None:
    report = begun(client)
    answer = client.patch(f"/api/v1/reports/{report['id']}", json=body)
    assert answer.status_code == 422, answer.text
    assert client.get(f"/api/v1/reports/{report['id']}").json() == report


def test_a_block_named_twice_is_refused(client: TestClient) -> None:
    report = begun(client)
    path = f"/api/v1/reports/{report['id']}"
    block = client.patch(path, json={"blocks": [{"kind": "text", "markdown": "a"}]}).json()["blocks"][0]["id"]
    assert client.patch(path, json={"blocks": [{"id": block}, {"id": block}]}).status_code == 422


# -- freezing


def test_a_page_is_frozen_with_the_answers_it_shows(client: TestClient, comparison: UUID, app: AppUnderTest) -> None:
    report, requests = begun(client), []
    requests = of_view(client, comparison)

    answer = frozen(client, report, requests)

    assert answer.status_code == 201, answer.text
    block = answer.json()
    assert (block["kind"], block["title"], block["path"]) == ("snapshot", ANYBODY["title"], ANYBODY["path"])
    assert [one["request"] for one in block["responses"]] == requests
    header, content = unpacked(client.get(f"/api/v1/reports/{report['id']}/bundle"))
    assert header["format"] == "slowpath.recording/1"
    for one, stored in zip(header["answers"], block["responses"], strict=True):
        live = client.get(f"/api/v1{one['request']}")
        assert content[one["offset"] : one["offset"] + one["length"]] == live.content
        assert (one["block"], one["status"], one["length"]) == (block["id"], live.status_code, stored["bytes"])
    assert all(str(key).startswith(f"{session_team_id(client)}/reports/{report['id']}/") for key in report_keys(app))


def session_team_id(client: TestClient) -> str:
    team: str = client.get("/api/v1/session").json()["teams"][0]["id"]
    return team


def report_keys(app: AppUnderTest) -> list[str]:
    return [key for key in app.blobs.stored if "/reports/" in key]


def test_a_frozen_page_outlives_what_it_shows(client: TestClient, comparison: UUID) -> None:
    report = begun(client)
    frozen(client, report, of_view(client, comparison))
    before = client.get(f"/api/v1/reports/{report['id']}/bundle").content

    assert client.delete(f"/api/v1/comparisons/{comparison}").status_code == 204

    assert client.get(f"/api/v1/reports/{report['id']}/bundle").content == before


@pytest.mark.parametrize(
    "request_",
    [
        "/session", "/teams", "/events", "/notification-channels", "/webhooks", "/jobs", "/metric-sources", "/reports", "/share-settings",
        "/openapi.json", "/artifacts/00000000-0000-0000-0000-000000000007/original", "/shared/x", "/invitations/x",
        "/teams/00000000-0000-0000-0000-000000000007/members", "/nothing",
    ],
)  # fmt: skip
def test_only_allowed_requests_are_recorded(
    client: TestClient, comparison: UUID, app: AppUnderTest, request_: str
) -> None:
    report = begun(client)

    answer = frozen(client, report, [f"/comparisons/{comparison}", request_])

    assert answer.status_code == 422
    assert answer.json()["type"] == "urn:slowpath:not-freezable"
    assert request_ in answer.json()["detail"]
    assert client.get(f"/api/v1/reports/{report['id']}").json()["blocks"] == []
    assert report_keys(app) == []


@pytest.mark.parametrize(
    "request_",
    [
        "", "comparisons", "//evil.example/x", "https://evil.example/x", "/../../metrics", "/comparisons/../session",
        "/comparisons/%2e%2e/session", "/comparisons/x%2f..%2f..%2fsession", "/comparisons/a b", "/x\r\nHost: y",
        "/comparisons/\x00", "/comparisons#x", "/comparisons?a=1#b", "/./session", "/comparisons/",
    ],
)  # fmt: skip
def test_an_invalid_request_is_rejected(client: TestClient, request_: str) -> None:
    answer = frozen(client, begun(client), [request_])
    assert answer.status_code == 422, answer.text


@pytest.mark.parametrize("path", ["https://evil.example/", "//evil.example/", "comparisons", "/a b", "/a\\b", ""])
def test_an_invalid_page_is_rejected(client: TestClient, comparison: UUID, path: str) -> None:
    assert frozen(client, begun(client), [f"/comparisons/{comparison}"], path=path).status_code == 422


def test_another_teams_data_is_never_frozen(
    client: TestClient, people: AccountsFactory, app: AppUnderTest, comparison: UUID, team: SomeTeam
) -> None:
    other = people.team("Others")
    theirs = ComparisonsFactory(FilesFactory(app, other)).done()
    report = begun(client)

    for request_ in (f"/comparisons/{theirs}", f"/comparisons/{theirs}?team={other.id}"):
        answer = frozen(client, report, [request_])
        assert answer.status_code == 422
        assert "404" in answer.json()["detail"]

    # not by a member of both teams either, whatever team the request or the browser names
    people.joins(team.owner, other)
    both = app.asked(cookie=team.owner.cookie, team=team.id)
    assert both.get(f"/api/v1/comparisons/{theirs}?team={other.id}").status_code == 404
    for request_ in (f"/comparisons/{theirs}?team={other.id}", f"/comparisons?team={other.id}"):
        answer = frozen(both, report, [request_, f"/comparisons/{comparison}"])
        if answer.status_code == 201:
            bundle = both.get(f"/api/v1/reports/{report['id']}/bundle").content
            header, content = unpacked(both.get(f"/api/v1/reports/{report['id']}/bundle"))
            assert str(theirs) not in content.decode("utf-8", "replace").replace(f"/comparisons/{theirs}", "")
            assert b"team=" not in bundle
            assert all("team=" not in one["request"] for one in header["answers"])
    by_query = app.asked(cookie=team.owner.cookie)
    answer = by_query.post(
        f"/api/v1/reports/{report['id']}/snapshots?team={team.id}",
        json={**ANYBODY, "requests": [f"/comparisons/{theirs}"]},
        headers={"Slowpath-Team": str(team.id)},
    )
    assert answer.status_code == 422


def test_a_token_freezes_what_it_may_read(
    people: AccountsFactory, app: AppUnderTest, team: SomeTeam, client: TestClient, comparison: UUID
) -> None:
    report = begun(client)
    writer = app.asked(token=people.token(team, TokenScope.WRITE).secret)
    reader = app.asked(token=people.token(team, TokenScope.READ).secret)
    assert frozen(writer, report, [f"/comparisons/{comparison}"]).status_code == 201
    assert frozen(reader, report, [f"/comparisons/{comparison}"]).status_code == 403


def test_the_same_bytes_are_stored_once_and_the_same_request_asked_once(
    client: TestClient, comparison: UUID, app: AppUnderTest
) -> None:
    report = begun(client)
    path = f"/comparisons/{comparison}"
    one = frozen(client, report, [path, path, f"{path}?team=x"]).json()
    frozen(client, report, [path])
    assert len(one["responses"]) == 1
    assert len(report_keys(app)) == 1


def test_queries_have_one_form(client: TestClient, comparison: UUID) -> None:
    view = of_view(client, comparison)[1].removesuffix("/chunks/first")
    block = frozen(client, begun(client), [f"{view}/search?regex=false&pattern=main.%2A%20~(b)"]).json()
    assert block["responses"][0]["request"] == f"{view}/search?pattern=main.*+%7E%28b%29&regex=false"


def test_an_excessive_size_is_reported_with_its_numbers(
    client: TestClient, comparison: UUID, app: AppUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    report, requests = begun(client), of_view(client, comparison)
    monkeypatch.setattr(snapshots, "MAX_VIEW_BYTES", 100)
    view = frozen(client, report, requests)
    monkeypatch.setattr(snapshots, "MAX_VIEW_BYTES", 1 << 20)
    monkeypatch.setattr(snapshots, "MAX_REPORT_BYTES", 100)
    whole = frozen(client, report, requests)
    for answer in (view, whole):
        assert answer.status_code == 413, answer.text
        assert answer.json()["limit"] == 100
        assert answer.json()["value"] > 100
        assert answer.json()["resolution"]
    assert report_keys(app) == []
    too_many = frozen(client, report, [f"/comparisons/{uuid4()}" for _ in range(65)])
    assert too_many.status_code == 422


def test_expandable_candidates_use_the_free_slots(
    client: TestClient, comparison: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    report, requests = begun(client), of_view(client, comparison)
    page, first, *others = requests
    path = f"/api/v1/reports/{report['id']}/snapshots"
    missing = f"/comparisons/{comparison}/views/{uuid4()}/chunks/first"

    whole = client.post(
        path, json={**ANYBODY, "requests": [page], "additional_requests": [page, missing, first, *others]}
    ).json()
    # that there is no such view is an answer, too: a page shows it
    assert [one["request"] for one in whole["responses"]] == [page, missing, first, *others]
    sizes = {one["request"]: one["bytes"] for one in whole["responses"]}

    monkeypatch.setattr(snapshots, "MAX_VIEW_BYTES", sizes[page] + sizes[first] - 1)
    part = client.post(path, json={**ANYBODY, "requests": [page], "additional_requests": [first, missing]})
    assert part.status_code == 201, part.text
    assert [one["request"] for one in part.json()["responses"]] == [page, missing]

    refused = client.post(path, json={**ANYBODY, "requests": [page], "additional_requests": ["/session"]})
    assert refused.status_code == 422


def test_freezable_are_reads_of_what_a_team_measured_and_nothing_else() -> None:
    marked = {
        operation["operationId"]
        for operations in schema_app().openapi()["paths"].values()
        for operation in operations.values()
        if operation.get("x-freezable")
    }
    all_gets = {
        operations["get"]["operationId"]
        for operations in schema_app().openapi()["paths"].values()
        if "get" in operations
    }
    assert marked <= all_gets
    never = (
        "session", "sessions", "users", "teams", "members", "tokens", "invitations", "audit-events",
        "notification-channels", "notifications", "webhooks", "metric-sources", "metric-settings", "federated-services", "metric-rules", "metrics", "jobs", "events", "exports", "uploads",
        "reports", "share-links", "share-settings", "shared", "health", "service-accounts", "linked-identities", "comments",
        "mentions", "auth", "email-preferences", "deleted-teams", "password-resets",
        "activity", "retention", "usage",
    )  # fmt: skip
    assert [one for one in marked if one.split(":")[0] in never] == []
    assert "artifacts:original" not in marked
    assert {
        "comparisons:get",
        "diff-views:chunk",
        "regressions:get",
        "dashboard:get",
        "span-sets:trace",
        "execution-traces:tile",
    } <= marked


# -- versions


def test_a_version_never_changes(client: TestClient, comparison: UUID) -> None:
    report = begun(client)
    path = f"/api/v1/reports/{report['id']}"
    frozen(client, report, [f"/comparisons/{comparison}"])
    published = client.post(f"{path}/publish")
    assert published.status_code == 201
    assert (published.json()["state"], published.json()["version"]) == ("published", 1)
    first = client.get(f"{path}/bundle?version=1").content

    client.patch(path, json={"title": "Otherwise", "blocks": [{"kind": "text", "markdown": "new"}]})
    client.post(f"{path}/publish")

    assert client.get(f"{path}/bundle?version=1").content == first
    assert client.get(f"{path}?version=1").json()["title"] == report["title"]
    assert [one["version"] for one in client.get(f"{path}/versions").json()] == [2, 1]
    assert client.get(f"{path}?version=3").status_code == 404


# -- deleting


def jobs(app: AppUnderTest, team: SomeTeam) -> list[dict[str, Any]]:
    with app.database.reading(TeamScope(team.id)) as session:
        rows = session.scalars(
            select(JobRow).where(JobRow.team_id == team.id, JobRow.name == "reports.delete-unused-blobs")
        )
        return [row.payload for row in rows]


def test_dropped_partitions_enqueue_a_job(
    client: TestClient, comparison: UUID, app: AppUnderTest, team: SomeTeam
) -> None:
    report = begun(client)
    path = f"/api/v1/reports/{report['id']}"
    block = frozen(client, report, [f"/comparisons/{comparison}"]).json()

    client.patch(path, json={"blocks": []})
    client.delete(path)

    # As they come out of the table, which has no order.
    assert sorted(jobs(app, team), key=lambda each: len(each["dropped"])) == [
        {"report_id": report["id"], "dropped": []},
        {"report_id": report["id"], "dropped": [block["responses"][0]["sha256"]]},
    ]
    assert client.get(path).status_code == 404


@pytest.mark.asked_by("viewer")
def test_a_viewer_reads_only(client: TestClient, app: AppUnderTest, team: SomeTeam, role: Role) -> None:
    report = begun(app.asked(cookie=team.owner.cookie))
    assert client.get(f"/api/v1/reports/{report['id']}").status_code == 200
    assert client.post("/api/v1/reports", json={"title": "x"}).status_code == 403
    assert client.delete(f"/api/v1/reports/{report['id']}").status_code == 403


def test_everything_that_changes_a_report_is_in_the_log(client: TestClient, comparison: UUID, team: SomeTeam) -> None:
    report = begun(client)
    path = f"/api/v1/reports/{report['id']}"
    frozen(client, report, [f"/comparisons/{comparison}"])
    client.patch(path, json={"title": "x"})
    client.post(f"{path}/publish")
    client.delete(path)
    items = client.get(f"/api/v1/teams/{team.id}/audit-events").json()["items"]
    actions = [one["action"] for one in items if one["action"].startswith("report.")]
    assert actions == [
        "report.deleted", "report.published", "report.updated", "report.snapshot-created", "report.created",
    ]  # fmt: skip


def test_stored_bytes_are_what_was_answered(client: TestClient, comparison: UUID, app: AppUnderTest) -> None:
    frozen(client, begun(client), [f"/comparisons/{comparison}"])
    live = client.get(f"/api/v1/comparisons/{comparison}").content
    assert [gzip.decompress(app.blobs.stored[key]) for key in app.blobs.stored if "/reports/" in key] == [live]


def test_list_page_and_snapshot_state_one_headline(client: TestClient, comparison: UUID) -> None:
    page = client.get(f"/api/v1/comparisons/{comparison}").json()
    (row,) = client.get("/api/v1/comparisons").json()["items"]
    report = begun(client)
    assert frozen(client, report, [f"/comparisons/{comparison}"]).status_code == 201
    header, content = unpacked(client.get(f"/api/v1/reports/{report['id']}/bundle"))
    (stored,) = header["answers"]
    document = json.loads(content[stored["offset"] : stored["offset"] + stored["length"]])

    assert (
        document["result"]["headline"]["sentence"]
        == page["verdict_sentence"]
        == row["verdict_sentence"]
        == document["verdict_sentence"]
    )
    assert document["verdict"] == document["result"]["verdict"] == row["verdict"]


def test_the_discussion_of_a_report_is_deleted_with_it(client: TestClient) -> None:
    report = begun(client)
    fields = {"subject_kind": "report", "subject_id": report["id"], "text": "Is that all?"}
    answer = client.post("/api/v1/comments", json=fields)
    assert answer.status_code == 201, answer.text
    about = {"subject_kind": "report", "subject_ids": report["id"]}
    assert client.get("/api/v1/comment-counts", params=about).text != "[]"

    client.delete(f"/api/v1/reports/{report['id']}")

    assert report["id"] not in client.get("/api/v1/comment-counts", params=about).text
