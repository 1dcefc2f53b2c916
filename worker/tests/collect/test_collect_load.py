"""`slowpath collect` counts the requests of the load only: a real Go server that has other counters too."""

import json
import os
import pty
import select
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from slowpath_cli.main import main
from tests.collect.conftest import free_port, go_command, start, wait_until

pytestmark = pytest.mark.processes

WORKER = Path(__file__).resolve().parents[2]
SOURCE = Path(__file__).parent / "testdata" / "watched"
Start = Callable[[str], str]


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the server."""
    binary = tmp_path_factory.mktemp("watched") / "watched"
    command = [go_command(), "build", "-trimpath", "-buildvcs=false", "-o", str(binary), "."]
    subprocess.run(command, cwd=SOURCE, check=True, env={**os.environ, "CGO_ENABLED": "0"}, timeout=300)
    return binary


@pytest.fixture
def serve_watched(watched: Path) -> Iterator[Start]:
    """Give a starter of servers with counters of some mode; returns the address."""
    with ExitStack() as stack:

        def starter(mode: str) -> str:
            address = f"127.0.0.1:{free_port()}"
            start([str(watched), "-listen", address, "-counters", mode], stack, "2")
            wait_until(lambda: answers(address))
            return address

        yield starter


def answers(address: str) -> bool:
    with suppress(httpx.TransportError):
        return httpx.get(f"http://{address}/work?kind=a").is_success
    return False


@contextmanager
def load(address: str) -> Iterator[None]:
    """About a hundred requests a second."""
    over = threading.Event()

    def ask() -> None:
        with httpx.Client() as http:
            while not over.wait(0.005):
                http.get(f"http://{address}/work?kind=a")

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(10)


def collect(address: str, out: Path, *more: str) -> int:
    asked = ["--profiles", "1", "--seconds", "1", "--snapshots", "", "--out", str(out)]
    return main(["collect", address, *asked, *more])


def requests(out: Path) -> int | None:
    facts = json.loads((out / "cpu.00.pb.gz.metadata.json").read_text())
    assert facts["cpu_ns"] > 0
    assert 0 < facts["ended_at_ms"] - facts["started_at_ms"] < 20_000
    assert facts["build_id"]
    counted: int | None = facts.get("requests")
    return counted


def test_requests_to_the_admin_handlers_are_never_the_load(
    serve_watched: Start, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    address = serve_watched("admin")
    with load(address):
        assert collect(address, tmp_path / "set") == 0
    assert requests(tmp_path / "set") is None
    assert "no request counter found" in capfd.readouterr().err


def test_own_requests_are_excluded(serve_watched: Start, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    address = serve_watched("all")
    assert collect(address, tmp_path / "idle") == 0
    assert requests(tmp_path / "idle") is None, "no other client has asked for anything"
    assert "warning: the counter increased only by the requests of this program" in capfd.readouterr().err
    with load(address):
        assert collect(address, tmp_path / "busy") == 0
    assert 20 <= (requests(tmp_path / "busy") or 0) <= 1_000


def test_only_the_handlers_of_the_load_are_summed(serve_watched: Start, tmp_path: Path) -> None:
    address = serve_watched("handlers")
    for _ in range(50):
        httpx.get(f"http://{address}/metrics")
    assert collect(address, tmp_path / "idle") == 0
    assert requests(tmp_path / "idle") is None
    with load(address):
        assert collect(address, tmp_path / "busy") == 0
    assert 20 <= (requests(tmp_path / "busy") or 0) <= 1_000
    facts = json.loads((tmp_path / "busy" / "cpu.00.pb.gz.metadata.json").read_text())
    assert [(each["route"], each["status_class"]) for each in facts["requests_by_route"]] == [("/work", "2xx")]
    assert 20 <= facts["requests_by_route"][0]["requests"] <= 1_000
    assert 0 < facts["process_age_ms"] < 600_000


def test_a_script_must_choose_among_several(
    serve_watched: Start, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    address = serve_watched("several")
    with load(address):
        assert collect(address, tmp_path / "none") == 2
        error_output = capfd.readouterr().err
        assert collect(address, tmp_path / "chosen", "--requests-metric", "orders_requests_total{kind=a}") == 0
        assert collect(address, tmp_path / "without", "--requests-metric", "none") == 0
    assert "/s  orders_requests_total" in error_output
    assert "/s  quotes_requests_total" in error_output
    assert "Choose with --requests-metric" in error_output
    assert not list((tmp_path / "none").glob("*")), "nothing is recorded before that is known"
    assert 20 <= (requests(tmp_path / "chosen") or 0) <= 1_000
    assert requests(tmp_path / "without") is None


def test_a_person_is_asked(serve_watched: Start, tmp_path: Path) -> None:
    address = serve_watched("several")
    httpx.get(f"http://{address}/metrics")
    ours, theirs = pty.openpty()
    out = tmp_path / "set"
    command = [sys.executable, "-m", "slowpath_cli.main", "collect", address, "--profiles", "1", "--seconds", "1"]
    command += ["--snapshots", "", "--out", str(out)]
    environment = {"PYTHONPATH": f"{WORKER}:{WORKER.parent / 'backend'}"}
    with load(address), subprocess.Popen(command, env=environment, stdin=theirs, stderr=theirs) as child:
        encoded = b""
        while b"Enter for none)?" not in encoded:
            assert select.select([ours], [], [], 20)[0], "the question does not come"
            encoded += os.read(ours, 4096)
        os.write(ours, b"1\n")
        assert child.wait(30) == 0
    os.close(ours)
    os.close(theirs)
    assert b"1 " in encoded
    assert 20 <= (requests(out) or 0) <= 1_000
