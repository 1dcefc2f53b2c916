"""`slowpath compare` of real programs: grpc before and after its buffer left the stack, and with it inlined by PGO.

The programs are built of the versions that go.mod and go.sum in `grpc_echo` pin, and record their own profiles. In grpc
v1.61.1, `processData` has a buffer of 16 KiB on the stack, in v1.66.0 no longer. With a profile in which it is hot, it is
inlined into the loop of each connection's writer, whose every path then needs the buffer: golang/go#65532.
"""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from slowpath_cli.main import main

SOURCE = Path(__file__).parent / "grpc_echo"
GO = shutil.which("go") or "/usr/local/go/bin/go"
ENVIRONMENT = {"GOTOOLCHAIN": "go1.26.8", "GOWORK": "off", "GOFLAGS": "-buildvcs=false", "CGO_ENABLED": "0"}
WRITER = "google.golang.org/grpc/internal/transport.(*loopyWriter)"
PROCESS, RUN = f"{WRITER}.processData", f"{WRITER}.run"
FORMER, LATER = "go.mod", "v1.66.0.mod"
pytestmark = pytest.mark.long


@dataclass(frozen=True)
class Recorded:
    """A program and a CPU profile of it under load."""

    program: Path
    profile: Path


def go(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [GO, *arguments], cwd=SOURCE, env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def modules() -> None:
    """Download what both go.mod pin; their go.sum have the checksums."""
    for file in (FORMER, LATER):
        try:
            found = go("mod", "download", f"-modfile={file}")
        except OSError as error:
            pytest.skip(f"There is no Go to build grpc with: {error}")
        if found.returncode:
            assert "checksum mismatch" not in found.stderr, found.stderr
            pytest.skip(f"The modules of grpc cannot be downloaded: {found.stderr[-500:]}")


def record(folder: Path, name: str, *arguments: str) -> Recorded:
    recorded = Recorded(folder / name, folder / f"{name}.cpu.pb.gz")
    built = go("build", "-ldflags=-B gobuildid", "-o", str(recorded.program), *arguments, ".")
    assert built.returncode == 0, built.stderr
    subprocess.run([recorded.program, recorded.profile], check=True)
    return recorded


@pytest.fixture(scope="module")
def former(modules: None, tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return record(tmp_path_factory.mktemp("former"), "former", f"-modfile={FORMER}")


@pytest.fixture(scope="module")
def later(modules: None, tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return record(tmp_path_factory.mktemp("later"), "later", f"-modfile={LATER}")


def field(number: int, content: int | bytes) -> bytes:
    """Encode a field of a protocol buffer."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*encoded, value])


def write_heated_profile(to: Path) -> int:
    """Write a PGO profile in which only the calls of processData in run are hot; return how many calls there are."""
    found = go("list", f"-modfile={FORMER}", "-m", "-f", "{{.Dir}}", "google.golang.org/grpc")
    source = Path(found.stdout.strip(), "internal", "transport", "controlbuf.go").read_text().splitlines()
    start = next(number for number, line in enumerate(source, 1) if line.startswith("func (l *loopyWriter) run("))
    end = next(number for number, line in enumerate(source, 1) if number > start and line == "}")
    calls = [number for number in range(start, end) if "l.processData()" in source[number - 1]]
    strings = ["", "samples", "count", RUN, PROCESS]
    profile = field(1, field(1, 1) + field(2, 2))
    for function, name in ((1, 3), (2, 4)):
        profile += field(5, field(1, function) + field(2, name) + field(3, name) + field(5, start))
    profile += field(4, field(1, 1) + field(4, field(1, 2) + field(2, start)))
    for location, line in enumerate(calls, 2):
        profile += field(4, field(1, location) + field(4, field(1, 1) + field(2, line)))
        profile += field(2, field(1, bytes([1, location])) + field(2, varint(1000)))
    # The threshold of hot calls is the weight at 99% of all: calls that weigh as much as the least are not above it.
    profile += field(4, field(1, 9) + field(4, field(1, 1) + field(2, start)))
    profile += field(2, field(1, bytes([9, 2])) + field(2, varint(100)))
    to.write_bytes(profile + b"".join(field(6, each.encode()) for each in strings))
    return len(calls)


def compiler_section(base: Recorded, candidate: Recorded, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    sides = ["--base", str(base.profile), "--candidate", str(candidate.profile)]
    programs = ["--base-binary", str(base.program), "--candidate-binary", str(candidate.program)]
    assert main(["compare", *sides, *programs, "--json"]) in (0, 1, 3)  # any verdict: there is one profile of a side
    section: dict[str, Any] = json.loads(capsys.readouterr().out)["compiler"]
    assert section["addressed"] == ["base", "candidate"]
    return section


def frames_of(section: dict[str, Any], function: str) -> set[tuple[int, int]]:
    """Return the frames of a function in base and candidate, on each hot path that has it in both."""
    found = set()
    for path in section["hot_paths"]:
        sides = [{each["function"]: each["frame_bytes"] for each in path[side]["frames"]} for side in ("base", "candidate")]  # fmt: skip
        if all(function in each for each in sides):
            found.add((sides[0][function], sides[1][function]))
    return found


def test_a_buffer_that_left_the_stack_is_read_on_the_hot_paths(
    former: Recorded, later: Recorded, capsys: pytest.CaptureFixture[str]
) -> None:
    section = compiler_section(former, later, capsys)
    assert section["differences"] == []
    assert frames_of(section, PROCESS) == {(16536, 256)}
    paths = [each for each in section["hot_paths"] if PROCESS in each["stack"]]
    assert paths
    assert {(each["base"]["stack_bytes"], each["candidate"]["stack_bytes"]) for each in paths} == {(32768, 2048)}


def test_a_buffer_that_came_onto_the_stack_crosses_its_next_size(
    former: Recorded, later: Recorded, capsys: pytest.CaptureFixture[str]
) -> None:
    section = compiler_section(later, former, capsys)
    crossing = [each for each in section["findings"] if each["kind"] == "edge-crossed" and each["function"] == PROCESS]
    assert crossing
    assert (crossing[0]["grade"], crossing[0]["is_exact"], crossing[0]["edge_bytes"]) == ("predicted", True, 1120)
    assert "The frame of transport.(*loopyWriter).processData grew from 256 to 16,536 B; the path of" in crossing[0]["sentence"]  # fmt: skip
    assert "crosses 1,120: each goroutine grows its stack once more, to 32 KiB." in crossing[0]["sentence"]
    assert "its functions return at most: transport.(*loopyWriter).processData 16,5" in crossing[0]["advice"]


def test_pgo_that_inlines_the_buffer_moves_every_path_of_the_writer(
    former: Recorded, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    heated = tmp_path / "heated.pgo"
    calls = write_heated_profile(heated)
    optimized = record(tmp_path, "optimized", f"-modfile={FORMER}", f"-pgo={heated}")
    section = compiler_section(former, optimized, capsys)
    assert [each["setting"] for each in section["differences"]] == ["-pgo"]

    inlined = [each for each in section["findings"] if (each["function"], each["callee"]) == (RUN, PROCESS)]
    assert [each["kind"] for each in inlined] == ["inlining-gained"]
    assert inlined[0]["sentence"] == (
        f"transport.(*loopyWriter).processData (frame 16,536 B) is inlined {calls} times in transport.(*loopyWriter).run, "
        "which called it before."
    )
    [(before, after)] = frames_of(section, RUN)
    assert before == 88
    assert after > calls * 16384

    paths = [each for each in section["hot_paths"] if RUN in each["stack"] and PROCESS not in each["stack"]]
    assert paths
    assert all(each["candidate"]["highest_bytes"] > each["base"]["highest_bytes"] + 16384 for each in paths)
    assert all(each["candidate"]["stack_bytes"] > each["base"]["stack_bytes"] for each in paths)
    assert f"The builds differ only in PGO: {calls} calls on hot paths are inlined beyond the budget" in section["pgo"]
    assert f"the frame of transport.(*loopyWriter).run has {after:,} instead of 88 B" in section["pgo"]
    crossing = [each for each in section["findings"] if each["kind"] == "edge-crossed" and each["function"] == RUN]
    assert f"grew from 88 to {after:,} B, in which transport.(*loopyWriter).processData" in crossing[0]["sentence"]
    assert not any(each["is_exact"] or each["is_cause"] for each in section["findings"])
