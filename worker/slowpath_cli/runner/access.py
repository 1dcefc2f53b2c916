"""Where a cluster is and who asks it: as the section says, as a kubeconfig says, or as the cluster says that the runner stands in."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from slowpath_cli.runner import kubefiles
from slowpath_cli.runner.driver import BadSection
from slowpath_cli.runner.kubeconfig import Context, context
from slowpath_cli.runner.outside import on_loopback
from slowpath_cli.runner.section import Section, read_file
from slowpath_cli.runner.trust import Trust

IN_POD: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")


@dataclass(frozen=True)
class Access:
    """Where the cluster's API is, and who asks."""

    address: str
    namespace: str
    token: Callable[[], str] | None
    trust: Callable[[], Trust]
    proxy: str | None = None
    refused: Callable[[], bool] = lambda: False

    @classmethod
    def read(cls, section: Section) -> "Access":
        """Read it. Without `api` it is a context of a kubeconfig, or the cluster the runner stands in. Raises `BadSection`."""
        address, namespace = section.maybe("api"), section.maybe("namespace")
        given = _Given.read(section)
        kubeconfig, wanted = section.file("kubeconfig"), section.maybe("context")
        unchecked = section.flag("insecure_skip_tls_verify", default=False)
        if address is not None:
            if kubeconfig or wanted or unchecked:
                raise BadSection("[deploy] has api, so kubeconfig, context and insecure_skip_tls_verify mean nothing.")
            return cls._of(address, namespace, given)
        host = os.environ.get("KUBERNETES_SERVICE_HOST")
        asked = kubeconfig or wanted or os.environ.get(kubefiles.VARIABLE)
        paths = kubefiles.files(kubeconfig) if asked or not host else []
        if paths:
            if given.any():
                raise BadSection("[deploy] says who asks, and the kubeconfig does: take one of both away, or give api.")
            return cls._of_context(context(paths, wanted, unchecked=unchecked), namespace)
        if asked or not host:
            raise BadSection(
                "[deploy] needs api, or kubeconfig, to say which cluster: the runner stands in none itself, and there is no kubeconfig."
            )
        port = os.environ.get("KUBERNETES_SERVICE_PORT", "443")
        address = f"https://{f'[{host}]' if ':' in host else host}:{port}"
        inside = replace(
            given, ca_file=given.ca_file or IN_POD / "ca.crt", token_file=given.token_file or IN_POD / "token"
        )
        return cls._of(address, namespace or read_file(IN_POD / "namespace"), inside)

    @classmethod
    def _of(cls, address: str, namespace: str | None, given: "_Given") -> "Access":
        token, token_file = given.token, given.token_file
        if token is None and token_file is not None:
            read_file(token_file)
            token = partial(read_file, token_file)  # anew for every request: the cluster changes it every hour
        if token is None and given.certificate is None:
            raise BadSection("[deploy] needs token_env, token_file, or certificate and key: who asks the cluster?")
        return cls(
            *_checked(address, namespace, token), token, partial(Trust.of, given.ca_file, given.certificate, given.key)
        )

    @classmethod
    def _of_context(cls, found: Context, namespace: str | None) -> "Access":
        address, namespace = _checked(found.address, namespace or found.namespace, found.token)
        return cls(address, namespace, found.token, found.trust, found.proxy, found.refused)


@dataclass(frozen=True)
class _Given:
    """Who asks, as the section itself says it."""

    ca_file: Path | None
    token: Callable[[], str] | None
    token_file: Path | None
    certificate: Path | None
    key: Path | None

    @classmethod
    def read(cls, section: Section) -> "_Given":
        token = section.secret("token_env") if section.maybe("token_env") else None
        return cls(
            section.file("ca_file"), token, section.file("token_file"), section.file("certificate"), section.file("key")
        )

    def any(self) -> bool:
        return any(each is not None for each in (self.ca_file, self.token, self.token_file, self.certificate, self.key))


def _checked(address: str, namespace: str | None, token: Callable[[], str] | None) -> tuple[str, str]:
    """Raises `BadSection` where a token would go over plain HTTP, or nobody said where the service runs."""
    if address.startswith("http:") and token is not None and not on_loopback(address):
        raise BadSection(f"[deploy] api is {address}: a token goes over https only.")
    if not namespace:
        raise BadSection("[deploy] needs namespace: where the service runs.")
    return address, namespace
