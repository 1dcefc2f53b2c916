"""Check what the executable of a build needs of the stack, on the hot paths that an earlier build's profiles show.

The new build needs no profile. The earlier build is the nearest ancestor with an executable and CPU profiles.
"""

import hashlib
from dataclasses import dataclass
from typing import Any, Final

from pydantic import TypeAdapter

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.registry import BINARY, PROFILE
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ArtifactId, BlobKey, BuildId, ServiceId
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.evidence.kind_registry import columns_keys
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.tables import Build
from slowpath.verdicts.regressions import queries
from slowpath.verdicts.regressions.jobs import EvaluateBuild
from slowpath.verdicts.regressions.read_models import StackCheck
from slowpath.verdicts.regressions.rules import MOST_ANCESTORS_READ, MOST_COMPARED, MOST_DESCENDANTS, SETTLE_SECONDS
from slowpath.verdicts.regressions.service.ancestor_builds import list_ancestor_builds
from slowpath.verdicts.regressions.tables import BuildVerdict

CPU: Final = f"{PROFILE.id}.cpu"
FORMAT: Final = 1
"""Version of the check; it is part of the digest."""
_STACK_CHECK: Final = TypeAdapter(StackCheck)


@dataclass(frozen=True)
class PendingStackCheck:
    """The blobs of a check that was not made yet; `digest` identifies them."""

    commit: str
    digest: str
    base_binary: BlobKey
    candidate_binary: BlobKey
    profiles: tuple[BlobKey, ...]
    pgo_sha256: tuple[str | None, str | None]
    """Of the PGO profiles that the binaries were built with, where they are known."""


def load_stack_check(stored: dict[str, Any] | None) -> StackCheck | None:
    """Return a check from stored JSON."""
    return None if stored is None else _STACK_CHECK.validate_python(stored)


def describe_stack_warnings(row: BuildVerdict) -> str:
    """Return the warnings of a build's check as they end its sentence; '' without any."""
    check = load_stack_check(row.stack_check)
    return " ".join(warning.sentence for warning in check.warnings) if check is not None else ""


def find_pending_check(session: ReadSession, build: Build | None) -> PendingStackCheck | None:
    """Return the check of a build's executable; None without executables of both, or if it was made already."""
    if build is None:
        return None
    candidate = _find_keys(session, BuildId(build.id), BINARY.id, 1)
    if not candidate:
        return None
    for base in list_ancestor_builds(session, build)[:MOST_ANCESTORS_READ]:
        binary = _find_keys(session, BuildId(base.id), BINARY.id, 1)
        profiles = _find_keys(session, BuildId(base.id), CPU, MOST_COMPARED) if binary else ()
        if binary and profiles:
            pgo = (_find_pgo_sha256(session, BuildId(base.id)), _find_pgo_sha256(session, BuildId(build.id)))
            known = pgo if any(pgo) else ()
            digest = hashlib.sha256(repr((FORMAT, binary, candidate, profiles, *known)).encode()).hexdigest()
            row = queries.select_build_verdict(session, BuildId(build.id))
            made = load_stack_check(row.stack_check) if row is not None else None
            if made is not None and made.digest == digest:
                return None
            return PendingStackCheck(base.commit, digest, binary[0], candidate[0], profiles, pgo)
    return None


def _find_keys(session: ReadSession, build_id: BuildId, kind: str, limit: int) -> tuple[BlobKey, ...]:
    """Return the keys of the columns of a build's newest artifacts of a kind."""
    found = [ArtifactId(row.id) for row in queries.select_artifacts(session, build_id, [kind], limit)]
    keys = columns_keys(session, found) if found else {}
    return tuple(key for each in found for _, key in keys[each][:1])


def _find_pgo_sha256(session: ReadSession, build_id: BuildId) -> str | None:
    """Return the digest of the PGO profile of a build's newest executable, if it is known."""
    newest = queries.select_artifacts(session, build_id, [BINARY.id], 1)
    return next((RunMetadata.from_json(row.run_metadata).pgo_sha256 for row in newest), None)


def record_check(row: BuildVerdict, check: StackCheck | None) -> None:
    """Record a new check; the caller decides the verdict, which is new if the warnings are."""
    if check is None:
        return
    before = load_stack_check(row.stack_check)
    if (before.warnings if before is not None else ()) != check.warnings:
        row.evaluated_at = None
    row.stack_check = _STACK_CHECK.dump_python(check, mode="json")


def enqueue_descendant_checks(session: WriteSession, build_id: BuildId) -> None:
    """Enqueue the check of the newest other builds with an executable: this build may be their nearest ancestor now."""
    build = catalog.build(session, build_id)
    builds = queries.select_builds_with_evidence(session, ServiceId(build.service_id), [BINARY.id], MOST_DESCENDANTS)
    for each in builds:
        if each.id != build.id:
            enqueue_unless_pending(session, EvaluateBuild(BuildId(each.id)), after_s=SETTLE_SECONDS)
