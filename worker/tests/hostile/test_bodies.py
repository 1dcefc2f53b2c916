"""Request bodies that would make the web process work or grow: rejected before they are parsed, without delaying others."""

import json
from collections.abc import Iterator

import httpx
import pytest

from tests.hostile.attacks import MIB, at_once, connected, cpu_seconds, head, looking_on
from tests.support.running_stacks import RunningStack, forget_peak, resident_bytes

pytestmark = [pytest.mark.database, pytest.mark.processes]

JSON = {"Content-Type": "application/json"}
SIGN_IN = "/api/v1/session"
UNKNOWN_MEMBERS = json.dumps({f"m{number:06}": 1 for number in range(150_000)}).encode()


def in_pieces(body: bytes) -> Iterator[bytes]:
    yield from (body[at : at + 4096] for at in range(0, len(body), 4096))


@pytest.mark.parametrize("chunked", [False, True], ids=["declared", "chunked"])
def test_a_hundred_thousand_unknown_members_cost_nothing(
    stack: RunningStack, bystander: httpx.Client, *, chunked: bool
) -> None:
    pid = stack.pid("web")
    before, memory = cpu_seconds(pid), resident_bytes(pid)
    forget_peak(pid)

    def send() -> httpx.Response:
        content = in_pieces(UNKNOWN_MEMBERS) if chunked else UNKNOWN_MEMBERS
        return httpx.post(stack.address + SIGN_IN, content=content, headers=JSON, timeout=60)

    with looking_on(bystander) as noticed:
        answers = at_once(20, send)

    assert {answer.status_code for answer in answers} == {413}
    problem = answers[0].json()
    assert answers[0].headers["content-type"] == "application/problem+json"
    assert (problem["limit"], problem["unit"]) == (16 * 1024, "bytes")
    assert problem["value"] > problem["limit"]
    assert problem["resolution"]
    assert noticed.statuses == {200}
    assert noticed.failures == []
    assert max(noticed.seconds) < 2.0
    assert cpu_seconds(pid) - before < 2.0
    assert resident_bytes(pid, peak=True) - memory < 32 * MIB


@pytest.mark.parametrize(
    ("body", "slug", "unit"),
    [
        (b"[" + b"0," * 8_000 + b"0]", "too-many-members", "members"),
        (
            json.dumps({str(number): 0 for number in range(1_500)}, separators=(",", ":")).encode(),
            "too-many-members",
            "members",
        ),
        (b"[" * 500 + b"]" * 500, "nested-too-deeply", "levels"),
    ],
    ids=["array", "object", "nested"],
)
def test_members_are_counted_before_they_are_validated(stack: RunningStack, body: bytes, slug: str, unit: str) -> None:
    answer = httpx.post(stack.address + SIGN_IN, content=body, headers=JSON)

    assert answer.status_code == 413
    problem = answer.json()
    assert (problem["type"], problem["unit"]) == (f"urn:slowpath:{slug}", unit)
    assert problem["value"] > problem["limit"]
    assert problem["resolution"]


def test_a_text_full_of_commas_is_no_list(bystander: httpx.Client) -> None:
    answer = bystander.post("/services", json={"name": "checkout", "description": ",[{" * 500})

    assert answer.status_code == 201, answer.text


def test_larger_limits_are_for_callers_who_say_who_they_are(stack: RunningStack, bystander: httpx.Client) -> None:
    body = json.dumps({"blocks": [{"kind": "text", "markdown": "x" * 100_000}]}).encode()
    path = "/api/v1/reports/00000000-0000-0000-0000-000000000000"

    anonymous = httpx.patch(stack.address + path, content=body, headers=JSON)
    signed_in = bystander.patch(stack.address + path, content=body, headers=JSON)

    assert (anonymous.status_code, anonymous.json()["limit"]) == (413, 16 * 1024)
    assert signed_in.status_code in {404, 422}


def test_a_body_in_utf_16_hides_no_members(stack: RunningStack) -> None:
    body = json.dumps(list(range(100))).encode("utf-16")

    answer = httpx.post(stack.address + SIGN_IN, content=body, headers=JSON)

    assert (answer.status_code, answer.json()["type"]) == (422, "urn:slowpath:json-not-utf-8")


@pytest.mark.parametrize("query", ["a&" * 600, "a" * 64_000], ids=["parameters", "bytes"])
def test_a_query_has_a_bound(stack: RunningStack, query: str) -> None:
    assert httpx.get(f"{stack.address}/api/v1/auth/methods?{query}").status_code in {413, 422, 431}


def test_an_answer_is_seen_by_a_client_that_goes_on_sending(stack: RunningStack) -> None:
    with connected(stack) as client:
        client.sendall(head("POST", SIGN_IN, "Content-Type: application/json", "Content-Length: 50000000"))
        for _ in range(50):
            client.sendall(b"x" * 65_536)
        assert client.recv(100).startswith(b"HTTP/1.1 413")
