"""The configuration examples of the documentation are read by the runner, and grant what the drivers need."""

import base64
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from slowpath_cli.runner.core import runner_config
from slowpath_cli.runner.core.driver_interface import DeploymentDriver, DriverEnvironment
from slowpath_cli.runner.drivers import (
    DRIVERS,
    command_driver,
    github_actions,
    kubernetes_clone,
    read_driver,
    webhook_driver,
)

READERS: list[Callable[[Mapping[str, Any], DriverEnvironment], DeploymentDriver]] = [
    command_driver.read,
    github_actions.read,
    kubernetes_clone.read,
    webhook_driver.read,
]
"""That each of them keeps `DeploymentDriver` is what the type checker reads here."""
KUBECONFIG = """
contexts: [{name: lab, context: {cluster: lab, user: runner, namespace: checkout}}]
clusters: [{name: lab, cluster: {server: "https://cluster.example"}}]
users: [{name: runner, user: {token: x}}]
"""
TEXT = (Path(__file__).resolve().parents[3] / "frontend" / "docs" / "drivers.md").read_text(encoding="utf-8")


def test_every_section_is_one_that_a_driver_reads(
    place: DriverEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "x")
    monkeypatch.setenv("CLUSTER_TOKEN", "x")
    monkeypatch.setenv("SLOWPATH_WEBHOOK_SECRET", "whsec_" + base64.b64encode(bytes(32)).decode())
    read = []
    (tmp_path / "kubeconfig").write_text(KUBECONFIG, encoding="utf-8")
    for block in re.findall(r"```toml\n(.*?)```", TEXT, flags=re.DOTALL):
        document = tomllib.loads(block.replace("/etc/slowpath", str(tmp_path)))
        runner_config.parse_config(
            {"repositories": {"checkout": False}, "measure": {"command": ["true"]}} | document, {}, tmp_path
        )
        if "deploy" not in document:
            continue
        section = document["deploy"]
        name = section.pop("driver")
        outside = {} if "kubeconfig" in section else {"api": "https://cluster.example", "token_env": "CLUSTER_TOKEN"}
        read_driver(name, section | (outside if name == "kubernetes" else {}), place)
        read.append(name)
    assert len(set(read)) == len(READERS)
    assert read == ["kubernetes", "kubernetes", "command", "command", "github-actions", "webhook"]
    assert set(re.findall(r"^\| `([\w-]+)` ", TEXT, flags=re.MULTILINE)) >= set(DRIVERS)


def test_the_role_grants_what_is_asked_for() -> None:
    blocks = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", TEXT, flags=re.DOTALL)]
    (role,) = [block for block in blocks if block.get("kind") == "Role"]
    granted = {
        (verb, group, resource)
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }
    assert {
        *kubernetes_clone.NEEDS,
        ("get", "apps", "deployments"),
    } <= granted
