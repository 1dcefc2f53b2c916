"""Blob store on obstore: a local folder, S3, Google Cloud Storage or Azure, by URL."""

import errno
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from urllib.parse import unquote, urlsplit
from uuid import uuid4

import obstore
from obstore.exceptions import BaseError, NotFoundError
from obstore.store import LocalStore, ObjectStore, from_url

from slowpath.core.errors import DiskFull, NotFound, Unavailable
from slowpath.core.ids import BlobKey
from slowpath.core.ports import BlobInfo

CHUNK_BYTES = 1 << 20
PART_BYTES = 5 << 20
MAX_CONCURRENT_PARTS = 3
"""Large files are uploaded in parts of at least 5 MiB (limit of S3); each part in transfer uses memory."""
RETRY_TIME = timedelta(seconds=10)
"""Time until a failed request is reported: the default of 180 s outlasts every request and transaction that waits for it."""
KEYS_PER_REQUEST = 1000
"""Limit of S3."""
PROBE = "probe"
NO_SPACE = os.strerror(errno.ENOSPC).lower()


class ObstoreBlobs:
    """A `BlobStore` on obstore. Writes are atomic."""

    def __init__(self, url: str, scratch_dir: Path | None = None) -> None:
        """Open the store; a missing local folder is created."""
        parts = urlsplit(url)
        self._folder: Path | None = None
        self._scratch = scratch_dir
        if parts.scheme == "file":
            self._folder = Path(unquote(parts.path))
            self._folder.mkdir(parents=True, exist_ok=True)
            self._store: ObjectStore = LocalStore(self._folder)
        else:
            self._store = from_url(url, retry_config={"max_retries": 3, "retry_timeout": RETRY_TIME})

    def put(self, key: BlobKey, content: Path | bytes | Iterator[bytes]) -> None:
        """Store the bytes under the key, atomically. A file must not be changed afterwards. Raises `Unavailable`."""
        try:
            if isinstance(content, Path) and self._link(key, content):
                return
            if not isinstance(content, Path | bytes):
                self._put_chunks(key, content)
                return
            obstore.put(self._store, key, content, chunk_size=PART_BYTES, max_concurrency=MAX_CONCURRENT_PARTS)
        except (BaseError, OSError) as error:
            raise self._unavailable(error) from error

    def _link(self, key: BlobKey, file: Path) -> bool:
        """Store a file of the same file system without copying it; return whether that was possible.

        Decoded profiles are up to twenty times as large as the files that were uploaded.
        """
        if self._folder is None:
            return False
        path = self._folder / key
        staged = path.with_name(f"{path.name}#{uuid4().int}")  # a name that obstore does not list
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            staged.hardlink_to(file)
        except OSError:  # another file system, or one without links
            return False
        try:
            staged.replace(path)
        finally:
            staged.unlink(missing_ok=True)  # it remains where both names are links to one file already
        return True

    def _put_chunks(self, key: BlobKey, chunks: Iterator[bytes]) -> None:
        """Write chunks from an iterator, which may itself read blobs.

        `obstore.put` would call the iterator in its runtime, which cannot be entered again. A writer that is not closed
        stores nothing.
        """
        writer = obstore.open_writer(self._store, key, buffer_size=PART_BYTES, max_concurrency=MAX_CONCURRENT_PARTS)
        for chunk_ in chunks:
            writer.write(chunk_)
        writer.close()

    def read(self, key: BlobKey) -> bytes:
        """Return all bytes. Raises `NotFound`, `Unavailable`."""
        try:
            return bytes(obstore.get(self._store, key).bytes())
        except (NotFoundError, FileNotFoundError) as error:
            raise self._missing() from error
        except (BaseError, OSError) as error:
            raise self._unavailable(error) from error

    def read_range(self, key: BlobKey, offset: int, length: int) -> bytes:
        """Return `length` bytes from an offset. Raises `NotFound`, `Unavailable`."""
        try:
            return bytes(obstore.get_range(self._store, key, start=offset, length=length))
        except (NotFoundError, FileNotFoundError) as error:
            raise self._missing() from error
        except (BaseError, OSError) as error:
            raise self._unavailable(error) from error

    def read_ranges(self, key: BlobKey, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return the bytes at offsets, up to lengths; a network store is asked for close ones at once.

        Raises `NotFound`, `Unavailable`.
        """
        wanted = [each for each in ranges if each[1] > 0]  # the store refuses empty ones
        try:
            starts, lengths = [each[0] for each in wanted], [each[1] for each in wanted]
            found = iter(obstore.get_ranges(self._store, key, starts=starts, lengths=lengths) if wanted else ())
        except (NotFoundError, FileNotFoundError) as error:
            raise self._missing() from error
        except (BaseError, OSError) as error:
            raise self._unavailable(error) from error
        return [bytes(next(found)) if length > 0 else b"" for _, length in ranges]

    def stream(self, key: BlobKey) -> Iterator[bytes]:
        """Return the bytes in chunks. Raises `NotFound` and `Unavailable` before the first chunk."""
        try:
            found = obstore.get(self._store, key)
        except (NotFoundError, FileNotFoundError) as error:
            raise self._missing() from error
        except (BaseError, OSError) as error:
            raise self._unavailable(error) from error
        return (bytes(chunk) for chunk in found.stream(min_chunk_size=CHUNK_BYTES))

    @contextmanager
    def local(self, key: BlobKey) -> Iterator[Path]:
        """Provide the bytes as a file: the stored file in a local store, else a temporary copy."""
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
        """Return whether the key exists."""
        try:
            obstore.head(self._store, key)
        except (NotFoundError, FileNotFoundError):
            return False
        except (BaseError, OSError) as error:
            raise self._unavailable(error) from error
        return True

    def delete(self, keys: Iterable[BlobKey]) -> None:
        """Delete blobs, many with one request where the store can; missing keys are ignored."""
        left = list(keys)
        size = 1 if self._folder is not None else KEYS_PER_REQUEST
        for first in range(0, len(left), size):
            try:
                obstore.delete(self._store, left[first : first + size])
            except (NotFoundError, FileNotFoundError):
                continue
            except (BaseError, OSError) as error:
                raise self._unavailable(error) from error

    def delete_under(self, prefix: str) -> int:
        """Delete all blobs below `prefix/` and return their number."""
        removed = 0
        try:
            for listed in obstore.list(self._store, prefix=prefix, chunk_size=KEYS_PER_REQUEST):
                obstore.delete(self._store, [blob["path"] for blob in listed])
                removed += len(listed)
        except (BaseError, OSError) as error:
            raise self._unavailable(error) from error
        return removed

    def listed(self, prefix: str) -> Iterator[Sequence[BlobInfo]]:
        """Yield the blobs below the prefix, page by page."""
        try:
            for page in obstore.list(self._store, prefix=prefix):
                yield [BlobInfo(BlobKey(each["path"]), each["size"], each["last_modified"]) for each in page]
        except (BaseError, OSError) as error:
            raise self._unavailable(error) from error

    def check(self) -> None:
        """Write one small blob. Raises `Unavailable`."""
        if self._folder is not None and shutil.disk_usage(self._folder).free < CHUNK_BYTES:
            raise Unavailable("The disk of the blob store is full.", remedy="Free some space.")
        self.put(BlobKey(PROBE), b"ok")

    @staticmethod
    def _missing() -> NotFound:
        return NotFound("The stored bytes no longer exist.", remedy="Upload the file again.")

    @staticmethod
    def _unavailable(error: Exception) -> Unavailable:
        if (isinstance(error, OSError) and error.errno == errno.ENOSPC) or NO_SPACE in str(error).lower():
            return DiskFull("The disk of the blob store is full.", remedy="Free some space and try again.")
        return Unavailable(f"The blob store is not available: {type(error).__name__}.", remedy="Try again later.")
