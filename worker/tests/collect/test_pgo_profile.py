"""The PGO profile of a program, found by the path in its build information."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath_cli.collect.pgo_profile import add_pgo_profile, find_pgo_sha256
from slowpath_cli.collect.upload_items import find_items

PROFILE = Path(__file__).resolve().parents[2] / "example" / "artifacts" / "inlined" / "cpu.00.pb.gz"
pytestmark = [pytest.mark.processes, pytest.mark.skipif(shutil.which("go") is None, reason="no go")]


def built(folder: Path, *flags: str) -> Path:
    """Build a program with a PGO profile in a folder whose name needs quotes."""
    folder.mkdir(exist_ok=True)
    (folder / "go.mod").write_text("module example.com/small\n\ngo 1.22\n", encoding="utf-8")
    (folder / "main.go").write_text("package main\n\nfunc main() { println() }\n", encoding="utf-8")
    shutil.copyfile(PROFILE, folder / "default.pgo")
    environment = {**os.environ, "GOFLAGS": "", "GOWORK": "off"}
    subprocess.run(
        ["go", "build", "-buildvcs=false", "-o", "small", *flags, "."], cwd=folder, env=environment, check=True
    )
    return folder / "small"


def test_the_profile_of_a_program_is_identified_by_its_content(tmp_path: Path) -> None:
    program = built(tmp_path / "a folder")
    sha256 = hashlib.sha256(PROFILE.read_bytes()).hexdigest()
    assert find_pgo_sha256(program) == sha256
    assert {item.name: item.facts.pgo_sha256 for item in find_items([str(program.parent)], RunMetadata())} == {
        "default.pgo": None, "go.mod": None, "main.go": None, "small": sha256,
    }  # fmt: skip
    assert add_pgo_profile(RunMetadata(pgo_sha256="c" * 64), program).pgo_sha256 == "c" * 64
    newer = program.stat().st_mtime_ns + 1_000_000_000
    os.utime(program.parent / "default.pgo", ns=(newer, newer))
    assert find_pgo_sha256(program) is None


def test_what_cannot_be_read_is_unknown(tmp_path: Path) -> None:
    assert find_pgo_sha256(built(tmp_path / "trimmed", "-trimpath")) is None
    assert find_pgo_sha256(built(tmp_path / "off", "-pgo=off")) is None
    for name, content in (("empty", b""), ("head", b"\x7fELF"), ("text", b"build\t-pgo=/etc/passwd\n")):
        (tmp_path / name).write_bytes(content)
        assert find_pgo_sha256(tmp_path / name) is None
    assert find_pgo_sha256(tmp_path / "absent") is None


@pytest.mark.parametrize("text", ["", "A" * 64, "a" * 63, 7])
def test_only_a_digest_is_accepted(text: object) -> None:
    with pytest.raises(ValueError, match="pgo_sha256"):
        RunMetadata.from_json({"pgo_sha256": text})
