"""Clusters from kubeconfigs: real TLS with certificates of both sides, real credential programs."""

import base64
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from slowpath_cli.runner.core.driver_interface import DeploymentFailed, DriverEnvironment, InvalidDriverConfig
from slowpath_cli.runner.drivers import kubernetes_clone
from slowpath_cli.runner.kube import cluster_access
from slowpath_cli.runner.kube.kubeconfig_files import read
from tests.collect.pprof_servers import Asked, Reply
from tests.drivers.cluster_double import NAMESPACE, TOKEN, ClusterDouble
from tests.drivers.tls_servers import Secured, made_by_itself

Json = dict[str, Any]
VERSION = "client.authentication.k8s.io/v1"


@pytest.fixture(autouse=True)
def outside_of_clusters(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")


def kubeconfig(address: str, user: Json, cluster: Json | None = None, **context: str) -> Json:
    fields = {"server": f"https://{address}"} | (
        cluster if cluster is not None else {"certificate-authority": "cluster.crt"}
    )
    return {
        "apiVersion": "v1", "kind": "Config", "current-context": "lab", "preferences": {},
        "contexts": [{"name": "lab", "context": {"cluster": "c", "user": "u", "namespace": NAMESPACE} | context}],
        "clusters": [{"name": "c", "cluster": fields}],
        "users": [{"name": "u", "user": user}],
    }  # fmt: skip


def written(path: Path, content: Json | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else yaml.safe_dump(content), encoding="utf-8")
    return path


def driver_of(place: DriverEnvironment, **section: Any) -> kubernetes_clone.KubernetesDriver:  # noqa: ANN401 - as TOML has it
    fields = {"driver": "kubernetes", "deployment": "ingester", "image": "x/y:{build}"} | section
    made = kubernetes_clone.read(fields, place)
    assert isinstance(made, kubernetes_clone.KubernetesDriver)
    made.cluster._pause = made.cluster._outside._pause = lambda _: None
    return made


def encoded(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()


def test_the_usual_file_is_found_and_one_named_beats_it(
    server: Secured, place: DriverEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stale = kubeconfig(
        server.address, {"token": "stale"}, {"certificate-authority-data": encoded(tmp_path / "cluster.crt")}
    )
    written(tmp_path / "home" / ".kube" / "config", stale)
    with pytest.raises(DeploymentFailed, match="401"):
        driver_of(place).prepare()
    good = written(tmp_path / "good", kubeconfig(server.address, {"token": TOKEN}))
    monkeypatch.setenv(
        "KUBERNETES_SERVICE_HOST", "127.0.0.1"
    )  # inside a cluster that one is used, unless configured otherwise
    monkeypatch.setattr(cluster_access, "IN_POD", tmp_path / "nowhere")
    with pytest.raises(InvalidDriverConfig, match="nowhere"):
        driver_of(place)
    driver_of(place, kubeconfig=str(good)).prepare()
    monkeypatch.setenv("KUBECONFIG", str(good))
    driver_of(place).prepare()
    with pytest.raises(DeploymentFailed, match="in other"):
        driver_of(place, namespace="other").prepare()


def test_the_first_of_several_files_wins_and_paths_are_relative_to_their_file(
    server: Secured, place: DriverEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = kubeconfig(server.address, {"tokenFile": "token"})
    first = whole | {
        "clusters": [],
        "contexts": whole["contexts"],
        "users": [{"name": "u", "user": {"tokenFile": "../token"}}],
    }
    second = whole | {"current-context": "gone", "users": [{"name": "u", "user": {"token": "never"}}]}
    paths = [tmp_path / "missing", written(tmp_path / "a" / "config", first), written(tmp_path / "config", second)]
    (tmp_path / "token").write_text("an-hour-old\n", encoding="ascii")
    monkeypatch.setenv("KUBECONFIG", os.pathsep.join(map(str, paths)))
    driver = driver_of(place)
    with pytest.raises(DeploymentFailed, match="401"):
        driver.prepare()
    (tmp_path / "token").write_text(f"{TOKEN}\n", encoding="ascii")
    driver.prepare()
    with pytest.raises(InvalidDriverConfig, match=r"no 'gone' in its contexts. Available: lab\."):
        driver_of(place, context="gone")


@pytest.mark.parametrize("in_the_file", [True, False])
def test_a_certificate_of_ours_is_shown_and_a_new_one_when_it_is_changed(
    place: DriverEnvironment, tmp_path: Path, double: ClusterDouble, in_the_file: bool
) -> None:
    theirs, ours = made_by_itself(tmp_path, "cluster"), made_by_itself(tmp_path, "runner")
    outsider = made_by_itself(tmp_path, "stranger")
    by_data = {"client-certificate-data": encoded(ours[0]), "client-key-data": encoded(ours[1])}
    by_path = {"client-certificate": "runner.crt", "client-key": "runner.key"}

    def known_by_certificate(asked: Asked) -> Reply:
        return double(replace(asked, headers={**asked.headers, "authorization": f"Bearer {TOKEN}"}))

    with Secured(known_by_certificate).secured(*theirs, client_ca=ours[0]) as server:
        config = written(tmp_path / "config", kubeconfig(server.address, by_data if in_the_file else by_path))
        driver = driver_of(place, kubeconfig=str(config))
        driver.prepare()
        assert all("authorization" not in asked.headers for asked in server.asked)
        if in_the_file:
            return
        stored = [path.read_bytes() for path in ours]
        ours[0].write_bytes(outsider[0].read_bytes())
        with pytest.raises(DeploymentFailed, match="no valid certificate") as found:
            driver.prepare()
        assert found.value.is_transient, "a certificate that is being changed"
        ours[1].write_bytes(outsider[1].read_bytes())
        with pytest.raises(DeploymentFailed, match="127"):
            driver.prepare()
        for path, text in zip(ours, stored, strict=True):
            path.write_bytes(text)
        driver.prepare()


def test_nothing_is_sent_to_a_cluster_of_another_authority(
    server: Secured, place: DriverEnvironment, tmp_path: Path
) -> None:
    outsider, _ = made_by_itself(tmp_path, "stranger")
    data = {
        "certificate-authority-data": encoded(outsider),
        "certificate-authority": "cluster.crt",
    }  # data beats the file
    config = written(tmp_path / "config", kubeconfig(server.address, {"token": TOKEN}, data))
    with pytest.raises(DeploymentFailed, match="CERTIFICATE_VERIFY_FAILED"):
        driver_of(place, kubeconfig=str(config)).prepare()
    skipping = kubeconfig(server.address, {"token": TOKEN}, {"insecure-skip-tls-verify": True})
    written(config, skipping)
    with pytest.raises(InvalidDriverConfig, match="does not verify certificates"):
        driver_of(place, kubeconfig=str(config))
    assert server.asked == []
    driver_of(place, kubeconfig=str(config), insecure_skip_tls_verify=True).prepare()


def test_the_name_of_a_certificate_may_be_another(
    place: DriverEnvironment, tmp_path: Path, double: ClusterDouble
) -> None:
    with Secured(double).secured(*made_by_itself(tmp_path, "cluster", host="cluster.internal")) as server:
        fields = {"certificate-authority": "cluster.crt", "tls-server-name": "cluster.internal"}
        config = written(tmp_path / "config", kubeconfig(server.address, {"token": TOKEN}, fields))
        driver_of(place, kubeconfig=str(config)).prepare()
        del fields["tls-server-name"]
        written(config, kubeconfig(server.address, {"token": TOKEN}, fields))
        with pytest.raises(DeploymentFailed, match="CERTIFICATE_VERIFY_FAILED"):
            driver_of(place, kubeconfig=str(config)).prepare()


# -- programs that give credentials


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Prints the file `answer`, and writes down how it was run."""
    monkeypatch.setenv("SLOWPATH_TOKEN", "the-runners-own")
    text = """#!/bin/sh
printf '%s\\n' "$@" > "$0.args"
env > "$0.env"
echo run >> "$0.runs"
cat "$(dirname "$0")/answer"
"""
    path = written(tmp_path / "bin" / "get-token", text)
    path.chmod(0o755)
    return path


def given(program: Path, *, version: str = VERSION, **status: object) -> None:
    fields = {"apiVersion": version, "kind": "ExecCredential", "status": status}
    (program.parent / "answer").write_text(json.dumps(fields), encoding="utf-8")


def runs(program: Path) -> int:
    return len(program.with_name("get-token.runs").read_text().split())


def by_program(address: str, **more: object) -> Json:
    exec_ = {
        "apiVersion": VERSION,
        "command": "bin/get-token",
        "args": ["$(touch here)", "a b"],
        "interactiveMode": "Never",
    }
    return kubeconfig(address, {"exec": exec_ | more})


def test_a_program_gives_a_token_until_it_expires_or_is_not_taken(
    server: Secured, place: DriverEnvironment, tmp_path: Path, program: Path, double: ClusterDouble
) -> None:
    given(program, token=TOKEN, expirationTimestamp="2000-01-01T00:00:00Z")
    more = {"env": [{"name": "PROFILE", "value": "lab"}], "provideClusterInfo": True}
    config = written(tmp_path / "config", by_program(server.address, **more))
    driver = driver_of(place, kubeconfig=str(config))
    driver.prepare()
    expired = runs(program)
    assert expired > 2, "asked for every request, as it is over at once"
    given(program, token=TOKEN, expirationTimestamp="2126-01-01T00:00:00+02:00")
    driver.prepare()
    driver.prepare()
    assert runs(program) == expired + 1
    assert program.with_name("get-token.args").read_text() == "$(touch here)\na b\n"
    seen = dict(line.partition("=")[::2] for line in program.with_name("get-token.env").read_text().splitlines())
    assert seen["PROFILE"] == "lab"
    assert "SLOWPATH_TOKEN" not in seen
    document = json.loads(seen["KUBERNETES_EXEC_INFO"])
    assert (document["apiVersion"], document["kind"], document["spec"]["interactive"]) == (
        VERSION,
        "ExecCredential",
        False,
    )
    assert document["spec"]["cluster"]["server"] == f"https://{server.address}"
    assert (
        base64.b64decode(document["spec"]["cluster"]["certificate-authority-data"])
        == (tmp_path / "cluster.crt").read_bytes()
    )


def test_a_rejected_token_is_renewed_once(
    server: Secured, place: DriverEnvironment, tmp_path: Path, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given(program, token="revoked")
    config = written(tmp_path / "config", by_program(server.address))
    driver = driver_of(place, kubeconfig=str(config))
    with pytest.raises(DeploymentFailed, match="401"):
        driver.prepare()
    assert runs(program) == 1, "it was had a moment ago"
    given(program, token=TOKEN)
    monkeypatch.setattr("slowpath_cli.runner.kube.exec_credentials.RETRY_SECONDS", 0.0)
    driver.prepare()
    assert runs(program) == 2


def test_a_program_gives_certificates_and_then_others(
    place: DriverEnvironment, tmp_path: Path, program: Path, double: ClusterDouble
) -> None:
    theirs, ours = made_by_itself(tmp_path, "cluster"), made_by_itself(tmp_path, "runner")
    other = made_by_itself(tmp_path, "other")

    def pair(paths: tuple[Path, Path], until: str) -> Json:
        texts = [path.read_text() for path in paths]
        return {"clientCertificateData": texts[0], "clientKeyData": texts[1], "expirationTimestamp": until}

    def known_by_certificate(asked: Asked) -> Reply:
        return double(replace(asked, headers={**asked.headers, "authorization": f"Bearer {TOKEN}"}))

    given(program, **pair(other, "2000-01-01T00:00:00Z"))
    with Secured(known_by_certificate).secured(*theirs, client_ca=ours[0]) as server:
        config = written(tmp_path / "config", by_program(server.address))
        driver = driver_of(place, kubeconfig=str(config))
        with pytest.raises(DeploymentFailed):
            driver.prepare()
        given(program, **pair(ours, "2126-01-01T00:00:00Z"))
        driver.prepare()


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("echo no such profile >&2; exit 3", "exited with 3: no such profile"),
        ("sleep 60", "longer than the limit of 0.3 s"),
        ("while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done", "printed more than|longer than"),
        ("echo secret-token", "did not print JSON"),
        ("echo '{}'", "did not print an ExecCredential"),
        ("""echo '{"apiVersion": "client.authentication.k8s.io/v1beta1", "kind": "ExecCredential", "status": {"token": "x"}}'""", "not print an ExecCredential of"),
        ("""echo '{"apiVersion": "VERSION", "kind": "ExecCredential"}'""", "gave neither a token"),
        ("""echo '{"apiVersion": "VERSION", "kind": "ExecCredential", "status": {"token": "a\\u0001b"}}'""", "not valid in an HTTP header"),
        ("""echo '{"apiVersion": "VERSION", "kind": "ExecCredential", "status": {"clientKeyData": "x"}}'""", "nor a certificate with its key"),
        ("""echo '{"apiVersion": "VERSION", "kind": "ExecCredential", "status": {"clientKeyData": "x", "clientCertificateData": "y"}}'""", "no valid certificate"),
        ("""echo '{"apiVersion": "VERSION", "kind": "ExecCredential", "status": {"token": "x", "expirationTimestamp": "soon"}}'""", "invalid expirationTimestamp"),
    ],
)  # fmt: skip
def test_a_failing_program_is_reported_without_its_output(
    place: DriverEnvironment, tmp_path: Path, program: Path, script: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("slowpath_cli.runner.kube.exec_credentials.TIMEOUT_SECONDS", 0.3 if "sleep" in script else 20.0)
    written(program, f"#!/bin/sh\n{script.replace('VERSION', VERSION)}\n")
    config = written(
        tmp_path / "config",
        by_program("127.0.0.1:9") | {"clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:9"}}]},
    )
    with pytest.raises(InvalidDriverConfig, match=expected) as found:
        driver_of(place, kubeconfig=str(config))
    assert "secret-token" not in str(found.value)


def test_a_missing_program_is_reported_with_its_install_hint(place: DriverEnvironment, tmp_path: Path) -> None:
    message = by_program("127.0.0.1:9", command="no-such-plugin-at-all", installHint="apt install it")
    message["clusters"] = [{"name": "c", "cluster": {"server": "https://127.0.0.1:9"}}]
    config = written(tmp_path / "config", message)
    with pytest.raises(InvalidDriverConfig, match=r"cannot be run: no-such-plugin-at-all.*apt install it"):
        driver_of(place, kubeconfig=str(config))


# -- what is refused


@pytest.mark.parametrize(
    ("user", "cluster", "expected"),
    [
        ({}, {}, "has no credentials"),
        ({"username": "a", "password": "b"}, {}, "a password"),
        ({"token": "x", "as": "admin"}, {}, "impersonation"),
        ({"token": "x", "as-groups": ["system:masters"]}, {}, "impersonation"),
        ({"auth-provider": {"name": "gcp"}}, {}, "exec plugin"),
        ({"token": "a\nb"}, {}, "not valid in an HTTP header"),
        ({"tokenFile": "/nowhere"}, {}, "/nowhere"),
        ({"client-key": "/nowhere"}, {}, "not both"),
        ({"client-key-data": "!", "client-certificate-data": "!"}, {}, "not base64"),
        ({"client-key-data": "eA==", "client-certificate-data": "eA=="}, {}, "no valid certificate"),
        ({"token": "x"}, {"server": ""}, "Use https"),
        ({"token": "x"}, {"server": "http://cluster.example"}, "requires https"),
        ({"token": "x"}, {"server": "http://127.0.0.1.example"}, "requires https"),
        ({"token": "x"}, {"server": "https://user:password@cluster.example"}, "password"),
        ({"token": "x"}, {"certificate-authority": "/nowhere"}, "/nowhere"),
        ({"token": "x"}, {"proxy-url": "socks5://127.0.0.1:9"}, "proxy"),
        ({"exec": {"command": "x", "apiVersion": "client.authentication.k8s.io/v1alpha1"}}, {}, "supported are"),
        ({"exec": {"command": "x", "apiVersion": VERSION, "interactiveMode": "Always"}}, {}, "needs a terminal"),
        ({"exec": {"command": "", "apiVersion": VERSION}}, {}, "no valid command"),
    ],
)
def test_unsupported_settings_are_rejected(
    place: DriverEnvironment, tmp_path: Path, user: Json, cluster: Json, expected: str
) -> None:
    config = written(tmp_path / "config", kubeconfig("127.0.0.1:9", user, cluster))
    with pytest.raises(InvalidDriverConfig, match=expected):
        driver_of(place, kubeconfig=str(config))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: &a [x,x]\nb: &b [*a,*a]\nclusters: [*b]\n", "aliases"),
        ("[" * 100_000, "limit of 40 levels"),
        ("x: " + "y" * 1_100_000, "1,048,576"),
        ("users: [\n  secret-token", r"not valid YAML \(line 3\)"),
        ("- x", "not an object"),
        ("\x00", "not valid YAML"),
        ("users: [{name: u}, {name: u}]", "'u' twice"),
        ("users: [{user: {}}]", "without a name"),
        ("current-context: lab", "no 'lab' in its contexts. Available: none"),
        ("contexts: [{name: a}, {name: b}]", "Set context to one of a, b"),
        ("contexts: [{name: lab, context: {cluster: c, user: u}}]\ncurrent-context: lab", "no 'c' in its clusters"),
        ("contexts: 7\nclusters: {}\nusers: [3]\ncurrent-context: [lab]", "no current-context"),
    ],
)
def test_hostile_files_are_rejected_without_quoting_them(
    place: DriverEnvironment, tmp_path: Path, text: str, expected: str
) -> None:
    with pytest.raises(InvalidDriverConfig, match=expected) as found:
        driver_of(place, kubeconfig=str(written(tmp_path / "config", text)))
    assert "secret-token" not in str(found.value)


def test_every_scalar_is_a_text(tmp_path: Path) -> None:
    name = "190:20:30"
    text = f"current-context: {name}\nusers: [{{name: 2026-99-99, user: {{token: !!python/object:os.system x}}}}]"
    message = read([written(tmp_path / "config", text)])
    assert (message.current, message.one("users", "2026-99-99").text("token")) == (name, "x")


@pytest.mark.parametrize(
    ("section", "expected"),
    [
        ({"kubeconfig": "/nowhere"}, "/nowhere"),
        ({"api": "https://127.0.0.1:9", "kubeconfig": "x"}, "excludes kubeconfig"),
        ({"kubeconfig": "CONFIG", "token_env": "HOME"}, "Remove one of them"),
        ({"kubeconfig": "CONFIG", "namespace": None}, "namespace"),
        ({"context": "lab"}, "No cluster configured"),
    ],
)
def test_an_invalid_section_is_refused(place: DriverEnvironment, tmp_path: Path, section: Json, expected: str) -> None:
    config = written(tmp_path / "config", kubeconfig("127.0.0.1:9", {"token": "x"}, {}, namespace=""))
    by_name: Json = {"namespace": NAMESPACE} | {k: str(config) if v == "CONFIG" else v for k, v in section.items()}
    with pytest.raises(InvalidDriverConfig, match=expected):
        driver_of(place, **{key: value for key, value in by_name.items() if value is not None})
