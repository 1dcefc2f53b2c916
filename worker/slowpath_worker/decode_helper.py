"""Run the Go helper on an untrusted file, with limits of memory, CPU time and duration.

The helper is trusted, its input is not. Exit code 2 with one JSON line on stderr means an invalid input; a signal or Go's
"out of memory" means an exceeded limit; anything else is an internal error.
"""

import errno
import json
import os
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from slowpath.analysis.comparison.assembly_document import AssemblyDocument
from slowpath.analysis.comparison.compiler_report import CompilerReport, StackSizesReport
from slowpath.analysis.kinds.artifact_kind import ArtifactKind
from slowpath.analysis.kinds.registry import ARCHIVE, EXECUTION_TRACE, PROFILE, SPAN_SET
from slowpath.analysis.kinds.spans.gap_explanation import GapQuestion
from slowpath.analysis.kinds.spans.gap_explanation_document import GapAnswer
from slowpath.core.errors import DiskFull, InvalidRequest, TooLarge, Unavailable
from slowpath.core.settings import MIB, Settings
from slowpath_worker.decode_limits import BASE_MEMORY_BYTES, MAX_MEMORY_BYTES, DecodeLimits

ARCHIVE_FILES = 4
"""Limit of all files of an archive together, as a multiple of the limit of the largest file."""
MAX_OUTPUT_BYTES = 4 * 1024 * MIB
WALL_FACTOR = 3
"""Limit of the duration, as a multiple of the CPU limit, for busy machines."""
MAX_ERROR_BYTES = 64 * 1024
POLL_SECONDS = 0.02
NO_SPACE = os.strerror(errno.ENOSPC).lower()
OUT_OF_MEMORY = ("out of memory", "cannot allocate", "failed to create new OS thread")
"""Message of the Go runtime when a memory limit stops it."""
DIES_WITH_US = (SETPRIV, "--pdeathsig", "KILL", "--") if (SETPRIV := shutil.which("setpriv")) else ()
"""Kills the helper when the worker is killed. Without setpriv, the limits end it."""


class InvalidArtifact(InvalidRequest):
    """The file cannot be decoded; the helper gives the reason."""

    slug = "artifact-refused"
    title = "The file cannot be read"


class ArtifactLimitExceeded(TooLarge):
    """Decoding the file exceeds the memory or time limit."""

    slug = "artifact-too-costly"
    title = "The file exceeds a decoding limit"


@dataclass(frozen=True)
class TraceOutputs:
    """Output files of a decoded trace."""

    columns: Path
    cpu: Path
    delays: Path


class UnpackedFile(TypedDict):
    """A file that the helper unpacked: its path in the archive, and its name in the folder."""

    path: str
    file: str
    size_bytes: int
    sha256: str


class SkippedFile(TypedDict):
    """A file of an archive that the helper did not unpack."""

    path: str
    reason: str


class UnpackedArchive(TypedDict):
    """What the helper found in an archive."""

    members: list[UnpackedFile]
    skipped: list[SkippedFile]


class DecodeHelper:
    """Runs the Go helper."""

    def __init__(self, settings: Settings, check: Callable[[], None]) -> None:
        """Set the helper; `check` is called while it runs, and its exceptions stop it."""
        if settings.decode_bin is None or not settings.decode_bin.is_file():
            raise Unavailable("The decode helper is not built.", remedy="Run: npm start")
        self._bin = settings.decode_bin
        self._settings = settings
        self._check = check

    def sniff(self, path: Path) -> dict[str, Any]:
        """Return {"kind", "encoding", "detail"} of a file, by its content."""
        limits = DecodeLimits(BASE_MEMORY_BYTES * 4, 10, 64 * MIB)
        answer: dict[str, Any] = json.loads(self._run(["sniff", str(path)], limits))
        return answer

    def profile(self, path: Path, name: str, out: Path, limits: DecodeLimits) -> None:
        """Decode a pprof file into columns. Raises `InvalidArtifact`, `ArtifactLimitExceeded`."""
        # fmt: off
        self._run(
            [PROFILE.command, "--name", name, "--max-unpacked", str(limits.unpacked_bytes),
             "--memory", str(limits.memory_bytes), str(path), str(out)],
            limits,
        )
        # fmt: on

    def trace(self, path: Path, outputs: TraceOutputs, limits: DecodeLimits) -> None:
        """Decode an execution trace; `cpu` is written only if it has CPU samples. Raises like `profile`."""
        # fmt: off
        self._run(
            [EXECUTION_TRACE.command, "--max-bytes", str(limits.unpacked_bytes), "--cpu-samples", str(outputs.cpu),
             "--delays", str(outputs.delays), str(path), str(outputs.columns)],
            limits,
        )
        # fmt: on

    def cut(self, path: Path, out: Path, window_ns: tuple[int, int]) -> None:
        """Extract the generations of a trace around a time range. Raises `InvalidArtifact`."""
        begin, end = window_ns
        limits = DecodeLimits(MAX_MEMORY_BYTES, self._settings.decode_seconds, 0)
        self._run(["trace-excerpt", "--from", str(begin), "--to", str(end), str(path), str(out)], limits)

    def explain(self, path: Path, question: GapQuestion, wall_start_ns: int | None, limits: DecodeLimits) -> GapAnswer:
        """Return what a span's goroutine did in a gap, from an execution trace. Raises like `profile`."""
        arguments = ["gap-explain", "--max-bytes", str(limits.unpacked_bytes)]
        arguments += ["--from", str(question.from_ns), "--to", str(question.to_ns)]
        arguments += ["--span-start", str(question.span_start_ns), "--span-end", str(question.span_end_ns)]
        if question.span_id is not None:
            arguments += ["--span-id", f"{question.span_id:016x}"]
        if wall_start_ns is not None:
            arguments += ["--wall-start", str(wall_start_ns)]
        for mark in question.marks:
            arguments += ["--mark", str(mark)]
        explanation: GapAnswer = json.loads(self._run([*arguments, str(path)], limits))
        return explanation

    def decode(self, kind: ArtifactKind, path: Path, out: Path, limits: DecodeLimits) -> None:
        """Decode a file into columns by the command of its kind, without further arguments. Raises like `profile`."""
        self._run([kind.command, *_bounds(limits), str(path), str(out)], limits)

    def spans(self, path: Path, out: Path, limits: DecodeLimits) -> None:
        """Decode distributed traces into columns. Raises like `profile`."""
        memory = ["--memory", str(limits.memory_bytes)]
        self._run([SPAN_SET.command, *_bounds(limits), *memory, str(path), str(out)], limits)

    def buildinfo(self, path: Path) -> dict[str, Any]:
        """Return the build information of a Go program. Raises like `profile`."""
        limits = DecodeLimits(BASE_MEMORY_BYTES * 4, self._settings.decode_seconds, 0)
        built: dict[str, Any] = json.loads(self._run(["buildinfo", str(path)], limits))
        return built

    def unpack(self, path: Path, folder: Path, max_file_bytes: int) -> UnpackedArchive:
        """Unpack a zip or tar archive into a folder. Raises like `profile`."""
        total = ARCHIVE_FILES * max_file_bytes
        arguments = [ARCHIVE.command, "--max-file", str(max_file_bytes), "--max-total", str(total)]
        limits = DecodeLimits(BASE_MEMORY_BYTES * 4, self._settings.decode_seconds, total)
        unpacked: UnpackedArchive = json.loads(self._run([*arguments, str(path), str(folder)], limits))
        return unpacked

    def compare_columns(self, command: str, base: Sequence[Path], candidate: Sequence[Path]) -> dict[str, Any]:
        """Compare the columns of both sides by a kind's `compare_command`, and return its output."""
        arguments = [command]
        for flag, paths in (("--base", base), ("--candidate", candidate)):
            for path in paths:
                arguments += [flag, str(path)]
        limits = DecodeLimits(BASE_MEMORY_BYTES * 4, self._settings.decode_seconds, 0)
        compared: dict[str, Any] = json.loads(self._run(arguments, limits))
        return compared

    def compare_binaries(
        self,
        programs: tuple[Path, Path],
        profiles: tuple[Sequence[Path], Sequence[Path]],
        kind: str,
        functions: Sequence[str],
        recorded: tuple[Sequence[Path], Sequence[Path]] = ((), ()),
        *,
        pgo_sha256: tuple[str | None, str | None] = (None, None),
    ) -> CompilerReport:
        """Compare the columns of two executables on the stacks of profiles of a kind. Raises like `profile`.

        `functions`: keys; only stacks with one of them count. Without any, all do. `recorded`: profiles as they were uploaded;
        where they are of the executable's build, stacks are followed by their addresses. `pgo_sha256`: digests of the PGO
        profiles that the executables were built with, where they are known.
        """
        arguments = ["compare-binaries", "--kind", kind, *(f"--function={each}" for each in functions)]
        for side, program, paths, originals in zip(("base", "candidate"), programs, profiles, recorded, strict=True):
            arguments += [f"--{side}-binary", str(program), *(f"--{side}-addresses={each}" for each in originals)]
            for path in paths:
                arguments += [f"--{side}", str(path)]
        digests = zip(("base", "candidate"), pgo_sha256, strict=True)
        arguments += [f"--{side}-pgo-sha256={digest}" for side, digest in digests if digest is not None]
        limits = DecodeLimits(MAX_MEMORY_BYTES, self._settings.decode_seconds, 0)
        report: CompilerReport = json.loads(self._run(arguments, limits))
        return report

    def stack_sizes(
        self, program: Path, profiles: Sequence[Path], kind: str, recorded: Sequence[Path] = ()
    ) -> StackSizesReport:
        """Return what the hot paths of profiles of a kind need of the stack of an executable. Raises like `profile`.

        `recorded`: profiles as they were uploaded, for the addresses of their stacks.
        """
        arguments = ["stack-sizes", "--kind", kind, "--binary", str(program)]
        arguments += [*(f"--addresses={each}" for each in recorded), *map(str, profiles)]
        limits = DecodeLimits(MAX_MEMORY_BYTES, self._settings.decode_seconds, 0)
        report: StackSizesReport = json.loads(self._run(arguments, limits))
        return report

    def assembly(
        self,
        function: str,
        programs: tuple[Path | None, Path],
        profiles: tuple[Sequence[Path], Sequence[Path]],
        renames: Sequence[tuple[str, str]] = (),
    ) -> AssemblyDocument:
        """Disassemble a function of an executable, or of a base and a candidate, with samples of pprof files.

        `renames`: names in base and candidate of functions that are one. Raises like `profile`.
        """
        base, candidate = programs
        arguments = ["assembly", f"--function={function}", "--candidate-binary", str(candidate)]
        arguments += ["--base-binary", str(base)] if base else []
        for before, after in renames:
            arguments += [f"--renamed-from={before}", f"--renamed-to={after}"]
        for flag, paths in zip(("--base", "--candidate"), profiles, strict=True):
            for path in paths:
                arguments += [flag, str(path)]
        limits = DecodeLimits(MAX_MEMORY_BYTES, self._settings.decode_seconds, 0)
        document: AssemblyDocument = json.loads(self._run(arguments, limits))
        return document

    def export(self, out: Path, base: Sequence[Path], candidate: Sequence[Path]) -> None:
        """Write a merged pprof of one side, or of both with the base negative."""
        arguments = ["export", "--out", str(out)]
        if base and candidate:
            for path in base:
                arguments += ["--base", str(path)]
            for path in candidate:
                arguments += ["--candidate", str(path)]
        else:
            arguments += [str(path) for path in (*base, *candidate)]
        self._run(arguments, DecodeLimits(MAX_MEMORY_BYTES, self._settings.decode_seconds, 0))

    def _run(self, arguments: list[str], limits: DecodeLimits) -> bytes:
        with subprocess.Popen(
            [*DIES_WITH_US, self._bin, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={"GOTRACEBACK": "none", "GOMAXPROCS": "2"},
            start_new_session=True,
        ) as child:
            try:
                _limit(child.pid, limits)
                out, err = self._wait(child, limits)
            finally:
                if child.poll() is None:
                    child.kill()
        if child.returncode == 0:
            return out
        raise _explain_failure(child.returncode, err, limits)

    def _wait(self, child: subprocess.Popen[bytes], limits: DecodeLimits) -> tuple[bytes, bytes]:
        deadline, pause = time.monotonic() + limits.cpu_seconds * WALL_FACTOR, POLL_SECONDS
        while True:
            try:
                return child.communicate(timeout=pause)
            except subprocess.TimeoutExpired:
                self._check()
                if time.monotonic() > deadline:
                    raise _too_slow(limits) from None
            pause = min(pause * 2, 0.5)


def _bounds(limits: DecodeLimits) -> list[str]:
    return ["--max-unpacked", str(limits.unpacked_bytes)]


def _limit(pid: int, limits: DecodeLimits) -> None:
    try:
        # RLIMIT_DATA instead of RLIMIT_AS: Go reserves far more address space than it uses.
        resource.prlimit(pid, resource.RLIMIT_DATA, (limits.memory_bytes, limits.memory_bytes))
        resource.prlimit(pid, resource.RLIMIT_CPU, (limits.cpu_seconds, limits.cpu_seconds + 1))
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (MAX_OUTPUT_BYTES, MAX_OUTPUT_BYTES))
        resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0))
    except ProcessLookupError:
        return  # it has ended already


def _explain_failure(code: int, err: bytes, limits: DecodeLimits) -> Exception:
    text = err[-MAX_ERROR_BYTES:].decode("utf-8", "replace").strip()
    error = _parse_error(text) if code == 2 else None
    if error is not None:
        return error
    # Go's runtime catches the signal of the soft limit, prints it, and exits with 2, too.
    if -code in (signal.SIGXCPU, signal.SIGKILL) or text.startswith("SIGXCPU"):
        return _too_slow(limits)
    if any(words in text for words in OUT_OF_MEMORY):
        return ArtifactLimitExceeded(
            "Decoding the file exceeds the memory limit for its size.",
            slug="decode-out-of-memory",
            limit=limits.memory_bytes,
            unit="bytes",
            remedy="Record a shorter profile.",
        )
    if NO_SPACE in text.lower():
        return DiskFull("The disk of the worker is full.", remedy="Free some space; the job is repeated until then.")
    return RuntimeError(f"the decode helper exited with {code}: {text[:500]}")


def _parse_error(text: str) -> InvalidArtifact | None:
    """Return the input error that the helper printed, or None."""
    try:
        fields = json.loads(text)
        return InvalidArtifact(
            fields["message"], slug=fields["error"], limit=fields["limit"], actual=fields["actual"], unit=fields["unit"]
        )
    except (ValueError, TypeError, KeyError):
        return None


def _too_slow(limits: DecodeLimits) -> ArtifactLimitExceeded:
    return ArtifactLimitExceeded(
        "Decoding the file exceeds the time limit.",
        slug="decode-too-slow",
        limit=limits.cpu_seconds,
        unit="seconds",
        remedy="Record a shorter profile.",
    )
