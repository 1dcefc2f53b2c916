"""Client of a Slowpath server: uploads files whole or in parts, idempotently.

Each request has an idempotency key derived from its content: repeating an interrupted command resumes the upload and
creates no copies.
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
"""Files above this size are uploaded in parts, as the API requires."""
PAUSES_SECONDS = (0.5, 1.0, 2.0, 4.0, 8.0)
TIMEOUT = httpx.Timeout(60.0, connect=5.0)
MAX_RESPONSE_BYTES = 4 * MIB
_TRANSIENT_STATUSES = frozenset({408, 429, 500, 502, 503, 504})


class UploadClient:
    """Client of one Slowpath server with one token. Use as a context manager; not thread-safe."""

    def __init__(self, address: str, token: str, pause: Callable[[float], None] = time.sleep) -> None:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise InvalidArgument(f"{address!r} is not the address of a server. Use http://host:port or https://host.")
        if not token or not token.isascii() or not token.isprintable() or " " in token:
            raise InvalidArgument(
                "No valid token given. Set SLOWPATH_TOKEN, or use --token. Create a token in Settings > Tokens."
            )
        self.origin = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
        self._pause = pause
        self._http = httpx.Client(
            base_url=f"{self.origin}/api/v1/",
            headers={"Authorization": f"Bearer {token}", "User-Agent": "slowpath"},
            timeout=TIMEOUT,
            follow_redirects=False,  # the token must not be sent to another host
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def check(self) -> None:
        """Send a small request to validate the address and the token. Raises `CollectError`.

        A 403 is accepted: a token with only the upload scope cannot list artifacts.
        """
        try:
            self._call("GET", "artifacts", params={"limit": 1})
        except RequestDeclined as error:
            if error.status != FORBIDDEN:
                raise

    def put(self, name: str, body: bytes, facts: Mapping[str, Any], *, batch: str, build_id: str | None = None) -> str:
        """Upload bytes and return the artifact's ID."""
        if len(body) > RESUMABLE_BYTES:
            return self._upload_in_parts(_ChunkSource.of_bytes(body), _labels(name, facts, batch, build_id))
        return self._upload_whole(body, _labels(name, facts, batch, build_id))

    def put_file(
        self, path: Path, name: str, facts: Mapping[str, Any], *, batch: str, build_id: str | None = None
    ) -> str:
        """Upload a file and return the artifact's ID; a large file is read in parts."""
        if path.stat().st_size > RESUMABLE_BYTES:
            return self._upload_in_parts(_ChunkSource.of_file(path), _labels(name, facts, batch, build_id))
        return self._upload_whole(path.read_bytes(), _labels(name, facts, batch, build_id))

    def send_build(self, service: str, commit: str, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Send a build's metadata, creating the build if it is new, and return the stored build."""
        document = self._call("POST", f"builds/{quote(service, safe='')}/{quote(commit, safe='')}", json=dict(facts))
        build: dict[str, Any] = document["build"]
        return build

    def get_build_verdict(self, build_id: str) -> dict[str, Any]:
        """Return a build's verdict. Raises `RequestDeclined` with status 404 before its first evaluation."""
        return self._call("GET", f"builds/{build_id}/verdict")

    def artifact(self, artifact_id: str) -> dict[str, Any]:
        """Return an artifact."""
        return self._call("GET", f"artifacts/{artifact_id}")

    def once(self, method: str, path: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401 - httpx's own arguments
        """Send a request without retries. Raises `TargetUnreachable`, `RequestDeclined`, `ResponseRejected`."""
        return self._send_once(method, path, **request)

    def many(self, path: str) -> list[dict[str, Any]]:
        """Request a list without retries. Raises like `once`."""
        found = self._send("GET", path)
        if not isinstance(found, list):
            raise ResponseRejected(f"{self.origin} did not respond with a list to {path}.")
        return found

    def download(self, path: str, out: Path) -> None:
        """Write the body of a response to a file. Raises like `once`."""
        try:
            with self._http.stream("GET", path) as response, out.open("wb") as file:
                if not response.is_success:
                    self._parse_response(response, response.read())
                for piece in response.iter_bytes():
                    file.write(piece)
        except httpx.TransportError as error:
            raise TargetUnreachable(f"{self.origin} does not answer ({type(error).__name__}: {error}).") from error

    def _upload_whole(self, body: bytes, labels: dict[str, Any]) -> str:
        params = {key: value for key, value in labels.items() if key not in {"name", "run_metadata"}}
        params["run_metadata"] = json.dumps(labels["run_metadata"], separators=(",", ":"))
        path = f"artifacts/{quote(labels['name'], safe='')}"
        document = self._create(
            "PUT", path, _key(labels, hashlib.sha256(body).hexdigest()), params=params, content=body
        )
        return str(document["id"])

    def _upload_in_parts(self, source: "_ChunkSource", labels: dict[str, Any]) -> str:
        body = {**labels, "size_bytes": source.size_bytes}
        upload = self._create("POST", "uploads", _key(labels, source.sha256()), json=body)
        if upload.get("artifact_id"):
            return str(upload["artifact_id"])
        part_bytes = int(upload["part_size_bytes"])
        if part_bytes <= 0:
            raise ResponseRejected(f"{self.origin} requested an invalid part size: {part_bytes} bytes.")
        sha256_by_number = {int(part["number"]): str(part["sha256"]) for part in upload["parts"]}
        for number in range(1, -(-source.size_bytes // part_bytes) + 1):
            piece = source.piece((number - 1) * part_bytes, part_bytes)
            if sha256_by_number.get(number) != hashlib.sha256(piece).hexdigest():
                self._call("PUT", f"uploads/{upload['id']}/parts/{number}", content=piece)
        return str(self._call("POST", f"uploads/{upload['id']}/complete")["id"])

    def _create(self, method: str, path: str, key: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401 - httpx's own arguments
        """Send a request that creates an object; with a new key if the object of this key was deleted (404)."""
        try:
            return self._call(method, path, headers={"Idempotency-Key": key}, **request)
        except RequestDeclined as error:
            if error.status != 404:
                raise
            return self._call(method, path, headers={"Idempotency-Key": str(uuid.uuid4())}, **request)

    def _call(self, method: str, path: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401 - httpx's own arguments
        for seconds in PAUSES_SECONDS:
            try:
                return self._send_once(method, path, **request)
            except RequestDeclined as error:
                if not error.is_transient:
                    raise
            except TargetUnreachable:
                if path == "artifacts":  # the first request: report a wrong address without retries
                    raise
            self._pause(seconds)
        return self._send_once(method, path, **request)

    def _send_once(self, method: str, path: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401 - httpx's own arguments
        found = self._send(method, path, **request)
        if not isinstance(found, dict):
            raise RequestDeclined(f"{self.origin} is not a Slowpath server: unexpected response.", status=0)
        return found

    def _send(self, method: str, path: str, **request: Any) -> object:  # noqa: ANN401 - httpx's own arguments
        try:
            with self._http.stream(method, path, **request) as response:
                body = bytearray()
                for piece in response.iter_bytes():
                    body += piece
                    if len(body) > MAX_RESPONSE_BYTES:
                        raise ResponseRejected(
                            f"The response of {self.origin} exceeds the limit of {MAX_RESPONSE_BYTES:,} bytes."
                        )
        except httpx.TransportError as error:
            raise TargetUnreachable(f"{self.origin} does not answer ({type(error).__name__}: {error}).") from error
        return self._parse_response(response, bytes(body))

    def _parse_response(self, response: httpx.Response, body: bytes) -> object:
        try:
            document = json.loads(body) if body else {}
        except ValueError:
            document = None
        if response.is_success and isinstance(document, dict | list):
            return document
        if response.is_success or response.has_redirect_location:
            raise RequestDeclined(
                f"{self.origin} is not a Slowpath server: unexpected response ({response.status_code}).", status=0
            )
        raise RequestDeclined(
            _problem(response.status_code, document), status=response.status_code, is_transient=response.status_code in _TRANSIENT_STATUSES,
            problem=document if isinstance(document, dict) else None,
        )  # fmt: skip


class _ChunkSource:
    """Bytes or a file, read in chunks: once for the digest, once for the upload."""

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


def _problem(status: int, document: object) -> str:
    """Format a problem (RFC 9457) as one line: failure, limit, actual value, remedy."""
    if not isinstance(document, dict):
        return f"The server responded with {status}."
    parts = [str(document.get("detail") or document.get("title") or f"The server responded with {status}.")]
    if document.get("limit") is not None:
        parts.append(
            f"The limit is {document['limit']}, this is {document.get('value')} {document.get('unit') or ''}.".replace(
                " .", "."
            )
        )
    if document.get("resolution"):
        parts.append(str(document["resolution"]))
    if status == 401:
        parts.append("Check that the token is correct and has not expired or been revoked.")
    return printable(" ".join(parts), 600)
