"""The life of one probe on a runner: laid out, deployed, healthy, warm, measured window by window, taken down, told.

Every step is written down before it is taken. Whoever is killed in between goes on from there: nothing is deployed twice
for a run, and a run ends on the server only when nothing of it runs any more.
"""

import time
from dataclasses import replace
from typing import Any, Final

from slowpath_cli.runner import health, processes
from slowpath_cli.runner.control import Forbidden, Gone, NotTaken, Silent, Window
from slowpath_cli.runner.driver import (
    DeployFailed,
    DriverError,
    TakesItselfDown,
    Unbuildable,
    Unhealthy,
)
from slowpath_cli.runner.files import Run
from slowpath_cli.runner.heart import Heart
from slowpath_cli.runner.scene import House, Scene
from slowpath_cli.runner.windows import Reading, Torn, measured
from slowpath_cli.runner.words import UnknownPlaceholder

LOOK_SECONDS: Final = 0.05
IDLE_SECONDS: Final = (0.25, 3.0)
"""How soon the server is asked again whether more is wanted: at first, and at most."""
AGAIN_SECONDS: Final = (0.5, 15.0)
LAST_SECONDS: Final = 20.0
"""How long a runner that stops tries to tell how its probes ended."""
ASK_SECONDS: Final = (0.1, 2.0)
STOPPED: Final = "The runner was stopped."


class Probe:
    """One run."""

    def __init__(self, house: House, run: Run) -> None:
        self._house, self._run, self._scene = house, run, Scene(house, run)
        self._control = house.controls()
        self._note = ""
        self._asked_at = 0.0
        self._heart = Heart(house.controls(), run, house.config.lost_after_seconds, self._said)

    def live(self) -> None:
        """Go on from where it stands to its end."""
        run = self._run
        self._heart.start()
        try:
            if run.phase != "ending":
                run.how, run.words = self._lived()
                self._tell(f"{run.how}{f': {run.words}' if run.words else ''}")
                self._keep("ending")
            if run.begun:
                self._restored()
            self._ended()
        finally:
            self._heart.stop()
            self._control.close()

    def _lived(self) -> tuple[str, str]:
        try:
            self._deployed()
            self._measured()
        except Torn:
            why = self._heart.why or (STOPPED if self._house.stopping.is_set() else "")
            return ("failed" if why else "done"), why
        except (Unbuildable, Unhealthy) as error:
            return ("unbuildable" if isinstance(error, Unbuildable) else "unhealthy"), str(error)
        except (DriverError, UnknownPlaceholder) as error:
            return "failed", str(error)
        except Exception as error:  # noqa: BLE001 - whatever it is: what runs must be taken down, and the server told
            return "failed", f"A failure of the runner: {type(error).__name__}: {error}"
        return "done", ""

    # -- until it is ready

    def _deployed(self) -> None:
        """Deploy, as often as the driver says that trying again may help."""
        until = time.monotonic() + float(self._run.lease["deploy_seconds"])
        while True:
            try:
                self._begun()
                self._ready(until)
            except DeployFailed as error:
                if not error.passing or self._run.attempt >= self._house.config.attempts or time.monotonic() > until:
                    raise
                self._tell(f"attempt {self._run.attempt} failed, tried again: {error}")
                if self._run.phase != "leased":
                    self._house.driver.restore(self._run.run_id)
                    self._run.phase = "deploying"
                self._run.attempt, self._run.handle = self._run.attempt + 1, None
                self._keep(self._run.phase)
                self._slept(min(2.0 * self._run.attempt, until - time.monotonic()))
            else:
                return

    def _begun(self) -> None:
        run = self._run
        if run.phase == "leased":
            self._acknowledged()
            self._scene.lay_out()
            run.begun = True
            self._keep("deploying")
        if run.handle is None:
            self._check()
            run.handle = dict(self._house.driver.deploy(self._scene.target()))
            self._keep("deployed")
            self._tell("deployed")

    def _acknowledged(self) -> None:
        """Have the server know that it is about to be deployed, before it is: else it may be somebody else's by now."""
        pause = AGAIN_SECONDS[0]
        while self._heart.say("deploying") is None:
            self._slept(pause)
            pause = min(pause * 2, AGAIN_SECONDS[1])
        self._check()

    def _ready(self, until: float) -> None:
        driver, handle = self._house.driver, self._run.handle
        assert handle is not None
        while True:
            self._check()
            status = driver.status(handle, self._heart.last.called_back)
            self._note = status.detail
            if status.state == "ready":
                break
            self._not_bad(status.state, status.detail)
            if time.monotonic() > until:
                raise DeployFailed(
                    f"It was not deployed within {float(self._run.lease['deploy_seconds']):g} s. {status.detail}".strip()
                )
            self._slept(driver.poll_seconds)
        self._asked_at = time.monotonic()
        self._healthy()
        self._keep("ready")

    def _not_bad(self, state: str, detail: str) -> None:
        if state == "unbuildable":
            raise Unbuildable(detail or "The driver says that it does not build.")
        if state == "failed":
            raise DeployFailed(detail or "The driver says that it failed.")

    def _healthy(self) -> None:
        asked, handle = self._house.config.health, self._run.handle
        if asked is None or handle is None or self._run.phase == "ready":
            return
        until, pause = time.monotonic() + asked.within_seconds, ASK_SECONDS[0]
        while (
            why := health.why_not(
                asked,
                self._scene.values(self._scene.out()),
                self._scene.environment(self._scene.out()),
                self._scene.cwd(),
            )
        ) is not None:
            self._note = why
            if time.monotonic() - self._asked_at >= self._house.driver.poll_seconds:
                self._asked_at = time.monotonic()
                status = self._house.driver.status(handle, self._heart.last.called_back)
                self._not_bad(status.state, status.detail)
            if time.monotonic() > until:
                raise Unhealthy(f"It was not healthy within {asked.within_seconds:g} s: {why}.")
            self._slept(pause)
            pause = min(pause * 1.5, ASK_SECONDS[1])

    # -- measuring

    def _measured(self) -> None:
        run = self._run
        if run.windows == 0:
            self._heart.say("warming")
            self._slept(float(run.lease["warm_up_seconds"]))
        pause, idle = IDLE_SECONDS[0], False
        while True:
            heard = self._heart.say("idle" if idle else "soaking")
            self._check()
            if heard is not None and heard.command == "measure":
                run.windows = max(run.windows, heard.windows_taken)
                if heard.window_seconds is not None:
                    run.lease["window_seconds"] = heard.window_seconds
                if run.windows < heard.windows_wanted:
                    self._window(run.windows)
                    pause, idle = IDLE_SECONDS[0], False
                    continue
            self._still_there()
            idle = True
            self._slept(pause)
            pause = min(pause * 1.5, IDLE_SECONDS[1])

    def _window(self, index: int) -> None:
        began = self._house.now()
        ground = self._scene.ground(index, self._is_torn)
        self._still_there()
        reading = measured(self._house.config.measure, ground, self._control)
        self._still_there(surely=True)
        self._check()
        self._heart.say("collecting")
        window = Window(
            index,
            began,
            self._house.now(),
            reading.value,
            reading.verdict,
            reading.problem,
            tuple(reading.artifact_ids),
            reading.board,
        )
        self._told(window)
        self._run.windows = index + 1
        self._keep(self._run.phase)
        self._tell(f"window {index}: {_said(reading)}")

    def _told(self, window: Window) -> None:
        pause = AGAIN_SECONDS[0]
        while True:
            try:
                self._control.window(self._run.run_id, window)
            except NotTaken as error:
                if window.problem is not None:
                    raise DeployFailed(f"The server does not take the window: {error}") from error
                window = replace(
                    window, value=None, verdict=None, artifact_ids=(), board=False, problem=str(error)[:900]
                )
            except Gone as error:
                self._heart.tear(str(error))
                raise Torn from error
            except (Silent, Forbidden):
                self._slept(pause)
                pause = min(pause * 2, AGAIN_SECONDS[1])
            else:
                return

    def _still_there(self, *, surely: bool = False) -> None:
        """See that what was ready has not gone meanwhile; unless `surely`, no more often than the driver likes to be asked."""
        now = time.monotonic()
        if not surely and now - self._asked_at < self._house.driver.poll_seconds:
            return
        self._asked_at = now
        assert self._run.handle is not None
        status = self._house.driver.status(self._run.handle, self._heart.last.called_back)
        self._not_bad(status.state, status.detail)

    # -- the end

    def _restored(self) -> None:
        """Take it down, and do not give up: what can not be taken down is told, and tried again."""
        pause = AGAIN_SECONDS[0]
        while True:
            try:
                processes.ended(self._run.run_id, 1.0, "measure")
                self._house.driver.restore(self._run.run_id)
            except (DriverError, processes.StillRunning, OSError) as error:
                self._note = f"It can not be taken down: {error}"
                self._tell(self._note)
                if self._house.stopping.wait(pause) and pause >= AGAIN_SECONDS[1]:
                    raise
                pause = min(pause * 2, AGAIN_SECONDS[1])
            else:
                return

    def _ended(self) -> None:
        """Tell how it ended, until it is heard."""
        run = self._run
        pause, until = AGAIN_SECONDS[0], None
        while True:
            try:
                self._control.end(run.run_id, run.how or "failed", self._scene.log(self._note))
                break
            except (Gone, NotTaken):
                break
            except (Silent, Forbidden) as error:
                if self._house.stopping.is_set():
                    until = until or time.monotonic() + LAST_SECONDS
                    if time.monotonic() > until:
                        self._tell(f"its end is told when the runner is started again: {error}")
                        return
                time.sleep(pause)
                pause = min(pause * 2, AGAIN_SECONDS[1])
        self._house.files.forget(run.run_id)

    # -- what all of it needs

    def _is_torn(self) -> bool:
        return self._heart.torn.is_set() or self._house.stopping.is_set()

    def _check(self) -> None:
        if self._is_torn():
            raise Torn

    def _slept(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self._check()
            self._heart.torn.wait(min(left, LOOK_SECONDS * 5))
        self._check()

    def _keep(self, phase: Any) -> None:  # noqa: ANN401 - a Phase
        self._run.phase = phase
        self._house.files.keep(self._run)

    def _said(self) -> str:
        """What is told with every beat."""
        if isinstance(self._house.driver, TakesItselfDown):
            self._house.driver.looked_after(self._run.run_id)
        return self._scene.log(self._note)

    def _tell(self, words: str) -> None:
        self._house.tell(
            f"#{self._run.lease['bisect_number']} deploy {self._run.lease['number']} in slot {self._run.slot}: {words}"
        )


def _said(reading: Reading) -> str:
    if reading.problem is not None:
        return reading.problem
    if reading.value is not None:
        return f"{reading.value:g}"
    files = f"{len(reading.artifact_ids)} files"
    return "told by the board" if reading.board and not reading.artifact_ids else reading.verdict or files
