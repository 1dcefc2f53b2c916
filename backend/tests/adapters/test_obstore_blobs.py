"""The blob store on a folder: pieces arrive whole or not at all, and all of it can be listed."""

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


def test_all_below_a_prefix_is_listed(blobs: ObstoreBlobs) -> None:
    for name in ("a/1", "a/b/2", "ab/3"):
        blobs.put(BlobKey(name), name.encode())
    found = [blob for some in blobs.listed("a") for blob in some]
    assert sorted((blob.key, blob.size_bytes) for blob in found) == [("a/1", 3), ("a/b/2", 5)]
    assert all(blob.changed_at.tzinfo for blob in found)
