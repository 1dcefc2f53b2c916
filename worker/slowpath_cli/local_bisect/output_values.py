"""Read the value of a signature from the files in SLOWPATH_OUT, with the measurements the server uses for builds."""

import tempfile
from pathlib import Path
from typing import Final

from slowpath.analysis.builds.signature_value import NotMeasured, signature_value
from slowpath.analysis.findings.build_measurements import KindMeasurement
from slowpath.analysis.kinds.profiles.sets.profile_measurements import WEAK, measure_profile_totals, measure_profiles
from slowpath.analysis.kinds.registry import kind_of, measured_kinds
from slowpath_cli.core.input_files import LoadedSide, read_side
from slowpath_cli.local_bisect.local_repositories import InvalidRepository

MAX_FUNCTIONS: Final = 4096
MAX_LISTED: Final = 8
KINDS: Final = tuple(name for names in measured_kinds().values() for name in names)


def read_signature_value(folder: Path, kind: str, subject: str, helper: Path) -> float:
    """Return the value of a subject in the files of a folder. Raises `NotMeasured`, `InvalidInput`, `HelperFailed`."""
    with tempfile.TemporaryDirectory(prefix="slowpath-bisect-") as scratch:
        read = read_side([str(folder)], None, Path(scratch), helper)
        measures = _measure_kind(read, kind)
    if not measures and read.unread:
        first = next((one for one in read.unread if one.kind != "unknown"), read.unread[0])
        raise NotMeasured(f"No file of kind {kind} could be decoded ({first.name}: {first.reason}).")
    try:
        return signature_value(measures, kind, subject, "")[0]
    except NotMeasured as error:
        available = [name for one in measures if one.kind == kind for name in one.subjects][:MAX_LISTED]
        raise NotMeasured(f"{error} Available: {', '.join(available)}." if available else str(error)) from error


def parse_signature(text: str | None) -> tuple[str, str] | None:
    """Parse `KIND:SUBJECT`. Raises `InvalidRepository`."""
    if text is None:
        return None
    kind, colon, subject = text.partition(":")
    if kind not in KINDS or not colon or not subject:
        raise InvalidRepository(f"--signature is KIND:SUBJECT, with a kind of {', '.join(KINDS)}; not {text!r}.")
    return kind, subject


def _measure_kind(read: LoadedSide, kind: str) -> list[KindMeasurement]:
    side = read.side
    if kind in {"profile.category", "profile.function"}:
        cpu = [one for one in side.profiles if one.table.kind == "cpu"]
        return list(measure_profiles(cpu, MAX_FUNCTIONS))
    weak_kind = next((one for one in WEAK if one == kind), None)
    if weak_kind is not None:
        is_contention = kind in {"profile.mutex", "profile.block"}  # both have the same sample types
        profiles = [one for one in side.profiles if not is_contention or f"profile.{one.table.kind}" == kind]
        return list(measure_profile_totals(profiles, weak_kind, MAX_FUNCTIONS))
    stored_id = next(one for one, names in measured_kinds().items() if kind in names)
    artifact_kind = kind_of(stored_id)
    assert artifact_kind is not None
    assert artifact_kind.measure_build is not None
    return list(artifact_kind.measure_build(stored_id, side.others[artifact_kind.id], MAX_FUNCTIONS))
