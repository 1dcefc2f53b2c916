"""The software bill of materials of the product (CycloneDX 1.6), from its lock files: what it runs with, without tools of tests."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bootstrap_parts.console import StartupError
from bootstrap_parts.install_steps import find_go, go_environment
from bootstrap_parts.licenses import (
    describe_python_license,
    find_module_licenses,
    find_python_packages,
    identify_license,
)
from bootstrap_parts.project_paths import DECODE, ROOT, VENV

_PYTHON = re.compile(
    r"^(?P<name>[\w.-]+)(?:\[[^\]]*\])?==(?P<version>[^\s;]+)(?P<rest>(?:[^\n]*\\\n)*[^\n]*)", re.MULTILINE
)
_SHA256 = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_MODULE = re.compile(r"^(\S+) (v\S+) h1:(\S+)$", re.MULTILINE)

Component = dict[str, Any]


def write_bill_of_materials(path: Path) -> int:
    """Write the document and return the number of its components."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    components = sorted([*_python(), *_npm(), *_go()], key=lambda component: component["bom-ref"])
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": f"pkg:generic/{project['name']}@{project['version']}",
                "name": project["name"],
                "version": project["version"],
                "licenses": [{"license": {"id": project["license"]}}],
            }
        },
        "components": components,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1) + "\n")
    return len(components)


def _component(kind: str, name: str, version: str, **more: object) -> Component:
    url = f"pkg:{kind}/{quote(name, safe='/')}@{quote(version, safe='')}"
    return {"type": "library", "bom-ref": url, "name": name, "version": version, "purl": url, **more}


def _python() -> Iterator[Component]:
    """Yield the packages of web, worker and relay. A package has one hash for each of its files."""
    installed = find_python_packages(find_site_packages())
    for found in _PYTHON.finditer((ROOT / "requirements.lock").read_text()):
        hashes = _SHA256.findall(found["rest"])
        files = [
            {"type": "distribution", "url": f"pkg:pypi/{found['name']}", "hashes": [_hash("SHA-256", each)]}
            for each in hashes
        ]
        package = installed.get(found["name"].lower())  # some are for other systems only
        stated = package and describe_python_license(package)
        more = {"licenses": [stated]} if stated else {}
        yield _component("pypi", found["name"].lower(), found["version"], externalReferences=files, **more)


def _npm() -> Iterator[Component]:
    """Yield the packages of the page; those of development only are omitted."""
    packages: dict[str, dict[str, Any]] = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    seen = set[str]()
    for place, package in packages.items():
        name = package.get("name") or place.rpartition("node_modules/")[2]
        if not place.startswith("node_modules/") and "/node_modules/" not in place:
            continue
        if (
            package.get("dev")
            or package.get("link")
            or "version" not in package
            or f"{name}@{package['version']}" in seen
        ):
            continue
        seen.add(f"{name}@{package['version']}")
        algorithm, _, digest = package.get("integrity", "").partition("-")
        more: dict[str, object] = {}
        if algorithm == "sha512":
            more["hashes"] = [_hash("SHA-512", base64.b64decode(digest).hex())]
        if isinstance(package.get("license"), str):
            more["licenses"] = [{"license": {"name": package["license"]}}]
        yield _component("npm", name, package["version"], **more)


def _go() -> Iterator[Component]:
    """Yield the modules of the decoder. The hash of go.sum is of a list of files, which CycloneDX has no algorithm for."""
    required = set(
        re.findall(r"^\s*(?:require )?([\w.-]+(?:/[\w.-]+)+) v", (DECODE / "go.mod").read_text(), re.MULTILINE)
    )
    with tempfile.TemporaryDirectory() as folder:
        licenses = {
            name: identify_license(files[0].read_text())
            for name, files in find_module_licenses(vendor_modules(Path(folder) / "vendor")).items()
            if files
        }
    for name, version, digest in _MODULE.findall((DECODE / "go.sum").read_text()):
        if name in required and not version.endswith("/go.mod"):
            more = {"licenses": [{"license": {"id": licenses[name]}}]} if licenses.get(name) else {}
            yield _component("golang", name, version, properties=[{"name": "go.sum", "value": f"h1:{digest}"}], **more)


def find_site_packages() -> Path:
    """Return the folder of the installed Python packages."""
    return next(VENV.glob("lib/python*/site-packages"))


def vendor_modules(folder: Path) -> Path:
    """Copy the Go modules of the decoder with their license files, and return the folder. Raises `StartupError`."""
    go = find_go()
    if go is None:
        raise StartupError("The bill of materials needs Go. Run `npm start` once.")
    command = [str(go), "mod", "vendor", "-o", str(folder)]
    subprocess.run(command, cwd=DECODE, env={**os.environ, **go_environment()}, check=True, capture_output=True)
    return folder


def _hash(algorithm: str, content: str) -> dict[str, str]:
    return {"alg": algorithm, "content": content}
