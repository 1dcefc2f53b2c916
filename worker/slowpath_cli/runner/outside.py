"""Asking what stands outside by HTTP: a cluster, a code host, a receiver of webhooks.

Certificates are checked, always. Answers are bounded in size and in time, redirects are not followed (a token is not
carried to another place), and who asks learns whether a request that had no answer may have arrived all the same.
"""

import json
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from slowpath_cli.collecting.fetch import printable
from slowpath_cli.runner.driver import BadSection, DeployFailed

MIB: Final = 1024 * 1024
MOST_BYTES: Final = 16 * MIB
CONNECT_SECONDS: Final = 5.0
ANSWER_SECONDS: Final = 20.0
AGAIN_SECONDS: Final = (0.5, 1.5)
PASSING: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
JSON: Final = "application/json"


class NoAnswer(Exception):
    """Nothing came back that could be read; `arrived`: the request may have done its work all the same."""

    def __init__(self, message: str, *, arrived: bool) -> None:
        super().__init__(message)
        self.arrived = arrived


class NotKnown(DeployFailed):
    """The one who knows is away just now."""

    def __init__(self, message: str) -> None:
        super().__init__(message, passing=True)


@dataclass(frozen=True)
class Answer:
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


@dataclass(frozen=True)
class Trust:
    """Whom to believe, and who we are: files of certificates. None: the system's authorities."""

    ca_file: Path | None = None
    certificate: Path | None = None
    key: Path | None = None

    def context(self) -> ssl.SSLContext:
        """Return it as TLS wants it. Raises `BadSection` naming the file."""
        try:
            context = ssl.create_default_context(cafile=None if self.ca_file is None else str(self.ca_file))
            if self.certificate is not None:
                context.load_cert_chain(self.certificate, self.key)
        except (OSError, ssl.SSLError) as error:
            read = self.ca_file if self.certificate is None else self.certificate
            raise BadSection(f"{read} holds no certificate that can be used: {error}.") from error
        return context


class Outside:
    """One place outside. For several threads.

    `headers` are asked for anew for every request: tokens in files change. `proxied`: whether HTTPS_PROXY and the like
    are heeded, which a cluster's own address must not be.
    """

    def __init__(
        self,
        address: str,
        headers: Callable[[], Mapping[str, str]],
        trust: Trust | None = None,
        *,
        proxied: bool = True,
        seconds: float = ANSWER_SECONDS,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        check_address(address)
        self.address = address.rstrip("/")
        self._headers = headers
        self._seconds = seconds
        self._pause = pause
        self._http = httpx.Client(
            verify=(trust or Trust()).context(),
            headers={"User-Agent": "slowpath-runner", "Accept": JSON, "Accept-Encoding": "identity"},
            timeout=httpx.Timeout(seconds, connect=CONNECT_SECONDS),
            follow_redirects=False,
            trust_env=proxied,
        )

    def ask(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send one request and return its answer, whatever its status. A body is bytes, or is sent as JSON. Raises `NoAnswer`."""
        content = body if isinstance(body, bytes) or body is None else json.dumps(body, separators=(",", ":")).encode()
        typed = {} if content is None else {"Content-Type": JSON}
        url = f"{self.address}{path}"
        deadline = time.monotonic() + self._seconds
        try:
            own = self._headers()
        except BadSection as error:  # a token's file that is being changed
            raise NoAnswer(str(error), arrived=False) from error
        try:
            with self._http.stream(
                method, url, params=query, content=content, headers={**typed, **own, **(headers or {})}
            ) as answer:
                read = bytearray()
                for piece in answer.iter_bytes():
                    read += piece
                    if len(read) > MOST_BYTES:
                        raise NoAnswer(f"{url} answers with more than {MOST_BYTES:,} bytes.", arrived=True)
                    if time.monotonic() > deadline:
                        raise NoAnswer(f"{url} takes longer than {self._seconds:g} s to answer.", arrived=True)
                return Answer(answer.status_code, dict(answer.headers), bytes(read))
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError) as error:
            raise NoAnswer(f"{url} can not be reached: {error}", arrived=False) from error
        except httpx.TimeoutException as error:
            raise NoAnswer(f"{url} did not answer within {self._seconds:g} s.", arrived=True) from error
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise NoAnswer(f"{url} broke off: {error}", arrived=True) from error
        except (httpx.InvalidURL, UnicodeEncodeError) as error:
            raise NoAnswer(f"{url} is not an address: {error}", arrived=False) from error

    def wanted(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        missing: bool = False,
    ) -> Answer | None:
        """`ask`, again while that may help, for what does no harm twice; only a 2xx will do (with `missing` a 404 too: None).

        Raises `DeployFailed`; `NotKnown` where nothing that can be read came back.
        """
        for pause in (*AGAIN_SECONDS, None):
            try:
                answer = self.ask(method, path, query=query, body=body, headers=headers)
            except NoAnswer as error:
                failed = DeployFailed(str(error), passing=True)
            else:
                if answer.good:
                    return answer
                if missing and answer.status == 404:
                    return None
                failed = refusal(f"{method} {self.address}{path}", answer)
            if not failed.passing:
                raise failed
            if pause is None:
                raise NotKnown(str(failed))
            self._pause(pause)
        raise AssertionError


def refusal(what: str, answer: Answer) -> DeployFailed:
    """Return an answer that is no success as an error that says whether the same again may succeed."""
    limited = answer.status == 403 and answer.headers.get("x-ratelimit-remaining") == "0"
    limited = limited or (answer.status == 403 and "retry-after" in answer.headers)
    text = f"{what} answers {answer.status}: {answer.words()}"
    return DeployFailed(text, passing=limited or answer.status in PASSING)


def check_address(address: str) -> None:
    """Refuse what is no address of HTTP, or carries a password. Raises `BadSection`."""
    try:
        parts = urlsplit(address)
        known = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError as error:
        raise BadSection(f"{address!r} is not an address: {error}.") from error
    if not known:
        raise BadSection(f"{address!r} is not an address: give https://host.")
    if parts.username or parts.password:
        raise BadSection(
            "An address with a password is not taken: it would stand in logs. Give a token by its variable."
        )
