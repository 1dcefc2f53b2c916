"""Requests that begin and do not end: others are not reset, not refused and not delayed."""

import socket
import time
from contextlib import ExitStack

import httpx
import pytest

from tests.hostile.attacks import connected, head, looking_on
from tests.support.running_stacks import RunningStack

pytestmark = [pytest.mark.database, pytest.mark.processes]

HALF_SENT = 1_100
HALF_HEAD = b"POST /api/v1/session HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
HALF_BODY = head("POST", "/api/v1/session", "Content-Type: application/json", "Content-Length: 1000") + b'{"email": "'


@pytest.mark.parametrize("half", [HALF_HEAD, HALF_BODY, b""], ids=["head", "body", "nothing"])
def test_half_sent_requests_do_not_affect_others(stack: RunningStack, bystander: httpx.Client, half: bytes) -> None:
    with ExitStack() as attack, connected(stack) as earlier, looking_on(bystander) as noticed:
        for _ in range(HALF_SENT):
            one = attack.enter_context(connected(stack, source="127.0.0.2"))
            if half:
                one.sendall(half)
        time.sleep(1.0)
        earlier.sendall(head("GET", "/healthz"))
        answered = earlier.recv(15)
        fresh = [httpx.get(f"{stack.address}/healthz", timeout=10).status_code for _ in range(20)]

    assert answered == b"HTTP/1.1 200 OK"
    assert fresh == [200] * 20
    assert noticed.failures == []
    assert noticed.statuses == {200}
    assert max(noticed.seconds) < 2.0


def test_a_head_that_does_not_end_is_answered_in_time(stack: RunningStack) -> None:
    with connected(stack) as client:
        began = time.monotonic()
        client.sendall(HALF_HEAD)
        answer = client.recv(1000)

    assert answer.startswith(b"HTTP/1.1 408")
    assert 5 < time.monotonic() - began < 15


def test_a_slowly_sent_head_times_out_too(stack: RunningStack) -> None:
    with connected(stack) as client:
        began = time.monotonic()
        client.sendall(HALF_HEAD)
        client.settimeout(0.5)
        answer = b""
        while not answer and time.monotonic() - began < 20:
            try:
                answer = client.recv(1000)
            except TimeoutError:
                client.sendall(b"x")

    assert answer.startswith(b"HTTP/1.1 408")
    assert time.monotonic() - began < 15


def test_a_head_that_does_not_stop_growing_is_refused(stack: RunningStack) -> None:
    with connected(stack) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        sent = 0
        try:
            while sent < 10 << 20:
                sent += client.send(b"X-More: " + b"x" * 8_000 + b"\r\n")
        except (TimeoutError, ConnectionError):
            pass
        answer = _received(client)

    assert sent < 10 << 20
    assert answer == b"" or answer.startswith(b"HTTP/1.1 431")


def test_a_body_that_does_not_go_on_is_answered(stack: RunningStack) -> None:
    with connected(stack) as client:
        client.sendall(HALF_BODY)
        answer = client.recv(4000)
        answer += _received(client) if b"too-slow" not in answer else b""

    assert answer.startswith(b"HTTP/1.1 408")
    assert b"urn:slowpath:too-slow" in answer


def _received(client: socket.socket) -> bytes:
    try:
        return client.recv(1000)
    except OSError:
        return b""
