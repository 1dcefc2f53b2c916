"""Licenses of the packages that the product is distributed with, from the metadata and files of the packages.

`python -m bootstrap_parts.licenses --vendored FOLDER --out FILE` writes the notices for the single file of the command line
in an image; FOLDER is that of `go mod vendor`, which takes the license files of modules along.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import Distribution, distributions
from pathlib import Path

from bootstrap_parts.project_paths import BACKEND, ROOT

LICENSE = BACKEND / "LICENSE"
"""Of Slowpath: Apache-2.0."""
_LICENSE_FILE = re.compile(r"(?:licen[cs]e|copying|notice|copyright|patents|authors)", re.IGNORECASE)
_MAX_NAME_LENGTH = 80
_LOCKED = re.compile(r"^([\w.-]+)(?:\[[^\]]*\])?==", re.MULTILINE)
_TEXTS = (
    ("Apache-2.0", ("Apache License", "Version 2.0")),
    ("MPL-2.0", ("Mozilla Public License", "2.0")),
    ("BSD-3-Clause", ("Redistribution and use in source and binary forms", "Neither the name")),
    ("BSD-2-Clause", ("Redistribution and use in source and binary forms",)),
    ("ISC", ("Permission to use, copy, modify, and/or distribute",)),
    ("MIT", ("Permission is hereby granted, free of charge",)),
)
"""SPDX identifiers, and what their texts contain; the first that fits counts."""


def identify_license(text: str) -> str | None:
    """Return the SPDX identifier of a license by its text: Go modules have no other metadata."""
    words = " ".join(text.split())
    found = [(words.find(parts[0]), name) for name, parts in _TEXTS if all(part in words for part in parts)]
    if not found:
        return None
    first = min(place for place, _ in found)
    return next(name for place, name in found if place == first)  # other parts of a module may follow with theirs


def list_locked_packages() -> frozenset[str]:
    """Return the Python packages of web, worker and relay."""
    return frozenset(name.lower() for name in _LOCKED.findall((ROOT / "requirements.lock").read_text()))


def find_python_packages(site_packages: Path) -> dict[str, Distribution]:
    """Return installed packages by the name of the lock file."""
    return {
        re.sub(r"[-_.]+", "-", one.metadata["Name"]).lower(): one for one in distributions(path=[str(site_packages)])
    }


def describe_python_license(package: Distribution) -> dict[str, object] | None:
    """Return the license of a package in the form of CycloneDX: an SPDX expression, or the name that it states."""
    metadata = package.metadata
    if expression := metadata.get_all("License-Expression"):
        return {"expression": expression[0]}
    name = (metadata.get_all("License") or [""])[0].strip()
    if not name or "\n" in name or len(name) > _MAX_NAME_LENGTH:
        classifiers = metadata.get_all("Classifier") or []
        name = " OR ".join(one.rpartition(" :: ")[2] for one in classifiers if one.startswith("License :: "))
    return {"license": {"name": name}} if name else None


def find_module_licenses(vendored: Path) -> dict[str, list[Path]]:
    """Return the license files of each Go module in the folder of `go mod vendor`, that of the whole module first."""
    modules = re.findall(r"^# (\S+) v\S+", (vendored / "modules.txt").read_text(), re.MULTILINE)
    return {
        name: sorted(filter(_is_license_file, (vendored / name).rglob("*")), key=_by_importance) for name in modules
    }


def _is_license_file(path: Path) -> bool:
    return path.is_file() and path.suffix != ".go" and _LICENSE_FILE.match(path.name) is not None


def _by_importance(path: Path) -> tuple[bool, int, str]:
    """Order the license of the whole module first."""
    return not path.name.lower().startswith(("licen", "copying")), len(path.parts), str(path)


def _python_texts(site_packages: Path) -> Iterator[tuple[str, list[str]]]:
    installed = find_python_packages(site_packages)
    for name in sorted(list_locked_packages() & installed.keys()):
        package = installed[name]
        files = [
            file for file in package.files or () if ".dist-info" in str(file) and _LICENSE_FILE.match(Path(file).name)
        ]
        texts = [Path(str(package.locate_file(file))).read_text(errors="replace") for file in files]
        stated = describe_python_license(package)
        yield f"{name} {package.version}", texts or [f"License: {stated}" if stated else "No license is stated."]


def write_notices(path: Path, site_packages: Path, vendored: Path) -> int:
    """Write the licenses of everything that the command line is distributed with; return the number of packages."""
    modules = find_module_licenses(vendored)
    standard: Mapping[str, list[str]] = {
        "Python": [
            text.read_text(errors="replace")
            for text in (Path(sys.base_prefix) / "lib").glob(
                f"python{sys.version_info.major}.{sys.version_info.minor}/LICENSE.txt"
            )
        ],
    }
    parts = [
        *((name, texts) for name, texts in standard.items() if texts),
        *_python_texts(site_packages),
        *((name, [file.read_text(errors="replace") for file in files]) for name, files in sorted(modules.items())),
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    rule = "=" * 80
    path.write_text(
        "Slowpath is licensed under the Apache License 2.0. It is distributed with these packages:\n\n"
        + "\n".join(f"{rule}\n{name}\n{rule}\n\n" + "\n\n".join(texts) + "\n" for name, texts in parts),
        encoding="utf-8",
    )
    return len(parts)


def main() -> int:
    """Write the notices."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vendored", type=Path, required=True, help="the folder of `go mod vendor`")
    parser.add_argument("--out", type=Path, required=True, help="the file")
    options = parser.parse_args()
    site_packages = next(Path(sys.prefix).glob("lib/python*/site-packages"))
    print(f"{write_notices(options.out, site_packages, options.vendored)} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
