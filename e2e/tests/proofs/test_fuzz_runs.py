"""What only real processes show: news within two seconds, bodies that break off, memory that stays flat."""

import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from proofs.bombs import GOOD, MIB
from tests.support.running_stacks import RunningStack, forget_peak, resident_bytes
from tests.support.worker_supervisor import children_of

pytestmark = [pytest.mark.database, pytest.mark.processes]

NEWS_SECONDS = 2.0
PATIENCE_SECONDS = 20.0
LARGEST_BODY = 256 * MIB
FLAT_BYTES = 32 * MIB
"""What web may grow by, however large the body: a few buffers of 1 MiB, and what Python does not give back."""
IDLE_BYTES = 1536 * MIB


@pytest.fixture
def client(stack: RunningStack) -> Iterator[httpx.Client]:
    client = stack.signed_up()
    yield client
    client.close()


def zeros(size: int) -> Iterator[bytes]:
    for _ in range(size // MIB):
        yield bytes(MIB)


def test_news_arrive_within_two_seconds(client: httpx.Client) -> None:
    news: list[tuple[float, str, dict[str, object]]] = []
    listening, over = threading.Event(), threading.Event()

    def listen() -> None:
        with client.stream("GET", "/updates") as stream:
            event = ""
            for line in stream.iter_lines():
                listening.set()
                if line.startswith("event: "):
                    event = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    news.append((time.monotonic(), event, json.loads(line.removeprefix("data: "))))
                if event == "artifact" and news and news[-1][2].get("state") == "decoded":
                    over.set()
                    return

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    assert listening.wait(PATIENCE_SECONDS)
    sent = time.monotonic()
    artifact = httpx.put(f"{client.base_url}artifacts/a", content=GOOD, headers=client.headers).json()
    assert over.wait(PATIENCE_SECONDS)
    thread.join(5)

    assert news[0][1] == "stale", "a page that opens asks for the whole state"
    about = [(at, event, news_line) for at, event, news_line in news if news_line.get("id") == artifact["id"]]
    assert [event["state"] for _, _, event in about][-1] == "decoded"
    assert about[0][0] - sent < NEWS_SECONDS * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    assert {event for _, event, _ in news} >= {"job", "artifact"}


def test_a_stream_contains_nothing_of_other_teams(client: httpx.Client, stack: RunningStack) -> None:
    other = stack.signed_up()
    seen: list[str] = []
    with client.stream("GET", "/updates", timeout=3) as stream:
        other.put("/artifacts/a", content=GOOD)
        with suppress(httpx.ReadTimeout):
            for line in stream.iter_lines():
                seen.append(line)  # noqa: PERF402 - what came before it fell silent counts
    other.close()

    assert not [line for line in seen if "artifact" in line or "job" in line]


def test_a_body_that_breaks_off_leaves_nothing(client: httpx.Client, stack: RunningStack) -> None:
    address = urlsplit(stack.address)
    assert address.hostname is not None
    with socket.create_connection((address.hostname, address.port or 80)) as connection:
        lines = [
            "PUT /api/v1/artifacts/broken HTTP/1.1",
            f"Host: {address.netloc}",
            *(f"{name}: {client.headers[name]}" for name in ("Cookie", "Origin")),
            f"Content-Length: {10 * MIB}",
            "",
            "",
        ]
        connection.sendall("\r\n".join(lines).encode() + bytes(3 * MIB))
    scratch = stack.folder / "scratch"
    deadline = time.monotonic() + PATIENCE_SECONDS
    while list(scratch.glob("body-*")) and time.monotonic() < deadline:
        time.sleep(0.05)

    assert not list(scratch.glob("body-*"))
    assert client.get("/artifacts").json()["items"] == []


@pytest.mark.parametrize("how", ["raw", "form"])
def test_web_stays_flat_while_the_largest_body_comes_in(client: httpx.Client, stack: RunningStack, how: str) -> None:
    web = stack.pid("web")
    client.put("/artifacts/warm", content=GOOD)
    forget_peak(web)
    before = resident_bytes(web)

    if how == "raw":
        answer = client.put("/artifacts/large", content=zeros(LARGEST_BODY))
    else:
        head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="large"\r\n\r\n'
        content = (piece for part in ([head], zeros(LARGEST_BODY), [b"\r\n--b--\r\n"]) for piece in part)
        answer = client.post("/artifacts", content=content, headers={"Content-Type": "multipart/form-data; boundary=b"})

    assert answer.status_code == 201, answer.text
    grown = resident_bytes(web, peak=True) - before
    assert grown < FLAT_BYTES, f"{grown / MIB:.0f} MiB"
    forget_peak(web)
    problem = answer.json() if how == "raw" else answer.json()[0]
    with client.stream("GET", f"/artifacts/{problem['id']}/original") as original:
        assert sum(len(piece) for piece in original.iter_bytes()) == LARGEST_BODY
    assert resident_bytes(web, peak=True) - before < 2 * FLAT_BYTES
    client.delete(f"/artifacts/{problem['id']}")


def _proportional_bytes(pid: int) -> int:
    """Return a process's memory in bytes, with shared pages divided among those that share them; 0 once it has ended.

    PostgreSQL's short-lived children (autovacuum workers) can end between being listed and being read.
    """
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return sum(int(line.split()[1]) * 1024 for line in rollup.splitlines() if line.startswith("Pss:"))


def test_an_idle_stack_needs_little_memory(stack: RunningStack) -> None:
    stores = json.loads(Path(os.environ["SLOWPATH_STATE_FILE"]).read_text())
    roots = {name: process.pid for name, process in stack.keeper.running.items()} | stores
    used_mib = {
        name: sum(_proportional_bytes(each) for each in (pid, *children_of(pid))) // MIB for name, pid in roots.items()
    }

    assert all(used_mib.values()), used_mib
    assert sum(used_mib.values()) * MIB < IDLE_BYTES, used_mib
