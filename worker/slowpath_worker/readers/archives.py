"""Reader of zip and tar archives: their files become artifacts, the archive itself is not stored."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.registry import ARCHIVE
from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import ArtifactId
from slowpath.core.settings import Settings
from slowpath.evidence.artifacts.rules import SizeLimits
from slowpath.evidence.artifacts.service import artifact_ingest, artifacts
from slowpath.evidence.artifacts.service.artifact_ingest import ArchiveMember, ReceivedFile
from slowpath_worker.decode_helper import DecodeHelper, InvalidArtifact, SkippedFile, UnpackedFile
from slowpath_worker.job_context import JobContext
from slowpath_worker.readers.reader_types import DecodedArtifact, OriginalFile

SIDECARS: Final = (".metadata.json", ".facts.json")
"""Endings of files with the run metadata of the file they are named after; the second is the former one."""
MAX_SIDECAR_BYTES = 64 * 1024
MAX_LISTED = 20
"""Skipped files that the summary lists."""
TOO_LARGE = "too-large"


def read_archive(original: OriginalFile, helper: DecodeHelper, context: JobContext) -> DecodedArtifact:
    """Unpack an archive and store its files. Raises `InvalidArtifact`, `ArtifactLimitExceeded`."""
    limits = SizeLimits(context.settings.max_artifact_bytes, context.settings.max_trace_bytes)
    folder = original.folder / "unpacked"
    folder.mkdir()
    unpacked = helper.unpack(original.path, folder, limits.largest)
    sidecars, warnings = _read_sidecars(folder, unpacked["members"])
    skipped = list(unpacked["skipped"])
    members = []
    for each in unpacked["members"]:
        if each["path"].endswith(SIDECARS):
            continue
        path = folder / each["file"]
        if each["size_bytes"] > artifact_ingest.limit_of_file(path, limits):
            skipped.append({"path": each["path"], "reason": TOO_LARGE})
            continue
        metadata = sidecars.get(each["path"], {}) or dict(original.facts)
        members.append(_member(each, path, metadata))
    if not members:
        raise InvalidArtifact(
            "No file of the archive can become an artifact.",
            slug="nothing-unpacked",
            limit=1,
            actual=0,
            unit="files",
            remedy=_remedy(skipped, context.settings),
        )
    _store(members, context)

    def record(session: WriteSession, artifact_id: ArtifactId) -> None:
        archive = artifacts.get_artifact(session, artifact_id)
        artifact_ingest.ingest_members(session, context.blobs, archive, members)

    return DecodedArtifact(
        kind=ARCHIVE.id,
        summary=_summary(members, skipped, warnings),
        record=record,
        keeps_original=False,
        stored_hashes=tuple({member.file.sha256 for member in members}),
    )


def _member(unpacked: UnpackedFile, path: Path, metadata: dict[str, Any]) -> ArchiveMember:
    folder, _, name = unpacked["path"].rpartition("/")
    return ArchiveMember(name, folder, ReceivedFile(path, unpacked["size_bytes"], unpacked["sha256"]), metadata)


def _read_sidecars(folder: Path, members: Sequence[UnpackedFile]) -> tuple[Mapping[str, dict[str, Any]], list[str]]:
    """Return the run metadata by the path of the file that it belongs to, and warnings about unusable sidecars."""
    found: dict[str, dict[str, Any]] = {}
    warnings = []
    for each in members:
        ending = next((ending for ending in SIDECARS if each["path"].endswith(ending)), None)
        if ending is None:
            continue
        if each["size_bytes"] > MAX_SIDECAR_BYTES:
            warnings.append(f"{each['path'][:200]} is not read: it has more than {MAX_SIDECAR_BYTES} bytes.")
            continue
        try:
            metadata = RunMetadata.from_json(json.loads((folder / each["file"]).read_bytes())).to_json()
        except (ValueError, RecursionError) as error:
            warnings.append(f"The run metadata in {each['path'][:200]} is not valid: {str(error)[:200]}.")
            continue
        path = each["path"].removesuffix(ending)
        if path not in found or ending == SIDECARS[0]:
            found[path] = metadata
    return found, warnings


def _store(members: Sequence[ArchiveMember], context: JobContext) -> None:
    """Store the bytes of all files before the transaction that creates their artifacts."""
    for number, member in enumerate(members):
        context.progress(f"storing {len(members)} files", 0.3 + 0.6 * number / len(members))
        key = artifact_ingest.original_key(context.team_id, member.file.sha256)
        if not context.blobs.exists(key):
            context.blobs.put(key, member.file.path)


def _summary(
    members: Sequence[ArchiveMember], skipped: Sequence[SkippedFile], warnings: Sequence[str]
) -> dict[str, Any]:
    return {
        "files": len(members),
        "skipped": list(skipped[:MAX_LISTED]),
        "skipped_files": len(skipped),
        "warnings": list(warnings[:MAX_LISTED]),
    }


def _remedy(skipped: Sequence[SkippedFile], settings: Settings) -> str:
    if any(each["reason"] == TOO_LARGE for each in skipped):
        return (
            f"Files may have at most {settings.max_artifact_bytes} bytes, execution traces {settings.max_trace_bytes}."
        )
    return "Add profiles, traces, spans, stack-growth logs or benchmark output to the archive."
