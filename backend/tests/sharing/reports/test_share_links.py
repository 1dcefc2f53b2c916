"""Share links: read without sign-in, counted, revoked at once; absent from logs, caches and indexes; and downloads."""

import base64
import gzip
import hashlib
import json
import logging
import re
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from slowpath.platform.accounts.rules.credentials import hash_secret
from slowpath.platform.accounts.rules.roles import Role
from slowpath.sharing.reports.rules import SHARED_BY_ADDRESS
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.factories.comparisons import ComparisonsFactory
from tests.factories.files import FilesFactory
from tests.support.app_under_test import AppUnderTest, built, settings_for
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.database

HOSTILE = '</title><script>alert(1)</script> "&'
SECRETS = ("Zoë Quux", "db-7.prod.corp.internal", "/home/zoe/svc/x.go")


@pytest.fixture
def report(client: TestClient, app: AppUnderTest, team: SomeTeam) -> dict[str, Any]:
    comparison = ComparisonsFactory(FilesFactory(app, team)).done(name="db-7.prod.corp.internal against /a/b/c.go")
    begun = client.post("/api/v1/reports", json={"title": HOSTILE}).json()
    path = f"/api/v1/reports/{begun['id']}"
    prose = (
        "By **Zoë Quux** on db-7.prod.corp.internal, see /home/zoe/svc/x.go\n\nSigned-off-by: Zoë Quux <zq@x.example>"
    )
    client.patch(path, json={"blocks": [{"kind": "text", "markdown": prose}]})
    frozen = {"title": "CPU", "path": "/comparisons/x", "requests": [f"/comparisons/{comparison}"]}
    assert client.post(f"{path}/snapshots", json=frozen).status_code == 201
    body: dict[str, Any] = client.post(f"{path}/publish").json()
    return body


def linked(client: TestClient, report: dict[str, Any], **fields: Any) -> dict[str, Any]:  # noqa: ANN401
    answer = client.post(f"/api/v1/reports/{report['id']}/share-links", json={"name": "For support", **fields})
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


def header_of(answer: Any) -> dict[str, Any]:  # noqa: ANN401 - an answer of httpx
    assert answer.status_code == 200, answer.text
    header: dict[str, Any] = json.loads(answer.content[4 : 4 + int.from_bytes(answer.content[:4], "little")])
    return header


def test_a_share_link_shows_the_newest_version_without_secrets(
    client: TestClient, report: dict[str, Any], app: AppUnderTest
) -> None:
    link = linked(client, report)
    assert link["url"] == f"http://127.0.0.1:8080/s/{link['secret']}"
    outsider = app.asked()

    answer = outsider.get(f"/api/v1/shared/{link['secret']}")

    header = header_of(answer)
    assert header["report"]["version"] == 1
    assert header["report"]["team"] == "Ingesters"
    assert header["report"]["expires_at"] == link["expires_at"].replace("Z", "+00:00")
    text = answer.content.decode("utf-8", "replace")
    for secret in (*SECRETS, "zq@x.example", "/a/b/", link["secret"]):
        assert secret not in text
    assert header["report"]["blocks"][0]["markdown"].startswith("By **person-")
    assert "set-cookie" not in answer.headers


def test_what_is_switched_off_is_shown(client: TestClient, report: dict[str, Any], app: AppUnderTest) -> None:
    everything = {"labels": False, "paths": False, "hosts": False, "users": False}
    link = linked(client, report, scrub=everything)
    response = app.asked().get(f"/api/v1/shared/{link['secret']}").content.decode("utf-8", "replace")
    for secret in SECRETS:
        assert secret in response


def test_a_draft_is_never_shown_by_a_link(client: TestClient, report: dict[str, Any], app: AppUnderTest) -> None:
    link, first = linked(client, report), linked(client, report, version=1)
    path = f"/api/v1/reports/{report['id']}"
    client.patch(path, json={"title": "Draft only"})
    outsider = app.asked()
    for one in (link, first):
        assert header_of(outsider.get(f"/api/v1/shared/{one['secret']}"))["report"]["title"] != "Draft only"
    client.post(f"{path}/publish")
    assert header_of(outsider.get(f"/api/v1/shared/{link['secret']}"))["report"]["title"] == "Draft only"
    assert header_of(outsider.get(f"/api/v1/shared/{first['secret']}"))["report"]["title"] != "Draft only"


def test_unpublished_reports_have_no_link(client: TestClient) -> None:
    draft = client.post("/api/v1/reports", json={"title": "x"}).json()
    path = f"/api/v1/reports/{draft['id']}/share-links"
    assert client.post(path, json={"name": "x"}).status_code == 409
    assert client.post(path, json={"name": "x", "version": 1}).status_code == 404
    assert client.post(path, json={"name": "x", "comments": True}).status_code == 422


def test_a_link_ends_at_once(client: TestClient, report: dict[str, Any], app: AppUnderTest) -> None:
    revoked, expiring, off = (linked(client, report, expires_in_days=days) for days in (None, 1, None))
    outsider = app.asked()

    def status(link: dict[str, Any]) -> tuple[int, str]:
        answer = outsider.get(f"/api/v1/shared/{link['secret']}")
        return answer.status_code, answer.json()["detail"] if answer.status_code != 200 else ""

    assert [status(one)[0] for one in (revoked, expiring, off)] == [200, 200, 200]
    assert client.delete(f"/api/v1/reports/{report['id']}/share-links/{revoked['id']}").status_code == 204
    assert status(revoked) == (410, "The share link was revoked.")
    app.clock.move(days=1)
    assert status(expiring) == (410, "The share link has expired.")
    switched = client.patch("/api/v1/share-settings", json={"are_links_allowed": False}).json()
    assert switched["are_links_allowed"] is False
    assert status(off) == (410, "Share links are disabled.")
    assert client.post(f"/api/v1/reports/{report['id']}/share-links", json={"name": "x"}).status_code == 422
    client.patch("/api/v1/share-settings", json={"are_links_allowed": True})
    assert status(off)[0] == 200
    assert status(revoked)[0] == 410
    assert outsider.get(f"/api/v1/shared/{off['secret'][::-1]}").status_code == 404
    assert outsider.get("/api/v1/shared/short").status_code == 404


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"dashboard_url": "https://grafana.example/d/a?var-service={service}&from={from}&to={to}"}, 200),
        ({"dashboard_url": ""}, 200),
        ({"dashboard_url": "javascript:alert(1)"}, 422),
        ({"dashboard_url": "https://{service}/d/a"}, 422),
        ({"dashboard_url": "https://grafana.example/d/a?x={token}"}, 422),
        ({"dashboard_url": "https://me@grafana.example/"}, 422),
        ({"dashboard_url": 'https://grafana.example/"><script>'}, 422),
        ({"embedding_origins": ["https://grafana.example:3000", "https://*.wiki.example"]}, 200),
        ({"embedding_origins": ["https://grafana.example; script-src *"]}, 422),
        ({"embedding_origins": ["*"]}, 422),
        ({"embedding_origins": ["https://grafana.example/path"]}, 422),
    ],
)
def test_settings_of_the_team_are_validated(client: TestClient, fields: dict[str, object], status: int) -> None:
    answer = client.patch("/api/v1/share-settings", json=fields)
    assert answer.status_code == status, answer.text
    stored = client.get("/api/v1/share-settings").json()
    usual = {"are_links_allowed": True, "embedding_origins": [], "dashboard_url": ""}
    assert stored == ({**usual, **fields} if status == 200 else usual)


def test_a_deleted_report_and_a_deleted_team_have_no_links(
    client: TestClient, report: dict[str, Any], app: AppUnderTest, team: SomeTeam
) -> None:
    link = linked(client, report)
    client.delete(f"/api/v1/teams/{team.id}")
    assert app.asked().get(f"/api/v1/shared/{link['secret']}").status_code == 404


def test_share_links_are_not_cached_indexed_or_sent_as_referrer(
    client: TestClient, report: dict[str, Any], app: AppUnderTest
) -> None:
    link = linked(client, report)
    outsider = app.asked()
    for path in (
        f"/api/v1/shared/{link['secret']}",
        "/api/v1/shared/nobody",
        f"/s/{link['secret']}",
        "/api/v1/shared/x/y",
    ):
        headers = outsider.get(path).headers
        assert headers["referrer-policy"] == "no-referrer", path
        assert headers["cache-control"] == "no-store", path
        assert "noindex" in headers["x-robots-tag"], path
        assert "access-control-allow-origin" not in headers


def test_a_secret_is_in_one_answer_and_in_no_log(
    client: TestClient,
    report: dict[str, Any],
    app: AppUnderTest,
    caplog: pytest.LogCaptureFixture,
    emptied: TestDatabase,
) -> None:
    with caplog.at_level(logging.DEBUG):
        link = linked(client, report)
        outsider, secret = app.asked(), link["secret"]
        response = [
            outsider.get(f"/api/v1/shared/{secret}"),
            outsider.get(f"/api/v1/shared/{secret}/export.html"),
            outsider.get(f"/api/v1/shared/{secret}/nothing"),
            outsider.post(f"/api/v1/shared/{secret}"),
            client.get(f"/api/v1/reports/{report['id']}/share-links"),
        ]
        client.delete(f"/api/v1/reports/{report['id']}/share-links/{link['id']}")
        response.append(outsider.get(f"/api/v1/shared/{secret}"))
        response.append(
            client.get(f"/api/v1/teams/{client.get('/api/v1/session').json()['teams'][0]['id']}/audit-events")
        )
    ours = [record.getMessage() for record in caplog.records if not record.name.startswith("httpx")]
    assert any("/shared/{secret}" in line for line in ours)
    assert [line for line in ours if secret in line] == []
    assert [one.url for one in response if secret in one.text or secret in repr(one.headers.raw)] == []
    with emptied.as_admin() as connection:
        rows = connection.execute("SELECT secret_hash, share_link::text FROM share_link").fetchall()
    assert [bytes(row[0]) for row in rows] == [hash_secret(secret)]
    assert secret not in rows[0][1]


def test_views_are_counted_and_logged_once_a_minute(
    client: TestClient, report: dict[str, Any], app: AppUnderTest, team: SomeTeam
) -> None:
    link, outsider = linked(client, report), app.asked()
    for seconds in (0, 1, 58, 2, 1):
        app.clock.move(seconds=seconds)
        outsider.get(f"/api/v1/shared/{link['secret']}")
    (seen,) = client.get(f"/api/v1/reports/{report['id']}/share-links").json()
    assert seen["views"] == 5
    assert "secret" not in seen
    items = client.get(f"/api/v1/teams/{team.id}/audit-events").json()["items"]
    viewed = [one for one in items if one["action"] == "share_link.viewed"]
    assert [one["details"]["views"] for one in viewed] == [4, 1]
    assert {"share_link.created", "report.published"} <= {one["action"] for one in items}


def test_guessing_is_slowed_down(app: AppUnderTest) -> None:
    outsider = app.asked()
    for _ in range(SHARED_BY_ADDRESS[0]):
        assert outsider.get("/api/v1/shared/nobody").status_code == 404
    answer = outsider.get("/api/v1/shared/nobody")
    assert answer.status_code == 429
    assert answer.json()["limit"] == SHARED_BY_ADDRESS[0]


def test_links_of_another_report_or_team_cannot_be_ended(
    client: TestClient, report: dict[str, Any], people: AccountsFactory, app: AppUnderTest
) -> None:
    link = linked(client, report)
    other_report = client.post("/api/v1/reports", json={"title": "x"}).json()
    assert client.delete(f"/api/v1/reports/{other_report['id']}/share-links/{link['id']}").status_code == 404
    outsider = app.asked(cookie=people.team("Others").owner.cookie)
    assert outsider.delete(f"/api/v1/reports/{report['id']}/share-links/{link['id']}").status_code == 404
    assert app.asked().get(f"/api/v1/shared/{link['secret']}").status_code == 200


@pytest.mark.asked_by("member")
def test_only_admins_turn_the_switch(client: TestClient, role: Role) -> None:
    assert client.get("/api/v1/share-settings").json()["are_links_allowed"] is True
    assert client.patch("/api/v1/share-settings", json={"are_links_allowed": False}).status_code == 403


def test_the_preview_equals_the_shared_report_and_lists_removals(
    client: TestClient, report: dict[str, Any], app: AppUnderTest
) -> None:
    path = f"/api/v1/reports/{report['id']}"
    link = linked(client, report)
    seen, preview = app.asked().get(f"/api/v1/shared/{link['secret']}"), client.get(f"{path}/preview?version=1")
    ours, theirs = header_of(preview), header_of(seen)
    assert ours["report"]["blocks"] == theirs["report"]["blocks"]
    found = client.get(f"{path}/scrub-summary?version=1").json()
    assert min(found["paths"], found["hosts"], found["users"]) >= 1
    assert {"kind": "hosts", "before": "db-7.prod.corp.internal", "after": "host-1"} in found["samples"]
    nothing = client.get(f"{path}/scrub-summary?labels=false&paths=false&hosts=false&users=false").json()
    assert nothing == {"labels": 0, "paths": 0, "hosts": 0, "users": 0, "samples": []}


# -- one file --------------------------------------------------------------------------------------


@pytest.fixture
def with_viewer(app: AppUnderTest, emptied: TestDatabase, tmp_path: Path) -> AppUnderTest:
    viewer = tmp_path / "viewer"
    viewer.mkdir()
    (viewer / "viewer.js").write_text('document.title = "</script><!--";')
    (viewer / "viewer.css").write_text("p::before { content: '</style>' }")
    settings = settings_for(emptied.app_url, frontend_dist=tmp_path)
    return built(app.database, settings, app.blobs)


def test_a_file_holds_the_recording_and_runs_nothing_but_the_viewer(
    client: TestClient, report: dict[str, Any], with_viewer: AppUnderTest, team: SomeTeam
) -> None:
    owner = with_viewer.asked(cookie=team.owner.cookie)
    link = linked(client, report)
    for answer in (
        owner.get(f"/api/v1/reports/{report['id']}/export.html?version=1"),
        with_viewer.asked().get(f"/api/v1/shared/{link['secret']}/export.html"),
    ):
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-disposition"].startswith("attachment;")
        page = answer.text
        assert len(re.findall("<script", page)) == 2
        assert len(re.findall("</script>", page)) == 2
        assert len(re.findall("</style>", page)) == 1
        assert "<title>&lt;/title&gt;&lt;script&gt;" in page
        script = re.search(r'<script type="module">(.*?)</script>', page, re.DOTALL)
        assert script is not None
        digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
        assert f"script-src &#x27;sha256-{digest}&#x27;" in page
        assert "default-src &#x27;none&#x27;" in page
        packed = re.search(r'data-encoding="gzip">([^<]*)</script>', page)
        assert packed is not None
        header = _header_of_file(base64.b64decode(packed[1], validate=True))
        assert header["format"] == "slowpath.recording/1"
        for secret in (*SECRETS, link["secret"]):
            assert secret not in page
            assert secret not in json.dumps(header, ensure_ascii=False)


def _header_of_file(packed: bytes) -> dict[str, Any]:
    content = gzip.decompress(packed)
    header: dict[str, Any] = json.loads(content[4 : 4 + int.from_bytes(content[:4], "little")])
    return header


def test_without_the_pages_there_is_no_file(client: TestClient, report: dict[str, Any]) -> None:
    answer = client.get(f"/api/v1/reports/{report['id']}/export.html")
    assert answer.status_code == 409
    assert answer.json()["resolution"] == "Run: npm start"


def test_ids_of_people_are_not_in_a_recording(client: TestClient, report: dict[str, Any], team: SomeTeam) -> None:
    owner: UUID = team.owner.user_id
    header = header_of(client.get(f"/api/v1/reports/{report['id']}/bundle?version=1"))
    assert str(owner) not in json.dumps(header)
