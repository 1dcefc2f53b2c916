"""The whole app over a real database and fakes, and clients of users and tokens."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from anyio.from_thread import BlockingPortal, start_blocking_portal
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pydantic import SecretStr

from slowpath.app import build_app
from slowpath.core.db_sessions import Database
from slowpath.core.settings import Settings
from slowpath.evidence.artifacts.service.storage_accounting import AccountingBlobStore
from slowpath.platform.accounts.rules.request_origin import LOOPBACK_COOKIE
from tests.support.fakes import CountingThrottle, FrozenClock, MemoryBlobStore

PUBLIC_URL = "http://127.0.0.1:8080"
_LOOP: list[BlockingPortal] = []


@contextmanager
def one_loop() -> Iterator[None]:
    """Let all clients made meanwhile ask over one event loop: one made for each request is half of what a small one costs."""
    with start_blocking_portal() as portal:
        _LOOP.append(portal)
        yield
        _LOOP.remove(portal)


@dataclass(frozen=True)
class AppUnderTest:
    """The app and what is plugged into it."""

    app: FastAPI
    database: Database
    settings: Settings
    blobs: MemoryBlobStore
    clock: FrozenClock
    throttle: CountingThrottle

    @property
    def recorded_blobs(self) -> AccountingBlobStore:
        """Return the store as processes use it: each blob has a row before its bytes."""
        return AccountingBlobStore(self.blobs, self.database)

    def asked(self, *, cookie: str | None = None, token: str | None = None, team: object = None) -> TestClient:
        """Return a client: of a browser with this session, of a program with this token, or without credentials."""
        client = TestClient(self.app, base_url=PUBLIC_URL, raise_server_exceptions=False, client=("127.0.0.1", 50_000))
        client.portal = _LOOP[-1] if _LOOP else None
        if cookie is not None:
            client.cookies.set(LOOPBACK_COOKIE.name, cookie)
            client.headers["Origin"] = PUBLIC_URL
        if token is not None:
            client.headers["Authorization"] = f"Bearer {token}"
        if team is not None:
            client.headers["Slowpath-Team"] = str(team)
        return client


def settings_for(app_url: str, **changed: object) -> Settings:
    """Return settings for a database; what is not named has its default."""
    values = {
        "database_url": SecretStr(app_url),
        "broker_url": SecretStr("memory://"),
        "blob_url": "memory:///",
        "secret_key": SecretStr("of the tests, and no secret"),
        "public_url": PUBLIC_URL,
        "cli_packages": None,
        "frontend_dist": None,  # not the one that may stand in the environment
        "token_requests_per_minute": 0,  # a walk over all endpoints asks more than a program does
        "token_uploads_per_minute": 0,
        "team_requests_per_minute": 0,
        "team_uploads_per_minute": 0,
        "user_requests_per_minute": 0,
        "anonymous_requests_per_minute": 0,
    }
    return Settings.model_validate({**values, **changed})


def built(database: Database, settings: Settings, blobs: MemoryBlobStore | None = None) -> AppUnderTest:
    """Build the app over a database."""
    blobs, clock, throttle = blobs or MemoryBlobStore(), FrozenClock(), CountingThrottle()
    app = build_app(settings, database, AccountingBlobStore(blobs, database), clock, throttle)
    return AppUnderTest(app, database, settings, blobs, clock, throttle)
