"""Find the files to upload and their run metadata."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath_cli.collect.pgo_profile import add_pgo_profile
from slowpath_cli.core.collect_errors import InvalidArgument
from slowpath_cli.core.input_files import resolved
from slowpath_cli.core.sidecars import find_sidecar, is_sidecar

MAX_SIDECAR_BYTES = 256 * 1024


@dataclass(frozen=True)
class UploadItem:
    """A file to upload, its name and its run metadata."""

    path: Path
    name: str
    facts: RunMetadata


def find_items(texts: Sequence[str], fallback: RunMetadata) -> list[UploadItem]:
    """Return the given files and those in given folders, with run metadata. Raises `InvalidArgument`."""
    items = []
    for text in texts:
        path = resolved(text)
        if path.is_dir():
            inside = sorted(each for each in path.rglob("*") if each.is_file() and not each.name.startswith("."))
            items += [
                _item(each, str(each.relative_to(path)), fallback) for each in inside if not is_sidecar(each.name)
            ]
        elif path.is_file():
            items.append(_item(path, path.name, fallback))
        else:
            raise InvalidArgument(f"{text}: no such file or folder.")
    if not items:
        raise InvalidArgument("The given folders have no files to upload.")
    return items


def _item(path: Path, name: str, fallback: RunMetadata) -> UploadItem:
    sidecar = find_sidecar(path)
    return UploadItem(path, name, add_pgo_profile(read_facts(sidecar) if sidecar is not None else fallback, path))


def read_facts(path: Path) -> RunMetadata:
    """Read run metadata from a file. Raises `InvalidArgument` with the file and the field."""
    try:
        size = path.stat().st_size
        if size > MAX_SIDECAR_BYTES:
            raise InvalidArgument(f"{path} has {size:,} bytes, the limit for run metadata is {MAX_SIDECAR_BYTES:,}.")
        return RunMetadata.from_json(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise InvalidArgument(f"{path}: {error.strerror}.") from error
    except ValueError as error:
        raise InvalidArgument(f"{path} is not valid run metadata: {error}.") from error
