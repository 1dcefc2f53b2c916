"""Let a runner compile the culprit of a bisect and the build before it, and read what the compiler decided differently."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from pydantic import TypeAdapter

from slowpath.analysis.builds.compile_report import CompilerReason
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ArtifactId, BisectId
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.evidence.artifacts.service import artifacts as uploads
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.errors import InvalidBisectRequest
from slowpath.verdicts.bisects.jobs import MonitorBisect
from slowpath.verdicts.bisects.rules.bisect_states import COMPILE, UNDER_WAY, WATCH_SECONDS, BisectState, ProbeState
from slowpath.verdicts.bisects.rules.toolchain_levels import GO_LEVELS
from slowpath.verdicts.bisects.service import pair_comparisons, runners
from slowpath.verdicts.bisects.service.bisect_locks import (
    lock_bisect,
    lock_probe_run,
    publish_bisect_change,
    record_bisect_event,
)
from slowpath.verdicts.bisects.service.main_packages import resolve_main_package
from slowpath.verdicts.bisects.service.search_steps import make_probe
from slowpath.verdicts.bisects.tables import Bisect, Probe
from slowpath.verdicts.compiler_evidence.service import compile_reports

LAST_CHARACTERS: Final = 500
_REASONS: Final = TypeAdapter(tuple[CompilerReason, ...])
StateName = Literal["waiting", "running", "done", "failed", "not-compiled"]


@dataclass(frozen=True)
class CulpritCompilation:
    """What the compiler decided differently, or why that is not known yet."""

    state: StateName
    reasons: Sequence[CompilerReason]
    problem: str
    comparison_id: UUID | None
    """The newest comparison of the two builds: of their executables it shows frames and stack sizes."""
    missing: str
    """Why there is no comparison with the compiler's part, or what one lacks; '' if nothing is known to be missing."""


def queue_compilation(session: WriteSession, bisect_id: BisectId, *, secret: str, now: datetime) -> None:
    """Queue the compilation of a culprit once, if the bisect has a main package and a runner compiles.

    Not of a culprit that is a release of Go. Raises `BisectNotFound`.
    """
    bisect = lock_bisect(session, bisect_id)
    if bisect.state != BisectState.FOUND or bisect.commit_comparison is not None or bisect.experiment_of is not None:
        return
    settings = resolve_main_package(session, bisect)
    if settings.main_package is None or queries.select_compile_probe(session, bisect_id) is not None:
        return
    if not any(one.row.can_compile and settings.is_for(one.row.labels) for one in runners.list_runners(session)):
        return
    culprit = pair_comparisons.find_culprit(bisect)
    if culprit is None or culprit.repository in GO_LEVELS:
        return
    probes = queries.select_probes(session, bisect_id)
    probe = make_probe(session, bisect, culprit.build, len(probes) + 1, secret=secret, now=now)
    probe.candidate, probe.purpose = culprit.id, COMPILE
    probe.round = max((one.round for one in probes), default=0)
    package = settings.main_package.strip("/").removeprefix("./")
    target = {
        "base": pair_comparisons.describe_build(culprit.before),
        "package": "" if package == "." else package,
        "tags": [*settings.tags],
    }
    probe.build = {**probe.build, "compile": target}
    record_bisect_event(session, bisect, "compile-queued", {"number": probe.number}, now=now)
    publish_bisect_change(session, bisect)
    enqueue_unless_pending(session, MonitorBisect(bisect_id), after_s=WATCH_SECONDS)
    session.flush()


def record_decisions(
    session: WriteSession,
    run_id: UUID,
    reasons: Sequence[CompilerReason],
    executables: tuple[ArtifactId, ArtifactId] | None = None,
    *,
    now: datetime,
) -> Probe:
    """Record what a runner found; comparisons of the two commits show it, too.

    `executables`: of base and candidate, which the run uploaded. Raises `ProbeNotFound`, `ArtifactNotFound`.
    """
    bisect, probe = lock_probe_run(session, run_id)
    target = probe.build.get("compile")
    if probe.leased_at is None or target is None:
        raise InvalidBisectRequest("This probe compiles nothing.", remedy="Lease a probe whose purpose is compile.")
    if executables is not None and any(one.batch != run_id for one in uploads.get_artifacts(session, executables)):
        raise InvalidBisectRequest(
            "An executable was not uploaded by this run.", remedy="Upload it with the run's ID as its batch."
        )
    bisect.compile_report = {
        "reasons": _REASONS.dump_python(tuple(reasons), mode="json"),
        "executables": None if executables is None else [str(one) for one in executables],
    }
    if not any(side["modules"] or side["versions"] for side in (target["base"], probe.build)):
        package = f"./{target['package']}" if target["package"] else "."
        compile_reports.record_report(session, package, (target["base"]["commit"], probe.build["commit"]), reasons)
    record_bisect_event(session, bisect, "compiled", {"number": probe.number, "reasons": len(reasons)}, now=now)
    publish_bisect_change(session, bisect)
    return probe


def find_compilation(session: ReadSession, bisect: Bisect) -> CulpritCompilation | None:
    """Return what a compilation found or its progress; None if none was queued and both builds were not compared."""
    probe = queries.select_compile_probe(session, bisect.id)
    comparison_id, missing = pair_comparisons.find_pair_comparison(session, bisect)
    if probe is None:
        return CulpritCompilation("not-compiled", (), "", comparison_id, missing) if comparison_id or missing else None
    if bisect.compile_report is not None:
        reasons = _REASONS.validate_python(bisect.compile_report["reasons"])
        return CulpritCompilation("done", reasons, "", comparison_id, missing)
    if probe.state == ProbeState.QUEUED:
        return CulpritCompilation("waiting", (), "", comparison_id, missing)
    if probe.state in UNDER_WAY:
        return CulpritCompilation("running", (), "", comparison_id, missing)
    problem = (probe.reason or probe.log_tail).strip()[-LAST_CHARACTERS:]
    return CulpritCompilation("failed", (), problem, comparison_id, missing)
