"""Asking what stands outside by HTTP: a cluster, a code host, a receiver of webhooks.

Certificates are checked, always. Answers are bounded in size and in time, redirects are not followed (a token is not
carried to another place), and who asks learns whether a request that had no answer may have arrived all the same.
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
MOST_BYTES: Final = 16 * MIB
CONNECT_SECONDS: Final = 5.0
ANSWER_SECONDS: Final = 20.0
AGAIN_SECONDS: Final = (0.5, 1.5)
SHORT_SECONDS: Final = 5.0
"""Who asks us to wait no longer than that is waited for; else whoever asked hears until when nothing is known."""
UNKNOWN: Final = 401
PASSING: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
JSON: Final = "application/json"


class RequestFailed(Exception):
    """Nothing came back that could be read; `arrived`: the request may have done its work all the same."""

    def __init__(self, message: str, *, arrived: bool) -> None:
        super().__init__(message)
        self.arrived = arrived


@dataclass(frozen=True)
class HttpResponse:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def good(self) -> bool:
        """Tells whether it is a 2xx."""
        return 200 <= self.status < 300

    def told(self) -> dict[str, Any]:
        """Return the object in the body; what is no object of JSON is an empty one."""
        try:
            read = json.loads(self.body)
        except (ValueError, RecursionError):
            return {}
        return read if isinstance(read, dict) else {}

    def words(self, limit: int = 300) -> str:
        """Return what it says for a person: the message of an object, else the beginning of the text; printable."""
        message = self.told().get("message")
        text = message if isinstance(message, str) else self.body[: limit * 4].decode("utf-8", "replace")
        return printable(" ".join(text.split()), limit) or "without a word"


class HttpClient:
    """One place outside. For several threads.

    `headers` and `trust` are asked for anew for every request: tokens and certificates change. `refused` is called when
    nobody knows us (401), and says whether there is another token now. `proxied`: whether HTTPS_PROXY and the like are
    heeded, which a cluster's own address must not be; `proxy` is one that is meant for this place.
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
        seconds: float = ANSWER_SECONDS,
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
        self._believed = trust()
        self._http = self._client(self._believed)

    def _client(self, trust: TlsTrust) -> httpx.Client:
        """Raises `InvalidDriverConfig`."""
        plain = self.address.startswith("http://") and on_loopback(self.address)
        return httpx.Client(
            verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            if plain
            else trust.context(),  # one that believes nobody costs nothing
            headers={"User-Agent": "slowpath-runner", "Accept": JSON, "Accept-Encoding": "identity"},
            timeout=httpx.Timeout(self._seconds, connect=CONNECT_SECONDS),
            follow_redirects=False,
            trust_env=self._proxied,
            proxy=self._proxy,
        )

    def _connected(self) -> tuple[httpx.Client, TlsTrust]:
        """Return the connections of who we are now; those of who we were end with their last request. Raises `InvalidDriverConfig`."""
        with self._lock:
            trust = self._trust()
            if trust != self._believed:
                self._http, self._believed = self._client(trust), trust
            return self._http, trust

    def ask(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> HttpResponse:
        """Send one request and return its answer, whatever its status. A body is bytes, or is sent as JSON. Raises `RequestFailed`."""
        left = self.limits.left()
        if left > 0:
            raise RequestFailed(f"{self.address} is not to be asked before {at(left)}", arrived=False)
        content = body if isinstance(body, bytes) or body is None else json.dumps(body, separators=(",", ":")).encode()
        typed = {} if content is None else {"Content-Type": JSON}
        for last in (False, True):
            try:
                (http, trust), own = self._connected(), self._headers()
            except InvalidDriverConfig as error:  # a file that is being changed, a program that fails
                raise RequestFailed(str(error), arrived=False) from error
            name = {} if trust.server_name is None else {"sni_hostname": trust.server_name}
            all_headers = {**typed, **own, **(headers or {})}
            answer = self._sent(
                http,
                method,
                f"{self.address}{path}",
                params=query,
                content=content,
                headers=all_headers,
                extensions=name,
            )
            if last or answer.status != UNKNOWN or not self._refused():
                break
        self.limits.heard(answer.status, answer.headers, answer.words())
        return answer

    def _sent(self, http: httpx.Client, method: str, url: str, **more: Any) -> HttpResponse:  # noqa: ANN401 - as httpx takes it
        """Raises `RequestFailed`."""
        deadline = time.monotonic() + self._seconds
        try:
            with http.stream(method, url, **more) as answer:
                read = bytearray()
                for piece in answer.iter_bytes():
                    read += piece
                    if len(read) > MOST_BYTES:
                        raise RequestFailed(f"{url} answers with more than {MOST_BYTES:,} bytes.", arrived=True)
                    if time.monotonic() > deadline:
                        raise RequestFailed(f"{url} takes longer than {self._seconds:g} s to answer.", arrived=True)
                return HttpResponse(answer.status_code, dict(answer.headers), bytes(read))
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError) as error:
            raise RequestFailed(f"{url} cannot be reached: {error}", arrived=False) from error
        except httpx.TimeoutException as error:
            raise RequestFailed(f"{url} did not answer within {self._seconds:g} s.", arrived=True) from error
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise RequestFailed(f"{url} broke off: {error}", arrived=True) from error
        except (httpx.InvalidURL, UnicodeEncodeError) as error:
            raise RequestFailed(f"{url} is not an address: {error}", arrived=False) from error

    def wanted(
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
        """`ask`, again while that may help, for what does no harm twice; only a 2xx will do (with `missing` a 404 too: None).

        `doubted`: answers that are not believed at once, as those that pass are not. Raises `DeploymentFailed`; `StatusUnknown` where
        nothing that can be read came back, or we are asked to wait.
        """
        for pause in (*AGAIN_SECONDS, None):
            try:
                answer = self.ask(method, path, query=query, body=body, headers=headers)
            except RequestFailed as error:
                failed = DeploymentFailed(str(error), is_transient=True)
            else:
                if answer.good:
                    return answer
                if missing and answer.status == 404:
                    return None
                failed = make_error_from_response(f"{method} {self.address}{path}", answer)
                failed.is_transient = failed.is_transient or answer.status in doubted
            if not failed.is_transient:
                raise failed
            left = self.limits.left()
            if pause is None or left > SHORT_SECONDS:
                raise StatusUnknown(str(failed), seconds=left)
            self._pause(max(pause, left))
        raise AssertionError


def make_error_from_response(what: str, answer: HttpResponse) -> DeploymentFailed:
    """Return an answer that is no success as an error that says whether the same again may succeed."""
    text = f"{what} answers {answer.status}: {answer.words()}"
    is_transient = answer.status in PASSING or is_limit(answer.status, answer.headers, answer.words())
    return DeploymentFailed(text, is_transient=is_transient)


def on_loopback(address: str) -> bool:
    """Tell whether an address is on this machine: what goes there needs no TLS."""
    host = urlsplit(address).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_address(address: str) -> None:
    """Refuse what is no address of HTTP, or carries a password. Raises `InvalidDriverConfig`."""
    try:
        parts = urlsplit(address)
        known = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError as error:
        raise InvalidDriverConfig(f"{address!r} is not an address: {error}.") from error
    if not known:
        raise InvalidDriverConfig(f"{address!r} is not an address: give https://host.")
    if parts.username or parts.password:
        raise InvalidDriverConfig(
            "An address with a password is not taken: it would stand in logs. Give a token by its variable."
        )
