"""What a process may answer, and what we make of it."""

import gzip
import itertools
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath_cli.collect.collect_plan import CollectPlan
from slowpath_cli.collect.pprof_client import PprofClient, PprofTarget
from slowpath_cli.collect.recorder import CompletedRecording, FailedRecording, check_mounted, record
from slowpath_cli.collect.request_counters import RequestCounter
from slowpath_cli.collect.run_observer import make_observer
from slowpath_cli.core.collect_errors import CollectError, ProfileNotOffered, RequestDeclined, ResponseRejected
from slowpath_cli.main import main
from tests.collect.pprof_servers import Answering, Asked, Handler, Reply

Serve = Callable[[Handler], Answering]
PROFILE = gzip.compress(b"a profile")


def get(server: Answering, path: str = "/", limit_bytes: int = 10_000, grace_seconds: float = 5.0) -> bytes:
    with PprofClient(grace_seconds=grace_seconds) as client:
        return client.get(f"http://{server.address}{path}", limit_bytes=limit_bytes).body


def endless() -> Iterator[bytes]:
    return itertools.repeat(b"x" * 4096)


def dripping() -> Iterator[bytes]:
    for _ in range(100):
        time.sleep(0.05)
        yield b"x"


def test_an_endless_answer_ends_at_the_limit(serve: Serve) -> None:
    server = serve(lambda _: Reply(body=endless()))
    with pytest.raises(ResponseRejected, match="limit of 10,000 bytes"):
        get(server)


def test_a_dripping_answer_ends_at_its_time(serve: Serve) -> None:
    server = serve(lambda _: Reply(body=dripping()))
    began = time.monotonic()
    with pytest.raises(ResponseRejected, match="too slow"):
        get(server, grace_seconds=0.5)
    assert time.monotonic() - began < 3


def test_a_process_without_output_times_out(serve: Serve) -> None:
    def slow(_: Asked) -> Reply:
        time.sleep(1.0)
        return Reply()

    with pytest.raises(ResponseRejected, match="sent no data"):
        get(serve(slow), grace_seconds=0.3)


def test_a_truncated_response_is_detected(serve: Serve) -> None:
    server = serve(lambda _: Reply(body=PROFILE, cut=True))
    with pytest.raises(ResponseRejected, match="closed the connection before the end"):
        get(server)


def test_redirects_stay_at_the_same_place(serve: Serve) -> None:
    other = serve(lambda _: Reply(body=b"secret"))

    def handler(asked: Asked) -> Reply:
        if asked.path == "/here":
            return Reply(status=302, headers={"Location": "/there"})
        if asked.path == "/away":
            return Reply(status=302, headers={"Location": f"http://{other.address}/"})
        if asked.path == "/loop":
            return Reply(status=302, headers={"Location": "/loop"})
        if asked.path == "/meta":
            return Reply(status=302, headers={"Location": "http://169.254.169.254/latest"})
        return Reply(body=b"found")

    server = serve(handler)
    assert get(server, "/here") == b"found"
    for path in ("/away", "/meta"):
        with pytest.raises(ResponseRejected, match="redirects to another host"):
            get(server, path)
    with pytest.raises(ResponseRejected, match="more than 3 times"):
        get(server, "/loop")
    assert other.asked == []


def test_a_compressed_answer_is_not_unpacked(serve: Serve) -> None:
    bomb = gzip.compress(b"\0" * 50_000_000)
    server = serve(lambda _: Reply(body=bomb, headers={"Content-Encoding": "gzip"}))
    assert get(server, limit_bytes=100_000) == bomb


def test_external_text_is_made_printable(serve: Serve) -> None:
    server = serve(lambda _: Reply(status=500, body=b"\x1b[31mred\x07 " + b"y" * 5_000))
    with pytest.raises(RequestDeclined) as caught:
        get(server)
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("reply", "kind", "expected"),
    [
        (Reply(status=404), ProfileNotOffered, "404"),
        (Reply(status=401), RequestDeclined, "--header"),
        (Reply(body=b"<html>\x1b[31m"), ProfileNotOffered, "with '<html>\N{REPLACEMENT CHARACTER}[31m'"),
        (Reply(body=b""), ProfileNotOffered, "did not respond with a cpu recording"),
        (
            Reply(status=400, body=b"profile duration exceeds server's WriteTimeout\n"),
            RequestDeclined,
            "Reduce --seconds",
        ),
    ],
)
def test_an_invalid_profile_is_skipped_and_the_rest_is_stored(
    serve: Serve, reply: Reply, kind: type[CollectError], expected: str
) -> None:
    def handler(asked: Asked) -> Reply:
        if asked.path.startswith("/debug/pprof/profile"):
            return reply
        return Reply(body=PROFILE if asked.path.startswith("/debug/pprof/") else b"# nothing\n")

    server = serve(handler)
    address = PprofTarget.parse(server.address)
    plan = CollectPlan(profiles=1, seconds=1, snapshots=("heap",))
    with PprofClient(grace_seconds=5) as client:
        results = list(
            record(
                client, address, make_observer(client, address, None, RunMetadata()), plan.recordings(), lambda _: None
            )
        )
    assert [isinstance(result, CompletedRecording) for result in results] == [True, False, True]
    missed = results[1]
    assert isinstance(missed, FailedRecording)
    assert isinstance(missed.error, kind)
    assert expected in str(missed.error)


def test_another_profiler_at_work_is_waited_for(serve: Serve) -> None:
    refusals = iter([1, 2])

    def handler(asked: Asked) -> Reply:
        if not asked.path.startswith("/debug/pprof/profile"):
            return Reply(status=404)
        if next(refusals, None):
            return Reply(status=500, body=b"Could not enable CPU profiling: cpu profiling already in use\n")
        return Reply(body=PROFILE)

    server = serve(handler)
    address = PprofTarget.parse(server.address)
    waited: list[float] = []
    with PprofClient(grace_seconds=5) as client:
        observer = make_observer(client, address, None, RunMetadata())
        (result,) = record(
            client, address, observer, CollectPlan(profiles=1, seconds=1, snapshots=()).recordings(), waited.append
        )
    assert isinstance(result, CompletedRecording)
    assert waited == [2.0, 3.0]


def test_missing_pprof_handlers_are_reported_at_once(
    serve: Serve, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    server = serve(lambda _: Reply(status=404))
    assert main(["collect", server.address, "--out", str(tmp_path / "set")]) == 2
    assert "Mount net/http/pprof there" in capfd.readouterr().err
    assert not (tmp_path / "set").exists()
    assert [asked.path for asked in server.asked] == ["/debug/pprof/cmdline", "/debug/pprof/"]


def test_pprof_mounted_elsewhere_is_found(serve: Serve, tmp_path: Path) -> None:
    def handler(asked: Asked) -> Reply:
        return Reply(body=PROFILE) if asked.path.startswith("/internal/pprof/") else Reply(status=404)

    server = serve(handler)
    url = f"http://{server.address}/internal/pprof/"
    out = tmp_path / "set"
    assert (
        main(["collect", url, "--profiles", "0", "--snapshots", "goroutine", "--out", str(out), "--header", "X-Key: k"])
        == 0
    )
    assert (out / "goroutine.00.pb.gz").read_bytes() == PROFILE
    assert all(asked.headers["x-key"] == "k" for asked in server.asked)


def test_invalid_metrics_lose_the_counters_not_the_set(serve: Serve) -> None:
    text = (
        b'\xff\xfe\nhttp_requests_total NaN\nhttp_requests_total{a="b" 7\n{} 3\nhttp_requests_total{code="200"} 1e3\n'
    )
    server = serve(lambda asked: Reply(body=text if asked.path == "/metrics" else PROFILE))
    address = PprofTarget.parse(server.address)
    with PprofClient() as client:
        observer = make_observer(client, address, None, RunMetadata())
        assert observer.take_snapshot().requests == 1_000
        assert (
            make_observer(client, address, RequestCounter(re.compile("nothing")), RunMetadata())
            .take_snapshot()
            .requests
            is None
        )


def test_a_counter_that_falls_is_left_out(serve: Serve) -> None:
    counts = iter([50, 500, 400, 400])
    server = serve(lambda _: Reply(body=f"http_requests_total {next(counts)}\n".encode()))
    address = PprofTarget.parse(server.address)
    with PprofClient() as client:
        observer = make_observer(client, address, None, RunMetadata())
        before, after, still = observer.take_snapshot(), observer.take_snapshot(), observer.take_snapshot()
    assert observer.during(before, after).requests is None, "the process was restarted in between"
    assert observer.during(after, still).requests is None, "a counter that does not change counts something else"


def test_a_forwarder_is_not_taken_for_the_process(serve: Serve) -> None:
    server = serve(lambda asked: Reply(body=b"/srv/far-away\0-flag" if asked.path.endswith("cmdline") else b""))
    address = PprofTarget.parse(server.address)
    with PprofClient() as client:
        command_line = check_mounted(client, address)
        observer = make_observer(client, address, None, RunMetadata(), command_line)
    assert command_line == b"/srv/far-away\0-flag"
    assert observer.process is None, "what listens here is this test, not what answers"
    assert observer.standing.cpu_model is None
    assert observer.standing.go_version is None
