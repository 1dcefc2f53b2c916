"""Pages: every row once, newest first, for any cursor."""

import base64
import json
from contextlib import suppress

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from slowpath.core.errors import InvalidRequest
from slowpath.platform.http.pagination import MAX_LIMIT, position

CURSORS = [
    "!",
    "é",
    "AAAA",
    base64.urlsafe_b64encode(b"[]").decode(),
    base64.urlsafe_b64encode(json.dumps(["0001-01-01T00:00:00+10:00", "0" * 32]).encode()).decode(),
    base64.urlsafe_b64encode(json.dumps(["9999-12-31T23:59:59-10:00", "0" * 32]).encode()).decode(),
    base64.urlsafe_b64encode(json.dumps(["2026-01-01T00:00:00+00:00", 7]).encode()).decode(),
    base64.urlsafe_b64encode(json.dumps({"a": 1, "b": 2}).encode()).decode(),
    base64.urlsafe_b64encode(b"[" * 100).decode(),
]


@pytest.mark.parametrize("cursor", CURSORS)
def test_a_cursor_that_is_not_ours_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidRequest, match="cursor is invalid"):
        position(cursor)


@given(st.text(max_size=200))
def test_any_text_as_a_cursor_is_a_place_or_refused(cursor: str) -> None:
    with suppress(InvalidRequest):
        position(cursor)


@pytest.mark.database
@pytest.mark.parametrize("path", ["/api/v1/artifacts", "/api/v1/jobs"])
def test_every_row_is_shown_once_newest_first(client: TestClient, path: str) -> None:
    made = [client.put(f"/api/v1/artifacts/{number}.pprof", content=b"x").json() for number in range(7)]
    expected = [each["id" if path.endswith("artifacts") else "job_id"] for each in reversed(made)]

    seen, cursor, pages = [], None, 0
    while pages == 0 or cursor:
        page = client.get(path, params={"limit": 3, **({"cursor": cursor} if cursor else {})}).json()
        seen += [item["id"] for item in page["items"]]
        cursor, pages = page["next_cursor"], pages + 1

    assert seen == expected
    assert pages == 3


@pytest.mark.database
def test_a_page_that_is_just_full_is_the_last(client: TestClient) -> None:
    for number in range(3):
        client.put(f"/api/v1/artifacts/{number}.pprof", content=b"x")

    assert client.get("/api/v1/artifacts", params={"limit": 3}).json()["next_cursor"] is None


@pytest.mark.database
@pytest.mark.parametrize("limit", ["0", "-1", str(MAX_LIMIT + 1), "x", "1" * 5000])
def test_a_limit_out_of_bounds_is_refused(client: TestClient, limit: str) -> None:
    answer = client.get("/api/v1/artifacts", params={"limit": limit})

    assert answer.status_code == 422
    assert answer.json()["type"] == "urn:slowpath:not-understood"
