"""What a context of a kubeconfig says: where the cluster is, whom to believe, and who asks.

Meant as `kubectl` means it: what stands in the file before what it names, a token or a certificate before a program that
gives them. What we cannot keep to (a password, somebody else's name, a certificate that is not checked) is refused in
words, never left out silently.
"""

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from slowpath_cli.runner.core.config_section import read_file
from slowpath_cli.runner.core.driver_interface import InvalidDriverConfig
from slowpath_cli.runner.core.tls_trust import TlsTrust
from slowpath_cli.runner.kube import kubeconfig_files
from slowpath_cli.runner.kube.exec_credentials import ExecCredentialPlugin
from slowpath_cli.runner.kube.kubeconfig_files import KubeconfigEntry

TRUE: Final = frozenset({"true", "True", "TRUE"})
NOT_KEPT: Final = {
    "username": "a password, which clusters take no longer",
    "password": "a password, which clusters take no longer",
    "auth-provider": "auth-provider, which is gone since Kubernetes 1.26: use the provider's exec plugin",
    "as": "somebody else's name (as)",
    "as-uid": "somebody else's name (as-uid)",
    "as-groups": "somebody else's groups (as-groups)",
    "as-user-extra": "somebody else's name (as-user-extra)",
}
FOR_PLUGINS: Final = "client.authentication.k8s.io/exec"
Pair = tuple[str | None, str | None]


@dataclass(frozen=True)
class KubeContext:
    """One context."""

    address: str
    namespace: str | None
    proxy: str | None
    token: Callable[[], str] | None
    trust: Callable[[], TlsTrust]
    refused: Callable[[], bool]
    """To be called where the token was not taken: whether there is another now."""


@dataclass(frozen=True)
class KubeCredentials:
    """Who asks. All may change while we run."""

    token: Callable[[], str] | None = None
    shown: Callable[[], Pair] = lambda: (None, None)
    """Our certificate and its key."""
    refused: Callable[[], bool] = lambda: False


def context(paths: list[Path], wanted: str | None, *, unchecked: bool = False) -> KubeContext:
    """Return a context: of this name, or the current one.

    `unchecked`: whether a cluster may be one whose certificate is not checked. Raises `InvalidDriverConfig`.
    """
    read = kubeconfig_files.read(paths)
    name = wanted or read.current
    if not name:
        raise InvalidDriverConfig(
            f"{read.where} has no current-context: name one as context. There are {read.names('contexts')}."
        )
    chosen = read.one("contexts", name)
    cluster = read.one("clusters", chosen.text("cluster"))
    user = read.one("users", chosen.text("user")) if chosen.text("user") else KubeconfigEntry({}, Path())
    believed = _believed(name, cluster, unchecked=unchecked)
    who = _who(name, user, cluster, believed())
    trust = partial(_both, believed, who.shown)
    address, proxy = cluster.text("server").rstrip("/"), cluster.text("proxy-url") or None
    return KubeContext(address, chosen.text("namespace") or None, proxy, who.token, trust, who.refused)


def _believed(name: str, cluster: KubeconfigEntry, *, unchecked: bool) -> Callable[[], TlsTrust]:
    """Return how to have whom to believe. Raises `InvalidDriverConfig`."""
    address, proxy = cluster.text("server"), cluster.text("proxy-url")
    if not address.startswith(("https://", "http://")):
        raise InvalidDriverConfig(f"The cluster of the context {name} has the server {address!r}: give https://host.")
    if proxy and not proxy.startswith(("http://", "https://")):
        raise InvalidDriverConfig(f"The cluster of the context {name} is behind a proxy that is not one of HTTP.")
    if proxy and cluster.text("tls-server-name"):
        raise InvalidDriverConfig(f"The context {name} has tls-server-name and proxy-url: both at once are not taken.")
    skipped = cluster.text("insecure-skip-tls-verify") in TRUE
    if skipped and not unchecked:
        raise InvalidDriverConfig(
            f"The context {name} checks no certificate (insecure-skip-tls-verify): give certificate-authority, or say "
            "insecure_skip_tls_verify = true in [deploy]."
        )
    authorities = cluster.certificates("certificate-authority")
    if skipped and authorities:
        raise InvalidDriverConfig(
            f"The context {name} has a certificate-authority, and does not check it: take one of both away."
        )
    server_name, called = cluster.text("tls-server-name") or None, f"The context {name}"
    return lambda: TlsTrust(
        authorities() if authorities else None, server_name=server_name, checked=not skipped, named=called
    )


def _both(believed: Callable[[], TlsTrust], shown: Callable[[], Pair]) -> TlsTrust:
    trust, (certificate, key) = believed(), shown()
    return TlsTrust(trust.authorities, certificate, key, trust.server_name, trust.checked, trust.named)


def _who(name: str, user: KubeconfigEntry, cluster: KubeconfigEntry, trust: TlsTrust) -> KubeCredentials:
    """Return who asks. Raises `InvalidDriverConfig`."""
    for key, words in NOT_KEPT.items():
        if user.told.get(key):
            raise InvalidDriverConfig(f"The user of the context {name} comes with {words}.")
    certificate, key_of = user.certificates("client-certificate"), user.certificates("client-key")
    if (certificate is None) != (key_of is None):
        raise InvalidDriverConfig(f"The user of the context {name} has a certificate or a key, and not both.")
    token, program = _token(name, user), user.told.get("exec")
    if certificate is not None and key_of is not None:
        shown, kept = certificate, key_of
        return KubeCredentials(token, lambda: (shown(), kept()))
    if token is not None:
        return KubeCredentials(token)
    if not isinstance(program, Mapping):
        raise InvalidDriverConfig(
            f"Nobody asks in the context {name}: its user has no token, no certificate and no exec."
        )
    plugin = ExecCredentialPlugin.read(name, KubeconfigEntry(program, user.folder), _told(cluster, trust))
    return KubeCredentials(plugin.token, plugin.shown, plugin.refused)


def _token(name: str, user: KubeconfigEntry) -> Callable[[], str] | None:
    file, token = user.path("tokenFile"), user.text("token")
    if file is not None:
        read_file(file)
        return partial(read_file, file)  # anew for every request: whoever writes it changes it
    if token and not (token.isascii() and token.isprintable()):
        raise InvalidDriverConfig(f"The token of the context {name} is one that no header can carry.")
    return (lambda: token) if token else None


def _told(cluster: KubeconfigEntry, trust: TlsTrust) -> dict[str, Any]:
    """Return the cluster as a program that gives credentials is told of it."""
    authorities = None if trust.authorities is None else base64.b64encode(trust.authorities.encode()).decode()
    extensions = {
        kubeconfig_files.text(each, "name"): each.get("extension")
        for each in kubeconfig_files.objects(cluster.told, "extensions")
    }
    told = {
        "server": cluster.text("server"), "tls-server-name": trust.server_name, "certificate-authority-data": authorities,
        "insecure-skip-tls-verify": None if trust.checked else True, "proxy-url": cluster.text("proxy-url") or None,
        "config": extensions.get(FOR_PLUGINS),
    }  # fmt: skip
    return {key: value for key, value in told.items() if value is not None}
