"""Handing files to a Slowpath server: whole when small, in parts when large, and never twice.

Every request carries an idempotency key made from what it sends, so that running the same command again after a break
goes on where it stopped instead of making copies.
"""

import hashlib
import json
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote, urlsplit

import httpx

from slowpath_cli.collect.pprof_client import MIB, printable
from slowpath_cli.core.collect_errors import InvalidArgument, RequestDeclined, ResponseRejected, TargetUnreachable

FORBIDDEN = 403
RESUMABLE_BYTES = 32 * MIB
"""Files above this size go in parts, as the API asks."""
PAUSES_SECONDS = (0.5, 1.0, 2.0, 4.0, 8.0)
TIMEOUT = httpx.Timeout(60.0, connect=5.0)
ANSWER_BYTES = 4 * MIB
_PASSING = frozenset({408, 429, 500, 502, 503, 504})


class UploadClient:
    """One Slowpath server, spoken to with one token. Use as a context manager; not for several threads."""

    def __init__(self, address: str, token: str, pause: Callable[[float], None] = time.sleep) -> None:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise InvalidArgument(f"{address!r} is not the address of a server: give http://host:port or https://host.")
        if not token or not token.isascii() or not token.isprintable() or " " in token:
            raise InvalidArgument(
                "A token is needed: give --token, or set SLOWPATH_TOKEN. Make one under Settings, Tokens."
            )
        self.origin = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
        self._pause = pause
        self._http = httpx.Client(
            base_url=f"{self.origin}/api/v1/",
            headers={"Authorization": f"Bearer {token}", "User-Agent": "slowpath"},
            timeout=TIMEOUT,
            follow_redirects=False,  # a token is not carried to another place
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connections."""
        self._http.close()

    def check(self) -> None:
        """Ask for something small. Raises when the server or the token is not what it should be.

        A token that may only upload may not list: being told so is as good an answer.
        """
        try:
            self._call("GET", "artifacts", params={"limit": 1})
        except RequestDeclined as error:
            if error.status != FORBIDDEN:
                raise

    def put(self, name: str, body: bytes, facts: Mapping[str, Any], *, batch: str, build_id: str | None = None) -> str:
        """Upload bytes; returns the artifact's id."""
        if len(body) > RESUMABLE_BYTES:
            return self._in_parts(_ChunkSource.of_bytes(body), _labels(name, facts, batch, build_id))
        return self._whole(body, _labels(name, facts, batch, build_id))

    def put_file(
        self, path: Path, name: str, facts: Mapping[str, Any], *, batch: str, build_id: str | None = None
    ) -> str:
        """Upload a file; a large one is read in parts and never as a whole. Returns the artifact's id."""
        if path.stat().st_size > RESUMABLE_BYTES:
            return self._in_parts(_ChunkSource.of_file(path), _labels(name, facts, batch, build_id))
        return self._whole(path.read_bytes(), _labels(name, facts, batch, build_id))

    def tell_build(self, service: str, commit: str, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Tell what is known of a build, which is made if it is new; returns it as the server knows it now."""
        told = self._call("POST", f"builds/{quote(service, safe='')}/{quote(commit, safe='')}", json=dict(facts))
        build: dict[str, Any] = told["build"]
        return build

    def judgement(self, build_id: str) -> dict[str, Any]:
        """What is known of a build's speed. Raises `RequestDeclined` with 404 where nobody has looked yet."""
        return self._call("GET", f"builds/{build_id}/verdict")

    def artifact(self, artifact_id: str) -> dict[str, Any]:
        """The artifact as the server tells it."""
        return self._call("GET", f"artifacts/{artifact_id}")

    def once(self, method: str, path: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401 - httpx's own arguments
        """Ask once; who asks is the one to ask again. Raises `TargetUnreachable`, `RequestDeclined`, `ResponseRejected`."""
        return self._ask(method, path, **request)

    def many(self, path: str) -> list[dict[str, Any]]:
        """Ask once for a list. Raises as `once`."""
        found = self._answered("GET", path)
        if not isinstance(found, list):
            raise ResponseRejected(f"{self.origin} does not answer with a list.")
        return found

    def _whole(self, body: bytes, labels: dict[str, Any]) -> str:
        params = {key: value for key, value in labels.items() if key not in {"name", "run_metadata"}}
        params["run_metadata"] = json.dumps(labels["run_metadata"], separators=(",", ":"))
        path = f"artifacts/{quote(labels['name'], safe='')}"
        told = self._once_made("PUT", path, _key(labels, hashlib.sha256(body).hexdigest()), params=params, content=body)
        return str(told["id"])

    def _in_parts(self, source: "_ChunkSource", labels: dict[str, Any]) -> str:
        asked = {**labels, "size_bytes": source.size_bytes}
        upload = self._once_made("POST", "uploads", _key(labels, source.sha256()), json=asked)
        if upload.get("artifact_id"):
            return str(upload["artifact_id"])
        part_bytes = int(upload["part_size_bytes"])
        if part_bytes <= 0:
            raise ResponseRejected(f"{self.origin} asks for parts of {part_bytes} bytes.")
        arrived = {int(part["number"]): str(part["sha256"]) for part in upload["parts"]}
        for number in range(1, -(-source.size_bytes // part_bytes) + 1):
            piece = source.piece((number - 1) * part_bytes, part_bytes)
            if arrived.get(number) != hashlib.sha256(piece).hexdigest():
                self._call("PUT", f"uploads/{upload['id']}/parts/{number}", content=piece)
        return str(self._call("POST", f"uploads/{upload['id']}/complete")["id"])

    def _once_made(self, method: str, path: str, key: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401 - httpx's own arguments
        """A request that makes something. A key whose thing was deleted since is worth nothing: then with a fresh one."""
        try:
            return self._call(method, path, headers={"Idempotency-Key": key}, **request)
        except RequestDeclined as error:
            if error.status != 404:
                raise
            return self._call(method, path, headers={"Idempotency-Key": str(uuid.uuid4())}, **request)

    def _call(self, method: str, path: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401 - httpx's own arguments
        for seconds in PAUSES_SECONDS:
            try:
                return self._ask(method, path, **request)
            except RequestDeclined as error:
                if not error.is_transient:
                    raise
            except TargetUnreachable:
                if path == "artifacts":  # the first question: a wrong address should be told at once
                    raise
            self._pause(seconds)
        return self._ask(method, path, **request)

    def _ask(self, method: str, path: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401 - httpx's own arguments
        found = self._answered(method, path, **request)
        if not isinstance(found, dict):
            raise RequestDeclined(f"{self.origin} does not answer as a Slowpath server does.", status=0)
        return found

    def _answered(self, method: str, path: str, **request: Any) -> object:  # noqa: ANN401 - httpx's own arguments
        try:
            with self._http.stream(method, path, **request) as response:
                body = bytearray()
                for piece in response.iter_bytes():
                    body += piece
                    if len(body) > ANSWER_BYTES:
                        raise ResponseRejected(f"{self.origin} answers with more than {ANSWER_BYTES:,} bytes.")
        except httpx.TransportError as error:
            raise TargetUnreachable(f"{self.origin} does not answer ({type(error).__name__}: {error}).") from error
        return self._told(response, bytes(body))

    def _told(self, response: httpx.Response, body: bytes) -> object:
        try:
            told = json.loads(body) if body else {}
        except ValueError:
            told = None
        if response.is_success and isinstance(told, dict | list):
            return told
        if response.is_success or response.has_redirect_location:
            raise RequestDeclined(
                f"{self.origin} does not answer as a Slowpath server does ({response.status_code}).", status=0
            )
        raise RequestDeclined(
            _problem(response.status_code, told), status=response.status_code, is_transient=response.status_code in _PASSING,
            problem=told if isinstance(told, dict) else None,
        )  # fmt: skip


class _ChunkSource:
    """A source of bytes that can be read in pieces, twice: once to sum up, once to send."""

    def __init__(self, size_bytes: int, read: Callable[[int, int], bytes]) -> None:
        self.size_bytes = size_bytes
        self._read = read

    @classmethod
    def of_bytes(cls, body: bytes) -> "_ChunkSource":
        return cls(len(body), lambda at, length: body[at : at + length])

    @classmethod
    def of_file(cls, path: Path) -> "_ChunkSource":
        def read(at: int, length: int) -> bytes:
            with path.open("rb") as file:
                file.seek(at)
                return file.read(length)

        return cls(path.stat().st_size, read)

    def piece(self, at: int, length: int) -> bytes:
        return self._read(at, length)

    def sha256(self) -> str:
        digest = hashlib.sha256()
        for at in range(0, self.size_bytes, MIB):
            digest.update(self._read(at, MIB))
        return digest.hexdigest()


def _labels(name: str, facts: Mapping[str, Any], batch: str, build_id: str | None) -> dict[str, Any]:
    labels: dict[str, Any] = {"name": name, "run_metadata": dict(facts), "batch": batch}
    return {**labels, "build_id": build_id} if build_id else labels


def _key(labels: Mapping[str, Any], sha256: str) -> str:
    text = json.dumps({**labels, "sha256": sha256}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _problem(status: int, told: object) -> str:
    """A problem (RFC 9457) in one sentence: what, the limit and the actual value, the way out."""
    if not isinstance(told, dict):
        return f"The server answers {status}."
    parts = [str(told.get("detail") or told.get("title") or f"The server answers {status}.")]
    if told.get("limit") is not None:
        parts.append(
            f"The limit is {told['limit']}, this is {told.get('value')} {told.get('unit') or ''}.".replace(" .", ".")
        )
    if told.get("resolution"):
        parts.append(str(told["resolution"]))
    if status == 401:
        parts.append("Is the token right, and not expired or revoked?")
    return printable(" ".join(parts), 600)
