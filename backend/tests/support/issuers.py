"""Issuers to sign in with: a certified provider, and a malicious one of ours."""

import base64
import json
import re
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urljoin, urlsplit

import httpx
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

from tests.support.app_under_test import PUBLIC_URL

ROOT = Path(__file__).resolve().parents[3]
CLIENT_ID, CLIENT_SECRET = "slowpath", "a secret of the tests, long enough to be one"
RETURN_URL = f"{PUBLIC_URL}/sign-in/callback"


@contextmanager
def certified_provider() -> Iterator[str]:
    """Run the npm package `oidc-provider`, a certified OpenID provider; give its address."""
    script = ROOT / "e2e" / "support" / "issuer.mjs"
    command = ["node", str(script), CLIENT_ID, CLIENT_SECRET, RETURN_URL]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:"), "the provider did not start"
            yield address
        finally:
            process.kill()


def signed_in_there(url: str, login: str) -> dict[str, str]:
    """Do what a person's browser does at the provider; return what it is sent back with."""
    with httpx.Client() as browser:
        answer = browser.get(url, params={**dict(parse_qsl(urlsplit(url).query)), "login_hint": login})
        for _ in range(10):
            assert answer.is_redirect, f"{answer.status_code} {answer.text[:500]}"
            target = str(answer.next_request.url) if answer.next_request else ""
            if target.startswith(PUBLIC_URL):
                return dict(parse_qsl(urlsplit(target).query))
            answer = browser.get(target)
    raise AssertionError("the provider never sends back")


def signed_out_there(url: str) -> tuple[str, str]:
    """Do what a person's browser does at the provider to sign out; return what it asks, and where it sends back to."""
    with httpx.Client() as browser:
        page = browser.get(url)
        assert page.status_code == 200, page.text[:500]
        found = re.search(r'name="xsrf" value="([^"]+)"', page.text)
        assert found is not None
        there = str(page.url)
        form = urljoin(there, "/session/end/confirm")
        answer = browser.post(form, data={"xsrf": found[1], "logout": "yes"})
        for _ in range(5):
            if not answer.is_redirect or answer.next_request is None:
                break
            if str(answer.next_request.url).startswith(PUBLIC_URL):
                return page.text, str(answer.next_request.url)
            answer = browser.get(str(answer.next_request.url))
    raise AssertionError("the provider never sends back")


class LyingIssuer:
    """An issuer whose every answer can be changed."""

    def __init__(self) -> None:
        self.key = RSAKey.generate_key(2048, {"kid": "first", "use": "sig"})
        self.published = [self.key]
        self.document: dict[str, Any] = {}
        self.claims: dict[str, Any] = {}
        self.header: dict[str, Any] = {}
        self.userinfo: dict[str, Any] = {}
        self.id_token: str | None = None
        self.redirects = False
        self.nonce = ""
        self.asked: list[str] = []
        self.now = time.time()
        self.address = ""

    def described(self) -> Mapping[str, Any]:
        return {
            "issuer": self.address,
            "authorization_endpoint": f"{self.address}/auth",
            "token_endpoint": f"{self.address}/token",
            "jwks_uri": f"{self.address}/jwks",
            "userinfo_endpoint": f"{self.address}/me",
            "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
            **self.document,
        }

    def tokens(self) -> Mapping[str, Any]:
        claims = {
            "iss": self.address,
            "sub": "7",
            "aud": CLIENT_ID,
            "exp": int(self.now) + 600,
            "iat": int(self.now),
            "nonce": self.nonce,
            "email": "mira@corp.example",
            "email_verified": True,
            "name": "Mira",
            **self.claims,
        }
        claims = {name: value for name, value in claims.items() if value is not None}
        signed = self.id_token or jwt.encode({"alg": "RS256", "kid": self.key.kid, **self.header}, claims, self.key)
        return {"access_token": "access", "token_type": "Bearer", "id_token": signed}

    def unsigned(self) -> str:
        """Return a token with valid claims and without a signature."""
        whole = {
            "iss": self.address, "sub": "7", "aud": CLIENT_ID, "exp": int(self.now) + 600, "iat": int(self.now),
            "nonce": self.nonce,
        }  # fmt: skip
        parts = [
            base64.urlsafe_b64encode(json.dumps(one).encode()).decode().rstrip("=") for one in ({"alg": "none"}, whole)
        ]
        return ".".join([*parts, ""])

    def signed_by_the_secret(self) -> str:
        """Return a token signed with the client's secret, which is no secret between issuer and client alone."""
        whole = {
            "iss": self.address, "sub": "7", "aud": CLIENT_ID, "exp": int(self.now) + 600, "iat": int(self.now),
            "nonce": self.nonce,
        }  # fmt: skip
        return jwt.encode({"alg": "HS256"}, whole, OctKey.import_key(CLIENT_SECRET), algorithms=["HS256"])

    @contextmanager
    def running(self) -> Iterator["LyingIssuer"]:
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                issuer.asked.append(self.path)
                answers: dict[str, Any] = {
                    "/.well-known/openid-configuration": issuer.described,
                    "/jwks": lambda: {"keys": [key.as_dict(private=False) for key in issuer.published]},
                    "/me": lambda: issuer.userinfo,
                }
                self._tell(answers[self.path]())

            def do_POST(self) -> None:
                issuer.asked.append(self.path)
                self.rfile.read(int(self.headers["Content-Length"]))
                self._tell(issuer.tokens())

            def _tell(self, document: object) -> None:
                body = json.dumps(document).encode()
                self.send_response(302 if issuer.redirects else 200)
                if issuer.redirects:
                    self.send_header("Location", "http://169.254.169.254/latest/meta-data/")
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as it is called there
                """Say nothing."""

        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
            thread.start()
            self.address = f"http://127.0.0.1:{server.server_port}"
            try:
                yield self
            finally:
                server.shutdown()
                thread.join()
