"""Fakes of the ports: they store in memory what they are given."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from slowpath.core.errors import NotFound
from slowpath.core.ids import BlobKey, JobId
from slowpath.core.ports import BlobInfo, RateLimitResult


class FrozenClock:
    """A clock that moves only on request."""

    def __init__(self, at: datetime | None = None) -> None:
        self.at = at or datetime(2026, 11, 21, 12, 0, tzinfo=UTC)

    def now(self) -> datetime:
        return self.at

    def move(self, **by: float) -> None:
        """Move forward by days, hours, minutes, seconds."""
        self.at += timedelta(**by)


class CountingThrottle:
    """Counts tries and forgets none by itself."""

    def __init__(self) -> None:
        self.tries: dict[str, int] = {}

    def hit(self, key: str, *, times: int, seconds: int) -> bool:
        self.tries[key] = self.tries.get(key, 0) + 1
        return self.tries[key] <= times

    def take(self, key: str, *, times: int, seconds: int) -> RateLimitResult | None:
        allowed = self.hit(key, times=times, seconds=seconds)
        return RateLimitResult(allowed, max(0, times - self.tries[key]), seconds)

    def clear(self, key: str, *, times: int, seconds: int) -> None:
        self.tries.pop(key, None)


class MemoryBlobStore:
    """Bytes by key."""

    def __init__(self) -> None:
        self.stored: dict[BlobKey, bytes] = {}
        self.changed_at = datetime(2026, 1, 1, tzinfo=UTC)
        """The age of all listed objects; long ago, unless a test sets it."""

    def put(self, key: BlobKey, content: Path | bytes | Iterator[bytes]) -> None:
        if isinstance(content, Path):
            self.stored[key] = content.read_bytes()
        else:
            self.stored[key] = content if isinstance(content, bytes) else b"".join(content)

    def listed(self, prefix: str) -> Iterator[Sequence[BlobInfo]]:
        for key in [key for key in self.stored if key.startswith(f"{prefix}/")]:
            yield [BlobInfo(key, len(self.stored[key]), self.changed_at)]

    def read(self, key: BlobKey) -> bytes:
        if key not in self.stored:
            raise NotFound("Nothing is stored under this key.")
        return self.stored[key]

    def read_ranges(self, key: BlobKey, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        return [self.read_range(key, *each) for each in ranges]

    def read_range(self, key: BlobKey, offset: int, length: int) -> bytes:
        return self.read(key)[offset : offset + length]

    def stream(self, key: BlobKey) -> Iterator[bytes]:
        return iter([self.read(key)])

    @contextmanager
    def local(self, key: BlobKey) -> Iterator[Path]:
        with TemporaryDirectory() as folder:
            path = Path(folder, "content")
            path.write_bytes(self.read(key))
            yield path

    def exists(self, key: BlobKey) -> bool:
        return key in self.stored

    def delete(self, keys: Iterable[BlobKey]) -> None:
        for key in keys:
            self.stored.pop(key, None)

    def delete_under(self, prefix: str) -> int:
        under = [key for key in self.stored if key.startswith(f"{prefix}/")]
        for key in under:
            del self.stored[key]
        return len(under)

    def check(self) -> None:
        return None


class RecordingJobQueue:
    """Records the sent jobs. `held` has the number of messages by queue."""

    def __init__(self) -> None:
        self.sent: list[tuple[JobId, str]] = []
        self.again: list[JobId] = []
        self.held: dict[str, int] = {}

    def send(self, job_id: JobId, queue: str, *, again: bool = False) -> None:
        self.sent.append((job_id, queue))
        if again:
            self.again.append(job_id)

    def count_messages(self) -> dict[str, int]:
        return self.held

    def check(self) -> None:
        return None
