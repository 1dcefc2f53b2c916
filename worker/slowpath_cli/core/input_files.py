"""Read files and folders into decoded artifacts for `slowpath compare`, and list the files that were skipped.

The Go helper decodes each file in a separate child process, several at a time, into a temporary folder.
"""

import json
import mmap
import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from slowpath.analysis.findings.decoded_columns import DecodedColumns
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.artifact_kind import ArtifactKind
from slowpath.analysis.kinds.comparison_sides import ComparisonSide, NamedArtifact
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import read_artifact as read_profile
from slowpath.analysis.kinds.registry import PROFILE, compared_kinds
from slowpath_cli.core.sidecars import find_sidecar, is_sidecar

BAD_INPUT = 2
DECODE_SECONDS = 600
_PACKAGED = Path(__file__).resolve().parents[1] / "bin" / "slowpath-decode"
"""Inside the single file and the wheel."""
DECODE_BINARY = (
    _PACKAGED if _PACKAGED.exists() else Path(__file__).resolve().parents[2] / "decode" / "bin" / "slowpath-decode"
)
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
class OtherFile:
    """A decoded artifact other than a profile; `path`: of its columns, if the helper compares them."""

    kind: ArtifactKind
    artifact: NamedArtifact
    path: Path | None


Read = ProfileArtifact | OtherFile | SkippedFile


@dataclass(frozen=True)
class LoadedSide:
    """Artifacts of one side, and skipped files. `columns`: files that the helper compares, by the id of their kind."""

    side: ComparisonSide
    columns: Mapping[str, Sequence[Path]]
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


def read_side(
    texts: Sequence[str], facts: RunMetadata | None, folder: Path, helper: Path, *, brief: bool = True
) -> LoadedSide:
    """Decode all files of one side into `folder`; `facts` apply to files without a sidecar.

    `brief`: without lines and samples, which is faster.
    """
    sources = list(_list_sources(texts))
    folder.mkdir(parents=True, exist_ok=True)
    large = any(source.path.stat().st_size > LARGE_FILE_BYTES for source in sources)
    with ThreadPoolExecutor(max_workers=1 if large else max(1, min(4, os.cpu_count() or 1))) as pool:
        read = list(
            pool.map(
                lambda job: _read(job[1], folder / f"{job[0]}.col", facts, helper, brief=brief), enumerate(sources)
            )
        )
    others = {
        kind.id: [each for each in read if isinstance(each, OtherFile) and each.kind is kind]
        for kind in compared_kinds()
    }
    return LoadedSide(
        side=ComparisonSide(
            profiles=tuple(each for each in read if isinstance(each, ProfileArtifact)),
            others={kind_id: [each.artifact for each in of_kind] for kind_id, of_kind in others.items()},
        ),
        columns={kind_id: [each.path for each in of_kind if each.path] for kind_id, of_kind in others.items()},
        unread=tuple(each for each in read if isinstance(each, SkippedFile)),
    )


def decode_profiles(texts: Sequence[str], folder: Path, helper: Path) -> list[Path]:
    """Decode the profiles of one side with their lines, and return the paths of the columns; other files are skipped."""
    folder.mkdir(parents=True, exist_ok=True)
    decoded = []
    for number, source in enumerate(_list_sources(texts)):
        out = folder / f"{number}.col"
        done = _run(helper, [PROFILE.command, "--name", source.name, str(source.path), str(out)])
        _require_helper_result(done, source)
        decoded += [out] if done.returncode == 0 else []
    return decoded


def list_profiles(texts: Sequence[str], helper: Path) -> list[Path]:
    """Return the files of one side that are pprof profiles, as they were recorded."""
    return [each.path for each in _list_sources(texts) if _detect_format(helper, each.path) == "pprof"]


def run_helper(helper: Path, arguments: Sequence[str]) -> str:
    """Return the output of the helper. Raises `InvalidInput` with its reason, `HelperFailed`."""
    done = _run(helper, arguments)
    if done.returncode == BAD_INPUT:
        raise InvalidInput(_format_helper_error(done.stderr))
    if done.returncode != 0:
        raise HelperFailed(f"{arguments[0]} failed with exit code {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout


def find_compared_kind(file_format: str) -> ArtifactKind | None:
    """Return the kind of a format that `slowpath compare` reads, other than a profile."""
    return next((kind for kind in compared_kinds() if file_format in kind.formats), None)


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


def _read(source: _InputFile, out: Path, facts: RunMetadata | None, helper: Path, *, brief: bool) -> Read:
    """Read one file as a profile first, as most are; detect the format only if it is not one."""
    options = ["--brief"] if brief else []
    done = _run(helper, [PROFILE.command, *options, "--name", source.name, str(source.path), str(out)])
    if done.returncode == 0:
        return read_profile(DecodedColumns(source.name, _mapped(out), _facts_of(source, facts)))
    _require_helper_result(done, source)
    file_format = _detect_format(helper, source.path)
    kind = find_compared_kind(file_format)
    if kind is None:
        return _make_skipped(source, file_format, done)
    done = _run(helper, [kind.command, str(source.path), str(out)])
    _require_helper_result(done, source)
    if done.returncode != 0:
        return _make_skipped(source, file_format, done)
    assert kind.read_artifact is not None
    is_file_needed = kind.compare_command is not None
    columns = out.read_bytes() if is_file_needed else _mapped(out)
    artifact = kind.read_artifact(DecodedColumns(source.name, columns, _facts_of(source, facts)))
    return OtherFile(kind, artifact, out if is_file_needed else None)


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
    if source.explicit and (kind in PROFILE.formats or find_compared_kind(kind) is not None):
        raise InvalidInput(f"{source.path}: {reason}")
    return SkippedFile(source.name, kind, reason)


def compare_columns(base: LoadedSide, candidate: LoadedSide, helper: Path) -> dict[str, Mapping[str, Any]]:
    """Return the helper's comparisons of the columns of both sides, by the id of the kind."""
    outputs: dict[str, Mapping[str, Any]] = {}
    for kind in compared_kinds():
        if kind.compare_command is None or not (base.columns.get(kind.id) and candidate.columns.get(kind.id)):
            continue
        sides = [
            word
            for flag, side in (("--base", base), ("--candidate", candidate))
            for path in side.columns[kind.id]
            for word in (flag, str(path))
        ]
        done = _run(helper, [kind.compare_command, *sides])
        if done.returncode != 0:
            raise HelperFailed(
                f"comparing {kind.verdict_noun} failed with exit code {done.returncode}: {done.stderr.strip()[-300:]}"
            )
        outputs[kind.id] = json.loads(done.stdout)
    return outputs


def _mapped(path: Path) -> memoryview:
    """Map a file into memory and unlink it; only the pages that the analysis uses are loaded."""
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    path.unlink()
    return memoryview(mapped)


def _detect_format(helper: Path, path: Path) -> str:
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
