"""What a context of a kubeconfig says: where the cluster is, whom to believe, and who asks.

Meant as `kubectl` means it: what stands in the file before what it names, a token or a certificate before a program that
gives them. What we can not keep to (a password, somebody else's name, a certificate that is not checked) is refused in
words, never left out silently.
"""

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from slowpath_cli.runner import kubefiles
from slowpath_cli.runner.driver import BadSection
from slowpath_cli.runner.kubefiles import Entry
from slowpath_cli.runner.plugin import Plugin
from slowpath_cli.runner.section import read_file
from slowpath_cli.runner.trust import Trust

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
class Context:
    """One context."""

    address: str
    namespace: str | None
    proxy: str | None
    token: Callable[[], str] | None
    trust: Callable[[], Trust]
    refused: Callable[[], bool]
    """To be called where the token was not taken: whether there is another now."""


@dataclass(frozen=True)
class Who:
    """Who asks. All may change while we run."""

    token: Callable[[], str] | None = None
    shown: Callable[[], Pair] = lambda: (None, None)
    """Our certificate and its key."""
    refused: Callable[[], bool] = lambda: False


def context(paths: list[Path], wanted: str | None, *, unchecked: bool = False) -> Context:
    """Return a context: of this name, or the current one.

    `unchecked`: whether a cluster may be one whose certificate is not checked. Raises `BadSection`.
    """
    read = kubefiles.read(paths)
    name = wanted or read.current
    if not name:
        raise BadSection(
            f"{read.where} has no current-context: name one as context. There are {read.names('contexts')}."
        )
    chosen = read.one("contexts", name)
    cluster = read.one("clusters", chosen.text("cluster"))
    user = read.one("users", chosen.text("user")) if chosen.text("user") else Entry({}, Path())
    believed = _believed(name, cluster, unchecked=unchecked)
    who = _who(name, user, cluster, believed())
    trust = partial(_both, believed, who.shown)
    address, proxy = cluster.text("server").rstrip("/"), cluster.text("proxy-url") or None
    return Context(address, chosen.text("namespace") or None, proxy, who.token, trust, who.refused)


def _believed(name: str, cluster: Entry, *, unchecked: bool) -> Callable[[], Trust]:
    """Return how to have whom to believe. Raises `BadSection`."""
    address, proxy = cluster.text("server"), cluster.text("proxy-url")
    if not address.startswith(("https://", "http://")):
        raise BadSection(f"The cluster of the context {name} has the server {address!r}: give https://host.")
    if proxy and not proxy.startswith(("http://", "https://")):
        raise BadSection(f"The cluster of the context {name} is behind a proxy that is not one of HTTP.")
    if proxy and cluster.text("tls-server-name"):
        raise BadSection(f"The context {name} has tls-server-name and proxy-url: both at once are not taken.")
    skipped = cluster.text("insecure-skip-tls-verify") in TRUE
    if skipped and not unchecked:
        raise BadSection(
            f"The context {name} checks no certificate (insecure-skip-tls-verify): give certificate-authority, or say "
            "insecure_skip_tls_verify = true in [deploy]."
        )
    authorities = cluster.certificates("certificate-authority")
    if skipped and authorities:
        raise BadSection(
            f"The context {name} has a certificate-authority, and does not check it: take one of both away."
        )
    server_name, called = cluster.text("tls-server-name") or None, f"The context {name}"
    return lambda: Trust(
        authorities() if authorities else None, server_name=server_name, checked=not skipped, named=called
    )


def _both(believed: Callable[[], Trust], shown: Callable[[], Pair]) -> Trust:
    trust, (certificate, key) = believed(), shown()
    return Trust(trust.authorities, certificate, key, trust.server_name, trust.checked, trust.named)


def _who(name: str, user: Entry, cluster: Entry, trust: Trust) -> Who:
    """Return who asks. Raises `BadSection`."""
    for key, words in NOT_KEPT.items():
        if user.told.get(key):
            raise BadSection(f"The user of the context {name} comes with {words}.")
    certificate, key_of = user.certificates("client-certificate"), user.certificates("client-key")
    if (certificate is None) != (key_of is None):
        raise BadSection(f"The user of the context {name} has a certificate or a key, and not both.")
    token, program = _token(name, user), user.told.get("exec")
    if certificate is not None and key_of is not None:
        shown, kept = certificate, key_of
        return Who(token, lambda: (shown(), kept()))
    if token is not None:
        return Who(token)
    if not isinstance(program, Mapping):
        raise BadSection(f"Nobody asks in the context {name}: its user has no token, no certificate and no exec.")
    plugin = Plugin.read(name, Entry(program, user.folder), _told(cluster, trust))
    return Who(plugin.token, plugin.shown, plugin.refused)


def _token(name: str, user: Entry) -> Callable[[], str] | None:
    file, token = user.path("tokenFile"), user.text("token")
    if file is not None:
        read_file(file)
        return partial(read_file, file)  # anew for every request: whoever writes it changes it
    if token and not (token.isascii() and token.isprintable()):
        raise BadSection(f"The token of the context {name} is one that no header can carry.")
    return (lambda: token) if token else None


def _told(cluster: Entry, trust: Trust) -> dict[str, Any]:
    """Return the cluster as a program that gives credentials is told of it."""
    authorities = None if trust.authorities is None else base64.b64encode(trust.authorities.encode()).decode()
    extensions = {
        kubefiles.text(each, "name"): each.get("extension") for each in kubefiles.objects(cluster.told, "extensions")
    }
    told = {
        "server": cluster.text("server"), "tls-server-name": trust.server_name, "certificate-authority-data": authorities,
        "insecure-skip-tls-verify": None if trust.checked else True, "proxy-url": cluster.text("proxy-url") or None,
        "config": extensions.get(FOR_PLUGINS),
    }  # fmt: skip
    return {key: value for key, value in told.items() if value is not None}
