"""Count what a request for a bisect would search."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from slowpath.analysis.closure.closure_cache import dump_cache, load_cache
from slowpath.core.db_sessions import WriteSession
from slowpath.core.encryption import create_sealer
from slowpath.core.git_ports import GitMirrorHistory
from slowpath.inventory.repositories.service.credential_checks import check_credentials
from slowpath.verdicts.bisects.jobs import CheckBisectRange
from slowpath.verdicts.bisects.rules.preflight import RangeReport, Relation, RepositoryCredentials, UpdatedModule
from slowpath.verdicts.bisects.service import preflights, search_planner
from slowpath.verdicts.bisects.service.candidate_discovery import MAIN, MultiRepositoryHistory
from slowpath.verdicts.bisects.service.search_planner import MirroredRepository
from slowpath_worker.job_context import JobContext, JobFailure
from slowpath_worker.tasks.bisect_plans import RepositoryMirrors

MOST_CHECKED: Final = 10
"""Most repositories whose credentials are checked."""

__all__ = ["CheckBisectRange", "check_bisect_range", "record_range_problem"]


def check_bisect_range(job: CheckBisectRange, context: JobContext) -> None:
    """Read commits and candidates of a range from the mirrors, and forecast the probes."""
    with context.reading() as session:
        row = preflights.find_preflight(session, job.preflight_id)
        draft = None if row is None else preflights.draft_of(session, row)
        sealer = create_sealer(context.settings)
        inputs = None if draft is None else search_planner.gather_plan_inputs(session, sealer, draft)
        tables = [] if draft is None else search_planner.list_function_tables(session, draft)
    if inputs is None:  # deleted meanwhile
        with context.finishing():
            return
    inputs = search_planner.add_function_files(inputs, tables, context.blobs)
    mirrors = RepositoryMirrors(context, inputs)
    main = mirrors.lines(inputs.main)
    relation, base = _relate(main, inputs.good, inputs.bad)
    if relation != "ancestor":
        with context.finishing() as session:
            report = RangeReport(relation, base, credentials=_check_credentials(context, [inputs.main]))
            preflights.record_report(session, job.preflight_id, report)
        return
    linked = mirrors.modules()
    memory = load_cache(mirrors.mirror(inputs.main).read_package_cache())
    history = MultiRepositoryHistory(main, {}, inputs.binary, {MAIN: memory}, lambda _read, _of: context.check())
    level = history.top(inputs.good, inputs.bad)
    modules = [
        UpdatedModule(module, before, after, module in linked)
        for module, before, after in history.dependency_updates(inputs.good, inputs.bad)
    ]
    mirrors.mirror(inputs.main).write_package_cache(dump_cache(memory))
    updated = {linked[one.module] for one in modules if one.is_linked}
    credentials = _check_credentials(context, [inputs.main, *(one for one in inputs.others if one.id in updated)])
    with context.finishing() as session:
        pruned = inputs.binary.package is not None
        level = search_planner.weight_candidates(session, inputs.main.id, level, inputs.regressed, pruned=pruned)
        report = preflights.report_level(level, _shown(modules), inputs.settings)
        preflights.record_report(session, job.preflight_id, replace(report, relation=relation, credentials=credentials))


def record_range_problem(session: WriteSession, job: CheckBisectRange, failure: JobFailure) -> None:
    """Record why the range cannot be counted."""
    preflights.record_problem(session, job.preflight_id, failure.problem)


def _relate(history: GitMirrorHistory, good: str, bad: str) -> tuple[Relation, str | None]:
    """Return the relation of good to bad, and their merge base if good is not an ancestor."""
    base = history.merge_base(good, bad)
    if base == good:
        return "ancestor", None
    if base == bad:
        return "swapped", None
    return ("unrelated", None) if base is None else ("diverged", base)


def _check_credentials(context: JobContext, used: Sequence[MirroredRepository]) -> tuple[RepositoryCredentials, ...]:
    """Return whether the credentials of the repositories work now, of those that have any."""
    found = []
    for one in used[:MOST_CHECKED]:
        context.check()
        if one.url is None or one.authorization is None:
            continue
        state = check_credentials(context.egress, one.kind, one.url, one.authorization, context.clock.now())
        expires = None if state.expires_at is None else state.expires_at.isoformat()
        found.append(RepositoryCredentials(str(one.id), one.label, state.state, expires, state.detail))
    return tuple(found)


def _shown(modules: Sequence[UpdatedModule]) -> tuple[UpdatedModule, ...]:
    """Return the modules with a repository first, at most as many as a page shows."""
    return tuple(sorted(modules, key=lambda one: not one.is_linked)[: preflights.MOST_MODULES])
