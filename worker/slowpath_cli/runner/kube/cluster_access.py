"""Read a cluster's address and credentials: from the section, a kubeconfig, or the pod that the runner runs in."""

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
    """Address of a cluster's API, and credentials."""

    address: str
    namespace: str
    token: Callable[[], str] | None
    trust: Callable[[], TlsTrust]
    proxy: str | None = None
    refused: Callable[[], bool] = lambda: False

    @classmethod
    def read(cls, section: ConfigSection) -> "ClusterAccess":
        """Read `api`, else a kubeconfig's context, else the cluster of the runner's pod. Raises `InvalidDriverConfig`."""
        address, namespace = section.find_string("api"), section.find_string("namespace")
        given = _InlineCredentials.read(section)
        kubeconfig, context_name = section.file("kubeconfig"), section.find_string("context")
        skips_verification = section.flag("insecure_skip_tls_verify", default=False)
        if address is not None:
            if kubeconfig or context_name or skips_verification:
                raise InvalidDriverConfig(
                    "[deploy] has api, which excludes kubeconfig, context and insecure_skip_tls_verify."
                )
            return cls._of(address, namespace, given)
        host = os.environ.get("KUBERNETES_SERVICE_HOST")
        is_requested = kubeconfig or context_name or os.environ.get(kubeconfig_files.VARIABLE)
        paths = kubeconfig_files.files(kubeconfig) if is_requested or not host else []
        if paths:
            if given.any():
                raise InvalidDriverConfig(
                    "[deploy] and the kubeconfig both have credentials. Remove one of them, or set api."
                )
            return cls._of_context(context(paths, context_name, unchecked=skips_verification), namespace)
        if is_requested or not host:
            raise InvalidDriverConfig(
                "No cluster configured: the runner is not in a cluster, and there is no kubeconfig. Set api or kubeconfig in [deploy]."
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
            token = partial(read_file, token_file)  # read for every request: the cluster changes it every hour
        if token is None and given.certificate is None:
            raise InvalidDriverConfig(
                "[deploy] has no credentials for the cluster. Set token_env, token_file, or certificate and key."
            )
        return cls(
            *_validate_access(address, namespace, token),
            token,
            partial(TlsTrust.of, given.ca_file, given.certificate, given.key),
        )

    @classmethod
    def _of_context(cls, found: KubeContext, namespace: str | None) -> "ClusterAccess":
        address, namespace = _validate_access(found.address, namespace or found.namespace, found.token)
        return cls(address, namespace, found.token, found.trust, found.proxy, found.refused)


@dataclass(frozen=True)
class _InlineCredentials:
    """Credentials in the section."""

    ca_file: Path | None
    token: Callable[[], str] | None
    token_file: Path | None
    certificate: Path | None
    key: Path | None

    @classmethod
    def read(cls, section: ConfigSection) -> "_InlineCredentials":
        token = section.secret("token_env") if section.find_string("token_env") else None
        return cls(
            section.file("ca_file"), token, section.file("token_file"), section.file("certificate"), section.file("key")
        )

    def any(self) -> bool:
        return any(each is not None for each in (self.ca_file, self.token, self.token_file, self.certificate, self.key))


def _validate_access(address: str, namespace: str | None, token: Callable[[], str] | None) -> tuple[str, str]:
    """Validate address and namespace. Raises `InvalidDriverConfig` for a token over plain HTTP or a missing namespace."""
    if address.startswith("http:") and token is not None and not on_loopback(address):
        raise InvalidDriverConfig(f"[deploy] api is {address}, but a token requires https.")
    if not namespace:
        raise InvalidDriverConfig("[deploy] needs namespace, that of the service.")
    return address, namespace
