"""The Helm chart with values for tests, and Helm 4 as a library: a Python package with it, unpacked and never installed."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Protocol

from bootstrap_parts.project_paths import BACKEND
from support.unpacked_wheels import unpacked_wheel

CHART = BACKEND / "deploy" / "helm" / "slowpath"
HELM = ("helm-python-sdk", "0.2.2", "28cc13abaf134c3a7e37f070c939be8d9cdc9825c3c8b8b2d35161073bcd4578")
OPERATOR = ("github.com/prometheus-operator/prometheus-operator", "v0.85.0")
CUSTOM = {"ServiceMonitor": "servicemonitors", "PrometheusRule": "prometheusrules"}
"""Kinds of the operator of Prometheus, with the names of their definitions, which are in its module."""
NEEDED: dict[str, Any] = {
    "publicUrl": "https://slowpath.example", "blobUrl": "s3://slowpath", "existingSecret": "slowpath",
}  # fmt: skip
EVERYTHING: dict[str, Any] = {
    **NEEDED,
    "settings": {"SLOWPATH_SIGN_UP": "invited", "SLOWPATH_MAX_TEAM_BYTES": 1000},
    "extraEnv": [{"name": "AWS_REGION", "value": "eu-central-1"}],
    "image": {"repository": "images.example.com/slowpath", "tag": "sha256:" + "0" * 64},
    "imagePullSecrets": [{"name": "registry"}],
    "monitoring": {"enabled": True, "metricsTokenKey": "METRICS_TOKEN", "labels": {"release": "prometheus"}},
    "autoscaling": {"enabled": True},
    "ingress": {"enabled": True, "host": "slowpath.example", "tlsSecret": "tls", "className": "nginx"},
    "networkPolicy": {"from": [{"namespaceSelector": {"matchLabels": {"name": "ingress"}}}]},
}


class HelmConfig(Protocol):
    """The part of the library's `Config` that tests use: Helm, connected to a cluster. `wait` is `watcher`; times are seconds."""

    def install(self, chart: str, name: str, values: dict[str, Any], *, wait: str, timeout: int) -> dict[str, Any]:
        """Install a release; return its summary."""

    def upgrade(self, chart: str, name: str, values: dict[str, Any], *, wait: str, timeout: int) -> dict[str, Any]:
        """Upgrade a release; return its summary."""

    def rollback(self, name: str, *, version: int, wait: str, timeout: int) -> None:
        """Return a release to a revision."""

    def uninstall(self, name: str, *, wait: str, timeout: int, ignore_not_found: bool = False) -> dict[str, Any]:
        """Remove a release."""


@contextmanager
def helm_library() -> Iterator[ModuleType | None]:
    """Give the module `helm_python`; None if it cannot be had."""
    folder = unpacked_wheel(*HELM)
    if folder is None:
        yield None
        return
    sys.path.insert(0, str(folder))
    try:
        yield importlib.import_module("helm_python")
    finally:
        sys.path.remove(str(folder))
