"""Read a context of a kubeconfig: the cluster's address, trusted authorities, and credentials.

The precedence is that of `kubectl`: data in the file before files, a token or certificate before an exec plugin. Unsupported
settings (a password, impersonation, an unverified certificate) are errors, not ignored.
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
UNSUPPORTED: Final = {
    "username": "a password, which clusters no longer support",
    "password": "a password, which clusters no longer support",
    "auth-provider": "auth-provider, which Kubernetes removed in 1.26. Use the provider's exec plugin",
    "as": "impersonation (as), which is not supported",
    "as-uid": "impersonation (as-uid), which is not supported",
    "as-groups": "impersonation (as-groups), which is not supported",
    "as-user-extra": "impersonation (as-user-extra), which is not supported",
}
FOR_PLUGINS: Final = "client.authentication.k8s.io/exec"
Pair = tuple[str | None, str | None]


@dataclass(frozen=True)
class KubeContext:
    """A context: address, namespace, trust and credentials of a cluster."""

    address: str
    namespace: str | None
    proxy: str | None
    token: Callable[[], str] | None
    trust: Callable[[], TlsTrust]
    refused: Callable[[], bool]
    """Called after a rejected token; returns whether there is a new one."""


@dataclass(frozen=True)
class KubeCredentials:
    """Credentials; all values can change at run time."""

    token: Callable[[], str] | None = None
    shown: Callable[[], Pair] = lambda: (None, None)
    """Return the client certificate and its key."""
    refused: Callable[[], bool] = lambda: False


def context(paths: list[Path], context_name: str | None, *, unchecked: bool = False) -> KubeContext:
    """Return the context with this name, or the current one. Raises `InvalidDriverConfig`.

    `unchecked`: allow a cluster whose certificate is not verified.
    """
    read = kubeconfig_files.read(paths)
    name = context_name or read.current
    if not name:
        raise InvalidDriverConfig(
            f"{read.where} has no current-context. Set context to one of {read.names('contexts')}."
        )
    chosen = read.one("contexts", name)
    cluster = read.one("clusters", chosen.text("cluster"))
    user = read.one("users", chosen.text("user")) if chosen.text("user") else KubeconfigEntry({}, Path())
    read_trust = _read_trust(name, cluster, unchecked=unchecked)
    credentials = _read_credentials(name, user, cluster, read_trust())
    trust = partial(_make_trust, read_trust, credentials.shown)
    address, proxy = cluster.text("server").rstrip("/"), cluster.text("proxy-url") or None
    return KubeContext(address, chosen.text("namespace") or None, proxy, credentials.token, trust, credentials.refused)


def _read_trust(name: str, cluster: KubeconfigEntry, *, unchecked: bool) -> Callable[[], TlsTrust]:
    """Return a reader of the trusted authorities. Raises `InvalidDriverConfig`."""
    address, proxy = cluster.text("server"), cluster.text("proxy-url")
    if not address.startswith(("https://", "http://")):
        raise InvalidDriverConfig(
            f"The cluster of the context {name} has an invalid server {address!r}. Use https://host."
        )
    if proxy and not proxy.startswith(("http://", "https://")):
        raise InvalidDriverConfig(f"The cluster of the context {name} has a proxy-url that is not HTTP.")
    if proxy and cluster.text("tls-server-name"):
        raise InvalidDriverConfig(
            f"The context {name} has tls-server-name and proxy-url, which are not supported together."
        )
    skipped = cluster.text("insecure-skip-tls-verify") in TRUE
    if skipped and not unchecked:
        raise InvalidDriverConfig(
            f"The context {name} does not verify certificates (insecure-skip-tls-verify). Set certificate-authority, or "
            "insecure_skip_tls_verify = true in [deploy]."
        )
    authorities = cluster.certificates("certificate-authority")
    if skipped and authorities:
        raise InvalidDriverConfig(
            f"The context {name} has certificate-authority and insecure-skip-tls-verify. Remove one of them."
        )
    server_name, label = cluster.text("tls-server-name") or None, f"The context {name}"
    return lambda: TlsTrust(
        authorities() if authorities else None, server_name=server_name, checked=not skipped, named=label
    )


def _make_trust(read_trust: Callable[[], TlsTrust], shown: Callable[[], Pair]) -> TlsTrust:
    trust, (certificate, key) = read_trust(), shown()
    return TlsTrust(trust.authorities, certificate, key, trust.server_name, trust.checked, trust.named)


def _read_credentials(name: str, user: KubeconfigEntry, cluster: KubeconfigEntry, trust: TlsTrust) -> KubeCredentials:
    """Read the credentials of a user. Raises `InvalidDriverConfig`."""
    for key, words in UNSUPPORTED.items():
        if user.fields.get(key):
            raise InvalidDriverConfig(f"The user of the context {name} has {words}.")
    certificate, key_of = user.certificates("client-certificate"), user.certificates("client-key")
    if (certificate is None) != (key_of is None):
        raise InvalidDriverConfig(f"The user of the context {name} has a certificate or a key, but not both.")
    token, program = _token(name, user), user.fields.get("exec")
    if certificate is not None and key_of is not None:
        shown, read_key = certificate, key_of
        return KubeCredentials(token, lambda: (shown(), read_key()))
    if token is not None:
        return KubeCredentials(token)
    if not isinstance(program, Mapping):
        raise InvalidDriverConfig(
            f"The user of the context {name} has no credentials: no token, no certificate and no exec."
        )
    plugin = ExecCredentialPlugin.read(name, KubeconfigEntry(program, user.folder), _make_cluster_info(cluster, trust))
    return KubeCredentials(plugin.token, plugin.shown, plugin.refused)


def _token(name: str, user: KubeconfigEntry) -> Callable[[], str] | None:
    file, token = user.path("tokenFile"), user.text("token")
    if file is not None:
        read_file(file)
        return partial(read_file, file)  # read for every request, because it may change
    if token and not (token.isascii() and token.isprintable()):
        raise InvalidDriverConfig(f"The token of the context {name} is not valid in an HTTP header.")
    return (lambda: token) if token else None


def _make_cluster_info(cluster: KubeconfigEntry, trust: TlsTrust) -> dict[str, Any]:
    """Return the cluster information for exec plugins."""
    authorities = None if trust.authorities is None else base64.b64encode(trust.authorities.encode()).decode()
    extensions = {
        kubeconfig_files.text(each, "name"): each.get("extension")
        for each in kubeconfig_files.objects(cluster.fields, "extensions")
    }
    info = {
        "server": cluster.text("server"), "tls-server-name": trust.server_name, "certificate-authority-data": authorities,
        "insecure-skip-tls-verify": None if trust.checked else True, "proxy-url": cluster.text("proxy-url") or None,
        "config": extensions.get(FOR_PLUGINS),
    }  # fmt: skip
    return {key: value for key, value in info.items() if value is not None}
