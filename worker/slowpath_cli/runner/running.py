"""The runner itself: takes up what it left, asks for more while slots are free, and takes everything down when it is stopped."""

from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import Any, Final
from uuid import UUID

from slowpath_cli.runner.control import Forbidden, Gone, NotTaken, Silent, Taken
from slowpath_cli.runner.driver import DriverError
from slowpath_cli.runner.files import Run
from slowpath_cli.runner.leases import LeaseRefused, checked_lease, run_id_of
from slowpath_cli.runner.probing import Probe
from slowpath_cli.runner.scene import House

WAIT_SECONDS: Final = 20.0
BUSY_SECONDS: Final = 2.0
"""How long one question for work waits while other slots are at work: one of them may become free meanwhile."""
PAUSES_SECONDS: Final = (0.5, 15.0)
REST_SECONDS: Final = 0.2
AGAIN_SECONDS: Final = 5.0
REFUSED_SECONDS: Final = 1.0
"""Pause after a lease that was refused: a server may offer it again and again."""


class Runner:
    """One runner with its slots."""

    def __init__(self, house: House, version: str) -> None:
        self._house, self._version = house, version
        self._control = house.controls()
        self._silent_for = 0.0
        self._working: dict[int, tuple[set[UUID], Thread]] = {}

    def run(self) -> None:
        """Work until it is stopped. Raises `Forbidden`, `NotTaken`, `Taken` where the server does not want this runner."""
        self._take_up()
        self._introduced()
        self._patiently(self._orphans)
        while not self._house.stopping.is_set():
            self._work()

    def wait(self) -> None:
        """Wait for what runs to be taken down."""
        for _, thread in self._working.values():
            thread.join()

    def leave(self) -> None:
        """Say that the runner has ended, so that another may have its name; not where something may still run.

        Told once: who does not hear it takes the silence for it, later.
        """
        if next(self._house.files.kept(), None) is None:
            with suppress(Silent, Gone, Forbidden, NotTaken):
                self._house.controls().leave()

    def _take_up(self) -> None:
        kept: dict[int, list[Run]] = {}
        for run in self._house.files.kept():
            self._house.tell(f"going on with deploy {run.lease['number']} in slot {run.slot}, which was {run.phase}")
            kept.setdefault(run.slot, []).append(run)
        for runs in kept.values():
            self._begin(*runs)

    def _introduced(self) -> None:
        """Have the runner's name. Who had it may be gone without a word: then it is free after a while."""
        try:
            self._patiently(self._announce)
        except Taken as error:
            self._house.tell(f"{error} Asked once more in {error.free_after_seconds:.0f} s.")
            if not self._house.stopping.wait(error.free_after_seconds + REST_SECONDS):
                self._patiently(self._announce)

    def _announce(self) -> None:
        config = self._house.config
        self._control.announce(config.slots, dict(config.labels), self._version)

    def _orphans(self) -> None:
        """End what the server believes this runner runs, and of which nothing is known here (another folder, a new machine)."""
        own = {run_id for run_ids, _ in self._working.values() for run_id in run_ids}
        for told in self._control.believed():
            run_id = run_id_of(told)
            if run_id is None or run_id in own or told.get("state") == "leased":
                continue  # leased: not begun, else it would have been said; it comes again
            number = told.get("number")
            self._house.tell(f"deploy {number} is not known here: taken down")
            try:
                self._house.driver.restore(run_id)
            except DriverError as error:
                raise Silent(f"deploy {number} can not be taken down: {error}") from error
            try:
                self._control.end(run_id, "failed", "The runner was started anew and knew nothing of it.")
            except (Gone, NotTaken):
                continue

    def _work(self) -> None:
        self._working = {slot: one for slot, one in self._working.items() if one[1].is_alive()}
        free = [slot for slot in range(self._house.config.slots) if slot not in self._working]
        if not free:
            self._house.stopping.wait(REST_SECONDS)
            return
        try:
            leases = self._control.leases(free, BUSY_SECONDS if self._working else WAIT_SECONDS)
        except Taken:
            raise
        except Gone:  # forgotten by a person: it is known again when it says so
            self._patiently(self._announce)
            return
        except (Silent, Forbidden, NotTaken) as error:
            if self._silent_for == 0:
                self._house.tell(f"{error} Asked again and again.")
            pause = min(max(self._silent_for, PAUSES_SECONDS[0]), PAUSES_SECONDS[1])
            self._silent_for += pause
            self._house.stopping.wait(pause)
            return
        if self._silent_for:
            self._house.tell(f"the server answers again, after {self._silent_for:.0f} s")
            self._silent_for = 0.0
        for told in leases:
            self._lease(told, free)

    def _lease(self, told: object, free: list[int]) -> None:
        config = self._house.config
        try:
            lease = checked_lease(told, free)
            config.allow.check(lease, config.repositories, checkout=config.checkout)
        except LeaseRefused as error:
            self._refused(told, str(error))
            return
        free.remove(lease["slot"])
        run = Run(lease)
        if str(run.run_id) in self._house.files.ended():  # ended here, not yet there
            run.phase, run.how = "ending", "failed"
        else:
            self._house.files.keep(run)
        self._house.tell(
            f"#{lease['bisect_number']} deploy {lease['number']} in slot {run.slot}: {lease['purpose']} of {_build(lease)}"
        )
        self._begin(run)

    def _refused(self, told: object, why: str) -> None:
        """Carry nothing out, and say why: a server that is not told would offer the same again."""
        self._house.tell(f"refused what the server asked for: {why}")
        run_id = run_id_of(told)
        try:
            if run_id is not None and not self._house.files.folder(run_id).exists():
                self._control.end(run_id, "failed", f"The runner refused: {why}")
        except (Silent, Gone, Forbidden, NotTaken) as error:
            self._house.tell(str(error))
        self._house.stopping.wait(REFUSED_SECONDS)

    def _begin(self, *runs: Run) -> None:
        slot = runs[0].slot
        thread = Thread(target=self._lived, args=runs, name=f"slot-{slot}", daemon=True)
        self._working[slot] = ({run.run_id for run in runs}, thread)
        thread.start()

    def _lived(self, *runs: Run) -> None:
        for run in runs:
            while not self._lived_once(run) and not self._house.stopping.wait(AGAIN_SECONDS):
                pass

    def _lived_once(self, run: Run) -> bool:
        try:
            Probe(self._house, run).live()
        except Exception as error:  # noqa: BLE001 - a slot must not die silently: it goes on from what is on disk
            self._house.tell(f"slot {run.slot}: a failure of ours: {type(error).__name__}: {error}")
            return False
        return True

    def _patiently(self, ask: Callable[[], None]) -> None:
        pause = PAUSES_SECONDS[0]
        while not self._house.stopping.is_set():
            try:
                ask()
            except Silent as error:
                self._house.tell(f"{error} Asked again.")
            else:
                return
            self._house.stopping.wait(pause)
            pause = min(pause * 2, PAUSES_SECONDS[1])


def _build(lease: dict[str, Any]) -> str:
    build = lease["build"]
    replaced = [f"{module}@{to[:12]}" for module, to in {**build["modules"], **build["versions"]}.items()]
    return " with ".join([build["commit"][:12], ", ".join(replaced)] if replaced else [build["commit"][:12]])
