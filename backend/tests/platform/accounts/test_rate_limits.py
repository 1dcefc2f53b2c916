"""Rate limits of a token, alone and with all others of its team, and the response headers."""

import os
from uuid import uuid4

import pytest
from pydantic import SecretStr
from sqlalchemy import Engine

from slowpath.adapters.limits_throttle import create_throttle
from slowpath.adapters.system_clock import SystemClock
from slowpath.app import build_app
from slowpath.core.db_sessions import Database
from slowpath.platform.accounts.rules.roles import TokenScope
from tests.factories.accounts import PASSWORD, AccountsFactory
from tests.support.app_under_test import AppUnderTest, settings_for
from tests.support.databases import TestDatabase
from tests.support.fakes import CountingThrottle, FrozenClock, MemoryBlobStore

pytestmark = pytest.mark.database

BUILD = {"service": "api", "commit": 40 * "a"}


def counting(emptied: TestDatabase, engine: Engine, broker_url: str, **rates: int) -> AppUnderTest:
    """Give an app that counts in the broker of this address."""
    settings = settings_for(emptied.app_url, broker_url=SecretStr(broker_url), **rates)
    blobs, clock = MemoryBlobStore(), FrozenClock(SystemClock().now())
    app = build_app(settings, Database(engine), blobs, clock, create_throttle(settings))
    return AppUnderTest(app, Database(engine), settings, blobs, clock, CountingThrottle())


@pytest.fixture
def broker() -> str:
    return os.environ["BROKER_URL"]


def test_a_token_over_its_rate_limit_gets_retry_after(emptied: TestDatabase, engine: Engine, broker: str) -> None:
    app = counting(emptied, engine, broker, token_requests_per_minute=3)
    people = AccountsFactory(app)
    team = people.team()
    first, second = people.token(team), people.token(team)

    asked = [app.asked(token=first.secret).get("/api/v1/services") for _ in range(4)]

    assert [answer.status_code for answer in asked] == [200, 200, 200, 429]
    assert [answer.headers["RateLimit-Remaining"] for answer in asked] == ["2", "1", "0", "0"]
    assert asked[0].headers["RateLimit-Limit"] == "3"
    assert asked[0].headers["RateLimit-Policy"] == '"requests";q=3;w=60'
    refused = asked[3]
    assert refused.headers["Content-Type"] == "application/problem+json"
    body = refused.json()
    assert (body["type"], body["limit"], body["value"], body["unit"]) == (
        "urn:slowpath:rate-exceeded", 3, 4, "requests per minute",
    )  # fmt: skip
    wait = int(refused.headers["Retry-After"])
    assert 1 <= wait <= 60
    assert str(wait) in body["resolution"]
    assert refused.headers["RateLimit-Reset"] == str(wait)
    assert app.asked(token=second.secret).get("/api/v1/services").status_code == 200


def test_uploads_are_limited_separately(emptied: TestDatabase, engine: Engine, broker: str) -> None:
    app = counting(emptied, engine, broker, token_requests_per_minute=1, token_uploads_per_minute=2)
    people = AccountsFactory(app)
    program = app.asked(token=people.token(people.team(), TokenScope.WRITE).secret)
    assert program.get("/api/v1/services").status_code == 200
    assert program.get("/api/v1/services").status_code == 429
    sent = [program.put(f"/api/v1/artifacts/{uuid4().hex}.pprof", content=b"x") for _ in range(3)]
    assert [answer.status_code == 429 for answer in sent] == [False, False, True]
    assert sent[2].json()["unit"] == "uploads per minute"


def test_a_token_s_own_rate_holds_instead(emptied: TestDatabase, engine: Engine, broker: str) -> None:
    app = counting(emptied, engine, broker, token_requests_per_minute=1)
    people = AccountsFactory(app)
    team = people.team()
    made = app.asked(cookie=team.owner.cookie).post(
        f"/api/v1/teams/{team.id}/tokens", json={"name": "ci", "scopes": ["read"], "requests_per_minute": 3}
    )
    assert made.status_code == 201, made.text
    program = app.asked(token=made.json()["secret"])
    assert [program.get("/api/v1/services").status_code for _ in range(4)] == [200, 200, 200, 429]


def test_all_tokens_of_a_team_together_are_bounded_too(emptied: TestDatabase, engine: Engine, broker: str) -> None:
    app = counting(emptied, engine, broker, team_requests_per_minute=2)
    people = AccountsFactory(app)
    team, other = people.team(), people.team()
    tokens = [people.token(team) for _ in range(3)]
    codes = [app.asked(token=token.secret).get("/api/v1/services").status_code for token in tokens]
    assert codes == [200, 200, 429]
    assert app.asked(token=people.token(other).secret).get("/api/v1/services").status_code == 200


def test_a_user_is_counted_in_all_browsers_together(emptied: TestDatabase, engine: Engine, broker: str) -> None:
    app = counting(emptied, engine, broker, user_requests_per_minute=3)
    people = AccountsFactory(app)
    owner = people.team().owner
    other = people.team().owner
    second = app.asked().post("/api/v1/session", json={"email": owner.email, "password": PASSWORD}).cookies["slowpath"]
    paths = ("/api/v1/services", "/api/v1/teams")
    answers = [app.asked(cookie=cookie).get(path) for cookie in (owner.cookie, second) for path in paths]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert answers[3].json()["unit"] == "requests per minute"
    assert 1 <= int(answers[3].headers["Retry-After"]) <= 60
    assert app.asked(cookie=other.cookie).get("/api/v1/teams").status_code == 200


def test_people_are_not_counted_as_tokens(emptied: TestDatabase, engine: Engine, broker: str) -> None:
    app = counting(emptied, engine, broker, token_requests_per_minute=1, team_requests_per_minute=1)
    browser = app.asked(cookie=AccountsFactory(app).team().owner.cookie)
    answers = [browser.get("/api/v1/services") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert "RateLimit-Limit" not in answers[0].headers


def test_without_valkey_no_request_is_rejected_and_a_line_is_logged(
    emptied: TestDatabase, engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    app = counting(emptied, engine, "redis://127.0.0.1:1/0", token_requests_per_minute=1)
    people = AccountsFactory(app)
    program = app.asked(token=people.token(people.team()).secret)
    answers = [program.get("/api/v1/services") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert "RateLimit-Limit" not in answers[0].headers
    assert sum("rate_limit.unavailable" in line for line in caplog.messages) == 1


def test_too_many_wrong_passwords_get_retry_after(app: AppUnderTest) -> None:
    wrong = {"email": "nobody@example.com", "password": "wrong wrong wrong"}
    answers = [app.asked().post("/api/v1/session", json=wrong) for _ in range(11)]
    assert [answers[9].status_code, answers[10].status_code] == [401, 429]
    assert answers[10].headers["Retry-After"] == "300"
