"""No address that is not public is requested, in any spelling, for any name resolution and any redirect."""

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from slowpath.adapters.egress import AllowlistedEgressClient
from slowpath.adapters.egress_policy import is_public, parse_allowlist, parse_url
from slowpath.core.errors import AddressNotAllowed, TooLarge, UpstreamUnavailable
from slowpath.core.ports import HttpResponse

Resolver = Callable[[str, int], Sequence[str]]

NOT_PUBLIC = [
    "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.169.254", "172.31.255.255",
    "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.0.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1",
    "239.255.255.255", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "64:ff9b::a9fe:a9fe", "64:ff9b::808:808",
    "64:ff9b:1::1", "100::1", "2001::1", "2001:0:a9fe:a9fe::1", "2001:20::1", "2001:db8::1", "2002:7f00:1::",
    "2002:a9fe:a9fe::", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1",
]  # fmt: skip

ODD_SPELLINGS = [
    "http://2130706433", "http://017700000001", "http://0x7f000001", "http://0x7f.1", "http://127.1", "http://0177.0.0.1",
    "http://127.0.0.01", "http://0xa9.0xfe.0xa9.0xfe", "http://1.2.3.4.5", "http://256.0.0.1", "http://x.0x7f",
    "http://127.0.0.1.", "http://example.com.", "http://localhost.", "http://[fe80::1%25eth0]", "http://[fe80::1%eth0]",
    "http://[::1", "http://[::1]x", "http://[::1]x:80", "http://x[::1]", "http://[127.0.0.1]", "http://[v1.x]",
    "http://１２７.0.0.1", "http://①②⑦.0.0.1", "http://127。0。0。1", "http://ⓛocalhost", "http://exämple.com",
    "http://example.com\\@127.0.0.1", "http://exa mple.com", "http://example.com/\r\nHost: x", "http://example.com\x00",
    "http://%31%32%37.0.0.1", "http://example.com/?a=b", "http://example.com/#a", "http://example.com/../x",
    "http://", "http:///x", "http://-x.com", f"http://{'a' * 64}.com", "http://a..b", "http://example.com/%2e%2e",
]  # fmt: skip


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(AddressNotAllowed) as caught:
        call()
    return caught.value.name


def looked_up(*addresses: str) -> Resolver:
    return lambda _host, _port: addresses


def outside(
    resolver: Resolver = looked_up("127.0.0.1"), allowed: str = "", *, only_listed: bool = False
) -> AllowlistedEgressClient:
    return AllowlistedEgressClient(parse_allowlist(allowed), only_listed=only_listed, resolver=resolver)


def opened(way: AllowlistedEgressClient, url: str) -> None:
    with way.opened(url):
        pass


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_an_address_that_is_not_public_is_refused_by_itself_and_behind_a_name(address: str) -> None:
    url = f"http://[{address}]:9090" if ":" in address else f"http://{address}:9090"

    assert refused(lambda: outside().check(url)) == "address-not-public"
    assert refused(lambda: opened(outside(), url)) == "address-not-public"
    assert refused(lambda: opened(outside(looked_up(address)), "http://example.com")) == "address-not-public"
    mixed = outside(looked_up("8.8.8.8", address))
    assert refused(lambda: opened(mixed, "http://example.com")) == "address-not-public"


@pytest.mark.parametrize("address", ["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "2a00:1450:4001:800::200e"])
def test_a_public_address_is_asked(address: str) -> None:
    opened(outside(looked_up(address)), "https://example.com/prometheus")


@pytest.mark.parametrize("url", ODD_SPELLINGS)
def test_a_spelling_that_two_readers_may_read_in_two_ways_is_refused(url: str) -> None:
    assert refused(lambda: outside(looked_up("8.8.8.8"), "0.0.0.0/0, ::/0").check(url)) == "address-spelling"


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("http://user:secret@example.com", "address-userinfo"),
        ("http://@example.com", "address-userinfo"),
        ("http://8.8.8.8@127.0.0.1", "address-userinfo"),
        ("file:///etc/passwd", "address-scheme"),
        ("gopher://example.com", "address-scheme"),
        ("example.com:9090", "address-scheme"),
        ("", "address-spelling"),
        ("http://localhost:9090", "address-not-public"),
        ("http://LOCALHOST", "address-not-public"),
        ("http://a.localhost", "address-not-public"),
        ("http://example.com:0", "address-port"),
        ("http://example.com:", "address-port"),
        ("http://example.com:70000", "address-spelling"),
        ("http://example.com:-1", "address-spelling"),
    ],
)
def test_other_addresses_are_refused_by_name(url: str, name: str) -> None:
    assert refused(lambda: outside(looked_up("8.8.8.8")).check(url)) == name


@pytest.mark.parametrize("port", [22, 25, 53, 443 + 1])
def test_ports_of_other_services_are_not_asked(port: int) -> None:
    assert refused(lambda: opened(outside(looked_up("8.8.8.8")), f"http://example.com:{port}")) == "address-port"


def test_no_zone_that_a_resolver_adds_opens_a_link_local_address() -> None:
    assert refused(lambda: opened(outside(looked_up("fe80::1%eth0")), "http://example.com")) == "address-not-public"


def test_the_operator_lists_names_endings_and_ranges() -> None:
    allowed = "prometheus, *.corp.example, 10.0.0.0/8, fd00::/8"

    for url, address in [
        ("http://prometheus:9090", "172.17.0.2"),
        ("http://a.b.corp.example:81", "192.168.1.1"),
        ("http://other.example", "10.0.0.1"),
        ("http://other.example", "fd00::1"),
    ]:
        opened(outside(looked_up(address), allowed, only_listed=True), url)
        opened(outside(looked_up(address), allowed), url)
    opened(outside(allowed=allowed), "http://10.9.9.9:9090")


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://prometheus", "169.254.169.254"),
        ("http://prometheus", "fe80::1"),
        ("http://prometheus", "0.0.0.0"),
        ("http://notcorp.example", "192.168.1.1"),
        ("http://corp.example", "192.168.1.1"),
        ("http://other.example", "::ffff:10.0.0.1"),
    ],
)
def test_a_list_opens_nothing_beyond_itself(url: str, address: str) -> None:
    way = outside(looked_up(address), "prometheus,*.corp.example,10.0.0.0/8")
    assert refused(lambda: opened(way, url)) == "address-not-public"


def test_where_only_listed_addresses_are_asked_public_ones_are_refused() -> None:
    way = outside(looked_up("8.8.8.8"), "10.0.0.0/8", only_listed=True)
    assert refused(lambda: opened(way, "http://example.com")) == "address-not-listed"
    assert refused(lambda: way.check("http://8.8.8.8")) == "address-not-listed"
    unasked = outside(lambda _host, _port: pytest.fail("looked up"), "prometheus", only_listed=True)
    assert refused(lambda: opened(unasked, "http://example.com")) == "address-not-listed"


@pytest.mark.parametrize("text", ["10.0.0.1/8", "http://x", "x y", "*", "*.", "1.2.3", "a,,é"])
def test_an_unreadable_allowlist_is_reported_at_the_start(text: str) -> None:
    with pytest.raises(ValueError, match="SLOWPATH_EGRESS_ALLOWLIST"):
        parse_allowlist(text)


def test_special_purpose_addresses_are_rejected_even_if_python_calls_them_global() -> None:
    place = parse_url("http://[64:ff9b::a9fe:a9fe]:80")
    assert place.literal is not None
    assert not is_public(place.literal)


class RecordingHandler(BaseHTTPRequestHandler):
    """Answers by path, and remembers what it was asked."""

    asked: list[tuple[str, str]]

    def do_GET(self) -> None:
        type(self).asked.append((self.path, self.headers["Host"]))
        if self.path.startswith("/redirect"):
            self.send_response(302)
            self.send_header("Location", "http://169.254.169.254/latest/meta-data")
            self.end_headers()
        elif self.path == "/large":
            self.send_response(200)
            self.end_headers()
            with contextlib.suppress(OSError):
                for _ in range(1000):
                    self.wfile.write(b"x" * 10_000)
        elif self.path == "/slow":
            with contextlib.suppress(OSError):
                for letter in b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 200:
                    self.wfile.write(bytes([letter]))
                    time.sleep(0.05)
        elif self.path == "/packed":
            self.send_response(200)
            self.send_header("Content-Encoding", "gzip")
            self.end_headers()
        else:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"hello")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the standard library calls it
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[tuple[int, list[tuple[str, str]]]]:
    class Handler(RecordingHandler):
        asked: list[tuple[str, str]] = []  # noqa: RUF012 - of this server alone

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as made:
        made.daemon_threads = True
        thread = threading.Thread(target=made.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield made.server_address[1], Handler.asked
        made.shutdown()
        thread.join()


class Rebinding:
    """Answers with a listed address first and with another one ever after."""

    def __init__(self, first: str, then: str) -> None:
        self.first, self.then, self.asked = first, then, 0

    def __call__(self, _host: str, _port: int) -> Sequence[str]:
        self.asked += 1
        return [self.first if self.asked == 1 else self.then]


def test_the_name_is_retained_and_looked_up_once(
    server: tuple[int, list[tuple[str, str]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    port, asked = server
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    resolver = Rebinding("127.0.0.1", "127.0.0.2")
    way = outside(resolver, "named.example")

    with way.opened(f"http://named.example:{port}/below/") as peer:
        for _ in range(3):
            answer = peer.get("/x", [("match[]", "a b&c")], {"Authorization": "Bearer x"}, max_bytes=100, seconds=5)
            assert answer == HttpResponse(200, b"hello")

    assert resolver.asked == 1
    assert asked == [("/below/x?match%5B%5D=a+b%26c", f"named.example:{port}")] * 3


def test_a_name_that_points_elsewhere_the_second_time_is_refused_then(
    server: tuple[int, list[tuple[str, str]]],
) -> None:
    port, asked = server
    way = outside(Rebinding("8.8.8.8", "127.0.0.1"))
    with way.opened(f"http://rebinding.example:{port}"):
        pass
    assert refused(lambda: opened(way, f"http://rebinding.example:{port}")) == "address-not-public"
    assert asked == []


def ask_plain(port: int, path: str, *, max_bytes: int = 100, seconds: float = 5) -> HttpResponse:
    with outside(allowed="named.example").opened(f"http://named.example:{port}") as peer:
        return peer.get(path, max_bytes=max_bytes, seconds=seconds)


def test_a_redirect_is_not_followed(server: tuple[int, list[tuple[str, str]]]) -> None:
    port, asked = server
    assert refused(lambda: ask_plain(port, "/redirect")) == "address-redirects"
    assert len(asked) == 1


def test_an_answer_ends_at_its_size(server: tuple[int, list[tuple[str, str]]]) -> None:
    with pytest.raises(TooLarge):
        ask_plain(server[0], "/large", max_bytes=50_000)


def test_an_answer_that_drips_ends_at_its_time(server: tuple[int, list[tuple[str, str]]]) -> None:
    begun = time.monotonic()
    with pytest.raises(UpstreamUnavailable) as caught:
        ask_plain(server[0], "/slow", seconds=0.5)
    assert caught.value.name == "answered-too-late"
    assert time.monotonic() - begun < 2


def test_an_answer_is_not_unpacked(server: tuple[int, list[tuple[str, str]]]) -> None:
    with pytest.raises(UpstreamUnavailable) as caught:
        ask_plain(server[0], "/packed")
    assert caught.value.name == "answer-packed"


def test_an_unreachable_server_is_reported() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(UpstreamUnavailable, match="connection refused"):
        ask_plain(port, "/")


def test_an_unresolvable_host_is_reported() -> None:
    def unknown(_host: str, _port: int) -> Sequence[str]:
        raise socket.gaierror(8, "unknown")

    with pytest.raises(UpstreamUnavailable) as caught:
        opened(outside(unknown), "http://unknown.example")
    assert caught.value.name == "host-unknown"
