"""How the benchmark of traces watches its peer: a stand-in that does at once what the peer does after a while."""

import os
import stat
import sys
from pathlib import Path

import pytest

from bench import trace_reading
from bench.trace_reading import NoPeer, TraceRecording, peer_binary, peer_cost, recorded
from bootstrap_parts.install_steps import find_go

STAND_IN = """#!{python}
import sys, time
from http.server import BaseHTTPRequestHandler, HTTPServer
class Page(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"page")
    def log_message(self, *_): pass
held = bytearray({bytes})
for at in range(0, len(held), 4096): held[at] = 1
end = time.process_time() + {cpu_s}
while time.process_time() < end: pass
print("Preparing trace for viewer...", file=sys.stderr, flush=True)
if {parses}: print("Splitting trace for viewer...", file=sys.stderr, flush=True)
else: time.sleep(60)
server = HTTPServer(("127.0.0.1", 0), Page)
print(f"Opening browser. Trace viewer is listening on http://127.0.0.1:{{server.server_port}}", file=sys.stderr, flush=True)
server.serve_forever()
"""


def stand_in(folder: Path, *, cpu_s: float = 0.2, size: int = 50_000_000, parses: bool = True) -> Path:
    path = folder / "peer"
    path.write_text(STAND_IN.format(python=sys.executable, bytes=size, cpu_s=cpu_s, parses=parses))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.mark.parametrize("until_page", [True, False])
def test_a_missing_peer_is_an_open_result(tmp_path: Path, *, until_page: bool) -> None:
    peer = peer_cost(stand_in(tmp_path), tmp_path / "any.trace", until_page=until_page)
    assert peer.finished
    assert 0.2 <= peer.cost.cpu_s < 10
    assert peer.cost.peak_bytes > 50_000_000


def test_a_peer_that_takes_too_long_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_reading, "PEER_SECONDS", 1.0)
    peer = peer_cost(stand_in(tmp_path, parses=False), tmp_path / "any.trace", until_page=False)
    assert not peer.finished
    assert peer.cost.peak_bytes > 50_000_000


def test_a_peer_that_takes_too_much_memory_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_reading, "_available_bytes", lambda: 40_000_000)
    peer = peer_cost(stand_in(tmp_path, cpu_s=30), tmp_path / "any.trace", until_page=True)
    assert not peer.finished
    assert peer.cost.cpu_s < 30


def test_a_peer_that_exits_by_itself_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "peer"
    path.write_text("#!/bin/sh\necho bad file format >&2\nexit 3\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    with pytest.raises(RuntimeError, match="ended with 3: bad file format"):
        peer_cost(path, tmp_path / "any.trace", until_page=True)


def test_a_process_that_has_gone_had_no_memory() -> None:
    assert trace_reading._peak_bytes(os.getpid()) > 1_000_000
    assert trace_reading._peak_bytes(2**22 + 1) == 0
    assert trace_reading._available_bytes() > 1_000_000


@pytest.mark.processes
def test_a_trace_is_recorded_once_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go = find_go()
    if go is None:
        pytest.skip("there is no Go here")
    monkeypatch.setattr(trace_reading, "FOLDER", tmp_path)
    small = TraceRecording("small", 1, ("-callers", "4", "-pause", "1ms", "-pingers", "2"))
    recorded(go, small)
    made = small.path().stat()
    assert 1_000_000 <= made.st_size < 20_000_000
    recorded(go, small)
    assert small.path().stat().st_mtime_ns == made.st_mtime_ns
    assert not list(tmp_path.glob("*.part"))
    spent, events = trace_reading.read(small.path())
    assert spent.cpu_s > 0
    assert events > 10_000


@pytest.mark.processes
def test_missing_go_is_reported(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(trace_reading, "find_go", lambda: None)
    assert all(each.what.startswith("A/A") for each in trace_reading.run())
    assert "there is no Go here" in capfd.readouterr().out


def test_go_without_its_trace_tool_is_no_peer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_reading, "FOLDER", tmp_path)
    go = tmp_path / "go"
    go.write_text(
        '#!/bin/sh\n[ "$1" = env ] && echo go1.99 && exit 0\necho "package cmd/trace is not in std" >&2\nexit 1\n'
    )
    go.chmod(go.stat().st_mode | stat.S_IXUSR)
    with pytest.raises(NoPeer, match="does not build: package cmd/trace is not in std"):
        peer_binary(go)
