"""Comments, mentions and news over HTTP."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from slowpath.analysis.findings.findings import Finding
from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import new_id
from slowpath.platform.accounts.rules.roles import Role, TokenScope
from slowpath.sharing.discussions.rules import part_of
from slowpath.verdicts.comparisons.tables import Comparison
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.factories.findings import FINDING, stored_result
from tests.support.app_under_test import AppUnderTest
from tests.support.databases import TestDatabase
from tests.support.statements import Statements

pytestmark = pytest.mark.database

CLONE = replace(FINDING, subject="app.Clone", sentence="Clone takes more.")


@pytest.fixture
def build(client: TestClient) -> str:
    service = client.post("/api/v1/services", json={"name": "shop"}).json()
    made = client.post("/api/v1/builds", json={"service_id": service["id"], "commit": "a" * 40})
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


def on(build: str, text: str, **comment: object) -> dict[str, object]:
    return {"subject_kind": "build", "subject_id": build, "text": text, **comment}


def post_comment(client: TestClient, expected: Mapping[str, object], **headers: str) -> dict[str, Any]:
    answer = client.post("/api/v1/comments", json=expected, headers=headers)
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


def listed(client: TestClient, build: str) -> list[dict[str, Any]]:
    answer = client.get("/api/v1/comments", params={"subject_kind": "build", "subject_id": build})
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def comparison(app: AppUnderTest, team: SomeTeam, *findings: Finding) -> UUID:
    row = Comparison(
        team_id=team.id,
        id=new_id(),
        name="two builds",
        base_label="base",
        candidate_label="candidate",
        state="done",
        result=stored_result(*findings),
    )
    with app.database.writing(TeamScope(team.id, team.owner.user_id)) as session:
        session.add(row)
    return row.id


def test_comments_are_listed_answered_edited_and_deleted(client: TestClient, build: str) -> None:
    assert listed(client, build) == []
    first = post_comment(client, on(build, "  It is the *allocator*.  "))
    answer = post_comment(client, on(build, "Is it?", parent_id=first["id"]))
    deeper = post_comment(client, on(build, "It is.", parent_id=answer["id"]))
    assert [one["text"] for one in listed(client, build)] == ["It is the *allocator*.", "Is it?", "It is."]
    assert (answer["parent_id"], deeper["parent_id"]) == (first["id"], first["id"])

    changed = client.patch(f"/api/v1/comments/{answer['id']}", json={"text": "It is!"})
    assert (changed.json()["text"], changed.json()["edited_at"] is None) == ("It is!", False)

    assert client.delete(f"/api/v1/comments/{first['id']}").status_code == 204
    gone, *rest = listed(client, build)
    assert (gone["text"], gone["deleted_at"] is None, len(rest)) == ("", False, 2)
    assert client.patch(f"/api/v1/comments/{first['id']}", json={"text": "x"}).status_code == 404
    assert client.delete(f"/api/v1/comments/{deeper['id']}").status_code == 204
    assert [one["text"] for one in listed(client, build)] == ["", "It is!"]


def test_an_idempotency_key_posts_one_comment(client: TestClient, build: str) -> None:
    key = {"Idempotency-Key": "once"}
    assert post_comment(client, on(build, "hear"), **key)["id"] == post_comment(client, on(build, "hear"), **key)["id"]
    assert len(listed(client, build)) == 1


def test_only_authors_change_and_only_they_and_admins_delete(
    app: AppUnderTest, people: AccountsFactory, team: SomeTeam, client: TestClient, build: str
) -> None:
    author, other, admin, viewer = (
        people.member(team, role) for role in (Role.MEMBER, Role.MEMBER, Role.ADMIN, Role.VIEWER)
    )
    asked = {who: app.asked(cookie=who.cookie) for who in (author, other, admin, viewer)}
    path = f"/api/v1/comments/{post_comment(asked[author], on(build, 'mine'))['id']}"
    assert asked[viewer].post("/api/v1/comments", json=on(build, "no")).status_code == 403
    assert len(listed(asked[viewer], build)) == 1
    for who in (other, admin):
        assert asked[who].patch(path, json={"text": "theirs"}).status_code == 403
    assert asked[other].delete(path).status_code == 403
    assert asked[author].patch(path, json={"text": "still mine"}).status_code == 200
    assert asked[admin].delete(path).status_code == 204
    assert listed(client, build) == []


def test_a_token_comments_under_its_name_and_changes_nothing_else(
    app: AppUnderTest, people: AccountsFactory, team: SomeTeam, client: TestClient, build: str
) -> None:
    program = app.asked(token=people.token(team, TokenScope.WRITE).secret)
    comment = post_comment(program, on(build, "measured"))
    assert (comment["author_kind"], comment["author_id"], comment["author_name"]) == ("token", None, "ci")
    path = f"/api/v1/comments/{comment['id']}"
    assert program.patch(path, json={"text": "x"}).status_code == 403
    assert program.delete(path).status_code == 403
    assert program.get("/api/v1/mentions").json()["items"] == []
    assert program.post("/api/v1/mentions/read", json={}).json() == {"unread": 0}


@pytest.mark.parametrize("text", ["", "   ", "x" * 10_001, "a\x00b"])
def test_nothing_and_too_much_is_refused(client: TestClient, build: str, text: str) -> None:
    assert client.post("/api/v1/comments", json=on(build, text)).status_code == 422
    assert listed(client, build) == []


def test_an_answer_has_the_place_of_its_comment(
    client: TestClient, app: AppUnderTest, team: SomeTeam, build: str
) -> None:
    elsewhere = {"subject_kind": "comparison", "subject_id": str(comparison(app, team)), "text": "there"}
    there = post_comment(client, elsewhere)["id"]
    answer = client.post("/api/v1/comments", json=on(build, "here", parent_id=there))
    assert (answer.status_code, answer.json()["type"]) == (422, "urn:slowpath:thread-elsewhere")


def test_a_finding_is_talked_about_by_what_it_is(client: TestClient, app: AppUnderTest, team: SomeTeam) -> None:
    comparison_id = str(comparison(app, team, replace(CLONE, subject="other"), CLONE))
    expected = {"subject_kind": "finding", "subject_id": comparison_id, "part": part_of(CLONE), "text": "this one"}
    post_comment(client, expected)
    asked = {"subject_kind": "finding", "subject_ids": [comparison_id, str(uuid4())]}
    assert client.get("/api/v1/comment-counts", params=asked).json()["items"] == [
        {"subject_id": comparison_id, "part": part_of(CLONE), "count": 1}
    ]
    assert client.post("/api/v1/comments", json={**expected, "part": "unknown"}).status_code == 404
    assert client.post("/api/v1/comments", json={**expected, "subject_kind": "comparison"}).status_code == 404

    (news, *_) = client.get("/api/v1/activity", params={"kind": "comment"}).json()["items"]
    assert news["path"] == f"/comparisons/{comparison_id}?find=1&open=true"
    assert (news["title"], news["details"]) == ("Clone takes more.", {"text": "this one"})


@pytest.mark.parametrize("kind", ["finding", "comparison", "regression", "build", "report", "trace", "span-set"])
def test_missing_subjects_have_no_discussion(client: TestClient, kind: str) -> None:
    subject = {"subject_kind": kind, "subject_id": str(uuid4())}
    assert client.get("/api/v1/comments", params=subject).status_code == 404
    assert client.post("/api/v1/comments", json={**subject, "text": "x"}).status_code == 404


def test_comments_are_deleted_with_their_subject(
    client: TestClient, build: str, people: AccountsFactory, team: SomeTeam, emptied: TestDatabase
) -> None:
    named = people.member(team)
    post_comment(client, on(build, f"@{named.name} look"))
    assert client.delete(f"/api/v1/builds/{build}").status_code == 204
    with emptied.as_admin() as admin:
        for table in ("discussion", "comment", "mention"):
            assert admin.execute(f"SELECT count(*) FROM {table}".encode()).fetchone() == (0,)


def test_a_mention_is_unread_until_it_is_read(
    app: AppUnderTest, people: AccountsFactory, team: SomeTeam, client: TestClient, build: str
) -> None:
    named, bystander = people.member(team), people.member(team, Role.VIEWER)
    first = post_comment(client, on(build, f"@{named.name} please look, not @{team.owner.name}"))
    assert first["mentions"] == [{"user_id": str(named.user_id), "name": named.name}]
    theirs = app.asked(cookie=named.cookie)
    assert theirs.get("/api/v1/mention-count").json() == {"unread": 1}
    assert client.get("/api/v1/mention-count").json() == {"unread": 0}, "who names oneself is not notified"
    (mention,) = theirs.get("/api/v1/mentions").json()["items"]
    assert (mention["title"], mention["path"], mention["read_at"]) == ("Build aaaaaaaaaa", f"/builds/{build}", None)

    # after an edit: a newly mentioned user is notified, one mentioned before is not notified again
    changed = {"text": f"@{named.name} and @{bystander.name.lower()}"}
    assert client.patch(f"/api/v1/comments/{first['id']}", json=changed).status_code == 200
    assert theirs.get("/api/v1/mention-count").json() == {"unread": 1}
    assert app.asked(cookie=bystander.cookie).get("/api/v1/mention-count").json() == {"unread": 1}

    assert client.post("/api/v1/mentions/read", json={"mention_ids": [mention["id"]]}).status_code == 404
    readings = theirs.post("/api/v1/mentions/read", json={"mention_ids": [mention["id"], str(uuid4())]})
    assert readings.status_code == 404
    assert theirs.get("/api/v1/mention-count").json() == {"unread": 1}
    assert theirs.post("/api/v1/mentions/read", json={"mention_ids": [mention["id"]]}).json() == {"unread": 0}
    assert theirs.get("/api/v1/mentions", params={"unread": True}).json()["items"] == []
    assert theirs.get("/api/v1/mentions").json()["items"][0]["read_at"] is not None
    post_comment(client, on(build, f"@{named.name} again"))
    assert theirs.post("/api/v1/mentions/read", json={}).json() == {"unread": 0}


def test_only_members_can_be_named(client: TestClient, people: AccountsFactory, build: str) -> None:
    outsider = people.team("Others").owner
    comment = post_comment(client, on(build, f"@{outsider.name} look"))
    assert comment["mentions"] == []
    answer = client.post("/api/v1/comments", json=on(build, "x", mentioned_user_ids=[str(outsider.user_id)]))
    assert (answer.status_code, answer.json()["type"]) == (422, "urn:slowpath:not-in-the-team")
    assert outsider.name not in answer.text


def test_the_feed_lists_events_except_those_for_admins(
    app: AppUnderTest, people: AccountsFactory, team: SomeTeam, client: TestClient, build: str
) -> None:
    member = people.member(team, Role.VIEWER)
    people.token(team)
    post_comment(client, on(build, "seen"))
    service_id = client.get("/api/v1/services").json()["items"][0]["id"]
    viewer = app.asked(cookie=member.cookie)

    def list_actions(**asked: str | list[str]) -> list[str]:
        answer = viewer.get("/api/v1/activity", params=asked)
        assert answer.status_code == 200, answer.text
        return [one["action"] for one in answer.json()["items"]]

    assert list_actions() == ["comment.created", "member.joined", "service.created"]
    assert list_actions(service_id=service_id) == ["comment.created", "service.created"]
    assert list_actions(actor=str(member.user_id)) == ["member.joined"]
    assert list_actions(actor="slowpath") == []
    assert list_actions(kind=["team"]) == ["member.joined", "service.created"]
    assert list_actions(kind=["regression", "deployment"]) == []

    pages, cursor = [], None
    while True:
        page = viewer.get("/api/v1/activity", params={"limit": 1, **({"cursor": cursor} if cursor else {})}).json()
        pages += [one["action"] for one in page["items"]]
        if (cursor := page["next_cursor"]) is None:
            break
    assert pages == list_actions()


def test_uploads_by_a_token_are_one_event_per_build_and_per_batch(
    app: AppUnderTest, people: AccountsFactory, team: SomeTeam, client: TestClient, build: str
) -> None:
    token = app.asked(token=people.token(team, TokenScope.UPLOAD).secret)
    before = [one["id"] for one in client.get("/api/v1/activity").json()["items"]]
    for number in range(3):
        url = f"/api/v1/builds/shop/{'a' * 40}/artifacts/cpu-{number}"
        assert token.put(url, content=f"one {number}".encode()).status_code == 201
    for number, batch in enumerate(["1", "1", ""]):
        params = {"batch": f"0192ab3c-0000-7000-8000-{batch:0>12}"} if batch else {}
        made = token.put(f"/api/v1/artifacts/heap-{number}", params=params, content=f"other {number}".encode())
        assert made.status_code == 201, made.text

    items = [one for one in client.get("/api/v1/activity").json()["items"] if one["id"] not in before]
    assert [(one["action"], one["title"], one["subject_kind"]) for one in items] == [
        ("artifact.received", "heap-0", "artifact"), ("build.received", "a" * 10, "build"),
    ]  # fmt: skip
    assert {one["actor"]["kind"] for one in items} == {"token"}
    assert items[1]["path"] == f"/builds/{build}"
    service_id = client.get("/api/v1/services").json()["items"][0]["id"]
    of_service = client.get("/api/v1/activity", params={"service_id": service_id, "kind": "artifact"}).json()["items"]
    assert [one["action"] for one in of_service] == ["build.received"]


def test_the_feed_is_one_statement(client: TestClient, build: str, queries: Statements) -> None:
    with queries.during() as asked:
        assert len(client.get("/api/v1/activity").json()["items"]) == 1
    assert len([one for one in asked.seen if "cross_team." not in one]) == 1
