"""Bodies are spooled to disk in threads: a slow disk does not hold up the event loop."""

import threading
from pathlib import Path, PosixPath
from typing import Any, ClassVar

import anyio
import pytest
from fastapi import Request

from slowpath.platform.http.request_bodies import close_off_loop, spool_body

CONTENT = b"a profile" * 100_000


class WatchedFolder(PosixPath):
    """A folder that records which threads ask for its path."""

    threads: ClassVar[set[int]] = set()

    def __fspath__(self) -> str:
        self.threads.add(threading.get_ident())
        return super().__fspath__()


class WatchedFile:
    """A file that records which thread deletes it."""

    thread = 0

    def close(self) -> None:
        self.thread = threading.get_ident()


def request_of(content: bytes) -> Request:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": content, "more_body": False}

    return Request({"type": "http", "method": "PUT", "headers": []}, receive)


def test_a_file_is_created_written_and_deleted_off_the_event_loop(tmp_path: Path) -> None:
    folder = WatchedFolder(tmp_path)
    loop_thread = 0

    async def spool() -> None:
        nonlocal loop_thread
        loop_thread = threading.get_ident()
        async with spool_body(request_of(CONTENT), len(CONTENT), folder) as spooled:
            assert spooled.path.read_bytes() == CONTENT

    anyio.run(spool)
    assert folder.threads
    assert loop_thread not in folder.threads
    assert list(tmp_path.iterdir()) == []


def test_a_cancelled_request_deletes_its_file_off_the_event_loop() -> None:
    file = WatchedFile()

    async def cancel() -> None:
        with anyio.CancelScope() as scope:
            scope.cancel()
            try:
                await anyio.sleep(1)
            finally:
                await close_off_loop(file)

    anyio.run(cancel)
    assert file.thread not in {0, threading.get_ident()}


@pytest.mark.parametrize("cut", [0, 10])
def test_no_file_remains_of_a_body_that_is_too_large(tmp_path: Path, cut: int) -> None:
    async def spool() -> None:
        async with spool_body(request_of(CONTENT), cut, tmp_path):
            pytest.fail("the body exceeds the limit")

    with pytest.raises(Exception, match="exceeds the size limit"):
        anyio.run(spool)
    assert list(tmp_path.iterdir()) == []
