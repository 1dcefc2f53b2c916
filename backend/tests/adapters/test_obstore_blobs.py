"""The blob store on a folder: pieces arrive whole or not at all, and all of it can be listed."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from slowpath.adapters.obstore_blobs import ObstoreBlobs
from slowpath.core.ids import BlobKey

PIECE = bytes(range(256)) * 4096


@pytest.fixture
def blobs(tmp_path: Path) -> ObstoreBlobs:
    return ObstoreBlobs(f"file://{tmp_path}/blobs")


def test_pieces_are_stored_while_other_blobs_are_read(blobs: ObstoreBlobs) -> None:
    other, key = BlobKey("team/other"), BlobKey("team/whole")
    blobs.put(other, PIECE)

    def pieces() -> Iterator[bytes]:
        for _ in range(12):
            yield b"".join(blobs.stream(other))

    blobs.put(key, pieces())
    assert blobs.read(key) == PIECE * 12
    blobs.put(key, iter([b"small"]))
    assert blobs.read(key) == b"small"


@pytest.mark.parametrize("count", [1, 12], ids=["less than a part", "more than a part"])
def test_an_interrupted_upload_leaves_nothing(blobs: ObstoreBlobs, tmp_path: Path, count: int) -> None:
    key = BlobKey("team/whole")

    def pieces() -> Iterator[bytes]:
        for _ in range(count):
            yield PIECE
        raise LookupError("enough")

    with pytest.raises(LookupError):
        blobs.put(key, pieces())
    assert not blobs.exists(key)
    assert list(blobs.listed("team")) == []
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_file_is_linked_where_its_file_system_can(blobs: ObstoreBlobs, tmp_path: Path) -> None:
    key, file = BlobKey("team/columns"), tmp_path / "columns"
    blobs.put(key, b"before")
    file.write_bytes(PIECE)
    for _ in range(2):  # the second time both names are of one file
        blobs.put(key, file)
    with blobs.local(key) as stored:
        assert stored.samefile(file)
    file.unlink()
    assert blobs.read(key) == PIECE
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["columns"]


def test_a_staged_link_is_not_listed(blobs: ObstoreBlobs, tmp_path: Path) -> None:
    blobs.put(BlobKey("team/columns"), PIECE)
    (tmp_path / "blobs" / "team" / f"columns#{2**127}").write_bytes(b"of a process that was killed")
    assert [blob.key for some in blobs.listed("team") for blob in some] == ["team/columns"]


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="needs a second file system")
def test_a_file_of_another_file_system_is_copied(blobs: ObstoreBlobs) -> None:
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as file:
        file.write(PIECE)
        file.flush()
        blobs.put(BlobKey("team/copied"), Path(file.name))
    assert blobs.read(BlobKey("team/copied")) == PIECE


def test_all_below_a_prefix_is_listed(blobs: ObstoreBlobs) -> None:
    for name in ("a/1", "a/b/2", "ab/3"):
        blobs.put(BlobKey(name), name.encode())
    found = [blob for some in blobs.listed("a") for blob in some]
    assert sorted((blob.key, blob.size_bytes) for blob in found) == [("a/1", 3), ("a/b/2", 5)]
    assert all(blob.changed_at.tzinfo for blob in found)
