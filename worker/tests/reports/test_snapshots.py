"""Reports of real files end to end: decoded, compared, frozen, shared, and searched for content that must not be there.

Into real captures go secrets of every kind; every page that shows them is frozen by the requests it makes, and everyone with
the link gets the recording. None of the secrets is in it, in whatever form the answers are packed.
"""

import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from slowpath.core.ids import JobId, ReportId
from slowpath.platform.accounts.rules.roles import TokenScope
from slowpath.sharing.reports.jobs import DeleteUnusedReportBlobs
from support.prometheus_oracle import REMOTE_WRITE_HEADERS, remote_write_body
from tests.evidence.metrics.dashboard_samples import SomeService
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.jobs.conftest import Bench
from tests.support.app_under_test import AppUnderTest
from tests.tasks.conftest import PROFILES
from tests.tasks.test_decode_handlers import put, run_all

pytestmark = pytest.mark.database

EXAMPLE = Path(__file__).parents[2] / "example"
SPANS = PROFILES.parent / "spans" / "distributor.otlp.jsonl"
NOW_MS = 1_795_262_400_000

HOSTS = {
    "instance": "ingester-zone-a-7.prod.corp.internal",
    "host": "db-7.eu.umbrella.example",
    "address": "10.20.30.41",
    "board": "checkout-7f9c4d5b66-x2x4z",
    "ci": "ci.umbrella.example",
}
PATHS = {"file": "/home/zoe/umbrella-monorepo/push.go", "built": "/builds/umbrella/7/src/main.go"}
LABELS = {"customer": "Umbrella-4711", "tenant": "tenant_secret_88"}
PEOPLE = {
    "author": "Zoë Quux",
    "mail": "zoe.quux@umbrella.example",
    "other": "Max Mustermann",
    "other_mail": "max@umbrella.example",
}
TOKEN = "hunter2hunter2"
FORBIDDEN = [*HOSTS.values(), *PATHS.values(), *LABELS.values(), *PEOPLE.values(), TOKEN, "umbrella", "/home/zoe"]
ABSOLUTE = re.compile(rb"/(?:home|root|usr|builds|opt|tmp|var)/[a-zA-Z0-9_.-]+/")
FROM_NONE = "hidden from none"


def seeded_spans() -> bytes:
    """Return real spans with secrets in each resource and span, as exporters send them."""
    lines = []
    for line in SPANS.read_text().splitlines():
        document = json.loads(line)
        for of_resource in document["resourceSpans"]:
            attributes = of_resource["resource"]["attributes"]
            attributes[:] = [one for one in attributes if one["key"] != "service.instance.id"]
            attributes += [_attribute("service.instance.id", HOSTS["instance"]), _attribute("host.name", HOSTS["host"])]
            for span in (span for scope in of_resource["scopeSpans"] for span in scope["spans"]):
                span.setdefault("attributes", []).extend(_attribute(*pair) for pair in _secrets_of_span())
        lines.append(json.dumps(document))
    return "\n".join(lines).encode()


def _secrets_of_span() -> list[tuple[str, str]]:
    return [
        ("customer", LABELS["customer"]),
        ("tenant", LABELS["tenant"]),
        ("code.filepath", PATHS["file"]),
        ("net.peer.name", HOSTS["host"]),
        ("enduser.id", PEOPLE["mail"]),
        ("url.full", f"https://bot:{TOKEN}@{HOSTS['ci']}/v1/push?token={TOKEN}"),
        ("note", f"asked {HOSTS['address']}:5432 for {LABELS['customer']}"),
    ]


def _attribute(key: str, value: str) -> dict[str, Any]:
    return {"key": key, "value": {"stringValue": value}}


@pytest.fixture
def pages(
    client: TestClient, bench: Bench, app: AppUnderTest, people: AccountsFactory, team: SomeTeam
) -> dict[str, list[str]]:
    """Pages of everything there is, each with the requests that it makes."""
    bench.admin.execute("UPDATE app_user SET name = %s, email = %s", (PEOPLE["author"], PEOPLE["mail"]))
    sides = [[_profile(client, variant, number) for number in (0, 1)] for variant in ("inlined", "helper")]
    spans = put(client, seeded_spans(), name="spans.otlp.jsonl")
    traces = [put(client, path.read_bytes(), name=path.name) for path in _some(EXAMPLE / "traces" / "base", 1)]
    run_all(bench)
    compared = {
        "name": f"{HOSTS['host']} against {PEOPLE['other']}, {PATHS['built']}",
        **{
            side: {"artifact_ids": [one["id"] for one in of_side], "label": f"on {HOSTS['address']}"}
            for side, of_side in zip(("base", "candidate"), sides, strict=True)
        },
    }
    comparison = client.post("/api/v1/comparisons", json=compared).json()
    run_all(bench)
    found = {
        "comparison": list(_of_comparison(client, comparison["id"])),
        "spans": list(_of_spans(client, spans["id"])),
        "trace": list(_of_trace(client, traces[0]["id"])),
        "build": list(_of_build(client)),
        "files": ["/artifacts", f"/artifacts/{sides[0][0]['id']}"],
    }
    found["board"] = _of_board(client, app.asked(token=people.token(team, TokenScope.UPLOAD).secret))
    return found


def _some(folder: Path, count: int) -> list[Path]:
    return sorted(path for path in folder.iterdir() if not path.name.endswith(".facts.json"))[:count]


def _profile(client: TestClient, variant: str, number: int) -> dict[str, Any]:
    path = EXAMPLE / "artifacts" / variant / f"cpu.{number:02}.pb.gz"
    facts = json.loads(path.with_name(f"{path.name}.facts.json").read_text())
    stored = {name: facts[name] for name in ("requests", "wall_ns", "go_version", "gomaxprocs")}
    return put(client, path.read_bytes(), name=f"{HOSTS['host']}-{number}.pb.gz", run_metadata=json.dumps(stored))


def _of_comparison(client: TestClient, comparison_id: str) -> Iterator[str]:
    path = f"/comparisons/{comparison_id}"
    yield path
    body = client.get(f"/api/v1{path}").json()
    assert body["state"] == "done", body
    for view in body["views"]:
        asked = client.post(
            f"/api/v1{path}/views", json={key: view[key] for key in ("kind", "sample_type", "granularity")}
        )
        if view["state"] == "done" and asked.status_code == 202:
            at = f"{path}/views/{view['id']}"
            yield from (f"{at}/{part}" for part in ("chunks/first", "chunks/rest", "chunks/functions", "nodes/0"))
            yield f"{path}/views/{view['id']}/lines?function=main.main"
            yield f"{path}/views/{view['id']}/search?pattern=main"


def _of_spans(client: TestClient, artifact_id: str) -> Iterator[str]:
    path = f"/span-sets/{artifact_id}"
    yield from (path, f"{path}/traces")
    for trace in client.get(f"/api/v1{path}").json()["traces"][:3]:
        yield f"{path}/traces/{trace['trace_id']}"


def _of_trace(client: TestClient, artifact_id: str) -> Iterator[str]:
    yield f"/execution-traces/{artifact_id}"
    yield f"/execution-traces/{artifact_id}/waits/0/tiles/0/0"


def _of_build(client: TestClient) -> Iterator[str]:
    service = client.post("/api/v1/services", json={"name": "quoter"}).json()
    document = {
        "service_id": service["id"],
        "commit": 40 * "a",
        "branch": "main",
        "title": f"Write to {PATHS['built']} on {HOSTS['host']}",
        "author": f"{PEOPLE['other']} <{PEOPLE['other_mail']}>",
        "ci_url": f"https://{HOSTS['ci']}/job/7?token={TOKEN}",
    }
    build = client.post("/api/v1/builds", json=document)
    assert build.status_code == 201, build.text
    yield from ("/services", f"/services/{service['id']}", "/builds", f"/builds/{build.json()['id']}")
    fields = {"name": "team/svc", "web_url": f"https://{HOSTS['ci']}/team/svc"}
    repository = client.post("/api/v1/repositories", json=fields)
    assert repository.status_code == 201, repository.text
    path = f"/repositories/{repository.json()['id']}"
    commit = {
        "sha": 40 * "a",
        "author_name": PEOPLE["author"],
        "author_email": PEOPLE["mail"],
        "title": f"Faster on {HOSTS['host']}",
        "message": f"Seen at {HOSTS['address']}\n\nCo-authored-by: {PEOPLE['other']} <{PEOPLE['other_mail']}>\n",
    }
    recorded = client.post(f"/api/v1{path}/commits", json={"commits": [commit]})
    assert recorded.status_code in (200, 201), recorded.text
    yield from (path, f"{path}/commits/{commit['sha']}")


def _of_board(client: TestClient, program: TestClient) -> list[str]:
    service = SomeService(
        "checkout", NOW_MS - 1_800_000, NOW_MS, instances=(HOSTS["board"], f"{HOSTS['address']}:9090")
    )
    body = remote_write_body(list(service.written()))
    assert program.post("/api/v1/metrics/write", content=body, headers=REMOTE_WRITE_HEADERS).status_code == 204
    (environment,) = client.get("/api/v1/environments").json()["items"]
    asked = f"/dashboard?environment_id={environment['id']}&from={NOW_MS - 1_800_000}&to={NOW_MS}&instances=true"
    return ["/services", "/environments", asked]


def frozen(client: TestClient, pages: dict[str, list[str]]) -> dict[str, Any]:
    report = client.post("/api/v1/reports", json={"title": f"Why {HOSTS['host']} is slow"}).json()
    path = f"/api/v1/reports/{report['id']}"
    prose = f"{PEOPLE['other']} saw {LABELS['customer']} on {HOSTS['instance']}, see {PATHS['file']}.\n\nSigned-off-by: {PEOPLE['other']} <{PEOPLE['other_mail']}>"
    assert client.patch(path, json={"blocks": [{"kind": "text", "markdown": prose}]}).status_code == 200
    for name, requests in pages.items():
        answer = client.post(
            f"{path}/snapshots",
            json={
                "title": f"{name} of {PEOPLE['author']}",
                "path": f"/{name}?q={LABELS['customer']}",
                "requests": requests,
            },
        )
        assert answer.status_code == 201, f"{name}: {answer.text}"
        assert [one for one in answer.json()["responses"] if one["status"] == 200] != []
    body: dict[str, Any] = client.post(f"{path}/publish").json()
    return body


def found_in(content: bytes, secrets: list[str]) -> list[str]:
    """Return which secrets stand in bytes, as UTF-8 or as JSON spells them, whatever their case."""
    folded = content.lower()
    spelled = {one: (one.encode().lower(), json.dumps(one)[1:-1].encode().lower()) for one in secrets}
    return [one for one, ways in spelled.items() if any(way in folded for way in ways)]


def test_no_secret_leaves_with_a_link(client: TestClient, pages: dict[str, list[str]], app: AppUnderTest) -> None:
    report = frozen(client, pages)
    path = f"/api/v1/reports/{report['id']}"
    ours = client.get(f"{path}/bundle").content
    missed = [
        one
        for one in [*HOSTS.values(), *PATHS.values(), *LABELS.values(), PEOPLE["author"], PEOPLE["other"]]
        if not found_in(ours, [one])
    ]
    assert missed == [], "what is looked for must have been there"
    link = client.post(f"{path}/share-links", json={"name": FROM_NONE}).json()

    theirs = app.asked().get(f"/api/v1/shared/{link['secret']}").content

    assert found_in(theirs, FORBIDDEN) == []
    assert ABSOLUTE.findall(theirs) == []
    header = json.loads(theirs[4 : 4 + int.from_bytes(theirs[:4], "little")])
    assert {one["media_type"] for one in header["answers"]} >= {"application/json", "application/octet-stream"}
    assert all(one["length"] > 0 for one in header["answers"] if one["status"] == 200)
    assert b"runtime.mallocgc" in theirs, "names of functions stay"
    found = client.get(f"{path}/scrub-summary").json()
    assert min(found["labels"], found["paths"], found["hosts"], found["users"]) > 0


def test_a_report_holds_what_was_deleted_and_goes_with_its_bytes(
    client: TestClient, pages: dict[str, list[str]], app: AppUnderTest, bench: Bench, team: SomeTeam
) -> None:
    report = frozen(client, pages)
    path = f"/api/v1/reports/{report['id']}"
    before = client.get(f"{path}/bundle").content
    for kind in ("comparisons", "artifacts", "builds"):
        for one in client.get(f"/api/v1/{kind}").json()["items"]:
            assert client.delete(f"/api/v1/{kind}/{one['id']}").status_code == 204
    _carry_out(bench)
    assert client.get(f"{path}/bundle").content == before
    link = client.post(f"{path}/share-links", json={"name": FROM_NONE}).json()
    assert app.asked().get(f"/api/v1/shared/{link['secret']}").status_code == 200

    # what the draft dropped stays while a version has it
    client.patch(path, json={"blocks": []})
    _carry_out(bench)
    assert client.get(f"{path}/bundle?version=1").content != b""
    stored = [key for key in app.blobs.stored if f"/reports/{report['id']}/" in key]
    assert stored != []
    # and what nothing has any more goes
    again = client.post(f"{path}/snapshots", json={"title": "x", "path": "/x", "requests": ["/builds?limit=7"]}).json()
    lone = f"{team.id}/reports/{report['id']}/{again['responses'][0]['sha256']}.gz"
    assert lone in app.blobs.stored
    client.patch(path, json={"blocks": []})
    _carry_out(bench)
    assert lone not in app.blobs.stored

    assert client.delete(path).status_code == 204
    _carry_out(bench)
    assert [key for key in app.blobs.stored if "/reports/" in key] == []
    assert app.asked().get(f"/api/v1/shared/{link['secret']}").status_code == 404


def _carry_out(bench: Bench) -> None:
    for _ in range(40):
        found = bench.admin.execute(
            "SELECT id FROM job WHERE state = 'waiting' AND name IN"
            " ('reports.delete-unused-blobs', 'artifacts.delete-blobs', 'blobs.delete-orphaned') LIMIT 1"
        ).fetchone()
        if found is None:
            return
        bench.change(JobId(found[0]), "not_before = clock_timestamp()")
        assert bench.carry_out(JobId(found[0]))["state"] == "done"


def test_tidying_a_report_that_was_never_there_does_nothing(bench: Bench) -> None:
    job = bench.write_down(DeleteUnusedReportBlobs(ReportId(UUID(int=7)), [hashlib.sha256(b"").hexdigest()]))
    assert bench.carry_out(job)["state"] == "done"


def test_a_recording_is_one_gzip_member(client: TestClient) -> None:
    """A browser reads the first member of a gzipped answer and none behind it."""
    report = client.post("/api/v1/reports", json={"title": "x"}).json()
    with client.stream("GET", f"/api/v1/reports/{report['id']}/bundle") as answer:
        packed = b"".join(answer.iter_raw())
    assert packed.count(b"\x1f\x8b\x08") == 1
    assert json.loads(gzip.decompress(packed)[4:])["answers"] == []
