"""A file system whose operations take as long as another process says: `python -m proofs.slow_disk FOLDER MOUNT_POINT DELAY_FILE`.

It shows FOLDER at MOUNT_POINT by the kernel's FUSE protocol, and needs root, which mounts it, but no library. DELAY_FILE has the
seconds that each operation on names and bytes takes longer; a byte is added to DELAY_FILE.slowed for each that did. It ends when
it is unmounted.
"""

import ctypes
import errno
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from struct import Struct

THREADS = 8
WRITE_BYTES, PAGE_BYTES = 1 << 17, 4096
REQUEST_BYTES = WRITE_BYTES + PAGE_BYTES
VALID_SECONDS = 1
"""How long the kernel may remember names and attributes. Nobody but the mount changes them."""
MINOR_VERSION = 31
ROOT = 1
(
    LOOKUP, FORGET, GETATTR, SETATTR, READLINK, SYMLINK, MKDIR, UNLINK, RMDIR, RENAME, LINK, OPEN, READ, WRITE, STATFS, RELEASE,
    FSYNC, FLUSH, INIT, OPENDIR, READDIR, RELEASEDIR, FSYNCDIR, CREATE, INTERRUPT, DESTROY, BATCH_FORGET, RENAME2,
) = (
    1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
    20, 25, 26, 27, 28, 29, 30, 35, 36, 38, 42, 45,
)  # fmt: skip
SLOW = {SETATTR, SYMLINK, MKDIR, UNLINK, RMDIR, RENAME, LINK, OPEN, READ, WRITE, FSYNC, OPENDIR, CREATE, RENAME2}
UNANSWERED = {FORGET, INTERRUPT, BATCH_FORGET}
SET_MODE, SET_OWNER, SET_GROUP, SET_SIZE, SET_TIMES = 1, 2, 4, 8, 16 | 32 | 128 | 256
MS_NOSUID, MS_NODEV = 2, 4
PR_SET_PDEATHSIG = 1
LARGE_WRITES, SEARCH_SIDE_BY_SIDE, PAGES_OF_WRITES = 1 << 5, 1 << 18, 1 << 22
REQUEST, ANSWER = Struct("<IIQQ3IHH"), Struct("<IiQ")
ENTRY, ATTRIBUTES_HEAD, ATTRIBUTES = Struct("<4Q2I"), Struct("<QII"), Struct("<6Q10I")
CHANGE, OPENED, ACCESS, STORED = Struct("<II6Q8I"), Struct("<QII"), Struct("<QQIIQII"), Struct("<II")
SETUP, STATISTICS, LISTED = Struct("<4I2HIIHHI28x"), Struct("<5Q4I24x"), Struct("<QQII")
NUMBER, PAIR, FOUR, FORGOTTEN = Struct("<Q"), Struct("<II"), Struct("<4I"), Struct("<QQ")


@dataclass
class _Node:
    """A file or folder that the kernel knows: a descriptor that follows it when it is renamed or deleted."""

    descriptor: int
    identity: tuple[int, int]
    lookups: int = 0

    @property
    def path(self) -> str:
        return f"/proc/self/fd/{self.descriptor}"


@dataclass
class SlowDisk:
    """Answers the kernel's requests about one folder."""

    device: int
    delay_file: Path
    nodes: dict[int, _Node]
    by_identity: dict[tuple[int, int], int] = field(default_factory=dict)
    listings: dict[int, list[tuple[str, int, int]]] = field(default_factory=dict)
    next_number: int = ROOT + 1
    lock: threading.Lock = field(default_factory=threading.Lock)

    def serve(self) -> None:
        """Answer until it is unmounted."""
        while True:
            try:
                message = os.read(self.device, REQUEST_BYTES)
            except OSError as error:
                if error.errno in {errno.EINTR, errno.ENOENT, errno.EAGAIN}:  # ENOENT: the request was interrupted
                    continue
                return
            _length, operation, unique, number, *_rest = REQUEST.unpack_from(message)
            answer, code = self._answer(operation, number, message[REQUEST.size :])
            if operation not in UNANSWERED:
                self._reply(ANSWER.pack(ANSWER.size + len(answer), -code, unique) + answer)

    def _reply(self, message: bytes) -> None:
        try:
            os.write(self.device, message)
        except OSError as error:
            if error.errno not in {errno.ENOENT, errno.ENODEV}:  # interrupted meanwhile, or unmounted
                raise

    def _answer(self, operation: int, number: int, body: bytes) -> tuple[bytes, int]:
        perform = OPERATIONS.get(operation)
        if perform is None:
            return b"", errno.ENOSYS  # the kernel does without it
        try:
            if operation in SLOW:
                self._be_slow()
            return perform(self, number, body), 0
        except OSError as error:
            return b"", error.errno or errno.EIO

    def _be_slow(self) -> None:
        seconds = float(self.delay_file.read_text() or 0)
        if seconds:
            with self.delay_file.with_suffix(".slowed").open("ab") as count:
                count.write(b".")
            time.sleep(seconds)

    def _descriptor(self, number: int) -> int:
        return self.nodes[number].descriptor

    def forget(self, number: int, body: bytes) -> bytes:
        """Release a node that the kernel no longer uses."""
        (lookups,) = NUMBER.unpack_from(body)
        with self.lock:
            node = self.nodes[number]
            node.lookups -= lookups
            if node.lookups <= 0 and number != ROOT:
                del self.nodes[number], self.by_identity[node.identity]
                os.close(node.descriptor)
        return b""

    def forget_many(self, _: int, body: bytes) -> bytes:
        """Release many."""
        (count, _) = PAIR.unpack_from(body)
        for number, lookups in FORGOTTEN.iter_unpack(body[PAIR.size :][: count * FORGOTTEN.size]):
            self.forget(number, NUMBER.pack(lookups))
        return b""

    def look_up(self, number: int, body: bytes) -> bytes:
        """Find a name in a folder."""
        return self._entry(number, _name(body))

    def _entry(self, folder: int, name: str) -> bytes:
        descriptor = os.open(name, os.O_PATH | os.O_NOFOLLOW, dir_fd=self._descriptor(folder))
        found = os.fstat(descriptor)
        identity = (found.st_dev, found.st_ino)
        with self.lock:
            number = self.by_identity.get(identity)
            if number is None:
                number, self.next_number = self.next_number, self.next_number + 1
                self.nodes[number], self.by_identity[identity] = _Node(descriptor, identity), number
            else:
                os.close(descriptor)
            self.nodes[number].lookups += 1
        return ENTRY.pack(number, 0, VALID_SECONDS, VALID_SECONDS, 0, 0) + _attributes(found)

    def attributes(self, number: int, _: bytes) -> bytes:
        """Return size, times and so on."""
        return ATTRIBUTES_HEAD.pack(VALID_SECONDS, 0, 0) + _attributes(os.fstat(self._descriptor(number)))

    def change(self, number: int, body: bytes) -> bytes:
        """Set mode, owner, size or times; times only to now."""
        which, _, _, size, *_rest, mode, _, user, group, _ = CHANGE.unpack_from(body)
        path = self.nodes[number].path
        if which & SET_MODE:
            Path(path).chmod(mode & 0o7777)
        if which & (SET_OWNER | SET_GROUP):
            os.chown(path, user if which & SET_OWNER else -1, group if which & SET_GROUP else -1)
        if which & SET_SIZE:
            os.truncate(path, size)
        if which & SET_TIMES:
            os.utime(path)
        return self.attributes(number, b"")

    def read_link(self, number: int, _: bytes) -> bytes:
        """Return where a symbolic link leads."""
        return os.readlink(b"", dir_fd=self._descriptor(number))

    def make_link(self, number: int, body: bytes) -> bytes:
        """Make a symbolic link."""
        name, target = _names(body)
        os.symlink(target, name, dir_fd=self._descriptor(number))
        return self._entry(number, name)

    def make_folder(self, number: int, body: bytes) -> bytes:
        """Make a folder."""
        mode, umask = PAIR.unpack_from(body)
        name = _name(body[PAIR.size :])
        os.mkdir(name, mode & ~umask, dir_fd=self._descriptor(number))
        return self._entry(number, name)

    def unlink(self, number: int, body: bytes) -> bytes:
        """Delete a file."""
        os.unlink(_name(body), dir_fd=self._descriptor(number))
        return b""

    def remove_folder(self, number: int, body: bytes) -> bytes:
        """Delete an empty folder."""
        os.rmdir(_name(body), dir_fd=self._descriptor(number))
        return b""

    def rename(self, number: int, body: bytes) -> bytes:
        """Rename, and replace what has the new name."""
        (folder,) = NUMBER.unpack_from(body)
        self._rename(number, folder, body[NUMBER.size :])
        return b""

    def rename_with(self, number: int, body: bytes) -> bytes:
        """Rename with flags, of which none is known."""
        folder, flags, _ = OPENED.unpack_from(body)
        if flags:
            raise OSError(errno.EINVAL, "unknown flags")
        self._rename(number, folder, body[OPENED.size :])
        return b""

    def _rename(self, number: int, folder: int, body: bytes) -> None:
        name, new_name = _names(body)
        os.rename(name, new_name, src_dir_fd=self._descriptor(number), dst_dir_fd=self._descriptor(folder))

    def link(self, number: int, body: bytes) -> bytes:
        """Give a file another name."""
        (file,) = NUMBER.unpack_from(body)
        name = _name(body[NUMBER.size :])
        os.link(self.nodes[file].path, name, dst_dir_fd=self._descriptor(number), follow_symlinks=True)
        return self._entry(number, name)

    def open(self, number: int, body: bytes) -> bytes:
        """Open a file."""
        flags, _ = PAIR.unpack_from(body)
        return OPENED.pack(os.open(self.nodes[number].path, flags & ~(os.O_NOFOLLOW | os.O_CREAT | os.O_EXCL)), 0, 0)

    def create(self, number: int, body: bytes) -> bytes:
        """Create a file and open it."""
        flags, mode, umask, _ = FOUR.unpack_from(body)
        name = _name(body[FOUR.size :])
        opened = os.open(
            name, flags | os.O_CREAT | os.O_NOFOLLOW, mode & 0o7777 & ~umask, dir_fd=self._descriptor(number)
        )
        return self._entry(number, name) + OPENED.pack(opened, 0, 0)

    def read(self, _: int, body: bytes) -> bytes:
        """Read bytes."""
        opened, offset, size, *_rest = ACCESS.unpack_from(body)
        return os.pread(opened, size, offset)

    def write(self, _: int, body: bytes) -> bytes:
        """Write bytes."""
        opened, offset, size, *_rest = ACCESS.unpack_from(body)
        return STORED.pack(os.pwrite(opened, body[ACCESS.size :][:size], offset), 0)

    def sync(self, _: int, body: bytes) -> bytes:
        """Write a file to the disk."""
        os.fsync(NUMBER.unpack_from(body)[0])
        return b""

    def release(self, _: int, body: bytes) -> bytes:
        """Close a file."""
        os.close(NUMBER.unpack_from(body)[0])
        return b""

    def open_folder(self, number: int, _: bytes) -> bytes:
        """Open a folder: its names are read now."""
        with os.scandir(self.nodes[number].path) as entries:
            listing = [(entry.name, entry.inode(), entry.stat(follow_symlinks=False).st_mode) for entry in entries]
        with self.lock:
            opened, self.next_number = self.next_number, self.next_number + 1
            self.listings[opened] = listing
        return OPENED.pack(opened, 0, 0)

    def read_folder(self, _: int, body: bytes) -> bytes:
        """Return names from an offset on, as many as fit."""
        opened, offset, size, *_rest = ACCESS.unpack_from(body)
        packed = b""
        for position, (name, inode, mode) in enumerate(self.listings[opened][offset:], offset + 1):
            encoded = os.fsencode(name)
            entry = LISTED.pack(inode, position, len(encoded), mode >> 12) + encoded
            entry += bytes(-len(entry) % 8)
            if len(packed) + len(entry) > size:
                break
            packed += entry
        return packed

    def release_folder(self, _: int, body: bytes) -> bytes:
        """Close a folder."""
        self.listings.pop(NUMBER.unpack_from(body)[0], None)
        return b""

    def statistics(self, number: int, _: bytes) -> bytes:
        """Return how much space is left."""
        found = os.statvfs(self.nodes[number].path)
        return STATISTICS.pack(
            found.f_blocks, found.f_bfree, found.f_bavail, found.f_files, found.f_ffree,
            found.f_bsize, found.f_namemax, found.f_frsize, 0,
        )  # fmt: skip

    def begin(self, _: int, body: bytes) -> bytes:
        """Agree on the version of the protocol."""
        major, minor = PAIR.unpack_from(body)
        agreed = LARGE_WRITES | SEARCH_SIDE_BY_SIDE | PAGES_OF_WRITES
        pages = WRITE_BYTES // PAGE_BYTES
        return SETUP.pack(major, min(minor, MINOR_VERSION), 0, agreed, THREADS, THREADS, WRITE_BYTES, 1, pages, 0, 0)

    def nothing(self, _: int, __: bytes) -> bytes:
        """Agree."""
        return b""


OPERATIONS: Mapping[int, Callable[[SlowDisk, int, bytes], bytes]] = {
    LOOKUP: SlowDisk.look_up, FORGET: SlowDisk.forget, BATCH_FORGET: SlowDisk.forget_many, GETATTR: SlowDisk.attributes,
    SETATTR: SlowDisk.change, READLINK: SlowDisk.read_link, SYMLINK: SlowDisk.make_link, MKDIR: SlowDisk.make_folder,
    UNLINK: SlowDisk.unlink, RMDIR: SlowDisk.remove_folder, RENAME: SlowDisk.rename, RENAME2: SlowDisk.rename_with,
    LINK: SlowDisk.link, OPEN: SlowDisk.open, READ: SlowDisk.read, WRITE: SlowDisk.write, STATFS: SlowDisk.statistics,
    RELEASE: SlowDisk.release, FSYNC: SlowDisk.sync, FLUSH: SlowDisk.nothing, INIT: SlowDisk.begin,
    OPENDIR: SlowDisk.open_folder, READDIR: SlowDisk.read_folder, RELEASEDIR: SlowDisk.release_folder,
    FSYNCDIR: SlowDisk.nothing, CREATE: SlowDisk.create, INTERRUPT: SlowDisk.nothing, DESTROY: SlowDisk.nothing,
}  # fmt: skip


def _name(body: bytes) -> str:
    return os.fsdecode(body.partition(b"\0")[0])


def _names(body: bytes) -> tuple[str, str]:
    first, second = body.split(b"\0")[:2]
    return os.fsdecode(first), os.fsdecode(second)


def _attributes(found: os.stat_result) -> bytes:
    times = [divmod(at, 1_000_000_000) for at in (found.st_atime_ns, found.st_mtime_ns, found.st_ctime_ns)]
    return ATTRIBUTES.pack(
        found.st_ino, found.st_size, found.st_blocks, *(seconds for seconds, _ in times), *(rest for _, rest in times),
        found.st_mode, found.st_nlink, found.st_uid, found.st_gid, found.st_rdev, found.st_blksize, 0,
    )  # fmt: skip


def mount(folder: Path, mount_point: Path, delay_file: Path) -> SlowDisk:
    """Mount the folder. Raises `OSError`."""
    device = os.open("/dev/fuse", os.O_RDWR)
    root = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    found = os.fstat(root)
    options = f"fd={device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}"
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"slow", os.fsencode(mount_point), b"fuse", MS_NOSUID | MS_NODEV, options.encode()) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    identity = (found.st_dev, found.st_ino)
    return SlowDisk(device, delay_file, {ROOT: _Node(root, identity, 1)}, {identity: ROOT})


def main() -> int:
    """Serve a folder; 0 when it is unmounted."""
    folder, mount_point, delay_file = map(Path, sys.argv[1:])
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)  # no process may wait for a disk without a proof
    os.umask(0)  # the kernel sends modes with the mask of each program
    disk = mount(folder, mount_point, delay_file)
    threads = [threading.Thread(target=disk.serve) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return 0


if __name__ == "__main__":
    sys.exit(main())
