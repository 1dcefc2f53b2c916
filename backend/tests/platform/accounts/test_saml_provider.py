"""Signing in with an identity provider that was built from a Go module, from beginning to end."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from slowpath.adapters.system_clock import SystemClock
from slowpath.core.db_sessions import Database
from tests.support.app_under_test import PUBLIC_URL, AppUnderTest, built, settings_for
from tests.support.databases import TestDatabase
from tests.support.saml_providers import GoProvider, go_provider, read_form

pytestmark = [pytest.mark.database, pytest.mark.processes]
API = "/api/v1"


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GoProvider]:
    with go_provider(tmp_path_factory.mktemp("samlidp")) as running:
        yield running


@pytest.fixture
def corp(emptied: TestDatabase, engine: Engine, provider: GoProvider, tmp_path: Path) -> AppUnderTest:
    metadata = tmp_path / "metadata.xml"
    metadata.write_text(provider.metadata())
    settings = settings_for(emptied.app_url, saml_metadata_file=metadata, saml_name="Corp")
    app = built(Database(engine), settings)
    app.clock.at = SystemClock().now()
    answer = app.asked().get(f"{API}/saml/metadata")
    assert answer.headers["content-type"].startswith("application/samlmetadata+xml")
    provider.register(answer.text)
    return app


def opened(app: AppUnderTest) -> TestClient:
    client = app.asked()
    client.headers["Origin"] = PUBLIC_URL
    return client


def returned(browser: TestClient, provider: GoProvider, login: str, to: str = "sign-in-requests") -> dict[str, str]:
    """Do what a browser does: to the provider, its form to us, and our page."""
    begun = browser.post(f"{API}/saml/{to}", json={"next": "/t/x/settings"})
    assert begun.status_code == 201, begun.text
    address, fields = provider.signed_in(begun.json()["url"], login)
    assert address == f"{PUBLIC_URL}{API}/saml/acs"
    page = browser.post(f"{API}/saml/acs", data=fields, headers={"Origin": provider.address})
    assert page.status_code == 200, page.text
    return read_form(page.text)[1]


def test_a_user_signs_in_twice_and_confirms(corp: AppUnderTest, provider: GoProvider, emptied: TestDatabase) -> None:
    browser = opened(corp)
    first = browser.post(f"{API}/saml/callback", json=returned(browser, provider, "mira@corp.example"))
    assert first.status_code == 201, first.text
    user = first.json()["session"]["user"]
    assert (user["email"], user["name"], first.json()["next"]) == ("mira@corp.example", "Mira", "/t/x/settings")
    again = opened(corp)
    done = again.post(f"{API}/saml/callback", json=returned(again, provider, "mira@corp.example"))
    assert done.json()["session"]["user"]["id"] == user["id"]

    with psycopg.connect(emptied.admin_url) as admin:
        admin.execute("UPDATE user_session SET created_at = created_at - interval '16 minutes'")
    assert browser.post(f"{API}/saml/link-requests", json={}).status_code == 403
    for login, status in (("stale:mira@corp.example", 401), ("eve@corp.example", 401), ("mira@corp.example", 201)):
        sent = returned(browser, provider, login, to="confirmation-requests")
        assert browser.post(f"{API}/saml/callback", json=sent).status_code == status
    assert browser.post(f"{API}/saml/link-requests", json={}).status_code == 201


def test_a_response_for_another_browser_is_refused(corp: AppUnderTest, provider: GoProvider) -> None:
    mine, theirs = opened(corp), opened(corp)
    sent = returned(mine, provider, "eve@corp.example")
    returned(theirs, provider, "mira@corp.example")
    assert theirs.post(f"{API}/saml/callback", json=sent).status_code == 401
    assert mine.post(f"{API}/saml/callback", json=sent).status_code == 201
