"""A real control plane of Kubernetes: etcd, the API server and the controllers, on loopback.

etcd is a Debian package; the API server and the controllers are built from their module, once. Nothing runs: there is one
node by name, and instead of a scheduler and a kubelet `PodStatusWriter` assigns pods to it and sets their status.
"""

import base64
import json
import secrets
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from bootstrap_parts.machine_checks import free_port
from support.debian_packages import unpacked_packages
from support.go_programs import built_program

SOURCE = Path(__file__).with_name("kube_api")
BUILD_SECONDS = 1_200
START_SECONDS = 120.0
VERSION = (1, 35, 0)
"""That of the module. A build of a module does not contain it, and Helm asks for it."""
NODE = "node"
POLL_SECONDS = 0.2
LOG_LINES = 40

Json = dict[str, Any]


@dataclass(frozen=True)
class ControlPlane:
    """The address and the credentials of the administrator."""

    url: str
    ca_file: Path
    kubeconfig: str
    client: httpx.Client

    def get(self, path: str) -> Json:
        """Return an object or a list."""
        return self._json(self.client.get(path))

    def items(self, path: str) -> list[Json]:
        """Return the objects of a list."""
        items: list[Json] = self.get(path)["items"]
        return items

    def create(self, path: str, thing: Json) -> Json:
        """Create an object; an unknown field is an error."""
        return self._json(self.client.post(path, json=thing, params={"fieldValidation": "Strict"}))

    @staticmethod
    def _json(response: httpx.Response) -> Json:
        assert response.is_success, f"{response.request.method} {response.request.url}: {response.text[:2000]}"
        found: Json = response.json()
        return found


@dataclass
class PodStatusWriter:
    """Assigns pods to the node and sets their status as a kubelet would: pods of Jobs succeed, others are ready."""

    plane: ControlPlane
    failing_images: set[str] = field(default_factory=set)
    """Images whose pods of Jobs fail, and whose other pods cannot pull them."""
    begun: list[tuple[str, str]] = field(default_factory=list)
    """Names of pods with their images, in the order of their start."""
    _stop: threading.Event = field(default_factory=threading.Event)
    _uids: dict[str, str] = field(default_factory=dict)

    @contextmanager
    def running(self) -> Iterator["PodStatusWriter"]:
        """Write until the block ends."""
        thread = threading.Thread(target=self._write, name="pod statuses", daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._stop.set()
            thread.join(10)

    def _write(self) -> None:
        while not self._stop.wait(POLL_SECONDS):
            for pod in self.plane.items("/api/v1/pods"):
                self._write_pod(pod)

    def _write_pod(self, pod: Json) -> None:
        metadata, containers = pod["metadata"], pod["spec"]["containers"]
        path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}"
        if "deletionTimestamp" in metadata:
            self.plane.client.request("DELETE", path, json={"gracePeriodSeconds": 0})
            return
        if metadata["uid"] in self._uids:
            return
        self._uids[metadata["uid"]] = metadata["name"]
        self.begun.append((metadata["name"], containers[0]["image"]))
        is_failing = containers[0]["image"] in self.failing_images
        is_of_job = any(owner["kind"] == "Job" for owner in metadata.get("ownerReferences", []))
        status = _job_status(containers, is_failing) if is_of_job else _status(containers, is_failing, len(self._uids))
        binding = {"metadata": {"name": metadata["name"]}, "target": {"kind": "Node", "name": NODE}}
        self.plane.client.post(f"{path}/binding", json=binding)
        headers = {"Content-Type": "application/merge-patch+json"}
        self.plane.client.patch(f"{path}/status", content=json.dumps({"status": status}), headers=headers)


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _container_status(container: Json, state: Json, *, ready: bool) -> Json:
    return {
        "name": container["name"], "image": container["image"], "imageID": "", "restartCount": 0, "ready": ready, "started": ready, "state": state,
    }  # fmt: skip


def _job_status(containers: Sequence[Json], is_failing: bool) -> Json:
    state = {"terminated": {"exitCode": int(is_failing), "startedAt": _now(), "finishedAt": _now()}}
    return {
        "phase": "Failed" if is_failing else "Succeeded",
        "startTime": _now(),
        "containerStatuses": [_container_status(each, state, ready=False) for each in containers],
    }


def _status(containers: Sequence[Json], is_failing: bool, number: int) -> Json:
    ready = {"type": "Ready", "status": "False" if is_failing else "True", "lastTransitionTime": _now()}
    pulling = {"waiting": {"reason": "ErrImagePull", "message": f"{containers[0]['image']}: not found"}}
    state = pulling if is_failing else {"running": {"startedAt": _now()}}
    address = f"10.1.{number // 250}.{number % 250 + 1}"
    return {
        "phase": "Pending" if is_failing else "Running",
        "startTime": _now(),
        "podIP": address,
        "podIPs": [{"ip": address}],
        "conditions": [ready, {**ready, "type": "ContainersReady"}],
        "containerStatuses": [_container_status(each, state, ready=not is_failing) for each in containers],
    }


def control_plane_program() -> Path | None:
    """Return the API server and the controllers in one program, built once; None without Go or its modules.

    The build takes 10 CPU minutes or more without a cache.
    """
    major, minor, _ = VERSION
    version = {"gitVersion": "v{}.{}.{}".format(*VERSION), "gitMajor": major, "gitMinor": minor}
    names = " ".join(f"-X k8s.io/component-base/version.{name}={value}" for name, value in version.items())
    return built_program(SOURCE, f"-ldflags=-s -w {names}", seconds=BUILD_SECONDS)


def etcd_program() -> Path | None:
    """Return etcd, unpacked once; None without apt or a network."""
    return unpacked_packages(["etcd-server"], "usr/bin/etcd")


@contextmanager
def control_plane(program: Path, etcd: Path, folder: Path) -> Iterator[ControlPlane]:
    """Start etcd, the API server and the controllers."""
    store, peers, api, controllers = (free_port() for _ in range(4))
    store_url, url = f"http://127.0.0.1:{store}", f"https://127.0.0.1:{api}"
    certificates = folder / "certificates"
    certificates.mkdir(parents=True)
    ca_file = certificates / "apiserver.crt"
    key, public_key = _write_keys(folder)
    tokens = folder / "tokens.csv"
    token = secrets.token_hex(16)
    tokens.write_text(f"{token},administrator,administrator,system:masters\n")
    kubeconfig = folder / "kubeconfig"
    commands = {
        "etcd": [
            str(etcd), "--data-dir", str(folder / "etcd"), "--listen-client-urls", store_url, "--advertise-client-urls", store_url,
            "--listen-peer-urls", f"http://127.0.0.1:{peers}",
        ],
        "api": [
            str(program), "kube-apiserver", f"--etcd-servers={store_url}", "--bind-address=127.0.0.1", f"--secure-port={api}",
            f"--cert-dir={certificates}", f"--service-account-key-file={public_key}", f"--service-account-signing-key-file={key}",
            "--service-account-issuer=https://kubernetes.example", "--authorization-mode=RBAC", f"--token-auth-file={tokens}",
            "--service-cluster-ip-range=10.0.0.0/24", "--endpoint-reconciler-type=none",
        ],
        "controllers": [
            str(program), "kube-controller-manager", f"--kubeconfig={kubeconfig}", f"--service-account-private-key-file={key}",
            f"--root-ca-file={ca_file}", "--leader-elect=false", "--controllers=*,-node-lifecycle-controller", "--bind-address=127.0.0.1", f"--secure-port={controllers}",
            f"--cert-dir={folder / 'controllers'}",
        ],
    }  # fmt: skip
    with ExitStack() as stack:
        stack.callback(_print_logs_of_failure, folder, commands)
        stack.enter_context(_process(commands["etcd"], folder / "etcd.log"))
        stack.enter_context(_process(commands["api"], folder / "api.log"))
        wait_until(ca_file.exists, "certificate of the API server")
        kubeconfig.write_text(json.dumps(_kubeconfig(url, ca_file, token)))
        verification = ssl.create_default_context(cafile=str(ca_file))
        headers = {"Authorization": f"Bearer {token}"}
        client = stack.enter_context(httpx.Client(base_url=url, headers=headers, verify=verification, timeout=20))
        plane = ControlPlane(url, ca_file, kubeconfig.read_text(), client)
        wait_until(lambda: _answers(client, "/readyz"), "API server")
        stack.enter_context(_process(commands["controllers"], folder / "controllers.log"))
        wait_until(lambda: _answers(client, "/api/v1/namespaces/default/serviceaccounts/default"), "controllers")
        plane.create("/api/v1/nodes", {"metadata": {"name": NODE}})
        yield plane


def _write_keys(folder: Path) -> tuple[Path, Path]:
    """Write the keys that sign the tokens of service accounts."""
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    key, public_key = folder / "accounts.key", folder / "accounts.pub"
    pem = serialization.Encoding.PEM
    key.write_bytes(private.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    public_key.write_bytes(private.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo))
    return key, public_key


def _kubeconfig(url: str, ca_file: Path, token: str) -> Json:
    authority = base64.b64encode(ca_file.read_bytes()).decode()
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "test", "cluster": {"server": url, "certificate-authority-data": authority}}],
        "users": [{"name": "administrator", "user": {"token": token}}],
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "administrator"}}],
        "current-context": "test",
    }


@contextmanager
def _process(command: Sequence[str], log: Path) -> Iterator[None]:
    with log.open("wb") as output, subprocess.Popen(command, stdout=output, stderr=output) as process:
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def _print_logs_of_failure(folder: Path, names: Iterable[str]) -> None:
    if sys.exc_info()[0] is not None:
        for name in names:
            lines = (folder / f"{name}.log").read_text(errors="replace").splitlines()[-LOG_LINES:]
            print(f"--- {name}", *lines, sep="\n", file=sys.stderr)


def _answers(client: httpx.Client, path: str) -> bool:
    try:
        return client.get(path).status_code == httpx.codes.OK
    except httpx.HTTPError:
        return False


def wait_until(is_true: Callable[[], bool], what: str) -> None:
    """Wait until something is true, while the control plane works."""
    deadline = time.monotonic() + START_SECONDS
    while not is_true():
        assert time.monotonic() < deadline, f"no {what} after {START_SECONDS:.0f} s"
        time.sleep(POLL_SECONDS)
