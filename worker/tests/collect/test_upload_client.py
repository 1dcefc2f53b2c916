"""Uploads to a server that follows the API's contract and disconnects where a test needs it."""

import hashlib
import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from slowpath_cli.collect.upload_client import RESUMABLE_BYTES, UploadClient
from slowpath_cli.core.collect_errors import InvalidArgument, RequestDeclined
from slowpath_cli.main import main
from tests.collect.pprof_servers import Answering, Asked, Handler, Reply

Serve = Callable[[Handler], Answering]
PART = 8 * 1024 * 1024
TOKEN = "slp_secret"


def json_reply(status: int, body: object) -> Reply:
    return Reply(status=status, body=json.dumps(body).encode(), headers={"Content-Type": "application/json"})


@dataclass
class Shelf:
    """Artifacts and uploads in memory, made at most once for each idempotency key."""

    artifacts: dict[str, dict[str, Any]] = field(default_factory=dict)
    bodies: dict[str, bytes] = field(default_factory=dict)
    uploads: dict[str, dict[str, Any]] = field(default_factory=dict)
    parts: dict[str, dict[int, bytes]] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    builds: dict[str, str] = field(default_factory=dict)
    build_ids: dict[str, str | None] = field(default_factory=dict)
    """The build that each artifact was sent for."""
    failing: list[int] = field(default_factory=list)
    """Status codes to answer the next requests that change something with."""

    def __call__(self, asked: Asked) -> Reply:
        if asked.headers.get("authorization") != f"Bearer {TOKEN}":
            return json_reply(401, {"detail": "No user is signed in.", "resolution": "Sign in."})
        if asked.method == "GET" and asked.path.startswith("/api/v1/artifacts?"):
            return json_reply(200, {"items": [], "next_cursor": None})
        if asked.method != "GET" and self.failing and (status := self.failing.pop(0)):
            return json_reply(status, {"detail": "Not now."})
        words = urlsplit(asked.path).path.removeprefix("/api/v1/").split("/")
        if words[0] == "builds":
            return json_reply(200, {"build": {"id": self._build(unquote(words[1]), words[2])}})
        if words[0] == "artifacts":
            return self._artifact(unquote(words[1]), asked)
        return self._upload(words, asked)

    def _build(self, service: str, commit: str) -> str:
        return self.builds.setdefault(f"{service}@{commit}", str(uuid.uuid4()))

    def _artifact(self, name: str, asked: Asked) -> Reply:
        query = parse_qs(urlsplit(asked.path).query)
        artifact_id = self.keys.get(asked.headers["idempotency-key"]) or self._made(
            name, asked.body, json.loads(query["run_metadata"][0]), query["batch"][0]
        )
        self.build_ids[artifact_id] = query.get("build_id", [None])[0]
        self.keys[asked.headers["idempotency-key"]] = artifact_id
        if artifact_id not in self.artifacts:
            return json_reply(404, {"detail": "There is no such artifact."})
        return json_reply(201, self.artifacts[artifact_id])

    def _made(self, name: str, body: bytes, facts: object, batch: object) -> str:
        artifact_id = str(uuid.uuid4())
        self.artifacts[artifact_id] = {"id": artifact_id, "name": name, "run_metadata": facts, "batch": batch}
        self.bodies[artifact_id] = body
        return artifact_id

    def _upload(self, words: list[str], asked: Asked) -> Reply:
        if words == ["uploads"]:
            upload_id = self.keys.setdefault(asked.headers["idempotency-key"], str(uuid.uuid4()))
            upload = self.uploads.setdefault(
                upload_id, {**json.loads(asked.body), "id": upload_id, "artifact_id": None}
            )
            parts = [
                {"number": number, "size_bytes": len(part), "sha256": hashlib.sha256(part).hexdigest()}
                for number, part in self.parts.setdefault(upload_id, {}).items()
            ]
            return json_reply(201, {**upload, "part_size_bytes": PART, "parts": parts})
        upload = self.uploads[words[1]]
        if words[2] == "parts":
            self.parts[words[1]][int(words[3])] = asked.body
            return json_reply(200, {"number": int(words[3])})
        body = b"".join(part for _, part in sorted(self.parts[words[1]].items()))
        assert len(body) == upload["size_bytes"]
        upload["artifact_id"] = upload["artifact_id"] or self._made(
            upload["name"], body, upload["run_metadata"], upload["batch"]
        )
        return json_reply(201, self.artifacts[upload["artifact_id"]])


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def upload(server: Answering, *arguments: str) -> int:
    return main(["upload", *arguments, "--server", f"http://{server.address}", "--token", TOKEN])


def test_files_go_up_with_their_facts_in_one_batch(serve: Serve, shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "cpu.00.pb.gz").write_bytes(b"zero")
    (tmp_path / "set" / "cpu.00.pb.gz.facts.json").write_text('{"requests": 7, "note": "ignored"}')
    (tmp_path / "set" / ".cpu.01.pb.gz.part").write_bytes(b"half-written")
    (tmp_path / "odd name?&.pb.gz").write_bytes(b"odd")
    (tmp_path / "facts.json").write_text('{"go_version": "go1.26.8"}')
    server = serve(shelf)
    assert (
        upload(
            server,
            str(tmp_path / "set"),
            str(tmp_path / "odd name?&.pb.gz"),
            "--metadata",
            str(tmp_path / "facts.json"),
        )
        == 0
    )
    made = {artifact["name"]: artifact for artifact in shelf.artifacts.values()}
    assert set(made) == {"cpu.00.pb.gz", "odd name?&.pb.gz"}
    assert made["cpu.00.pb.gz"]["run_metadata"] == {"requests": 7}, "what the API does not know is not sent"
    assert made["odd name?&.pb.gz"]["run_metadata"] == {"go_version": "go1.26.8"}
    assert len({artifact["batch"] for artifact in made.values()}) == 1
    assert sorted(shelf.bodies.values()) == [b"odd", b"zero"]


def test_the_same_command_again_makes_no_copies(serve: Serve, shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a")
    server = serve(shelf)
    assert [upload(server, str(tmp_path / "a")) for _ in range(2)] == [0, 0]
    assert len(shelf.artifacts) == 1
    shelf.artifacts.clear()
    assert upload(server, str(tmp_path / "a")) == 0
    assert len(shelf.artifacts) == 1, "what was deleted on the server can be uploaded again"


def test_a_large_file_goes_in_parts_and_goes_on_after_a_break(serve: Serve, shelf: Shelf, tmp_path: Path) -> None:
    content = bytes(range(256)) * ((RESUMABLE_BYTES + PART // 2) // 256)
    (tmp_path / "large").write_bytes(content)
    server = serve(shelf)
    shelf.failing = [0, 0, 0, 422]
    assert upload(server, str(tmp_path / "large")) == 2, "broken off at the third part"
    assert not shelf.artifacts
    before = len(server.asked)
    assert upload(server, str(tmp_path / "large")) == 0
    assert list(shelf.bodies.values()) == [content]
    sent = [asked.path.rpartition("/")[2] for asked in server.asked[before:] if asked.method == "PUT"]
    assert sent == ["3", "4", "5"], "parts that have arrived are not sent again"
    assert upload(server, str(tmp_path / "large")) == 0
    assert len(shelf.bodies) == 1


def test_passing_failures_are_tried_again(serve: Serve, shelf: Shelf) -> None:
    shelf.failing = [503, 502, 429]
    pauses: list[float] = []
    with UploadClient(serve(shelf).address, TOKEN, pauses.append) as server:
        server.put("name", b"body", {}, batch="b")
    assert len(shelf.artifacts) == 1
    assert pauses == [0.5, 1.0, 2.0]


def test_a_problem_is_reported_with_limit_and_remedy(serve: Serve) -> None:
    problem = {"detail": "big is too large.", "limit": 5, "value": 9, "unit": "bytes", "resolution": "Record less."}
    text = r"big is too large\. The limit is 5, this is 9 bytes\. Record less\."
    address = serve(lambda _: json_reply(413, problem)).address
    with UploadClient(address, TOKEN, lambda _: None) as server, pytest.raises(RequestDeclined, match=text):
        server.put("big", b"body", {}, batch="b")


def test_a_wrong_token_is_reported_before_anything_is_sent(
    serve: Serve, shelf: Shelf, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a").write_bytes(b"a")
    server = serve(shelf)
    assert main(["upload", str(tmp_path / "a"), "--server", server.address, "--token", "other"]) == 2
    assert "Check that the token is correct" in capfd.readouterr().err
    assert [asked.method for asked in server.asked] == ["GET"]


def test_the_token_is_not_carried_elsewhere(serve: Serve, shelf: Shelf) -> None:
    other = serve(shelf)
    away = Reply(status=307, headers={"Location": f"http://{other.address}/api/v1/artifacts"})
    address, message = serve(lambda _: away).address, "is not a Slowpath server"
    with UploadClient(address, TOKEN, lambda _: None) as server, pytest.raises(RequestDeclined, match=message):
        server.check()
    assert other.asked == []


@pytest.mark.parametrize(
    "reply",
    [Reply(body=b"<html>"), Reply(body=b"[]"), Reply(status=500, body=b"[]"), Reply(status=404, body=b'{"detail": 3}')],
)
def test_another_kind_of_server_is_rejected(serve: Serve, reply: Reply) -> None:
    with UploadClient(serve(lambda _: reply).address, TOKEN, lambda _: None) as server, pytest.raises(RequestDeclined):
        server.check()


@pytest.mark.parametrize("token", ["", "with space", "line\nbreak", "ümlaut"])
def test_a_token_must_be_able_to_be_one(token: str) -> None:
    with pytest.raises(InvalidArgument, match="token"):
        UploadClient("http://127.0.0.1:1", token)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["no-such-file", "--server", "http://127.0.0.1:1"], "no such file"),
        (["facts.json"], "No server given"),
        (["facts.json", "--server", "http://127.0.0.1:1", "--metadata", "facts.json"], "is not valid run metadata"),
        (["facts.json", "--server", "ftp://x"], "is not the address of a server"),
        (["facts.json", "--server", "http://127.0.0.1:1"], "does not answer"),
    ],
)
def test_contradicting_arguments_are_rejected(
    arguments: list[str],
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("SLOWPATH_URL", "SLOWPATH_SERVER", "SLOWPATH_TOKEN", "INIT_CWD"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "facts.json").write_text('{"requests": "many"}')
    assert main(["upload", *arguments, "--token", TOKEN]) == 2
    assert expected in capfd.readouterr().err


def test_collect_sends_straight_to_a_server(serve: Serve, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    process = serve(lambda asked: Reply(body=b"\x1f\x8b..." if "/pprof/" in asked.path else b"http_requests_total 3\n"))
    server = serve(shelf)
    monkeypatch.setenv("SLOWPATH_TOKEN", TOKEN)
    asked = ["--profiles", "1", "--seconds", "1", "--snapshots", "goroutine", "--server", f"http://{server.address}"]
    assert main(["collect", process.address, *asked]) == 0
    assert [artifact["name"] for artifact in shelf.artifacts.values()] == ["goroutine.00.pb.gz", "cpu.00.pb.gz"]
    assert len({artifact["batch"] for artifact in shelf.artifacts.values()}) == 1
    assert all(artifact["run_metadata"]["run"] for artifact in shelf.artifacts.values())


def test_two_sides_go_to_a_server_as_two_batches(serve: Serve, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(shelf)
    process = serve(lambda asked: Reply(body=b"\x1f\x8b a profile") if "/pprof/" in asked.path else Reply(status=404))
    monkeypatch.setenv("SLOWPATH_TOKEN", TOKEN)
    asked = ["--profiles", "0", "--snapshots", "heap,goroutine", "--server", f"http://{server.address}"]
    assert main(["collect", process.address, "--against", process.address, *asked]) == 0
    assert len(shelf.artifacts) == 4
    assert len({artifact["batch"] for artifact in shelf.artifacts.values()}) == 2


def test_collect_creates_the_builds_of_its_sides(serve: Serve, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(shelf)
    process = serve(lambda asked: Reply(body=b"\x1f\x8b a profile") if "/pprof/" in asked.path else Reply(status=404))
    monkeypatch.setenv("SLOWPATH_TOKEN", TOKEN)
    asked = ["--profiles", "0", "--snapshots", "heap", "--server", f"http://{server.address}"]
    builds = ["--build", f"cart@{'a' * 40}", "--against-build", "cart@bbbbbbb"]

    code = main(["collect", process.address, "--against", process.address, *asked, *builds])

    assert code == 0
    assert set(shelf.builds) == {f"cart@{'a' * 40}", "cart@bbbbbbb"}
    assert sorted(shelf.build_ids.values(), key=str) == sorted(shelf.builds.values())


def test_collect_rejects_what_is_not_a_build_before_it_records(
    serve: Serve, shelf: Shelf, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(shelf)
    for name in ("GITHUB_ACTIONS", "GITLAB_CI"):
        monkeypatch.delenv(name, raising=False)
    asked = ["--server", f"http://{server.address}", "--token", TOKEN]
    assert main(["collect", "127.0.0.1:1", *asked, "--build", "cart"]) == 2
    assert "'cart' is not a build. Use SERVICE@COMMIT" in capfd.readouterr().err
