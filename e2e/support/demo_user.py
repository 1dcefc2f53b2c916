"""Create a new user for a demo: sign up, create a token, and call the API like a browser and a CLI."""

import secrets
from dataclasses import dataclass
from typing import Any

import httpx


class DemoFailed(Exception):
    """The demo failed; the message gives the step and the reason in one line."""


@dataclass(frozen=True)
class DemoUser:
    """A signed-in user with a team and an API token."""

    url: str
    email: str
    password: str
    team_slug: str
    token: str
    http: httpx.Client

    def call(self, method: str, path: str, **what: Any) -> Any:  # noqa: ANN401 - JSON, whatever it is
        """Call the API with the user's session. Raises `DemoFailed` with the server's message."""
        return call(self.http, method, path, **what)


def call(http: httpx.Client, method: str, path: str, **what: Any) -> Any:  # noqa: ANN401 - JSON, whatever it is
    """Call the API and return its JSON. Raises `DemoFailed` with the server's message."""
    try:
        response = http.request(method, f"/api/v1{path}", **what)
    except httpx.HTTPError as error:
        raise DemoFailed(f"{method} {path}: {error}") from error
    if response.is_error:
        raise DemoFailed(f"{method} {path}: {response.status_code} {response.text[:300]}")
    return response.json() if response.content else None


def sign_up(url: str) -> DemoUser:
    """Sign up a new user on the server at `url`."""
    tag = secrets.token_hex(6)
    email, password = f"demo-{tag}@example.com", f"correct horse {secrets.token_urlsafe(12)}"
    http = httpx.Client(base_url=url, headers={"Origin": url}, timeout=30)
    call(http, "POST", "/sign-up", json={"email": email, "password": password, "name": "Demo"})
    call(http, "POST", "/session", json={"email": email, "password": password})
    team = call(http, "GET", "/session")["teams"][0]
    token_request = {"name": "demo", "scopes": ["write"], "expires_in_days": 1}
    token = call(http, "POST", f"/teams/{team['id']}/tokens", json=token_request)
    return DemoUser(url, email, password, team["slug"], str(token["secret"]), http)
