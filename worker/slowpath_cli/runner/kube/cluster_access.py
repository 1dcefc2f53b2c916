"""Where a cluster is and who asks it: as the section says, as a kubeconfig says, or as the cluster says that the runner stands in."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from slowpath_cli.runner.core.config_section import ConfigSection, read_file
from slowpath_cli.runner.core.driver_interface import InvalidDriverConfig
from slowpath_cli.runner.core.http_client import on_loopback
from slowpath_cli.runner.core.tls_trust import TlsTrust
from slowpath_cli.runner.kube import kubeconfig_files
from slowpath_cli.runner.kube.kubeconfig import KubeContext, context

IN_POD: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")


@dataclass(frozen=True)
class ClusterAccess:
    """Where the cluster's API is, and who asks."""

    address: str
    namespace: str
    token: Callable[[], str] | None
    trust: Callable[[], TlsTrust]
    proxy: str | None = None
    refused: Callable[[], bool] = lambda: False

    @classmethod
    def read(cls, section: ConfigSection) -> "ClusterAccess":
        """Read it. Without `api` it is a context of a kubeconfig, or the cluster the runner stands in. Raises `InvalidDriverConfig`."""
        address, namespace = section.maybe("api"), section.maybe("namespace")
        given = _InlineCredentials.read(section)
        kubeconfig, wanted = section.file("kubeconfig"), section.maybe("context")
        unchecked = section.flag("insecure_skip_tls_verify", default=False)
        if address is not None:
            if kubeconfig or wanted or unchecked:
                raise InvalidDriverConfig(
                    "[deploy] has api, so kubeconfig, context and insecure_skip_tls_verify mean nothing."
                )
            return cls._of(address, namespace, given)
        host = os.environ.get("KUBERNETES_SERVICE_HOST")
        asked = kubeconfig or wanted or os.environ.get(kubeconfig_files.VARIABLE)
        paths = kubeconfig_files.files(kubeconfig) if asked or not host else []
        if paths:
            if given.any():
                raise InvalidDriverConfig(
                    "[deploy] says who asks, and the kubeconfig does: take one of both away, or give api."
                )
            return cls._of_context(context(paths, wanted, unchecked=unchecked), namespace)
        if asked or not host:
            raise InvalidDriverConfig(
                "[deploy] needs api, or kubeconfig, to say which cluster: the runner stands in none itself, and there is no kubeconfig."
            )
        port = os.environ.get("KUBERNETES_SERVICE_PORT", "443")
        address = f"https://{f'[{host}]' if ':' in host else host}:{port}"
        inside = replace(
            given, ca_file=given.ca_file or IN_POD / "ca.crt", token_file=given.token_file or IN_POD / "token"
        )
        return cls._of(address, namespace or read_file(IN_POD / "namespace"), inside)

    @classmethod
    def _of(cls, address: str, namespace: str | None, given: "_InlineCredentials") -> "ClusterAccess":
        token, token_file = given.token, given.token_file
        if token is None and token_file is not None:
            read_file(token_file)
            token = partial(read_file, token_file)  # anew for every request: the cluster changes it every hour
        if token is None and given.certificate is None:
            raise InvalidDriverConfig(
                "[deploy] needs token_env, token_file, or certificate and key: who asks the cluster?"
            )
        return cls(
            *_checked(address, namespace, token),
            token,
            partial(TlsTrust.of, given.ca_file, given.certificate, given.key),
        )

    @classmethod
    def _of_context(cls, found: KubeContext, namespace: str | None) -> "ClusterAccess":
        address, namespace = _checked(found.address, namespace or found.namespace, found.token)
        return cls(address, namespace, found.token, found.trust, found.proxy, found.refused)


@dataclass(frozen=True)
class _InlineCredentials:
    """Who asks, as the section itself says it."""

    ca_file: Path | None
    token: Callable[[], str] | None
    token_file: Path | None
    certificate: Path | None
    key: Path | None

    @classmethod
    def read(cls, section: ConfigSection) -> "_InlineCredentials":
        token = section.secret("token_env") if section.maybe("token_env") else None
        return cls(
            section.file("ca_file"), token, section.file("token_file"), section.file("certificate"), section.file("key")
        )

    def any(self) -> bool:
        return any(each is not None for each in (self.ca_file, self.token, self.token_file, self.certificate, self.key))


def _checked(address: str, namespace: str | None, token: Callable[[], str] | None) -> tuple[str, str]:
    """Raises `InvalidDriverConfig` where a token would go over plain HTTP, or nobody said where the service runs."""
    if address.startswith("http:") and token is not None and not on_loopback(address):
        raise InvalidDriverConfig(f"[deploy] api is {address}: a token goes over https only.")
    if not namespace:
        raise InvalidDriverConfig("[deploy] needs namespace: where the service runs.")
    return address, namespace
