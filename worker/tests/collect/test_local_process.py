"""What is read from a process of this machine, compared with the output of Go."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from slowpath_cli.collect.buildinfo import read_build_info
from slowpath_cli.collect.local_process import find_listener, is_local, this_machine
from tests.collect.conftest import Programs, Running, free_port, go_command


@pytest.mark.processes
def test_build_info_matches_go_version(programs: Programs) -> None:
    completed = subprocess.run(
        [go_command(), "version", "-m", programs.ingester], capture_output=True, text=True, check=True
    ).stdout
    info = read_build_info(programs.ingester)
    assert info is not None
    assert completed.split()[1] == info.go_version
    expected = dict(
        line.split("\t")[2].split("=", 1) for line in completed.splitlines() if line.startswith("\tbuild\t")
    )
    assert {name: value.strip('"') for name, value in expected.items()} == info.settings
    assert info.settings["-tags"] == "helper"
    assert info.commit is None


def test_a_commit_counts_only_from_a_clean_tree(tmp_path: Path) -> None:
    for modified, expected in ((b"false", "a" * 40), (b"true", None)):
        module = (
            b"0" * 16
            + b"path\tx\nbuild\tvcs.revision="
            + b"a" * 40
            + b"\nbuild\tvcs.modified="
            + modified
            + b"\n"
            + b"0" * 16
        )
        block = (
            b"\xff Go buildinf:" + b"\x08\x02" + b"\0" * 16 + bytes([8]) + b"go1.26.8" + bytes([len(module)]) + module
        )
        (tmp_path / "binary").write_bytes(b"\x7fELF" + b"\0" * 12 + block)
        info = read_build_info(tmp_path / "binary")
        assert info is not None
        assert info.commit == expected


@pytest.mark.parametrize(
    "content", [b"", b"text", b"\xff Go buildinf:", b"\xff Go buildinf:" + b"\x08\x02" + b"\xff" * 60]
)
def test_other_files_have_no_build_information(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    assert read_build_info(tmp_path / "file") is None
    assert read_build_info(tmp_path / "absent") is None


@pytest.mark.processes
def test_the_listener_is_found(start_ingester: Callable[..., Running]) -> None:
    running = start_ingester()
    found = find_listener(int(running.address.rpartition(":")[2]))
    assert found is not None
    assert found.pid == running.process.pid
    assert found.gomaxprocs == 2
    assert (found.cpu_ns() or 0) > 0
    running.process.kill()
    running.process.wait(10)
    assert found.cpu_ns() is None
    assert find_listener(free_port()) is None


def test_the_machine_is_described() -> None:
    machine = this_machine()
    assert machine.goos == "linux"
    assert machine.goarch in {"amd64", "arm64"}
    assert machine.cpu_flags == tuple(sorted(machine.cpu_flags))


@pytest.mark.parametrize(
    ("host", "expected"),
    [("localhost", True), ("127.8.9.1", True), ("::1", True), ("10.0.0.1", False), ("example.org", False)],
)
def test_only_loopback_is_this_machine(host: str, expected: bool) -> None:
    assert is_local(host) is expected
