"""HTTP client for external systems: a cluster, a code host, a receiver of webhooks.

Certificates are verified. Responses are limited in size and time. Redirects are not followed, because the token must not
be sent to another host. Errors include whether the request may have been processed.
"""

import ipaddress
import json
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from slowpath_cli.collect.pprof_client import printable
from slowpath_cli.runner.core.driver_interface import DeploymentFailed, InvalidDriverConfig
from slowpath_cli.runner.core.rate_limits import RateLimitState, StatusUnknown, at, is_limit
from slowpath_cli.runner.core.tls_trust import TlsTrust

MIB: Final = 1024 * 1024
MAX_BYTES: Final = 16 * MIB
CONNECT_SECONDS: Final = 5.0
TIMEOUT_SECONDS: Final = 20.0
RETRY_SECONDS: Final = (0.5, 1.5)
MAX_WAIT_SECONDS: Final = 5.0
"""Longest rate limit that a request waits for; for longer ones it raises `StatusUnknown` with the time."""
UNAUTHORIZED: Final = 401
TRANSIENT_STATUSES: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
JSON: Final = "application/json"


class RequestFailed(Exception):
    """The request has no readable response; `arrived`: it may have been processed."""

    def __init__(self, message: str, *, arrived: bool) -> None:
        super().__init__(message)
        self.arrived = arrived


@dataclass(frozen=True)
class HttpResponse:
    """Status, headers and body of a response."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def good(self) -> bool:
        """Return whether the status is 2xx."""
        return 200 <= self.status < 300

    def json_object(self) -> dict[str, Any]:
        """Return the JSON object in the body; empty if it is not a JSON object."""
        try:
            read = json.loads(self.body)
        except (ValueError, RecursionError):
            return {}
        return read if isinstance(read, dict) else {}

    def words(self, limit: int = 300) -> str:
        """Return a printable message: `message` of the JSON object, else the beginning of the body."""
        message = self.json_object().get("message")
        text = message if isinstance(message, str) else self.body[: limit * 4].decode("utf-8", "replace")
        return printable(" ".join(text.split()), limit) or "no message"


class HttpClient:
    """Client of one external system. Thread-safe.

    `headers` and `trust` are called for every request, because tokens and certificates change. `refused` is called after
    a 401 and returns whether there is a new token. `proxied`: whether HTTPS_PROXY and similar variables apply, which must
    not be the case for a cluster's address; `proxy` is a proxy for this address.
    """

    def __init__(
        self,
        address: str,
        headers: Callable[[], Mapping[str, str]],
        trust: Callable[[], TlsTrust] = TlsTrust,
        *,
        refused: Callable[[], bool] = lambda: False,
        proxied: bool = True,
        proxy: str | None = None,
        seconds: float = TIMEOUT_SECONDS,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        check_address(address)
        self.address = address.rstrip("/")
        self.limits = RateLimitState()
        self._headers, self._trust, self._refused = headers, trust, refused
        self._proxied, self._proxy = proxied, proxy
        self._seconds = seconds
        self._pause = pause
        self._lock = threading.Lock()
        self._current_trust = trust()
        self._http = self._client(self._current_trust)

    def _client(self, trust: TlsTrust) -> httpx.Client:
        """Make an HTTP client. Raises `InvalidDriverConfig`."""
        plain = self.address.startswith("http://") and on_loopback(self.address)
        return httpx.Client(
            verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else trust.context(),  # an empty context is cheap
            headers={"User-Agent": "slowpath-runner", "Accept": JSON, "Accept-Encoding": "identity"},
            timeout=httpx.Timeout(self._seconds, connect=CONNECT_SECONDS),
            follow_redirects=False,
            trust_env=self._proxied,
            proxy=self._proxy,
        )

    def _current_client(self) -> tuple[httpx.Client, TlsTrust]:
        """Return the client for the current certificates; old clients close after their last request.

        Raises `InvalidDriverConfig`.
        """
        with self._lock:
            trust = self._trust()
            if trust != self._current_trust:
                self._http, self._current_trust = self._client(trust), trust
            return self._http, trust

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> HttpResponse:
        """Send one request and return its response, with any status. Raises `RequestFailed`.

        A body that is not bytes is sent as JSON.
        """
        left = self.limits.left()
        if left > 0:
            raise RequestFailed(f"The rate limit of {self.address} ends at {at(left)}", arrived=False)
        content = body if isinstance(body, bytes) or body is None else json.dumps(body, separators=(",", ":")).encode()
        content_type = {} if content is None else {"Content-Type": JSON}
        for last in (False, True):
            try:
                (http, trust), current_headers = self._current_client(), self._headers()
            except InvalidDriverConfig as error:  # a file that is being written, or a failing program
                raise RequestFailed(str(error), arrived=False) from error
            extensions = {} if trust.server_name is None else {"sni_hostname": trust.server_name}
            all_headers = {**content_type, **current_headers, **(headers or {})}
            response = self._send(
                http,
                method,
                f"{self.address}{path}",
                params=query,
                content=content,
                headers=all_headers,
                extensions=extensions,
            )
            if last or response.status != UNAUTHORIZED or not self._refused():
                break
        self.limits.record_response(response.status, response.headers, response.words())
        return response

    def _send(self, http: httpx.Client, method: str, url: str, **more: Any) -> HttpResponse:  # noqa: ANN401 - as httpx takes it
        """Send a request and read its response. Raises `RequestFailed`."""
        deadline = time.monotonic() + self._seconds
        try:
            with http.stream(method, url, **more) as response:
                read = bytearray()
                for piece in response.iter_bytes():
                    read += piece
                    if len(read) > MAX_BYTES:
                        raise RequestFailed(
                            f"The response of {url} exceeds the limit of {MAX_BYTES:,} bytes.", arrived=True
                        )
                    if time.monotonic() > deadline:
                        raise RequestFailed(
                            f"The response of {url} took longer than the limit of {self._seconds:g} s.", arrived=True
                        )
                return HttpResponse(response.status_code, dict(response.headers), bytes(read))
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError) as error:
            raise RequestFailed(f"{url} cannot be reached: {error}", arrived=False) from error
        except httpx.TimeoutException as error:
            raise RequestFailed(f"{url} did not respond within {self._seconds:g} s.", arrived=True) from error
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise RequestFailed(f"The connection to {url} failed: {error}", arrived=True) from error
        except (httpx.InvalidURL, UnicodeEncodeError) as error:
            raise RequestFailed(f"{url} is not an address: {error}", arrived=False) from error

    def send_idempotent(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        missing: bool = False,
        doubted: frozenset[int] = frozenset(),
    ) -> HttpResponse | None:
        """Send an idempotent request, retrying transient failures; return the 2xx response (with `missing`, None for 404).

        `doubted`: other statuses that are retried. Raises `DeploymentFailed`, and `StatusUnknown` after the last retry or
        for a long rate limit.
        """
        for pause in (*RETRY_SECONDS, None):
            try:
                response = self.send(method, path, query=query, body=body, headers=headers)
            except RequestFailed as error:
                failed = DeploymentFailed(str(error), is_transient=True)
            else:
                if response.good:
                    return response
                if missing and response.status == 404:
                    return None
                failed = make_error_from_response(f"{method} {self.address}{path}", response)
                failed.is_transient = failed.is_transient or response.status in doubted
            if not failed.is_transient:
                raise failed
            left = self.limits.left()
            if pause is None or left > MAX_WAIT_SECONDS:
                raise StatusUnknown(str(failed), seconds=left)
            self._pause(max(pause, left))
        raise AssertionError


def make_error_from_response(what: str, response: HttpResponse) -> DeploymentFailed:
    """Return a failed response as an error; `is_transient` if a retry may succeed."""
    text = f"{what} responded with {response.status}: {response.words()}"
    is_transient = response.status in TRANSIENT_STATUSES or is_limit(
        response.status, response.headers, response.words()
    )
    return DeploymentFailed(text, is_transient=is_transient)


def on_loopback(address: str) -> bool:
    """Return whether an address is on the loopback interface, where TLS is not required."""
    host = urlsplit(address).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_address(address: str) -> None:
    """Check that an address is a valid HTTP URL without a password. Raises `InvalidDriverConfig`."""
    try:
        parts = urlsplit(address)
        is_valid = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError as error:
        raise InvalidDriverConfig(f"{address!r} is not an address: {error}.") from error
    if not is_valid:
        raise InvalidDriverConfig(f"{address!r} is not an address. Use https://host.")
    if parts.username or parts.password:
        raise InvalidDriverConfig(
            "An address must not contain a password, because logs would show it. Set a token by its variable."
        )
