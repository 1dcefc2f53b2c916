"""Spans of exporters: stored, combined, rejected."""

import gzip
import json
from pathlib import Path

import psycopg
import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from slowpath.evidence.spans.rules import (
    InvalidSpanPush,
    PushDialect,
    SpanPushExpandsTooLarge,
    check_document,
    is_message,
)
from slowpath.evidence.spans.service.span_ingest import MOST_UNPACKED_BYTES
from slowpath.evidence.spans.service.span_pieces import packed, pieces, unpacked
from tests.support.databases import TestDatabase

SPANS = Path(__file__).parents[4] / "worker" / "decode" / "testdata" / "spans"
PROTOBUF = (SPANS / "pushes.otlp.pb").read_bytes()
DOCUMENT = (SPANS / "example.otlp.json").read_bytes()
PB, JSON = {"Content-Type": "application/x-protobuf"}, {"Content-Type": "application/json; charset=utf-8"}
GZIP = {"Content-Encoding": "gzip"}

database = pytest.mark.database


def stored(migrated: TestDatabase) -> list[tuple[str, bytes]]:
    with migrated.as_admin() as connection:
        rows = connection.execute("SELECT dialect, content FROM span_push ORDER BY created_at").fetchall()
    return [(dialect, b"".join(pieces(content))) for dialect, content in rows]


def jobs(connection: psycopg.Connection) -> list[tuple[str, str]]:
    return connection.execute("SELECT name, state FROM job").fetchall()


@database
@pytest.mark.parametrize("packed", [False, True])
def test_a_push_is_stored_before_it_is_acknowledged(
    client: TestClient, migrated: TestDatabase, *, packed: bool
) -> None:
    body = gzip.compress(PROTOBUF) if packed else PROTOBUF
    answer = client.post("/v1/traces", content=body, headers=PB | (GZIP if packed else {}))

    assert (answer.status_code, answer.content, answer.headers["content-type"]) == (200, b"", "application/x-protobuf")
    assert stored(migrated) == [("protobuf", PROTOBUF)]


@database
def test_json_is_stored_as_one_line(client: TestClient, migrated: TestDatabase) -> None:
    answer = client.post("/v1/traces", content=DOCUMENT, headers=JSON)

    assert (answer.status_code, answer.json()) == (200, {})
    [(dialect, line)] = stored(migrated)
    assert dialect == "json"
    assert line.count(b"\n") == 1
    assert json.loads(line) == json.loads(DOCUMENT)


@database
def test_many_pushes_enqueue_one_hidden_compaction(client: TestClient, migrated: TestDatabase) -> None:
    for _ in range(3):
        client.post("/v1/traces", content=PROTOBUF, headers=PB)

    with migrated.as_admin() as connection:
        assert jobs(connection) == [("spans.merge-pushes", "waiting")]
    assert client.get("/api/v1/jobs").json()["items"] == []


@database
def test_an_empty_push_is_no_row(client: TestClient, migrated: TestDatabase) -> None:
    assert client.post("/v1/traces", content=b"", headers=PB).status_code == 200
    assert stored(migrated) == []


@database
@pytest.mark.parametrize(
    ("body", "headers", "status", "slug"),
    [
        (b"hello", PB, 422, "push-not-understood"),
        (b"[1", JSON, 422, "push-not-understood"),
        (b'{"resourceMetrics": []}', JSON, 422, "push-not-understood"),
        (b"[" * 100_000, JSON, 422, "push-not-understood"),
        (PROTOBUF, {"Content-Type": "text/plain"}, 422, "push-not-understood"),
        (PROTOBUF, PB | {"Content-Encoding": "br"}, 422, "push-not-understood"),
        (b"no gzip", PB | GZIP, 422, "push-not-understood"),
        (gzip.compress(PROTOBUF)[:-9], PB | GZIP, 422, "push-not-understood"),
        (gzip.compress(bytes(MOST_UNPACKED_BYTES + 1)), PB | GZIP, 413, "push-too-large"),
        (bytes(3 << 20), PB, 413, "body-too-large"),
    ],
)
def test_an_invalid_push_is_rejected_with_its_reason(
    client: TestClient, migrated: TestDatabase, body: bytes, headers: dict[str, str], status: int, slug: str
) -> None:
    answer = client.post("/v1/traces", content=body, headers=headers)

    assert (answer.status_code, answer.json()["type"]) == (status, f"urn:slowpath:{slug}")
    assert stored(migrated) == []


def test_pushes_one_behind_the_other_are_a_message() -> None:
    assert is_message(PROTOBUF + PROTOBUF)
    assert not is_message(PROTOBUF[:-1])
    assert not is_message(b"\x0a\xff\xff\xff\xff\xff\xff")


@given(st.binary(max_size=64), st.sampled_from(["", "identity", "gzip", "deflate"]))
def test_any_body_is_unpacked_or_refused(body: bytes, encoding: str) -> None:
    try:
        plain = unpacked(body, encoding, 32)
    except (InvalidSpanPush, SpanPushExpandsTooLarge):
        return
    assert len(plain) <= 32
    assert is_message(plain) in {True, False}


def test_all_members_of_a_gzip_stream_are_read() -> None:
    assert unpacked(gzip.compress(b"one ") + gzip.compress(b"two"), "gzip", 32) == b"one two"
    with pytest.raises(InvalidSpanPush, match="more than 1,000 members"):
        unpacked(gzip.compress(b"") * 1_001, "gzip", 32)
    with pytest.raises(SpanPushExpandsTooLarge):
        unpacked(gzip.compress(b"x" * 33), "gzip", 32)


@given(st.binary(max_size=64) | st.text(max_size=40).map(lambda text: f'{{"resourceSpans": ["{text}"]}}'.encode()))
def test_any_document_is_one_line_or_refused(document: bytes) -> None:
    try:
        check_document(document)
    except InvalidSpanPush:
        return
    line = b"".join(pieces(packed(document, PushDialect.JSON)))
    assert line.endswith(b"\n")
    assert b"\n" not in line[:-1]
    assert json.loads(line) == json.loads(document)


def test_documents_of_an_earlier_version_are_read() -> None:
    assert b"".join(pieces(PROTOBUF)) == PROTOBUF
