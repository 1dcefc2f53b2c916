"""Blobs through obstore: a local folder, S3, Google or Azure, by URL."""

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

import obstore
from obstore.exceptions import BaseError, NotFoundError
from obstore.store import LocalStore, ObjectStore, from_url

from slowpath.core.errors import NotFound, Unavailable
from slowpath.core.ids import BlobKey
from slowpath.core.ports import BlobInfo

CHUNK_BYTES = 1 << 20
PART_BYTES = 5 << 20
PARTS_AT_ONCE = 3
"""A large file is sent in parts (S3 takes none below 5 MiB), and each part on its way is held in memory."""
PROBE = "probe"


class ObstoreBlobs:
    """A `BlobStore` on obstore. Writes are atomic: a key holds the whole bytes or nothing."""

    def __init__(self, url: str, scratch_dir: Path | None = None) -> None:
        """Open the store; a local folder is made if it is not there."""
        parts = urlsplit(url)
        self._folder: Path | None = None
        self._scratch = scratch_dir
        if parts.scheme == "file":
            self._folder = Path(unquote(parts.path))
            self._folder.mkdir(parents=True, exist_ok=True)
            self._store: ObjectStore = LocalStore(self._folder)
        else:
            self._store = from_url(url)

    def put(self, key: BlobKey, content: Path | bytes | Iterator[bytes]) -> None:
        """Store the bytes under the key, whole or not at all."""
        try:
            if not isinstance(content, Path | bytes):
                self._put_pieces(key, content)
                return
            obstore.put(self._store, key, content, chunk_size=PART_BYTES, max_concurrency=PARTS_AT_ONCE)
        except (BaseError, OSError) as error:
            raise self._unavailable(error) from error

    def _put_pieces(self, key: BlobKey, pieces: Iterator[bytes]) -> None:
        """Write pieces as they come. Whoever makes them may read other blobs meanwhile, so they are taken from here.

        (Given an iterator, `obstore.put` asks for its pieces inside its own runtime, which then can not be entered again.)
        A writer that is not closed leaves nothing under the key.
        """
        writer = obstore.open_writer(self._store, key, buffer_size=PART_BYTES, max_concurrency=PARTS_AT_ONCE)
        for piece in pieces:
            writer.write(piece)
        writer.close()

    def read(self, key: BlobKey) -> bytes:
        """Return all bytes."""
        try:
            return bytes(obstore.get(self._store, key).bytes())
        except (NotFoundError, FileNotFoundError) as error:
            raise self._missing() from error
        except (BaseError, OSError) as error:
            raise self._unavailable(error) from error

    def read_range(self, key: BlobKey, offset: int, length: int) -> bytes:
        """Return so many bytes from an offset, without reading the others."""
        try:
            return bytes(obstore.get_range(self._store, key, start=offset, length=length))
        except (NotFoundError, FileNotFoundError) as error:
            raise self._missing() from error
        except (BaseError, OSError) as error:
            raise self._unavailable(error) from error

    def stream(self, key: BlobKey) -> Iterator[bytes]:
        """Return the bytes in chunks; a missing blob is told before the first one."""
        try:
            found = obstore.get(self._store, key)
        except (NotFoundError, FileNotFoundError) as error:
            raise self._missing() from error
        except (BaseError, OSError) as error:
            raise self._unavailable(error) from error
        return (bytes(chunk) for chunk in found.stream(min_chunk_size=CHUNK_BYTES))

    @contextmanager
    def local(self, key: BlobKey) -> Iterator[Path]:
        """Give the bytes as a file: the stored one itself in a local folder, else a copy."""
        if self._folder is not None:
            path = self._folder / key
            if not path.is_file():
                raise self._missing()
            yield path
            return
        with tempfile.NamedTemporaryFile(dir=self._scratch, prefix="blob-") as copy:
            for chunk in self.stream(key):
                copy.write(chunk)
            copy.flush()
            yield Path(copy.name)

    def exists(self, key: BlobKey) -> bool:
        """Tell whether something is stored under the key."""
        try:
            obstore.head(self._store, key)
        except (NotFoundError, FileNotFoundError):
            return False
        except (BaseError, OSError) as error:
            raise self._unavailable(error) from error
        return True

    def delete(self, keys: Iterable[BlobKey]) -> None:
        """Remove what is there."""
        for key in keys:
            try:
                obstore.delete(self._store, key)
            except (NotFoundError, FileNotFoundError):
                continue
            except (BaseError, OSError) as error:
                raise self._unavailable(error) from error

    def delete_under(self, prefix: str) -> int:
        """Remove every blob whose key begins with `prefix/`; returns how many there were."""
        removed = 0
        try:
            for listed in obstore.list(self._store, prefix=prefix):
                for blob in listed:
                    obstore.delete(self._store, blob["path"])
                    removed += 1
        except (BaseError, OSError) as error:
            raise self._unavailable(error) from error
        return removed

    def listed(self, prefix: str) -> Iterator[Sequence[BlobInfo]]:
        """Yield what lies beneath the prefix, as many at a time as the store tells at once."""
        try:
            for some in obstore.list(self._store, prefix=prefix):
                yield [BlobInfo(BlobKey(each["path"]), each["size"], each["last_modified"]) for each in some]
        except (BaseError, OSError) as error:
            raise self._unavailable(error) from error

    def check(self) -> None:
        """Write and read back one small blob."""
        if self._folder is not None and shutil.disk_usage(self._folder).free < CHUNK_BYTES:
            raise Unavailable("The disk of the blob store is full.", remedy="Free some space.")
        self.put(BlobKey(PROBE), b"ok")

    @staticmethod
    def _missing() -> NotFound:
        return NotFound("The stored bytes are not there any more.", remedy="Upload the file again.")

    @staticmethod
    def _unavailable(error: Exception) -> Unavailable:
        if isinstance(error, OSError) and error.errno == 28:
            return Unavailable("The disk of the blob store is full.", remedy="Free some space and try again.")
        return Unavailable(f"The blob store does not answer: {type(error).__name__}.", remedy="Try again later.")
