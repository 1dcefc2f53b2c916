"""Somebody new for a demo: signs up, makes a token, and speaks to the API as a browser and as a command line would."""

import secrets
from dataclasses import dataclass
from typing import Any

import httpx


class DemoFailed(Exception):
    """The story could not be played; the message says where it ended, in one line."""


@dataclass(frozen=True)
class DemoUser:
    """Somebody signed in, with a team of their own and a token of it."""

    url: str
    email: str
    password: str
    team_slug: str
    token: str
    http: httpx.Client

    def call(self, method: str, path: str, **what: Any) -> Any:  # noqa: ANN401 - JSON, whatever it is
        """Ask the API as the page does. Raises `DemoFailed` with the server's own words."""
        return call(self.http, method, path, **what)


def call(http: httpx.Client, method: str, path: str, **what: Any) -> Any:  # noqa: ANN401 - JSON, whatever it is
    """Ask the API. Raises `DemoFailed` with the server's own words."""
    try:
        answer = http.request(method, f"/api/v1{path}", **what)
    except httpx.HTTPError as error:
        raise DemoFailed(f"{method} {path}: {error}") from error
    if answer.is_error:
        raise DemoFailed(f"{method} {path}: {answer.status_code} {answer.text[:300]}")
    return answer.json() if answer.content else None


def sign_up(url: str) -> DemoUser:
    """Sign somebody new up on the server at `url`."""
    tag = secrets.token_hex(6)
    email, password = f"demo-{tag}@example.com", f"correct horse {secrets.token_urlsafe(12)}"
    http = httpx.Client(base_url=url, headers={"Origin": url}, timeout=30)
    call(http, "POST", "/sign-up", json={"email": email, "password": password, "name": "Demo"})
    call(http, "POST", "/session", json={"email": email, "password": password})
    team = call(http, "GET", "/session")["teams"][0]
    asked = {"name": "demo", "scopes": ["write"], "expires_in_days": 1}
    token = call(http, "POST", f"/teams/{team['id']}/tokens", json=asked)
    return DemoUser(url, email, password, team["slug"], str(token["secret"]), http)
