"""Check the lock files: each declared dependency is pinned within its bounds, and no lock file names a registry.

Run by the project's Python (it needs `packaging`).
"""

from __future__ import annotations

import json
import re
import sys
import tomllib

from packaging.requirements import Requirement

from bootstrap_parts.project_paths import ROOT

_ADDRESS = re.compile(r"https?://|--(?:extra-)?index-url|--find-links|--index\b")


def python_faults() -> list[str]:
    """Return the differences between pyproject.toml and its lock files."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    always = project["project"]["dependencies"]
    groups = project["dependency-groups"]
    faults = []
    for name, requirements in (
        ("requirements.lock", always),
        ("requirements-embedded.lock", always + groups["embedded"]),
        ("requirements-dev.lock", always + groups["embedded"] + groups["dev"]),
        ("requirements-models.lock", groups["models"]),
        ("requirements-package.lock", groups["package"]),
    ):
        text = (ROOT / name).read_text()
        faults += [f"{name} names a registry: {found.group()}" for found in _ADDRESS.finditer(text)]
        pins = {
            _normal(package): version
            for package, version in re.findall(r"^([\w.-]+)(?:\[[^\]]*\])?==([^\s;\\]+)", text, re.MULTILINE)
        }
        for requirement in map(Requirement, requirements):
            pinned = pins.get(_normal(requirement.name))
            if pinned is None or not requirement.specifier.contains(pinned, prereleases=True):
                faults.append(
                    f"{name} pins {requirement.name} at {pinned}, pyproject.toml requires {requirement.specifier or 'it'}: npm run lock"
                )
    return faults


def node_faults() -> list[str]:
    """Return the differences between package-lock.json and the package.json files, and registries in it."""
    lock = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    faults = [
        f"package-lock.json names a registry for {name}"
        for name, entry in lock.items()
        if "://" in str(entry.get("resolved", ""))
    ]
    for folder in ("", "frontend", "e2e"):
        package = json.loads((ROOT / folder / "package.json").read_text())
        faults += [
            f"package-lock.json does not match {kind} of {folder or '.'}/package.json: npm run lock"
            for kind in ("dependencies", "devDependencies", "optionalDependencies")
            if package.get(kind, {}) != lock.get(folder, {}).get(kind, {})
        ]
    return faults


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    found = python_faults() + node_faults()
    print("\n".join(found) or "lock files are up to date")
    sys.exit(bool(found))
