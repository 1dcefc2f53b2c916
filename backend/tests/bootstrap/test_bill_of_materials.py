"""Every package of the lock files that the product runs with is in the bill of materials, with its hash."""

import json
import re
from typing import Any

import pytest

from bootstrap_parts.bill_of_materials import write_bill_of_materials
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
