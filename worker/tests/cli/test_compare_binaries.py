"""The compiler's part of `slowpath compare`, with programs that the Go toolchain builds from the example."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from slowpath_cli.main import main

EXAMPLE = Path(__file__).resolve().parents[2] / "example"
GO = shutil.which("go") or "/usr/local/go/bin/go"
SENTENCE = (
    "ident.(*Pool).Clone now calls ident.cloneBytes (frame 40 B); the path of 31 frames grew from 3,120 to 3,192 B and "
    "crosses 3,168: each goroutine grows its stack once more."
)
pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("programs")
    built = {"inlined": folder / "inlined", "helper": folder / "helper"}
    for tags, out in zip(("", "helper"), built.values(), strict=True):
        subprocess.run(
            [GO, "build", "-buildvcs=false", "-tags", tags, "-o", str(out), "."],
            cwd=EXAMPLE / "ingester",
            env={**os.environ, "GOWORK": "off"},
            check=True,
        )
    return built


def compare(programs: dict[str, Path], base: str, candidate: str, *more: str, reverse: bool = False) -> int:
    profiles = [EXAMPLE / "artifacts" / variant for variant in ("inlined", "helper")]
    sides = [[str(each) for each in sorted(folder.glob("cpu.*.pb.gz"))] for folder in profiles]
    sides = sides[::-1] if reverse else sides
    binaries = ["--base-binary", str(programs[base]), "--candidate-binary", str(programs[candidate])]
    return main(["compare", "--base", *sides[0], "--candidate", *sides[1], *binaries, *more])


def test_the_sentence_is_the_cause_of_stack_growth(
    programs: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare(programs, "inlined", "helper", "--json") == 1
    document = json.loads(capsys.readouterr().out)
    section = document["compiler"]
    first = section["findings"][0]
    assert first["sentence"] == SENTENCE
    assert (first["kind"], first["grade"], first["is_exact"], first["is_cause"]) == (
        "edge-crossed",
        "predicted",
        True,
        True,
    )
    assert document["findings"][first["explains"]]["subject"] == "stack-growth"
    assert "shrink the path by 32 B" in first["advice"]
    assert "storage.(*DB).writeBatch 744 B" in first["advice"]
    assert "ident.cloneBytes would return 72 B if it is small enough to be inlined" in first["advice"]
    path = section["paths"][first["path"]]
    assert (path["base"]["highest_depth_bytes"], path["candidate"]["highest_depth_bytes"]) == (3120, 3192)
    assert [each["kind"] for each in section["findings"]] == ["edge-crossed", "call-new", "frame-grew"]


def test_text_names_grade_and_finding(programs: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    compare(programs, "inlined", "helper")
    printed = " ".join(capsys.readouterr().out.split())
    assert SENTENCE in printed
    assert "predicted to cross, exact · cause of finding 1 · clone_helper.go:24" in printed


def test_the_compilers_reasons_are_read_from_a_report(
    programs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reason = {
        "function": "ingester/ident.cloneBytes", "kind": "inline", "base": "", "file": "clone_helper.go", "line": 24,
        "candidate": "function too complex: cost 117 exceeds budget 80", "cost": 61,
    }  # fmt: skip
    report = tmp_path / "report.json"
    unrelated = reason | {"function": "ingester/ident.other"}
    report.write_text(json.dumps({"format": "slowpath.compile-report/1", "reasons": [reason, unrelated]}))
    compare(programs, "inlined", "helper", "--compile-report", str(report))
    printed = " ".join(capsys.readouterr().out.split())
    assert (
        "cost 117 exceeds budget 80. In the base, its cost is 61: budget left 19. To be inlined, it has to" in printed
    )
    assert "ident.other" not in printed
    report.write_text('{"format": "slowpath.compile-report/1", "reasons": [{"function": 1}]}')
    assert compare(programs, "inlined", "helper", "--compile-report", str(report)) == 2
    assert "is not a report of `slowpath compile-report`" in capsys.readouterr().err


def test_without_growth_in_the_profiles_nothing_is_a_cause(
    programs: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare(programs, "inlined", "helper", "--json", reverse=True) == 0
    section = json.loads(capsys.readouterr().out)["compiler"]
    assert section["findings"]
    assert not any(each["is_cause"] for each in section["findings"])
    assert {each["kind"] for each in section["findings"]} == {"edge-crossed"}


def test_two_builds_of_one_commit_yield_nothing(programs: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    compare(programs, "inlined", "inlined", "--json")
    section = json.loads(capsys.readouterr().out)["compiler"]
    assert (section["findings"], section["differences"]) == ([], [])


def test_invalid_programs_are_refused(
    programs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken"
    broken.write_bytes(programs["helper"].read_bytes()[:5000])
    assert compare({**programs, "broken": broken}, "inlined", "broken") == 2
    assert capsys.readouterr().err.startswith("slowpath: ")
    assert compare({**programs, "absent": tmp_path / "absent"}, "inlined", "absent") == 2
    assert "no such file" in capsys.readouterr().err
    cpu = str(EXAMPLE / "artifacts" / "inlined" / "cpu.00.pb.gz")
    assert main(["compare", "--base", cpu, "--candidate", cpu, "--base-binary", str(programs["inlined"])]) == 2
    assert "needed together" in capsys.readouterr().err


def test_assembly_is_printed_side_by_side(programs: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    function = "ingester/ident.(*Pool).Clone"
    assert compare(programs, "inlined", "helper", "--assembly", function) == 1
    printed = capsys.readouterr().out
    lines = printed[printed.index(f"Assembly of {function}") :].splitlines()
    assert "base: frame 56 B, code 286 B; the profiles are of another build" in lines[1]
    assert any(line.split()[:2] == ["0000", "CMPQ"] and line.count("CMPQ SP, 0x10(R14)") == 2 for line in lines)
    assert any("clone_inlined.go:16" in line and "clone_helper.go:16" in line for line in lines)
    assert any(
        line.split()[-3:] == ["+", "00a0", "CALL"] or "+   00a0 CALL ingester/ident.clone" in line for line in lines
    )
    compare(programs, "inlined", "helper", "--assembly", "ingester/ident.cloneBytes", "--json")
    assembly = json.loads(capsys.readouterr().out)["assembly"]
    assert assembly["base"]["missing"] == "absent"
    assert len(assembly["rows"]) == len(assembly["candidate"]["instructions"])


def test_assembly_needs_both_programs(capsys: pytest.CaptureFixture[str]) -> None:
    cpu = str(EXAMPLE / "artifacts" / "inlined" / "cpu.00.pb.gz")
    assert main(["compare", "--base", cpu, "--candidate", cpu, "--assembly", "main.main"]) == 2
    assert "--assembly needs --base-binary" in capsys.readouterr().err
