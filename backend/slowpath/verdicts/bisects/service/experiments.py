"""Create, list and advance experiments: variants of a bisect's bad commit, measured in blocks by its runners.

An experiment is a row of `bisect` without candidates: leases, heartbeats, measurements, monitoring, cancellation and
deletion are those of a bisect.
"""

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from uuid import UUID

from slowpath.analysis.bisect.candidate_sequence import GOOD_END
from slowpath.analysis.bisect.suspects import neighbours
from slowpath.analysis.experiments.experiment_result import ExperimentResult, summarize_experiment
from slowpath.analysis.experiments.patch_files import validate_patch
from slowpath.analysis.experiments.variants import BASE, PGO, InvalidVariant, Variant, parse_variant, validate_names
from slowpath.commit_names import short_commit
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BisectId, BuildId, RegressionId, RepositoryId, UserId, new_id
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.repositories.service import commit_graph
from slowpath.platform.accounts.service import record_audit_event
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.errors import InvalidBisectRequest, InvalidBisectState, ProbeNotFound
from slowpath.verdicts.bisects.jobs import AdvanceBisect, MonitorBisect
from slowpath.verdicts.bisects.rules import bisect_settings, experiment_plan, search_plan
from slowpath.verdicts.bisects.rules.bisect_settings import BisectSettings
from slowpath.verdicts.bisects.rules.bisect_states import MEASURED, WATCH_SECONDS, BisectState
from slowpath.verdicts.bisects.rules.candidates import BuildInputs
from slowpath.verdicts.bisects.rules.experiment_plan import (
    MAX_BLOCKS,
    MAX_PATCH_BYTES,
    MAX_PATCHES,
    VARIANT,
    ExperimentPlan,
    VariantProbe,
    blocks_of,
    decide_next_step,
    failed_builds,
    needed_kinds_of,
)
from slowpath.verdicts.bisects.service.bisect_creation import (
    BisectOptions,
    complete_request,
    require_bisect_capacity,
    require_startable,
)
from slowpath.verdicts.bisects.service.bisect_locks import (
    get_bisect,
    lock_bisect,
    publish_bisect_change,
    record_bisect_event,
)
from slowpath.verdicts.bisects.service.bisect_summaries import load_probe_observations, load_search_state
from slowpath.verdicts.bisects.service.boundary_results import read_last_line
from slowpath.verdicts.bisects.service.latency_signature import resolve_latency_signature
from slowpath.verdicts.bisects.service.search_steps import fail_bisect, make_probe, stop_probe
from slowpath.verdicts.bisects.tables import Bisect, Probe, ProbeMeasurement
from slowpath.verdicts.regressions.service import regression_views

MAX_LISTED = 20


@dataclass(frozen=True)
class ExperimentOptions:
    """Options of a request."""

    variants: Sequence[str]
    blocks: int
    patches: Mapping[str, str]
    """Text by the name that `patch=NAME` uses."""
    signature: tuple[str, str] | None = None
    """Kind and subject of the criterion; None for that of the bisect, or the best one of the proposal."""


@dataclass(frozen=True)
class ExperimentSubject:
    """What an experiment without a bisect is of: one of both."""

    regression_id: UUID | None = None
    build_id: UUID | None = None


@dataclass(frozen=True)
class ExperimentView:
    """An experiment with its progress and, once the base is measured, its result."""

    row: Bisect
    plan: ExperimentPlan
    runs: int
    """Measured probes of builds that did not fail."""
    failures: Mapping[str, str]
    result: ExperimentResult | None


def create_experiment(
    session: WriteSession, bisect_id: BisectId, options: ExperimentOptions, *, by: UserId | None, now: datetime
) -> Bisect:
    """Start an experiment with the bad commit of a bisect that has ended.

    Raises `BisectNotFound`, `InvalidBisectState`, `InvalidBisectRequest`, `TooManyBisects`.
    """
    bisect = get_bisect(session, bisect_id)
    if bisect.state not in MEASURED or bisect.experiment_of is not None:
        raise InvalidBisectState("The bisect has not ended with measurements.", remedy="Wait until it has ended.")
    plan = _make_plan(bisect.bad_sha, options, *_culprit(session, bisect))
    row = Bisect(
        team_id=session.team_id, id=new_id(), title=bisect.title, service_id=bisect.service_id,
        repository_id=bisect.repository_id, good_sha=bisect.good_sha, bad_sha=bisect.bad_sha, signature=bisect.signature,
        settings=bisect.settings, experiment_of=bisect.id,
    )  # fmt: skip
    return _start(session, row, plan, by=by, now=now)


def create_subject_experiment(
    session: WriteSession, subject: ExperimentSubject, options: ExperimentOptions, *, by: UserId | None, now: datetime
) -> Bisect:
    """Start an experiment with the bad commit of a regression, beside the good one, or with the commit of a build.

    Raises `NotFound`, `BisectIncomplete`, `InvalidBisectRequest`, `TooManyBisects`.
    """
    if subject.regression_id is not None:
        completed = complete_request(
            session, BisectOptions(regression_id=subject.regression_id, signature=options.signature)
        )
        service_id, repository_id, good, bad = require_startable(session, completed)
    else:
        assert subject.build_id is not None
        build = catalog.build(session, BuildId(subject.build_id))
        completed = complete_request(session, BisectOptions(service_id=build.service_id, signature=options.signature))
        whole = _resolve_commit(session, completed.repository_id, build.commit)
        service_id, repository_id, _, bad = require_startable(session, replace(completed, good="", bad=whole))
        good = bad
    signature, settings = resolve_latency_signature(session, completed.signature, BisectSettings(), is_window_set=False)
    plan = _make_plan(bad, options, None, BuildInputs(good) if good != bad else None)
    title = completed.offer.title or f"{catalog.service(session, service_id).name}: variants of {short_commit(bad)}"
    id_ = new_id()
    row = Bisect(
        team_id=session.team_id, id=id_, title=title[:300], service_id=service_id, repository_id=repository_id,
        good_sha=good, bad_sha=bad, regression_id=subject.regression_id, signature=asdict(signature),
        settings=bisect_settings.to_json(settings), experiment_of=id_,
    )  # fmt: skip
    return _start(session, row, plan, by=by, now=now)


def _start(session: WriteSession, row: Bisect, plan: ExperimentPlan, *, by: UserId | None, now: datetime) -> Bisect:
    require_bisect_capacity(session)
    given = bisect_settings.from_json(row.settings)
    if given.dashboard_selector is not None and given.dashboard_selector.match == "version":
        raise InvalidBisectRequest(
            "The latency of this bisect is read by version, which all variants of a commit share.",
            remedy="Start a bisect whose probes are identified by instance or environment.",
        )
    settings = replace(given, needs_approval=False, control=False, use_production_baselines=False)
    row.settings, row.number = bisect_settings.to_json(settings), queries.next_number(session)
    row.state, row.started_at, row.revision, row.created_by = BisectState.SEARCHING, now, 1, by
    row.experiment, row.is_automatic, row.approved_through_round = plan.to_json(), False, 0
    session.add(row)
    session.flush()
    record_bisect_event(session, row, "started", {}, now=now, by=by)
    enqueue_unless_pending(session, AdvanceBisect(BisectId(row.id)))
    enqueue_unless_pending(session, MonitorBisect(BisectId(row.id)), after_s=WATCH_SECONDS)
    session.flush()
    return row


def _resolve_commit(session: ReadSession, repository_id: UUID | None, commit: str) -> str | None:
    """Return the whole SHA of a build's commit; None if the repository does not know it."""
    if repository_id is None:
        return None
    return commit_graph.resolve_commits(session, RepositoryId(repository_id), [commit]).get(commit)


def _culprit(session: ReadSession, bisect: Bisect) -> tuple[str | None, BuildInputs | None]:
    """Return the culprit if it is of the main repository, and the build before it; None if the bisect named none."""
    if bisect.state != BisectState.FOUND or bisect.plan is None or bisect.outcome is None:
        return None, None
    plan = search_plan.from_json(bisect.plan)
    known = load_probe_observations(
        queries.select_probes(session, bisect.id), queries.select_measurements(session, bisect.id)
    )
    state = load_search_state(bisect, plan, known)
    culprit = str(bisect.outcome["suspects"][0])
    before, _ = neighbours(state, (state.line.position(culprit),))
    node = plan.nodes[culprit]
    return (None if node.repository else node.sha), plan.build(GOOD_END if before <= 0 else state.line.at(before))


def _make_plan(
    commit: str, options: ExperimentOptions, culprit: str | None, parent: BuildInputs | None
) -> ExperimentPlan:
    try:
        variants, patches = _parse(options)
    except InvalidVariant as error:
        raise InvalidBisectRequest(str(error)) from error
    if culprit is None and any(one.reverts for one in variants):
        raise InvalidBisectRequest("Without a culprit of the main repository nothing can be reverted.")
    if not 3 <= options.blocks <= MAX_BLOCKS:
        raise InvalidBisectRequest(f"An experiment has 3 to {MAX_BLOCKS} blocks.", limit=MAX_BLOCKS, actual=options.blocks)  # fmt: skip
    return ExperimentPlan(BuildInputs(commit), parent, culprit, variants, options.blocks, secrets.randbits(32), patches)


def _parse(options: ExperimentOptions) -> tuple[tuple[Variant, ...], dict[str, str]]:
    """Return the variants with the hashes of their patches, and the patches by hash. Raises `InvalidVariant`."""
    variants = [parse_variant(one) for one in options.variants]
    validate_names([one.name for one in variants])
    if len(options.patches) > MAX_PATCHES:
        raise InvalidVariant(f"An experiment has at most {MAX_PATCHES} patches, not {len(options.patches)}.")
    hashes = {}
    for name, text in options.patches.items():
        content = text.encode()
        if len(content) > MAX_PATCH_BYTES:
            raise InvalidVariant(f"The patch has {len(content):,} bytes; the limit is {MAX_PATCH_BYTES:,}.")
        validate_patch(content)
        hashes[name] = hashlib.sha256(content).hexdigest()
    for one in variants:
        if one.patch is not None and one.patch not in hashes:
            raise InvalidVariant(f"The patch {one.patch!r} of a variant was not sent.")
        if one.pgo is not None and one.pgo not in PGO:
            raise InvalidVariant("pgo is off or auto.")
    named = tuple(one if one.patch is None else replace(one, patch=hashes[one.patch]) for one in variants)
    return named, {hashes[name]: text for name, text in options.patches.items()}


def list_experiments(session: ReadSession, bisect_id: BisectId) -> list[ExperimentView]:
    """Return the experiments of a bisect, newest first. Raises `BisectNotFound`."""
    get_bisect(session, bisect_id)
    return [load_experiment(session, row) for row in queries.select_experiments(session, bisect_id, MAX_LISTED)]


def list_subject_experiments(session: ReadSession, subject: ExperimentSubject) -> list[ExperimentView]:
    """Return the experiments of a regression, or all with the commit of a build, newest first. Raises `NotFound`."""
    if subject.regression_id is not None:
        regression_views.get_regression(session, RegressionId(subject.regression_id))
        rows = queries.select_regression_experiments(session, subject.regression_id, MAX_LISTED)
    else:
        assert subject.build_id is not None
        build = catalog.build(session, BuildId(subject.build_id))
        rows = queries.select_commit_experiments(session, build.service_id, build.commit, MAX_LISTED)
    return [load_experiment(session, row) for row in rows]


def load_experiment(session: ReadSession, row: Bisect) -> ExperimentView:
    """Return an experiment with its result so far."""
    plan = experiment_plan.from_json(row.experiment or {})
    probes = _load_probes(session, row)
    measured = [one for one in probes if one.values is not None]
    failures = failed_builds(probes)
    measures = list(dict.fromkeys(name for one in measured for name in one.values or {}))
    result = None
    if any(one.build == BASE for one in measured):
        primary = _primary(row)
        is_larger_better = not row.signature["larger_is_worse"]
        larger = frozenset(one for one in measures if (is_larger_better if one == primary else one.endswith("/s")))
        variants = [one for one in plan.builds if one != BASE]
        result = summarize_experiment(blocks_of(plan, probes), variants, measures, primary, larger)
    runs = sum(one.build not in failures for one in measured)
    return ExperimentView(row, plan, runs, failures, result)


def advance_experiment(session: WriteSession, bisect_id: BisectId, *, secret: str, now: datetime) -> bool:
    """Apply the next step of an experiment; return whether it is one. Raises `BisectNotFound`."""
    row = lock_bisect(session, bisect_id)
    if row.experiment_of is None:
        return False
    if row.state != BisectState.SEARCHING:
        return True
    plan = experiment_plan.from_json(row.experiment or {})
    probes = _load_probes(session, row)
    step = decide_next_step(plan, probes)
    rows = queries.select_probes(session, row.id)
    for one in rows:
        if one.number in step.stop:
            stop_probe(one, now)
    for number, name in enumerate(step.queue, start=len(rows) + 1):
        probe = make_probe(session, row, plan.inputs(name), number, secret=secret, now=now)
        probe.candidate, probe.purpose, probe.round = name, VARIANT, step.block + 1
        probe.build = {**probe.build, "variant": plan.lease_variant(name), "needs": needed_kinds_of(plan)}
    if step.is_finished:
        _finish(session, row, failed_builds(probes), rows, now)
    if step.queue or step.stop or step.is_finished:
        publish_bisect_change(session, row)
    session.flush()
    return True


def _finish(
    session: WriteSession, row: Bisect, failures: Mapping[str, str], probes: Sequence[Probe], now: datetime
) -> None:
    if BASE in failures:
        problem = {"title": "The unchanged commit cannot be measured", "detail": failures[BASE]}
        fail_bisect(session, BisectId(row.id), problem, now=now)
        return
    for one in probes:
        if one.ended_at is None:
            stop_probe(one, now)
    result = load_experiment(session, row).result
    has_best = result is not None and result.best is not None
    row.state, row.finished_at = BisectState.FOUND if has_best else BisectState.NOT_SEPARABLE, now
    record_bisect_event(session, row, row.state, {}, now=now)
    facts = {"title": row.title, "to": row.state, "service_id": str(row.service_id)}
    record_audit_event(session, None, "experiment.finished", "bisect", row.id, facts)


def find_patch(session: ReadSession, run_id: UUID) -> str:
    """Return the text of the patch of a probe, "" without one. Raises `ProbeNotFound`."""
    probe = queries.select_probe_by_run(session, run_id)
    if probe is None:
        raise ProbeNotFound("The team has no probe with this ID.")
    row = get_bisect(session, BisectId(probe.bisect_id))
    patches = {} if row.experiment is None else row.experiment["patches"]
    return str(patches.get((probe.build.get("variant") or {}).get("patch"), ""))


def _primary(row: Bisect) -> str:
    return str(row.signature["label"])


def _load_probes(session: ReadSession, row: Bisect) -> list[VariantProbe]:
    windows = queries.select_measurements(session, row.id)
    return [
        _load_probe(one, windows.get(one.id, []), _primary(row))
        for one in queries.select_probes(session, row.id)
        if one.purpose == VARIANT and one.state != "invalidated"
    ]


def _load_probe(probe: Probe, windows: Sequence[ProbeMeasurement], primary: str) -> VariantProbe:
    window = windows[0] if windows else None
    values, problem = None, None
    if window is not None and window.value is not None:
        values = {primary: window.value, **{name: float(one) for name, one in (window.measures or {}).items()}}
    elif window is not None and (window.problem is not None or window.verdict is not None):
        problem = window.problem or "The measurement is an exit code; an experiment needs a number."
    elif probe.ended_at is not None and probe.log_tail:
        problem = read_last_line(probe) or None
    return VariantProbe(probe.number, probe.candidate, probe.round - 1, probe.state, values, problem)
