"""The slow disks of the proof of faults are slow while they are to be, and behave like a disk all the time."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest

from proofs.faults_stack import Disk
from proofs.slow_calls import DELAY_SECONDS, find_slow_calls

pytestmark = pytest.mark.processes

SYNCING = """
import os, sys
with open(sys.argv[1], "wb", buffering=0) as file:
    while sys.stdin.readline():
        file.write(b"x")
        os.fdatasync(file.fileno())
        print("synced", flush=True)
"""


def sync(process: subprocess.Popen[str]) -> float:
    """Let the process sync once; return how long it takes."""
    assert process.stdin is not None
    assert process.stdout is not None
    begun = time.monotonic()
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.stdout.readline() == "synced\n"
    return time.monotonic() - begun


def test_syncs_are_slow_until_strace_detaches(tmp_path: Path) -> None:
    calls = find_slow_calls(tmp_path)
    if calls is None:
        pytest.skip("strace cannot be had")
    command = [sys.executable, "-c", SYNCING, str(tmp_path / "file")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            sync(process)
            if not calls.begin(process.pid):
                pytest.skip("processes may not be traced")
            assert sync(process) >= DELAY_SECONDS
            assert calls.end(process.pid) == []
            assert min(sync(process) for _ in range(5)) < DELAY_SECONDS
            assert calls.begin(process.pid)
            assert calls.end(process.pid) == ["no sync was slow"]
        finally:
            process.kill()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    disk = Disk(tmp_path)
    disk.mount()
    try:
        if disk.server is None:
            pytest.skip("mounting needs root and FUSE")
        yield disk
    finally:
        disk.unmount()


def written(disk: Disk) -> float:
    """Write a file and read it again; return how long it takes."""
    begun, content = time.monotonic(), os.urandom(300_000)
    with NamedTemporaryFile(dir=disk.scratch) as file:
        file.write(content)
        file.flush()
        assert Path(file.name).read_bytes() == content
    return time.monotonic() - begun


def test_operations_are_slow_while_the_disk_is(disk: Disk) -> None:
    written(disk)
    assert disk.slowed() == 0
    disk.slow_down(DELAY_SECONDS)
    assert written(disk) >= 4 * DELAY_SECONDS, "created, written, opened, deleted"
    assert disk.slowed() >= 4
    disk.slow_down(0)
    written(disk)
    assert disk.slowed() == 0


def test_it_is_a_file_system(disk: Disk) -> None:
    folder = disk.scratch / "folder"
    folder.mkdir(mode=0o700)
    file = folder / "file"
    file.write_text("text")
    file.chmod(0o640)
    with file.open("a") as opened:
        file.rename(disk.scratch / "renamed")
        opened.write(", more")
    (disk.scratch / "link").symlink_to("renamed")
    names = [folder / f"name {number:03}" for number in range(300)]
    for name in names:
        name.touch()

    assert (disk.scratch / "link").read_text() == "text, more"
    assert (disk.scratch / "renamed").stat().st_mode & 0o777 == 0o640
    assert sorted(folder.iterdir()) == names
    with pytest.raises(OSError, match="not empty"):
        folder.rmdir()
    with pytest.raises(FileNotFoundError):
        (disk.scratch / "missing").unlink()
    with (disk.scratch / "renamed").open("r+b") as opened_bytes:
        (disk.scratch / "renamed").unlink()
        os.ftruncate(opened_bytes.fileno(), 4)
        assert opened_bytes.read() == b"text", "a deleted file stays until it is closed"


def test_a_full_disk_stays_full_when_files_are_deleted(disk: Disk) -> None:
    if not disk.is_small:
        pytest.skip("mounting a small disk needs root")
    (disk.scratch / "before").write_bytes(bytes(100_000))
    disk.is_full = True
    disk.fill()
    (disk.scratch / "before").unlink()
    disk.fill()

    with pytest.raises(OSError, match="No space left"):
        (disk.scratch / "after").write_bytes(bytes(100_000))
