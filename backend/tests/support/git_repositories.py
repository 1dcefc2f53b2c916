"""Real git repositories for tests, and a server that serves them by git's own CGI, or plays an attacker."""

import base64
import json
import os
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

FIXED = {
    "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.org",
    "GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "ann@example.org", "LC_ALL": "C",
}  # fmt: skip


@dataclass
class SomeRepository:
    """A repository with a work tree, in which the clock goes a minute a commit."""

    folder: Path
    minutes: int = 0

    def git(self, *words: str, stdin_text: str | None = None) -> str:
        """Run git in it."""
        at = f"2026-11-01T{10 + self.minutes // 60:02}:{self.minutes % 60:02}:00Z"
        done = subprocess.run(
            ["git", "-C", str(self.folder), *words],
            input=stdin_text, text=True, capture_output=True, check=True,
            env={**os.environ, **FIXED, "GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at},
        )  # fmt: skip
        return done.stdout.strip()

    def write(self, files: Mapping[str, str | bytes | None]) -> None:
        """Write files; nothing takes one away."""
        for name, content in files.items():
            path = self.folder / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self, files: Mapping[str, str | bytes | None], message: str = "Change") -> str:
        """Commit files and return the id."""
        self.write(files)
        self.minutes += 1
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--cleanup=verbatim", "--file=-", stdin_text=message)
        return self.git("rev-parse", "HEAD")


def new_repository(folder: Path) -> SomeRepository:
    """Make an empty repository."""
    folder.mkdir(parents=True)
    repository = SomeRepository(folder)
    repository.git("init", "--quiet", "--initial-branch=main")
    return repository


def proxied(proxy: Path, repository: SomeRepository, module: str, version: str) -> None:
    """Tag the newest commit as a version, and offer it as Go's proxies do."""
    repository.git("tag", version)
    folder = proxy / module / "@v"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{version}.info").write_text(json.dumps({"Version": version}))
    (folder / f"{version}.mod").write_bytes((repository.folder / "go.mod").read_bytes())
    repository.git(
        "archive", "--format=zip", f"--prefix={module}@{version}/", "-o", str(folder / f"{version}.zip"), "HEAD"
    )


@dataclass
class GitServer:
    """What is served, and what was asked."""

    url: str
    root: Path
    credentials: str | None = None
    """The header Authorization without which nothing is served."""
    redirects: dict[str, str] = field(default_factory=dict)
    responses: dict[str, bytes] = field(default_factory=dict)
    """Answers by path, instead of git's."""
    open_responses: dict[str, tuple[bytes, dict[str, str]]] = field(default_factory=dict)
    """Answers with headers by path, for which the credentials are not compared."""
    hang: threading.Event | None = None
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)


@contextmanager
def git_server(root: Path) -> Iterator[GitServer]:
    """Serve the repositories in a folder on loopback."""
    state = GitServer("", root)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"

        def do_GET(self) -> None:
            _answer(self, state)

        def do_POST(self) -> None:
            _answer(self, state)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        if state.hang:
            state.hang.set()
        server.shutdown()
        server.server_close()


def basic(username: str, password: str) -> str:
    """Return a header Authorization."""
    return "Basic " + base64.b64encode(f"{username}:{password}".encode()).decode()


def _answer(handler: BaseHTTPRequestHandler, state: GitServer) -> None:
    path, _, query = handler.path.partition("?")
    state.asked.append((path, {name.lower(): value for name, value in handler.headers.items()}))
    if state.hang is not None:
        state.hang.wait(60)
        return
    if path in state.redirects:
        handler.send_response(302)
        handler.send_header("Location", state.redirects[path] + (f"?{query}" if query else ""))
        handler.end_headers()
        return
    if path in state.open_responses:
        content, headers = state.open_responses[path]
        handler.send_response(200)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(content)
        return
    if state.credentials is not None and handler.headers.get("Authorization") != state.credentials:
        handler.send_response(401)
        handler.send_header("WWW-Authenticate", 'Basic realm="git"')
        handler.end_headers()
        return
    if path in state.responses or state.responses.get("*") is not None:
        found = state.responses.get(path)
        handler.send_response(200 if found is not None else 404)
        handler.end_headers()
        handler.wfile.write(found or b"")
        return
    _by_git(handler, state, path, query)


def _by_git(handler: BaseHTTPRequestHandler, state: GitServer, path: str, query: str) -> None:
    environment = {
        **os.environ,
        "GIT_PROJECT_ROOT": str(state.root),
        "GIT_HTTP_EXPORT_ALL": "1",
        "REQUEST_METHOD": handler.command,
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "CONTENT_TYPE": handler.headers.get("Content-Type", ""),
        "CONTENT_LENGTH": handler.headers.get("Content-Length", ""),
        "HTTP_CONTENT_ENCODING": handler.headers.get("Content-Encoding", ""),
        "HTTP_GIT_PROTOCOL": handler.headers.get("Git-Protocol", ""),
        "GIT_PROTOCOL": handler.headers.get("Git-Protocol", ""),
        "REMOTE_ADDR": "127.0.0.1",
    }
    body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
    done = subprocess.run(["git", "http-backend"], input=body, capture_output=True, check=False, env=environment)
    head, _, content = done.stdout.partition(b"\r\n\r\n")
    lines = [line.decode().split(": ", 1) for line in head.split(b"\r\n") if b": " in line]
    status = next((int(value.split()[0]) for name, value in lines if name == "Status"), 200)
    handler.send_response(status)
    for name, value in lines:
        if name != "Status":
            handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(content)
