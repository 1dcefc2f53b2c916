"""Lease probes to runners, each once.

A lease changes a queued row while the rows of runner and bisect are locked. A unique index allows one unfinished probe per
slot, so that a slot is not reused before its runner reported the end.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.errors import NotFound
from slowpath.core.ids import ProbeId, RepositoryId, ServiceId, new_id
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.repositories.service import repositories
from slowpath.platform.accounts.rules.credentials import hash_secret
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.errors import RunnerNotFound
from slowpath.verdicts.bisects.rules import bisect_settings, search_plan
from slowpath.verdicts.bisects.rules.bisect_settings import BisectSettings
from slowpath.verdicts.bisects.rules.bisect_states import COMPILE, LEASE_SECONDS, CommandName, ProbeState, may_be_leased
from slowpath.verdicts.bisects.rules.callback_secret import callback_secret
from slowpath.verdicts.bisects.service import runners
from slowpath.verdicts.bisects.service.bisect_locks import publish_bisect_change, record_bisect_event
from slowpath.verdicts.bisects.service.bisect_summaries import update_deployment_count
from slowpath.verdicts.bisects.service.probe_commands import get_probe_command
from slowpath.verdicts.bisects.tables import Bisect, Probe, Runner

SEEN_EVERY = timedelta(seconds=5)
"""Least time between recorded signs of a waiting runner."""
OFFERED_AGAIN = frozenset({ProbeState.LEASED, ProbeState.STOPPING, ProbeState.LOST, ProbeState.INVALIDATED})
"""States of an unfinished probe of which a runner with a free slot has no record."""


@dataclass(frozen=True)
class LeaseRequest:
    """A runner and its free slots."""

    runner: str
    instance: str
    slots: Sequence[int]


@dataclass(frozen=True)
class ProbeLease:
    """A leased probe with all that the runner requires."""

    probe: Probe
    bisect: Bisect
    settings: BisectSettings
    service: tuple[UUID, str]
    repositories: Mapping[str, tuple[str | None, str]]
    """URL and name by module; "" is the main one."""
    taken: int
    command: CommandName
    secret: str
    is_new: bool


def lease_probes(session: WriteSession, request: LeaseRequest, *, secret: str, now: datetime) -> Sequence[ProbeLease]:
    """Return the leases of these slots: earlier ones not acknowledged yet, else queued probes.

    At most one new lease, so that a transaction locks only one bisect: repeat while there is one.
    Raises `RunnerNotFound`, `RunnerTaken`.
    """
    slots, row = request.slots, runners.lock_own_runner(session, request.runner, request.instance, now=now)
    if row.left_at is not None:  # a late request of a runner that shut down
        raise RunnerNotFound("This runner has shut down.", remedy="Register it again: PUT /runners/{name}.")
    if now - row.seen_at >= SEEN_EVERY:
        row.seen_at = now
    held = {one.slot: one for one in queries.select_active_probes(session, row.id)}
    # A slot with an acknowledged lease may be in use: the runner must report its end first. One that was stopped is sent
    # again as well, because its lease may not have arrived: the runner then only reports its end.
    again = [one for slot in slots if (one := held.get(slot)) is not None and one.state in OFFERED_AGAIN]
    free = next((slot for slot in slots if slot not in held and slot < row.slots), None)
    new = None if free is None else _given(session, row, free, secret=secret, now=now)
    found = [_lease(session, one, secret, is_new=False) for one in again]
    return found if new is None else [*found, _lease(session, new, secret, is_new=True)]


def _given(session: WriteSession, runner: Runner, slot: int, *, secret: str, now: datetime) -> Probe | None:
    for waiting in queries.select_queued_probes(session, runner.labels, limit=100):
        bisect = queries.lock_bisect(session, waiting.bisect_id)
        probe = queries.select_probe(session, ProbeId(waiting.id))
        if bisect is None or probe is None:
            continue
        if probe.state != ProbeState.QUEUED or not may_be_leased(bisect.state, probe.purpose):
            continue
        if not {*probe.build.get("needs", ())} <= {*runner.variants}:
            continue  # its configuration does not allow the variants of the experiment
        if probe.purpose == COMPILE and not runner.can_compile:
            continue
        settings = bisect_settings.from_json(bisect.settings)
        if not settings.is_for(runner.labels) or not (
            settings.deployment_hours is None or settings.deployment_hours.allow(now)
        ):
            continue
        if bisect.commit_comparison is not None and _is_for_another(session, probe, runner):
            continue
        probe.state, probe.runner_id, probe.slot, probe.leased_at = ProbeState.LEASED, runner.id, slot, now
        probe.lease_expires_at = now + timedelta(seconds=LEASE_SECONDS)
        # The process of a former lease cannot report on a new run ID.
        probe.run_id = new_id()
        probe.callback_hash = hash_secret(callback_secret(secret, probe.run_id))
        record_bisect_event(
            session, bisect, "leased", {"number": probe.number, "runner": runner.name, "slot": slot}, now=now
        )
        session.flush()
        update_deployment_count(session, bisect)
        publish_bisect_change(session, bisect)
        session.flush()
        return probe
    return None


def _is_for_another(session: ReadSession, probe: Probe, runner: Runner) -> bool:
    """Return whether the other side of a pair was measured by another runner: the sides of a pair share a machine."""
    pair = [one for one in queries.select_probes(session, probe.bisect_id) if one.round == probe.round]
    return any(one.runner_id not in {None, runner.id} for one in pair)


def list_leased_probes(
    session: ReadSession, runner: str, instance: str, *, secret: str, now: datetime
) -> Sequence[ProbeLease]:
    """Return the unfinished probes of a runner. Raises `RunnerNotFound`, `RunnerTaken`."""
    row = queries.select_runner_by_name(session, runner)
    if row is None:
        raise RunnerNotFound("The team has no runner with this name.", remedy="Register it first: PUT /runners/{name}.")
    runners.require_free_name(row, instance, now=now)
    return [_lease(session, one, secret, is_new=False) for one in queries.select_active_probes(session, row.id)]


def _lease(session: ReadSession, probe: Probe, secret: str, *, is_new: bool) -> ProbeLease:
    bisect = session.get_one(Bisect, (session.team_id, probe.bisect_id))
    settings = bisect_settings.from_json(bisect.settings)
    service = catalog.service(session, ServiceId(bisect.service_id))
    windows = queries.select_measurements(session, bisect.id)
    return ProbeLease(
        probe,
        bisect,
        settings,
        (service.id, service.name),
        _repositories(session, bisect),
        len(windows.get(probe.id, [])),
        get_probe_command(bisect, probe, queries.select_probes(session, bisect.id), windows),
        callback_secret(secret, probe.run_id),
        is_new,
    )


def _repositories(session: ReadSession, bisect: Bisect) -> dict[str, tuple[str | None, str]]:
    modules = dict(search_plan.from_json(bisect.plan).modules) if bisect.plan else {}
    repository_ids = {**modules, **({"": str(bisect.repository_id)} if bisect.repository_id else {})}
    found = {}
    for module, id_ in repository_ids.items():
        try:
            row = repositories.get_repository(session, RepositoryId(UUID(id_)))
        except NotFound:
            continue  # deleted meanwhile: the runner's own settings may name it
        found[module] = (row.url, row.label)
    return found
