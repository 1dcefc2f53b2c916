"""Limits of memory, CPU time and unpacked size for decoding an untrusted file, from what it declares of itself."""

from dataclasses import dataclass
from pathlib import Path

from slowpath.core.settings import MIB, Settings

BASE_MEMORY_BYTES = 128 * MIB
MEMORY_PER_BYTE = 24
MAX_MEMORY_BYTES = 3 * 1024 * MIB
"""Memory limit: 128 MiB + 24 times the uncompressed size, at most 3 GiB."""
TRACE_MEMORY_BYTES = 512 * MIB
TRACE_MEMORY_PER_BYTE = 16
TRACE_BYTES_A_SECOND = 4 * MIB
"""A fifth of the bytes that a slow CPU decodes per second."""
BASE_CPU_SECONDS = 10
CPU_SECONDS_PER_MIB = 0.5
"""CPU limit: 10 s + 1 s per 2 MiB of uncompressed size, at most `decode_seconds`. Typical files need a tenth."""
HIGHEST_RATIO, TYPICAL_RATIO = 500, 10
"""Compression ratios: above the first the helper rejects a file as a bomb; most profiles are below the second."""
STATES_SIZE = ("plain", "gzip")
"""Encodings that declare the uncompressed size in the file."""


@dataclass(frozen=True)
class DecodeLimits:
    """Limits of one run of the helper."""

    memory_bytes: int
    cpu_seconds: int
    unpacked_bytes: int

    @classmethod
    def for_file(cls, path: Path, encoding: str, settings: Settings) -> "DecodeLimits":
        """Return the limits of a file: its memory limit depends on the uncompressed size it declares.

        The limit of the actual uncompressed size does not: a truncated file declares a random size, and the decoder has
        the more specific error.
        """
        declared = claimed_unpacked_bytes(path, encoding, settings.max_unpacked_bytes)
        memory = min(BASE_MEMORY_BYTES + MEMORY_PER_BYTE * declared, MAX_MEMORY_BYTES)
        return cls(memory, cpu_seconds(path, encoding, settings), settings.max_unpacked_bytes)


def cpu_seconds(path: Path, encoding: str, settings: Settings) -> int:
    """Return the CPU limit of decoding a file, in seconds.

    A file that does not declare its uncompressed size is assumed to have a typical ratio. The allowance per MiB is
    generous, so files with a higher ratio still pass, and a small file does not get the time of a large one.
    """
    declared = claimed_unpacked_bytes(path, encoding, settings.max_unpacked_bytes)
    if encoding not in STATES_SIZE:
        declared = min(declared, TYPICAL_RATIO * path.stat().st_size)
    return min(BASE_CPU_SECONDS + round(CPU_SECONDS_PER_MIB * declared / MIB), settings.decode_seconds)


def claimed_unpacked_bytes(path: Path, encoding: str, max_bytes: int) -> int:
    """Return the uncompressed size that a file declares, at most `max_bytes`: exact if plain, from the trailer for gzip.

    An implausible trailer belongs to a truncated file and is ignored.
    """
    size = path.stat().st_size
    if encoding == "plain":
        return size
    if encoding == "gzip" and size >= 18:
        with path.open("rb") as file:
            file.seek(-4, 2)
            declared = int.from_bytes(file.read(4), "little")
        return min(max(declared, size) if declared <= HIGHEST_RATIO * size else TYPICAL_RATIO * size, max_bytes)
    return max_bytes


def trace_limits(path: Path, encoding: str, settings: Settings) -> DecodeLimits:
    """Return the limits of a trace: those of Go 1.22 and later are streamed, older ones are loaded into memory.

    The CPU limit depends on its size.
    """
    declared = claimed_unpacked_bytes(path, encoding, settings.max_trace_bytes)
    memory = min(TRACE_MEMORY_BYTES + TRACE_MEMORY_PER_BYTE * declared, MAX_MEMORY_BYTES)
    seconds = BASE_CPU_SECONDS + declared // TRACE_BYTES_A_SECOND
    return DecodeLimits(memory, seconds, settings.max_trace_bytes)
