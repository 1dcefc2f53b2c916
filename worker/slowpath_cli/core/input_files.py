"""Read files and folders into decoded artifacts for `slowpath compare`, and list the files that were skipped.

The Go helper decodes each file in a separate child process, several at a time, into a temporary folder.
"""

import importlib
import json
import mmap
import os
import subprocess
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.formats.column_file import read_columns
from slowpath.analysis.kinds.comparison_sides import (
    BenchmarkArtifact,
    BenchmarkResult,
    ComparisonSide,
    NamedArtifact,
    read_results,
)
from slowpath.analysis.kinds.profiles.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.profile_table import ProfileTable
from slowpath_cli.core.sidecars import find_sidecar, is_sidecar

BAD_INPUT = 2
DECODE_SECONDS = 600
OTHERS = {
    "go-trace": "trace",
    "growth-log": "growth",
    "bench": "bench",
    "spans-otlp": "spans",
    "spans-jaeger": "spans",
    "spans-zipkin": "spans",
}
"""The helper's command by format name, for formats other than pprof."""
_ARTIFACT_MODULES = {
    "trace": "slowpath.analysis.kinds.exec_traces.trace_artifact",
    "growth": "slowpath.analysis.kinds.growth_logs.growth_artifact",
    "spans": "slowpath.analysis.kinds.spans.span_artifact",
}
"""Module with `parse_artifact` by the helper's command. Imported on demand: most comparisons have only profiles."""
DECODE_BINARY = Path(__file__).resolve().parents[2] / "decode" / "bin" / "slowpath-decode"
LARGE_FILE_BYTES = 4 * 1024 * 1024
"""Larger files are decoded one at a time: the decoder needs up to 24 times the uncompressed size."""


class InvalidInput(Exception):
    """A file or argument is invalid; the message is one line for the user."""


class HelperFailed(Exception):
    """The decode helper is missing or failed: an internal error."""


@dataclass(frozen=True)
class SkippedFile:
    """A file that was skipped, with the reason."""

    name: str
    kind: str
    reason: str


@dataclass(frozen=True)
class BenchmarkFile:
    """Decoded benchmark output: the artifact, and the file that the helper compares."""

    artifact: BenchmarkArtifact
    path: Path


@dataclass(frozen=True)
class OtherFile:
    """A decoded growth log, trace or span set, with the helper's command that decoded it."""

    command: str
    artifact: NamedArtifact


Read = ProfileArtifact | OtherFile | BenchmarkFile | SkippedFile


@dataclass(frozen=True)
class LoadedSide:
    """Artifacts of one side, and skipped files. `benchmarks` are the side's benchmark output files."""

    side: ComparisonSide
    benchmarks: tuple[Path, ...]
    unread: tuple[SkippedFile, ...]


@dataclass(frozen=True)
class _InputFile:
    path: Path
    name: str
    explicit: bool


def resolved(text: str) -> Path:
    """Resolve a path against the user's directory: npm changes the directory and sets INIT_CWD."""
    return Path(os.environ.get("INIT_CWD") or ".", text)


def read_facts(path: Path) -> RunMetadata:
    """Read run metadata from a file. Raises `InvalidInput`, which names the file."""
    try:
        return RunMetadata.from_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path}: {_reason(error)}") from error


def read_side(texts: Sequence[str], facts: RunMetadata | None, folder: Path, helper: Path) -> LoadedSide:
    """Decode all files of one side into `folder`; `facts` apply to files without a sidecar."""
    sources = list(_list_sources(texts))
    folder.mkdir(parents=True, exist_ok=True)
    large = any(source.path.stat().st_size > LARGE_FILE_BYTES for source in sources)
    with ThreadPoolExecutor(max_workers=1 if large else max(1, min(4, os.cpu_count() or 1))) as pool:
        read = list(pool.map(lambda job: _read(job[1], folder / f"{job[0]}.col", facts, helper), enumerate(sources)))
    benchmarks = [each for each in read if isinstance(each, BenchmarkFile)]
    return LoadedSide(
        side=ComparisonSide(
            profiles=tuple(each for each in read if isinstance(each, ProfileArtifact)),
            growth=_of_command("growth", read),
            traces=_of_command("trace", read),
            spans=_of_command("spans", read),
            benchmarks=tuple(each.artifact for each in benchmarks),
        ),
        benchmarks=tuple(each.path for each in benchmarks),
        unread=tuple(each for each in read if isinstance(each, SkippedFile)),
    )


def _of_command(command: str, read: Iterable[Read]) -> tuple[NamedArtifact, ...]:
    return tuple(each.artifact for each in read if isinstance(each, OtherFile) and each.command == command)


def _list_sources(texts: Sequence[str]) -> Iterable[_InputFile]:
    for text in texts:
        path = resolved(text)
        if path.is_dir():
            inside = sorted(each for each in path.rglob("*") if each.is_file() and not each.name.startswith("."))
            artifacts = [each for each in inside if not is_sidecar(each.name)]
            if not artifacts:
                raise InvalidInput(f"{text}: the folder has no files")
            yield from (_InputFile(each, str(each.relative_to(path)), explicit=False) for each in artifacts)
        elif path.is_file() and is_sidecar(path.name):
            continue  # `cpu.*` also matches sidecars, which are read with their profile
        elif path.is_file():
            yield _InputFile(path, path.name, explicit=True)
        else:
            raise InvalidInput(f"{text}: no such file or folder")


def _read(source: _InputFile, out: Path, facts: RunMetadata | None, helper: Path) -> Read:
    """Read one file as a profile first, as most are; detect the format only if it is not one."""
    done = _run(helper, ["profile", "--brief", "--name", source.name, str(source.path), str(out)])
    if done.returncode == 0:
        return ProfileArtifact(source.name, ProfileTable.parse(_mapped(out)), _facts_of(source, facts))
    _require_helper_result(done, source)
    kind = _detect_kind(helper, source.path)
    if kind in OTHERS:
        return _read_other(kind, source, out, facts, helper)
    return _make_skipped(source, kind, done)


def _read_other(kind: str, source: _InputFile, out: Path, facts: RunMetadata | None, helper: Path) -> Read:
    command = OTHERS[kind]
    done = _run(helper, [command, str(source.path), str(out)])
    _require_helper_result(done, source)
    if done.returncode != 0:
        return _make_skipped(source, kind, done)
    known = _facts_of(source, facts)
    if command in _ARTIFACT_MODULES:
        module = importlib.import_module(_ARTIFACT_MODULES[command])
        return OtherFile(command, module.parse_artifact(source.name, _mapped(out), known))
    return BenchmarkFile(BenchmarkArtifact(source.name, known, _results_of(out)), out)


def _results_of(out: Path) -> tuple[BenchmarkResult, ...]:
    return read_results(read_columns(out.read_bytes(), "slowpath.bench"))


def _facts_of(source: _InputFile, facts: RunMetadata | None) -> RunMetadata:
    sidecar = find_sidecar(source.path)
    return read_facts(sidecar) if sidecar is not None else facts or RunMetadata()


def _require_helper_result(done: "subprocess.CompletedProcess[str]", source: _InputFile) -> None:
    if done.returncode not in {0, BAD_INPUT}:
        raise HelperFailed(
            f"decoding {source.name} failed with exit code {done.returncode}: {done.stderr.strip()[-300:]}"
        )


def _make_skipped(source: _InputFile, kind: str, done: "subprocess.CompletedProcess[str]") -> SkippedFile:
    reason = _format_helper_error(done.stderr)
    if source.explicit and (kind in {"pprof", "unknown"} or kind in OTHERS):
        raise InvalidInput(f"{source.path}: {reason}")
    return SkippedFile(source.name, kind, reason)


def compared_benchmarks(base: LoadedSide, candidate: LoadedSide, helper: Path) -> dict[str, Any] | None:
    """Compare both sides' benchmarks as benchstat does; None unless both sides have some."""
    if not (base.benchmarks and candidate.benchmarks):
        return None
    sides = [
        word
        for flag, side in (("--base", base), ("--candidate", candidate))
        for path in side.benchmarks
        for word in (flag, str(path))
    ]
    done = _run(helper, ["bench-compare", *sides])
    if done.returncode != 0:
        raise HelperFailed(
            f"comparing benchmarks failed with exit code {done.returncode}: {done.stderr.strip()[-300:]}"
        )
    rows: dict[str, Any] = json.loads(done.stdout)
    return rows


def _mapped(path: Path) -> memoryview:
    """Map a file into memory and unlink it; only the pages that the analysis uses are loaded."""
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    path.unlink()
    return memoryview(mapped)


def _detect_kind(helper: Path, path: Path) -> str:
    done = _run(helper, ["sniff", str(path)])
    try:
        return str(json.loads(done.stdout)["kind"])
    except (ValueError, KeyError, TypeError):
        return "unknown"


def _format_helper_error(stderr: str) -> str:
    """Format the helper's JSON error line as a sentence with limit and actual value."""
    try:
        error_line = json.loads(stderr.strip().splitlines()[-1])
        text = str(error_line["message"])
        if error_line.get("limit") is not None and error_line.get("actual") is not None:
            text += f" ({error_line['actual']:,} {error_line.get('unit') or ''}, the limit is {error_line['limit']:,})"
    except (ValueError, KeyError, IndexError, TypeError):
        return stderr.strip()[-300:] or "the file cannot be decoded"
    return text


def _run(helper: Path, arguments: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(
            [str(helper), *arguments],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=DECODE_SECONDS,
            check=False,
        )
    except OSError as error:
        raise HelperFailed(f"the decode helper cannot be started ({helper}): {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise InvalidInput(f"{arguments[-2]}: decoding took longer than the limit of {DECODE_SECONDS} s") from error


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON (line {error.lineno})"
    return str(error)
