"""Give probes to runners, each once.

A lease is a row's change from `asked`, made while the runner's row and the bisect's are held. A unique index allows one
probe that has not ended for a slot, so nothing of a slot is forgotten before the runner has said that it is gone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.errors import NotFound
from slowpath.core.ids import ProbeId, RepositoryId, ServiceId
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.repositories.service import repositories
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.errors import RunnerNotFound
from slowpath.verdicts.bisects.rules import bisect_settings as kept
from slowpath.verdicts.bisects.rules import search_plan
from slowpath.verdicts.bisects.rules.bisect_settings import BisectSettings
from slowpath.verdicts.bisects.rules.bisect_states import LEASE_SECONDS, BisectState, CommandName, ProbeState
from slowpath.verdicts.bisects.rules.callback_secret import callback_secret
from slowpath.verdicts.bisects.service import runners
from slowpath.verdicts.bisects.service.bisect_locks import publish_bisect_change, record_bisect_event
from slowpath.verdicts.bisects.service.probe_commands import get_probe_command
from slowpath.verdicts.bisects.tables import Bisect, Probe, Runner

SEEN_EVERY = timedelta(seconds=5)
"""That a waiting runner is there is written down at most this often."""


@dataclass(frozen=True)
class LeaseRequest:
    """Which runner asks for work, and in which of its slots."""

    runner: str
    instance: str
    slots: Sequence[int]


@dataclass(frozen=True)
class ProbeLease:
    """A probe that is a runner's, with all that the runner needs to know."""

    probe: Probe
    bisect: Bisect
    settings: BisectSettings
    service: tuple[UUID, str]
    repositories: Mapping[str, tuple[str | None, str]]
    """Address and name by module; "" is the main one."""
    taken: int
    command: CommandName
    secret: str
    is_new: bool


def lease_probes(session: WriteSession, asks: LeaseRequest, *, secret: str, now: datetime) -> Sequence[ProbeLease]:
    """Return what to deploy in these slots: what was given for them and never heard of again, else what is asked.

    At most one is given anew, so that no transaction holds two bisects that it took in an order of its own: ask again
    while there is one. Raises `RunnerNotFound`, `RunnerTaken`.
    """
    slots, row = asks.slots, runners.lock_own_runner(session, asks.runner, asks.instance, now=now)
    if row.left_at is not None:  # what it asked before it ended, and waits no more for
        raise RunnerNotFound("This runner has ended.", remedy="Make it known again: PUT /runners/{name}.")
    if now - row.seen_at >= SEEN_EVERY:
        row.seen_at = now
    held = {one.slot: one for one in queries.select_active_probes(session, row.id)}
    # In a slot of which more was heard something may run: the runner says that it has ended before it gets another.
    again = [one for slot in slots if (one := held.get(slot)) is not None and one.state == ProbeState.LEASED]
    free = next((slot for slot in slots if slot not in held and slot < row.slots), None)
    new = None if free is None else _given(session, row, free, now)
    found = [_lease(session, one, secret, is_new=False) for one in again]
    return found if new is None else [*found, _lease(session, new, secret, is_new=True)]


def _given(session: WriteSession, runner: Runner, slot: int, now: datetime) -> Probe | None:
    for waiting in queries.select_queued_probes(session, runner.labels, limit=100):
        bisect = queries.lock_bisect(session, waiting.bisect_id)
        probe = queries.select_probe(session, ProbeId(waiting.id))
        if bisect is None or probe is None:
            continue
        if probe.state != ProbeState.QUEUED or bisect.state != BisectState.SEARCHING:
            continue
        settings = kept.from_json(bisect.settings)
        if not settings.is_for(runner.labels) or not (
            settings.deployment_hours is None or settings.deployment_hours.allow(now)
        ):
            continue
        probe.state, probe.runner_id, probe.slot, probe.leased_at = ProbeState.LEASED, runner.id, slot, now
        probe.lease_expires_at = now + timedelta(seconds=LEASE_SECONDS)
        record_bisect_event(
            session, bisect, "leased", {"number": probe.number, "runner": runner.name, "slot": slot}, now=now
        )
        publish_bisect_change(session, bisect)
        session.flush()
        return probe
    return None


def list_leased_probes(
    session: ReadSession, runner: str, instance: str, *, secret: str, now: datetime
) -> Sequence[ProbeLease]:
    """Return what a runner has, as far as is known. Raises `RunnerNotFound`, `RunnerTaken`."""
    row = queries.select_runner_by_name(session, runner)
    if row is None:
        raise RunnerNotFound("No runner of this name is known.", remedy="Make it known first: PUT /runners/{name}.")
    runners.check_runner_process(row, instance, now=now)
    return [_lease(session, one, secret, is_new=False) for one in queries.select_active_probes(session, row.id)]


def _lease(session: ReadSession, probe: Probe, secret: str, *, is_new: bool) -> ProbeLease:
    bisect = session.get_one(Bisect, (session.team_id, probe.bisect_id))
    settings = kept.from_json(bisect.settings)
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
    wanted = {**modules, **({"": str(bisect.repository_id)} if bisect.repository_id else {})}
    found = {}
    for module, id_ in wanted.items():
        try:
            row = repositories.get_repository(session, RepositoryId(UUID(id_)))
        except NotFound:
            continue  # taken away meanwhile: the runner may still know it by its own settings
        found[module] = (row.url, row.label)
    return found
