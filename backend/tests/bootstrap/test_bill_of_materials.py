"""Every package of the lock files that the product runs with is in the bill of materials, with its hash."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bootstrap_parts.bill_of_materials import find_site_packages, vendor_modules, write_bill_of_materials
from bootstrap_parts.licenses import LICENSE, identify_license, list_locked_packages, write_notices
from bootstrap_parts.project_paths import ROOT


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = tmp_path_factory.mktemp("bill") / "bom.json"
    count = write_bill_of_materials(path)
    written: dict[str, Any] = json.loads(path.read_text())
    assert count == len(written["components"])
    return written


def of(document: dict[str, Any], kind: str) -> dict[str, Any]:
    return {one["name"]: one for one in document["components"] if one["purl"].startswith(f"pkg:{kind}/")}


def test_every_component_is_named_once(document: dict[str, Any]) -> None:
    references = [one["bom-ref"] for one in document["components"]]
    assert len(references) == len(set(references))
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")


def test_every_python_package_has_the_hashes_of_its_files(document: dict[str, Any]) -> None:
    lock = (ROOT / "requirements.lock").read_text()
    locked = {name.lower() for name in re.findall(r"^([\w.-]+)(?:\[[^\]]*\])?==", lock, re.MULTILINE)}
    packages = of(document, "pypi")
    assert set(packages) == locked
    assert "fastapi" in locked
    files = [each for one in document["components"] for each in one.get("externalReferences", ())]
    assert len(files) == lock.count("--hash=sha256:")


def test_packages_of_development_are_omitted(document: dict[str, Any]) -> None:
    packages = of(document, "npm")
    assert "react" in packages
    assert "vitest" not in packages
    assert all(len(one["hashes"][0]["content"]) == 128 for one in packages.values() if "hashes" in one)


def test_every_module_of_the_decoder_is_named(document: dict[str, Any]) -> None:
    required = re.findall(r"(github\.com/\S+|golang\.org/\S+) v", (ROOT / "worker/decode/go.mod").read_text())
    assert set(of(document, "golang")) == set(required)


def test_every_component_states_its_license(document: dict[str, Any]) -> None:
    assert document["metadata"]["component"]["licenses"] == [{"license": {"id": "Apache-2.0"}}]
    for kind in ("pypi", "golang", "npm"):
        packages = of(document, kind)
        without = {name for name, one in packages.items() if "licenses" not in one}
        # Packages for other systems are locked, but not installed here.
        assert len(without) <= len(packages) / 20, without
    assert of(document, "golang")["github.com/google/pprof"]["licenses"] == [{"license": {"id": "Apache-2.0"}}]
    assert of(document, "golang")["golang.org/x/arch"]["licenses"] == [{"license": {"id": "BSD-3-Clause"}}]
    assert of(document, "pypi")["fastapi"]["licenses"] == [{"expression": "MIT"}]


def test_the_license_of_the_project_is_the_same_everywhere() -> None:
    assert identify_license(LICENSE.read_text()) == "Apache-2.0"
    for package in ("package.json", "frontend/package.json", "e2e/package.json"):
        assert json.loads((ROOT / package).read_text())["license"] == "Apache-2.0"
    locked = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    assert {locked[place]["license"] for place in ("", "frontend", "e2e")} == {"Apache-2.0"}


def test_notices_contain_the_texts_of_all_packages(tmp_path: Path) -> None:
    vendored = vendor_modules(tmp_path / "vendor")
    count = write_notices(tmp_path / "notices.txt", find_site_packages(), vendored)
    text = (tmp_path / "notices.txt").read_text()
    assert count > 0.9 * len(list_locked_packages())
    for part in ("github.com/klauspost/compress", "fastapi", "Copyright (c) 2018 Sebast", "The Go Authors"):
        assert part in text
    assert text.count("No license is stated.") <= 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Permission is hereby granted, free\n of charge, to any person", "MIT"),
        ("Redistribution and use in source and binary forms ... Neither the name of", "BSD-3-Clause"),
        ("Redistribution and use in source and binary forms", "BSD-2-Clause"),
        ("All rights reserved", None),
    ],
)
def test_a_license_is_identified_by_its_text(text: str, expected: str | None) -> None:
    assert identify_license(text) == expected
