"""Which servers are trusted, and what our requests carry: on real TLS, with authorities made for the test."""

from functools import partial
from pathlib import Path

import pytest

from slowpath_cli.runner.core.driver_interface import DeploymentFailed, DriverEnvironment
from slowpath_cli.runner.core.http_client import HttpClient, HttpResponse, RequestFailed, make_error_from_response
from slowpath_cli.runner.core.tls_trust import TlsTrust
from slowpath_cli.runner.drivers import kubernetes_clone
from slowpath_cli.runner.kube import cluster_access
from tests.collect.pprof_servers import Answering, Asked, Reply
from tests.drivers.cluster_double import NAMESPACE
from tests.drivers.tls_servers import Secured, made_by_itself


def test_a_runner_inside_a_cluster_needs_no_more_than_what_the_cluster_gives_it(
    server: Secured, tmp_path: Path, place: DriverEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = tmp_path / "serviceaccount"
    given.mkdir()
    (given / "ca.crt").write_bytes((tmp_path / "cluster.crt").read_bytes())
    (given / "namespace").write_text(f"{NAMESPACE}\n", encoding="ascii")
    (given / "token").write_text("an-hour-old\n", encoding="ascii")
    monkeypatch.setattr(cluster_access, "IN_POD", given)
    host, _, port = server.address.partition(":")
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", host)
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", port)
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    driver = kubernetes_clone.read({"driver": "kubernetes", "deployment": "ingester", "image": "x/y:{build}"}, place)
    with pytest.raises(DeploymentFailed, match="401"):
        driver.prepare()
    (given / "token").write_text("cluster-token\n", encoding="ascii")
    driver.prepare()
    (given / "token").unlink()
    with pytest.raises(DeploymentFailed, match="has no valid token"):
        driver.prepare()


def test_no_token_is_sent_to_an_untrusted_cluster(server: Secured, tmp_path: Path) -> None:
    outsider, _ = made_by_itself(tmp_path, "stranger")
    for trust in (TlsTrust, partial(TlsTrust.of, outsider)):
        outside = HttpClient(
            f"https://{server.address}", lambda: {"Authorization": "Bearer secret"}, trust, proxied=False
        )
        with pytest.raises(RequestFailed, match="CERTIFICATE_VERIFY_FAILED") as found:
            outside.send("GET", "/version")
        assert not found.value.arrived
    assert server.asked == []


def test_a_certificate_of_ours_is_shown(tmp_path: Path) -> None:
    theirs, ours = made_by_itself(tmp_path, "cluster"), made_by_itself(tmp_path, "runner")
    with Secured(lambda _: Reply(200, b"{}")).secured(*theirs, client_ca=ours[0]) as server:
        outside = HttpClient(f"https://{server.address}", dict, partial(TlsTrust.of, theirs[0], *ours), proxied=False)
        assert outside.send("GET", "/version").good
        with pytest.raises(RequestFailed):
            HttpClient(f"https://{server.address}", dict, partial(TlsTrust.of, theirs[0]), proxied=False).send(
                "GET", "/version"
            )


def test_a_token_is_not_carried_to_another_place() -> None:
    with Answering(lambda _: Reply(200)) as other:

        def redirecting(_: Asked) -> Reply:
            return Reply(307, b"", {"Location": f"http://{other.address}/"})

        with Answering(redirecting) as first:
            outside = HttpClient(f"http://{first.address}", lambda: {"Authorization": "Bearer secret"}, proxied=False)
            assert outside.send("GET", "/").status == 307
        assert other.asked == []


@pytest.mark.parametrize(
    ("answer", "is_transient"),
    [
        (HttpResponse(429, {}, b""), True),
        (HttpResponse(403, {"x-ratelimit-remaining": "0"}, b""), True),
        (HttpResponse(403, {"retry-after": "60"}, b""), True),
        (HttpResponse(403, {"x-ratelimit-remaining": "7"}, b""), False),
        (HttpResponse(404, {}, b""), False),
        (HttpResponse(502, {}, b"<html>\x1b[31m"), True),
    ],
)
def test_whether_the_same_again_may_succeed(answer: HttpResponse, is_transient: bool) -> None:
    error = make_error_from_response("POST x", answer)
    assert error.is_transient is is_transient
    assert str(error).isprintable()
