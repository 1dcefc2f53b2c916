"""The runner: resumes interrupted runs, leases probes while slots are free, and removes its deployments when stopped."""

from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import Any, Final
from uuid import UUID

from slowpath.commit_names import short_commit
from slowpath_cli.runner.core.driver_interface import DriverError
from slowpath_cli.runner.core.leases import LeaseRefused, checked_lease, run_id_of
from slowpath_cli.runner.core.probe_lifecycle import ProbeLifecycle
from slowpath_cli.runner.core.run_context import RunnerContext
from slowpath_cli.runner.core.run_store import RunRecord
from slowpath_cli.runner.core.server_client import (
    ReportRejected,
    RunnerNameTaken,
    ServerUnavailable,
    TokenForbidden,
    UnknownToServer,
)

WAIT_SECONDS: Final = 20.0
BUSY_SECONDS: Final = 2.0
"""Duration of a lease request while other slots are busy, as one of them may become free."""
PAUSES_SECONDS: Final = (0.5, 15.0)
SHORT_PAUSE_SECONDS: Final = 0.2
RETRY_SECONDS: Final = 5.0
REJECTED_SECONDS: Final = 1.0
"""Pause after a rejected lease: a server may offer it repeatedly."""


class Runner:
    """One runner with its slots."""

    def __init__(self, runner_context: RunnerContext, version: str) -> None:
        self._context, self._version = runner_context, version
        self._control = runner_context.connect()
        self._unavailable_s = 0.0
        self._working: dict[int, tuple[set[UUID], Thread]] = {}

    def run(self) -> None:
        """Run until stopped. Raises `TokenForbidden`, `ReportRejected`, `RunnerNameTaken` if the server rejects the runner."""
        self._resume_runs()
        self._register()
        self._retry_until_stopped(self._remove_orphans)
        while not self._context.stopping.is_set():
            self._work()

    def wait(self) -> None:
        """Wait until all deployments are removed."""
        for _, thread in self._working.values():
            thread.join()

    def leave(self) -> None:
        """Release the runner's name on the server, unless a deployment may still run.

        Sent once: a server that does not receive it frees the name after a timeout.
        """
        if next(self._context.files.list_open(), None) is None:
            with suppress(ServerUnavailable, UnknownToServer, TokenForbidden, ReportRejected):
                self._context.connect().leave()

    def _resume_runs(self) -> None:
        open_runs: dict[int, list[RunRecord]] = {}
        for run in self._context.files.list_open():
            self._context.log(f"resuming probe {run.lease['number']} in slot {run.slot}, phase {run.phase}")
            open_runs.setdefault(run.slot, []).append(run)
        for runs in open_runs.values():
            self._begin(*runs)

    def _register(self) -> None:
        """Register the runner's name; if another process uses it, retry once after it may have become free."""
        try:
            self._retry_until_stopped(self._announce)
        except RunnerNameTaken as error:
            self._context.log(f"{error} Retrying once in {error.free_after_seconds:.0f} s.")
            if not self._context.stopping.wait(error.free_after_seconds + SHORT_PAUSE_SECONDS):
                self._retry_until_stopped(self._announce)

    def _announce(self) -> None:
        try:
            self._announce_as(can_compile=self._context.config.compile)
        except ReportRejected:
            if not self._context.config.compile:
                raise
            self._announce_as(can_compile=False)
            self._context.log("the server does not know compilations of culprits, so it requests none")

    def _announce_as(self, *, can_compile: bool) -> None:
        config = self._context.config
        self._control.announce(
            config.slots,
            dict(config.labels),
            self._version,
            config.allow.variants,
            can_compile=can_compile,
            measurement_seconds=config.measure.takes_seconds,
        )

    def _remove_orphans(self) -> None:
        """End probes that the server assigns to this runner, but of which it has no record (other folder or machine)."""
        known_ids = {run_id for run_ids, _ in self._working.values() for run_id in run_ids}
        for probe in self._control.list_assigned_probes():
            run_id = run_id_of(probe)
            if run_id is None or run_id in known_ids or probe.get("state") == "leased":
                continue  # leased: not started; the server leases it again
            number = probe.get("number")
            self._context.log(f"probe {number} has no record in the work folder: removing its deployment")
            try:
                self._context.driver.restore(run_id)
            except DriverError as error:
                raise ServerUnavailable(f"Cannot remove the deployment of probe {number}: {error}") from error
            try:
                self._control.end(run_id, "failed", "The runner was restarted and has no record of this probe.")
            except (UnknownToServer, ReportRejected):
                continue

    def _work(self) -> None:
        self._working = {slot: one for slot, one in self._working.items() if one[1].is_alive()}
        free = [slot for slot in range(self._context.config.slots) if slot not in self._working]
        if not free:
            self._context.stopping.wait(SHORT_PAUSE_SECONDS)
            return
        try:
            leases = self._control.leases(free, BUSY_SECONDS if self._working else WAIT_SECONDS)
        except RunnerNameTaken:
            raise
        except UnknownToServer:  # deleted by a user: register again
            self._retry_until_stopped(self._announce)
            return
        except (ServerUnavailable, TokenForbidden, ReportRejected) as error:
            if self._unavailable_s == 0:
                self._context.log(f"{error} Retrying.")
            pause = min(max(self._unavailable_s, PAUSES_SECONDS[0]), PAUSES_SECONDS[1])
            self._unavailable_s += pause
            self._context.stopping.wait(pause)
            return
        if self._unavailable_s:
            self._context.log(f"the server is available again after {self._unavailable_s:.0f} s")
            self._unavailable_s = 0.0
        for offer in leases:
            self._lease(offer, free)

    def _lease(self, offer: object, free: list[int]) -> None:
        config = self._context.config
        try:
            lease = checked_lease(offer, free)
            config.allow.check(lease, config.repositories, checkout=config.checkout)
        except LeaseRefused as error:
            self._reject(offer, str(error))
            return
        free.remove(lease["slot"])
        run = RunRecord(lease)
        if str(run.run_id) in self._context.files.ended():  # ended here, but not yet reported
            run.phase, run.how = "ending", "failed"
        else:
            self._context.files.keep(run)
        self._context.log(
            f"#{lease['bisect_number']} probe {lease['number']} in slot {run.slot}: {lease['purpose']} of {_build(lease)}"
        )
        self._begin(run)

    def _reject(self, offer: object, reason: str) -> None:
        """Report the rejection of a lease; otherwise the server would offer it again."""
        self._context.log(f"rejected a lease: {reason}")
        run_id = run_id_of(offer)
        try:
            if run_id is not None and not self._context.files.folder(run_id).exists():
                self._control.end(run_id, "failed", f"The runner rejected the lease: {reason}")
        except (ServerUnavailable, UnknownToServer, TokenForbidden, ReportRejected) as error:
            self._context.log(str(error))
        self._context.stopping.wait(REJECTED_SECONDS)

    def _begin(self, *runs: RunRecord) -> None:
        slot = runs[0].slot
        thread = Thread(target=self._run_all, args=runs, name=f"slot-{slot}", daemon=True)
        self._working[slot] = ({run.run_id for run in runs}, thread)
        thread.start()

    def _run_all(self, *runs: RunRecord) -> None:
        for run in runs:
            while not self._run_once(run) and not self._context.stopping.wait(RETRY_SECONDS):
                pass

    def _run_once(self, run: RunRecord) -> bool:
        try:
            ProbeLifecycle(self._context, run).run()
        except Exception as error:  # noqa: BLE001 - a slot must not stop silently; it resumes from disk
            self._context.log(f"slot {run.slot}: internal error: {type(error).__name__}: {error}")
            return False
        return True

    def _retry_until_stopped(self, action: Callable[[], None]) -> None:
        pause = PAUSES_SECONDS[0]
        while not self._context.stopping.is_set():
            try:
                action()
            except ServerUnavailable as error:
                self._context.log(f"{error} Retrying.")
            else:
                return
            self._context.stopping.wait(pause)
            pause = min(pause * 2, PAUSES_SECONDS[1])


def _build(lease: dict[str, Any]) -> str:
    build = lease["build"]
    inputs = {**build["modules"], **build["versions"], **build.get("settings", {})}
    replaced = [f"{module}@{short_commit(to)}" for module, to in inputs.items()]
    return " with ".join(
        [short_commit(build["commit"]), ", ".join(replaced)] if replaced else [short_commit(build["commit"])]
    )
