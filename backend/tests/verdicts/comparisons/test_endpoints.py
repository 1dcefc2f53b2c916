"""Comparisons over HTTP: created, read, swapped, exported, deleted."""

import gzip
import json
from typing import Any
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from slowpath.analysis.formats.column_file import read_columns
from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import ComparisonId
from slowpath.core.jobs import JobRow
from slowpath.core.stored_blobs import StoredBlob
from slowpath.platform.accounts.rules.roles import Role
from slowpath.verdicts.comparisons.rules import MAX_ARTIFACTS_A_SIDE, MAX_LABELS_A_SIDE
from tests.factories.accounts import SomeTeam
from tests.factories.comparisons import FORMER_NAMES, ComparisonsFactory
from tests.factories.files import FilesFactory
from tests.support.app_under_test import AppUnderTest
from tests.support.statements import Statements

pytestmark = pytest.mark.database

MANY = 12
WITHOUT_SOURCE: dict[str, Any] = {"time_range": None, "labels": [], "source": None, "build_id": None, "left_out": None}


@pytest.fixture
def files(app: AppUnderTest, team: SomeTeam) -> FilesFactory:
    return FilesFactory(app, team)


@pytest.fixture
def comparisons(files: FilesFactory) -> ComparisonsFactory:
    return ComparisonsFactory(files)


def sides(*base: object, candidate: tuple[object, ...]) -> dict[str, Any]:
    return {
        "base": {"artifact_ids": [str(each) for each in base]},
        "candidate": {"artifact_ids": [str(each) for each in candidate]},
    }


def of_view(client: TestClient, comparison_id: object, granularity: str = "function") -> str:
    views = client.get(f"/api/v1/comparisons/{comparison_id}").json()["views"]
    view = next(each for each in views if each["granularity"] == granularity)
    return f"/api/v1/comparisons/{comparison_id}/views/{view['id']}"


# --- asking


def test_two_sides_become_a_comparison_with_a_job(client: TestClient, files: FilesFactory) -> None:
    base, candidate = files.decoded(facts={"commit": "3f1c0a7be2d9"}), files.received(facts={"commit": "9b6e24d1f703"})

    answer = client.post("/api/v1/comparisons", json=sides(base, candidate=(candidate,)))

    assert answer.status_code == 201
    body = answer.json()
    assert body["name"] == "3f1c0a7be2 against 9b6e24d1f7"
    assert (body["state"], body["verdict"], body["result"], body["views"]) == ("waiting", None, None, [])
    assert body["base"] == {"label": "3f1c0a7be2", "artifacts": 1, "artifact_ids": [str(base)], **WITHOUT_SOURCE}
    assert body["job"]["name"] == "comparisons.compute"
    assert client.get(f"/api/v1/comparisons/{body['id']}").json() == body


def test_name_and_labels_can_be_set(client: TestClient, files: FilesFactory) -> None:
    body = sides(files.decoded(), candidate=(files.decoded(),))
    body["base"]["label"], body["name"] = "  v1 ", "Release <b>"

    response_body = client.post("/api/v1/comparisons", json=body).json()

    assert (response_body["name"], response_body["base"]["label"], response_body["candidate"]["label"]) == (
        "Release <b>",
        "v1",
        "candidate",
    )


def test_a_side_that_cannot_be_compared_is_refused(client: TestClient, files: FilesFactory) -> None:
    one, two = files.decoded(), files.decoded()
    many = tuple(uuid4() for _ in range(MAX_ARTIFACTS_A_SIDE + 1))
    refused: list[tuple[dict[str, Any], int, str]] = [
        (sides(candidate=(one,)), 422, "side-empty"),
        (sides(one, candidate=()), 422, "side-empty"),
        (sides(one, candidate=(one,)), 422, "sides-overlap"),
        (sides(one, one, candidate=(two,)), 422, "sides-overlap"),
        (sides(one, candidate=many), 429, "too-many-artifacts"),
        (sides(one, candidate=(uuid4(),)), 404, "artifact-not-found"),
        ({**sides(one, candidate=(two,)), "name": "a\x00b"}, 422, "not-understood"),
        ({**sides(one, candidate=(two,)), "more": 1}, 422, "not-understood"),
        (sides(one, candidate=tuple(uuid4() for _ in range(1001))), 422, "not-understood"),
    ]
    for body, status, slug in refused:
        answer = client.post("/api/v1/comparisons", json=body)
        assert (answer.status_code, answer.json()["type"]) == (status, f"urn:slowpath:{slug}")

    response_body = client.post("/api/v1/comparisons", json=sides(one, candidate=many)).json()
    assert (response_body["limit"], response_body["value"]) == (MAX_ARTIFACTS_A_SIDE, MAX_ARTIFACTS_A_SIDE + 1)
    assert client.get("/api/v1/comparisons").json()["items"] == []


def labelled(artifact: object, **labels: str | None) -> dict[str, Any]:
    return {"artifact_ids": [str(artifact)], "labels": [{"key": key, "value": value} for key, value in labels.items()]}


def test_two_labels_of_one_artifact_are_two_sides(client: TestClient, files: FilesFactory) -> None:
    one = files.decoded(facts={"commit": "3f1c0a7be2d9"})
    asked = {"base": labelled(one, tenant=None, endpoint="/a"), "candidate": labelled(one, endpoint="/b")}

    body = client.post("/api/v1/comparisons", json=asked).json()

    assert body["name"] == "endpoint=/a, no tenant against endpoint=/b"
    assert body["base"]["labels"] == [{"key": "endpoint", "value": "/a"}, {"key": "tenant", "value": None}]
    assert body["base"]["artifact_ids"] == body["candidate"]["artifact_ids"] == [str(one)]
    swapped = client.post(f"/api/v1/comparisons/{body['id']}/swap").json()
    assert (swapped["base"]["labels"], swapped["candidate"]["labels"]) == (
        body["candidate"]["labels"],
        body["base"]["labels"],
    )


def test_labels_that_select_no_side_are_refused(client: TestClient, files: FilesFactory) -> None:
    one, two = files.decoded(), files.decoded()
    same = {"base": labelled(one, a="1", b="2"), "candidate": labelled(one, b="2", a="1")}
    too_many = labelled(one, **{f"key{number}": "x" for number in range(MAX_LABELS_A_SIDE + 1)})
    without_key = {"artifact_ids": [str(one)], "labels": [{"key": "", "value": "x"}]}
    refused: list[tuple[dict[str, Any], str]] = [
        (same, "sides-overlap"),
        ({"base": {"labels": labelled(one, a="1")["labels"]}, "candidate": labelled(two)}, "side-empty"),
        ({"base": too_many, "candidate": labelled(two)}, "not-understood"),
        ({"base": without_key, "candidate": labelled(two)}, "not-understood"),
    ]
    for body, slug in refused:
        answer = client.post("/api/v1/comparisons", json=body)
        assert (answer.status_code, answer.json()["type"]) == (422, f"urn:slowpath:{slug}")


def test_asked_twice_with_a_key_it_is_one(client: TestClient, files: FilesFactory) -> None:
    body, key = sides(files.decoded(), candidate=(files.decoded(),)), {"Idempotency-Key": "k"}

    first, second = (client.post("/api/v1/comparisons", json=body, headers=key).json()["id"] for _ in range(2))
    other = client.post("/api/v1/comparisons", json={**body, "name": "other"}, headers=key)

    assert first == second
    assert other.json()["type"] == "urn:slowpath:idempotency-key-reused"


# --- looking


def test_a_finished_comparison_has_its_result_and_views(client: TestClient, comparisons: ComparisonsFactory) -> None:
    body = client.get(f"/api/v1/comparisons/{comparisons.done()}").json()

    assert (body["state"], body["verdict"], body["verdict_sentence"]) == (
        "done",
        "regressed",
        "main.clone takes more time.",
    )
    assert body["result"]["format"] == "slowpath.comparison/2"
    assert [(view["granularity"], view["state"], view["has_more_chunks"]) for view in body["views"]] == [
        ("function", "done", False),
        ("line", "not-built", False),
    ]


def test_the_list_can_be_narrowed(client: TestClient, comparisons: ComparisonsFactory) -> None:
    done, failed = comparisons.done("Pool_size 100%"), comparisons.failed()

    def ids(**params: str) -> list[str]:
        return [each["id"] for each in client.get("/api/v1/comparisons", params=params).json()["items"]]

    assert ids() == [str(failed), str(done)]
    assert ids(state="failed") == [str(failed)]
    assert ids(search="pool_size 100%") == [str(done)]
    assert ids(search="CLONE takes") == [str(done)]
    assert ids(search="_") == [str(done)]
    assert client.get("/api/v1/comparisons", params={"state": "x"}).status_code == 422


def test_a_long_list_asks_no_more_of_the_database(
    client: TestClient, comparisons: ComparisonsFactory, queries: Statements
) -> None:
    comparisons.done()
    client.get("/api/v1/comparisons")
    with queries.during() as few:
        client.get("/api/v1/comparisons")
    for _ in range(MANY):
        comparisons.asked()
    with queries.during() as many:
        listed = client.get("/api/v1/comparisons").json()["items"]

    assert len(listed) == MANY + 1
    assert listed[0]["base"] == {"label": "base", "artifacts": 1, "artifact_ids": None, **WITHOUT_SOURCE}
    assert len(many) == len(few) <= 4
    assert not any("comparison.result" in each for each in many.seen)


def test_a_chunk_of_a_view_is_sent_as_stored(client: TestClient, comparisons: ComparisonsFactory) -> None:
    view = of_view(client, comparisons.done())

    first = client.get(f"{view}/chunks/first")
    rest = client.get(f"{view}/chunks/rest")

    assert first.headers["content-encoding"] == "gzip"
    assert "private" in first.headers["cache-control"]
    assert read_columns(first.content, "slowpath.diff").header["nodes_total"] == 6
    assert client.get(f"{view}/chunks/functions").content == b"functions"
    assert (rest.status_code, rest.content) == (204, b"")
    assert client.get(f"{view}/chunks/nonsense").status_code == 422


@pytest.mark.parametrize("path", ["chunks/first", "nodes/0"])
def test_a_view_built_earlier_is_sent_under_the_present_names(
    client: TestClient, comparisons: ComparisonsFactory, path: str
) -> None:
    former = client.get(f"{of_view(client, comparisons.done(names=FORMER_NAMES))}/{path}").content
    present = client.get(f"{of_view(client, comparisons.done())}/{path}").content

    assert former == present
    assert {"normalizations", "default_normalization"} <= read_columns(former, "slowpath.diff").header.keys()


@pytest.mark.parametrize(
    "path", ["chunks/first", "chunks/rest", "chunks/functions", "nodes/0", "search?pattern=a", "lines?function=a"]
)
def test_a_view_that_is_not_built_yet_states_how_to_get_it(
    client: TestClient, comparisons: ComparisonsFactory, path: str
) -> None:
    answer = client.get(f"{of_view(client, comparisons.done(), 'line')}/{path}")

    assert answer.status_code == 409
    assert answer.json()["type"] == "urn:slowpath:view-not-ready"
    assert "POST" in answer.json()["resolution"]


@pytest.mark.parametrize("path", ["chunks/first", "nodes/0", "search?pattern=a", "lines?function=a"])
def test_a_view_of_another_comparison_is_not_found(
    client: TestClient, comparisons: ComparisonsFactory, path: str
) -> None:
    view = of_view(client, comparisons.done())
    other = comparisons.done()

    answer = client.get(f"/api/v1/comparisons/{other}/views/{view.rsplit('/', 1)[1]}/{path}")

    assert answer.status_code == 404
    assert answer.json()["type"] == "urn:slowpath:view-not-found"


def test_a_subtree_is_cut_on_demand(client: TestClient, comparisons: ComparisonsFactory) -> None:
    view = of_view(client, comparisons.done())

    columns = read_columns(client.get(f"{view}/nodes/2").content, "slowpath.diff")
    beyond = client.get(f"{view}/nodes/6")

    assert columns.column("node_id", "u32").tolist() == [2, 3]
    assert beyond.status_code == 404
    assert (beyond.json()["limit"], beyond.json()["value"]) == (6, 6)
    for node in ("-1", "4294967296", "x", "1" * 300):
        assert client.get(f"{view}/nodes/{node}").status_code == 422


@pytest.mark.parametrize(
    ("asked", "nodes", "base"),
    [
        ({"pattern": "main."}, 3, 90.0),
        ({"pattern": "CLONE"}, 2, 60.0),
        ({"pattern": "CLONE", "case": "true"}, 0, 0.0),
        ({"pattern": "^main\\.(clone|main)$", "regex": "true"}, 3, 90.0),
        ({"pattern": "main.clone$"}, 0, 0.0),
        ({"pattern": "=cmd()"}, 1, 10.0),
        ({"pattern": "<img src=x"}, 1, 30.0),
        ({"pattern": "(a*)*b", "regex": "true"}, 0, 0.0),
        ({"pattern": "\x00"}, 0, 0.0),
        ({"pattern": "é\n "}, 0, 0.0),
    ],
)
def test_a_search_counts_nested_matches_once(
    client: TestClient, comparisons: ComparisonsFactory, asked: dict[str, str], nodes: int, base: float
) -> None:
    body = client.get(f"{of_view(client, comparisons.done())}/search", params=asked).json()

    assert (body["nodes"], body["base_raw"], body["candidate_raw"]) == (nodes, base, base * 2)


@pytest.mark.parametrize("pattern", ["(", "(?=a)", "\\1", "a{1001}", "((a{100}){100}){100}", "[z-a]"])
def test_a_pattern_that_cannot_be_run_is_refused(
    client: TestClient, comparisons: ComparisonsFactory, pattern: str
) -> None:
    answer = client.get(f"{of_view(client, comparisons.done())}/search", params={"pattern": pattern, "regex": "true"})

    assert answer.status_code == 422
    assert answer.json()["type"] == "urn:slowpath:pattern-refused"


def test_the_lines_of_a_function(client: TestClient, comparisons: ComparisonsFactory) -> None:
    view = of_view(client, comparisons.done())

    body = client.get(f"{view}/lines", params={"function": "main.clone"}).json()

    assert [(line["line"], line["base_self"], line["candidate_self"]) for line in body] == [(10, 30, 60), (12, 10, 20)]
    assert [(line["base_attributed"], line["candidate_attributed"]) for line in body] == [(15, 30), (5, 10)]
    assert [(line["base_inlined"], line["candidate_inlined"]) for line in body] == [([], ["main.clone"]), ([], [])]
    assert client.get(f"{view}/lines", params={"function": "main.other"}).json() == []


def test_lost_bytes_of_a_view_are_reported(
    client: TestClient, comparisons: ComparisonsFactory, app: AppUnderTest
) -> None:
    view = of_view(client, comparisons.done())
    app.blobs.stored.clear()

    assert client.get(f"{view}/chunks/first").status_code == 404


# --- another view, exports


def test_a_view_is_enqueued_once(client: TestClient, comparisons: ComparisonsFactory) -> None:
    address = f"/api/v1/comparisons/{comparisons.done()}/views"
    expected = {"kind": "cpu", "sample_type": "cpu", "granularity": "line"}

    first, second = client.post(address, json=expected), client.post(address, json=expected)
    ready = client.post(address, json={**expected, "granularity": "function"})
    unknown = client.post(address, json={**expected, "kind": "heap"})

    assert first.status_code == 202
    assert first.json()["job_id"] == second.json()["job_id"] is not None
    assert (ready.json()["state"], ready.json()["job_id"]) == ("done", None)
    assert (unknown.status_code, unknown.json()["type"]) == (404, "urn:slowpath:view-not-found")
    assert client.post(address, json={**expected, "granularity": "byte"}).status_code == 422
    assert client.post(address, json={**expected, "sample_type": "a\x00"}).status_code == 422


def test_an_export_is_made_by_a_job_and_then_taken(client: TestClient, comparisons: ComparisonsFactory) -> None:
    comparison_id = comparisons.done()

    asked = client.post(f"/api/v1/comparisons/{comparison_id}/exports", json={"format": "csv"})
    early = client.get(f"/api/v1/exports/{asked.json()['id']}/content")
    made = comparisons.exported(comparison_id, b"a,b\r\n", 'x"\r\n; y.csv')
    taken = client.get(f"/api/v1/exports/{made}/content")

    assert asked.status_code == 202
    assert client.get(f"/api/v1/jobs/{asked.json()['job_id']}").json()["name"] == "comparisons.export"
    assert (early.status_code, early.json()["type"]) == (409, "urn:slowpath:export-not-ready")
    assert taken.content == b"a,b\r\n"
    assert taken.headers["content-type"].startswith("text/csv")
    assert taken.headers["content-disposition"].startswith('attachment; filename="x_')
    assert client.get(f"/api/v1/exports/{made}").json()["size_bytes"] == 5


def test_unsupported_exports_are_rejected(client: TestClient, comparisons: ComparisonsFactory) -> None:
    waiting = comparisons.asked()

    early = client.post(f"/api/v1/comparisons/{waiting}/exports", json={"format": "csv"})
    unknown = client.post(f"/api/v1/comparisons/{comparisons.done()}/exports", json={"format": "exe"})

    assert (early.status_code, early.json()["type"]) == (409, "urn:slowpath:comparison-not-done")
    assert unknown.status_code == 422
    for path in ("", "/content"):
        answer = client.get(f"/api/v1/exports/{uuid4()}{path}")
        assert (answer.status_code, answer.json()["type"]) == (404, "urn:slowpath:export-not-found")


# --- changing


def test_names_and_labels_can_be_changed(client: TestClient, comparisons: ComparisonsFactory) -> None:
    address = f"/api/v1/comparisons/{comparisons.done()}"

    body = client.patch(address, json={"name": "Other", "candidate_label": "v2"}).json()

    assert (body["name"], body["base"]["label"], body["candidate"]["label"]) == ("Other", "base", "v2")
    assert client.patch(address, json={"name": ""}).status_code == 422


def test_swapping_makes_another_comparison(client: TestClient, comparisons: ComparisonsFactory) -> None:
    address = f"/api/v1/comparisons/{comparisons.done()}"
    first = client.patch(address, json={"candidate_label": "v2"}).json()

    swapped = client.post(f"{address}/swap")

    assert swapped.status_code == 201
    body = swapped.json()
    assert body["id"] != first["id"]
    assert body["base"] == first["candidate"]
    # What was called by its place only is called by its new one.
    assert body["candidate"] == first["base"] | {"label": "candidate"}
    assert body["name"] == "v2 against candidate"


def test_swapping_when_a_side_is_deleted_is_refused(client: TestClient, comparisons: ComparisonsFactory) -> None:
    first = client.get(f"/api/v1/comparisons/{comparisons.done()}").json()
    assert client.delete(f"/api/v1/artifacts/{first['base']['artifact_ids'][0]}").status_code == 204

    still = client.get(f"/api/v1/comparisons/{first['id']}").json()
    answer = client.post(f"/api/v1/comparisons/{first['id']}/swap")

    assert (still["state"], still["base"]["artifacts"]) == ("done", 0), "it keeps what it found"
    assert (answer.status_code, answer.json()["type"]) == (422, "urn:slowpath:side-empty")


def test_only_what_ended_badly_is_computed_again(
    client: TestClient, comparisons: ComparisonsFactory, app: AppUnderTest, team: SomeTeam
) -> None:
    failed = comparisons.failed()
    early = client.post(f"/api/v1/comparisons/{failed}/retry")
    assert (early.status_code, early.json()["type"]) == (409, "urn:slowpath:job-still-open")

    with app.database.writing(TeamScope(team.id)) as session:
        for job in session.scalars(select(JobRow).where(JobRow.name == "comparisons.compute")):
            job.state = "failed"
    body = client.post(f"/api/v1/comparisons/{failed}/retry").json()

    assert (body["state"], body["problem"], body["job"]["state"]) == ("waiting", None, "waiting")


def test_deleting_takes_views_exports_and_their_bytes_but_no_artifact(
    client: TestClient, comparisons: ComparisonsFactory, app: AppUnderTest, team: SomeTeam
) -> None:
    comparison_id: ComparisonId = comparisons.done()
    export = comparisons.exported(comparison_id, b"x", "x.csv")
    artifacts = client.get("/api/v1/artifacts").json()["items"]
    before = {key for key in app.blobs.stored if "/comparisons/" in key or "/exports/" in key}
    assert len(before) == 5

    assert client.delete(f"/api/v1/comparisons/{comparison_id}").status_code == 204

    with app.database.reading(TeamScope(team.id)) as session:
        unused = session.scalars(select(StoredBlob.key).where(StoredBlob.is_unused)).all()
    assert set(unused) == before
    assert client.get("/api/v1/artifacts").json()["items"] == artifacts
    assert client.get(f"/api/v1/exports/{export}").status_code == 404
    for method, path in (("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/swap"), ("POST", "/retry")):
        body: dict[str, str] | None = {} if method == "PATCH" else None
        answer = client.request(method, f"/api/v1/comparisons/{comparison_id}{path}", json=body)
        assert (answer.status_code, answer.json()["type"]) == (404, "urn:slowpath:comparison-not-found")
    for path, expected in (
        ("/views", {"kind": "cpu", "sample_type": "cpu", "granularity": "line"}),
        ("/exports", {"format": "csv"}),
    ):
        assert client.post(f"/api/v1/comparisons/{comparison_id}{path}", json=expected).status_code == 404


@pytest.mark.asked_by("viewer")
def test_a_viewer_looks_and_takes_away_but_asks_for_nothing_new(
    client: TestClient, comparisons: ComparisonsFactory, role: Role
) -> None:
    comparison_id = comparisons.done()

    assert client.get(f"{of_view(client, comparison_id)}/chunks/first").status_code == 200
    assert client.post(f"/api/v1/comparisons/{comparison_id}/exports", json={"format": "csv"}).status_code == 202
    assert client.post(f"/api/v1/comparisons/{comparison_id}/swap").status_code == 403


def test_what_is_packed_is_gzip_of_columns(
    client: TestClient, comparisons: ComparisonsFactory, app: AppUnderTest
) -> None:
    comparison_id = comparisons.done()

    packed = [content for key, content in app.blobs.stored.items() if key.endswith("/first")]

    assert gzip.decompress(packed[0])[:8] == b"slowcol1"
    assert json.dumps(client.get(f"/api/v1/comparisons/{comparison_id}").json())


def test_a_comparison_is_assigned_to_a_member(client: TestClient, comparisons: ComparisonsFactory) -> None:
    path = f"/api/v1/comparisons/{comparisons.done()}"
    owner = comparisons.files.team.owner
    assert client.get(path).json()["assignee"] is None
    assigned = client.patch(path, json={"assignee_id": str(owner.user_id)}).json()
    assert (assigned["assignee"]["id"], bool(assigned["assignee"]["name"])) == (str(owner.user_id), True)
    assert client.patch(path, json={"name": "Other"}).json()["assignee"]["id"] == str(owner.user_id)
    (listed,) = client.get("/api/v1/comparisons").json()["items"]
    assert listed["assignee"] == assigned["assignee"]
    refused = client.patch(path, json={"assignee_id": str(uuid4())})
    assert (refused.status_code, refused.json()["type"]) == (422, "urn:slowpath:assignee-not-in-team")
    assert client.patch(path, json={"assignee_id": None}).json()["assignee"] is None
