"""What every answer carries, the pages of the app, health, and what is measured."""

import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from slowpath.core.db_sessions import Database
from slowpath.platform.http.request_context import SECURITY_HEADERS
from tests.support.app_under_test import AppUnderTest, built, settings_for
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.database

PATHS = ["/", "/healthz", "/readyz", "/metrics", "/api/v1/openapi.json", "/api/v1/session", "/api/v1/nothing", "/x/y"]


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_has_the_security_headers_and_an_id(app: AppUnderTest, path: str) -> None:
    answer = app.asked().get(path)

    for name, value in SECURITY_HEADERS.items():
        assert answer.headers[name] == value
    assert re.fullmatch(r"[0-9a-f]{32}", answer.headers["x-request-id"])
    if path.startswith("/api/"):
        assert answer.headers["cache-control"] == "no-store"


def test_nothing_inline_may_run(app: AppUnderTest) -> None:
    policy = app.asked().get("/").headers["content-security-policy"]

    script = next(part for part in policy.split("; ") if part.startswith("script-src"))
    assert script == "script-src 'self'"
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy


def test_a_request_may_bring_its_id_if_it_is_harmless(app: AppUnderTest) -> None:
    client = app.asked()

    assert client.get("/healthz", headers={"X-Request-Id": "trace-12345"}).headers["x-request-id"] == "trace-12345"
    assert client.get("/healthz", headers={"X-Request-Id": "a b\tc;drop"}).headers["x-request-id"] != "a b\tc;drop"
    assert len(client.get("/healthz", headers={"X-Request-Id": "x" * 65}).headers["x-request-id"]) == 32


def test_https_stays_where_it_is_used(emptied: TestDatabase, engine: Engine) -> None:
    settings = settings_for(emptied.app_url, public_url="https://slowpath.example.com")

    answer = built(Database(engine), settings).asked().get("/healthz")

    assert answer.headers["strict-transport-security"] == "max-age=31536000"


def test_health_and_readiness_checks(app: AppUnderTest) -> None:
    assert app.asked().get("/healthz").json() == {"status": "ok", "parts": {}}
    assert app.asked().get("/readyz").json() == {"status": "ok", "parts": {"database": "ok", "blobs": "ok"}}


def test_metrics_count_by_route_and_never_by_path(app: AppUnderTest) -> None:
    client = app.asked()
    client.get("/api/v1/jobs/3f0e6bd5-5a4b-4c43-9c0b-0c9c3c5be3a1")

    text = client.get("/metrics").text

    assert 'route="/api/v1/jobs/{job_id}",status="401"' in text
    assert "3f0e6bd5" not in text


def test_metrics_show_the_queue_lengths(app: AppUnderTest, client: TestClient) -> None:
    client.put("/api/v1/artifacts/cpu.pprof", content=b"bytes")

    text = client.get("/metrics").text

    assert 'slowpath_jobs{queue="decode",state="waiting"} 1.0' in text
    assert 'slowpath_oldest_job_seconds{queue="decode",state="waiting"}' in text


def test_metrics_may_ask_for_a_token(emptied: TestDatabase, engine: Engine) -> None:
    client = built(Database(engine), settings_for(emptied.app_url, metrics_token="of the scraper")).asked()

    assert client.get("/metrics").status_code == 401
    assert client.get("/metrics", headers={"Authorization": "Bearer of another"}).status_code == 401
    assert client.get("/metrics", headers={"Authorization": "Bearer of the scraper"}).status_code == 200


@pytest.fixture
def pages(emptied: TestDatabase, engine: Engine, tmp_path: Path) -> TestClient:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<title>Slowpath</title>")
    (tmp_path / "assets" / "main-1234.js").write_text("plain")
    (tmp_path / "assets" / "main-1234.js.gz").write_bytes(b"\x1f\x8b packed")
    (tmp_path / "assets" / "main-1234.js.map").write_text("our sources")
    return built(Database(engine), settings_for(emptied.app_url, frontend_dist=tmp_path)).asked()


@pytest.mark.parametrize("path", ["/", "/comparisons/1234", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/a\\b"])
def test_every_address_that_is_no_file_is_the_one_page(pages: TestClient, path: str) -> None:
    answer = pages.get(path)

    assert answer.status_code == 200
    assert answer.text == "<title>Slowpath</title>"
    assert answer.headers["cache-control"] == "no-cache"


def test_assets_are_immutable_and_compressed_on_request(pages: TestClient) -> None:
    plain = pages.get("/assets/main-1234.js", headers={"Accept-Encoding": "identity"})
    packed = pages.head("/assets/main-1234.js", headers={"Accept-Encoding": "gzip"})

    assert plain.text == "plain"
    assert "immutable" in plain.headers["cache-control"]
    assert packed.headers["content-encoding"] == "gzip"
    assert {plain.headers["vary"], packed.headers["vary"]} == {"Accept-Encoding"}


def test_large_documents_are_compressed_on_request(app: AppUnderTest) -> None:
    client, path = app.asked(), "/api/v1/openapi.json"
    plain = client.get(path, headers={"Accept-Encoding": "identity"})
    packed = client.get(path, headers={"Accept-Encoding": "gzip"})

    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) < len(plain.content) / 4
    assert packed.json() == plain.json()
    assert {plain.headers["vary"], packed.headers["vary"]} == {"Accept-Encoding"}


def test_small_responses_are_not_compressed(app: AppUnderTest) -> None:
    assert "content-encoding" not in app.asked().get("/healthz").headers


def test_an_asset_of_another_build_is_not_the_page(pages: TestClient) -> None:
    assert pages.get("/assets/main-0000.js").status_code == 404
    assert pages.get("/assets/main-1234.js.map").status_code == 404


def test_without_a_frontend_build_every_page_reports_it(app: AppUnderTest) -> None:
    answer = app.asked().get("/")

    assert answer.status_code == 503
    assert "npm start" in answer.text
