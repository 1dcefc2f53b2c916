"""Lifecycle of one probe on a runner: check out, deploy, health check, warm up, measure, remove, report.

Every step is recorded on disk before it is taken; a restarted runner resumes there. A run is never deployed twice, and it
ends on the server only when its deployment has been removed.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from slowpath_cli.core.collect_errors import CollectError
from slowpath_cli.runner.core import culprit_compilation, health_check, run_processes
from slowpath_cli.runner.core.driver_interface import (
    BuildFailed,
    DeploymentFailed,
    DeploymentUnhealthy,
    DriverError,
    SelfCleaning,
)
from slowpath_cli.runner.core.heartbeat import HeartbeatThread
from slowpath_cli.runner.core.measurement import MeasurementResult, ProbeAborted, take_measurement
from slowpath_cli.runner.core.placeholders import UnknownPlaceholder
from slowpath_cli.runner.core.run_context import RunContext, RunnerContext
from slowpath_cli.runner.core.run_store import RunRecord
from slowpath_cli.runner.core.server_client import (
    MeasurementReport,
    ReportRejected,
    ServerUnavailable,
    TokenForbidden,
    UnknownToServer,
)

POLL_SECONDS: Final = 0.05
IDLE_SECONDS: Final = (0.25, 3.0)
"""Shortest and longest pause between requests for more measurements."""
RETRY_SECONDS: Final = (0.5, 15.0)
FINAL_REPORT_SECONDS: Final = 20.0
"""Time in which a stopping runner tries to report the end of its probes."""
HEALTH_CHECK_SECONDS: Final = (0.1, 2.0)
STOPPED: Final = "The runner was stopped."


class ProbeLifecycle:
    """Runs one probe."""

    def __init__(self, runner_context: RunnerContext, run: RunRecord) -> None:
        self._context, self._run, self._run_context = runner_context, run, RunContext(runner_context, run)
        self._control = runner_context.connect()
        self._note = ""
        self._checked_at = 0.0
        self._heartbeat = HeartbeatThread(
            runner_context.connect(), run, runner_context.config.lease_timeout_seconds, self._heartbeat_log
        )

    def run(self) -> None:
        """Run from the recorded phase to the end."""
        run = self._run
        self._heartbeat.start()
        try:
            if run.phase != "ending":
                run.how, run.words = self._do(self._compile if run.lease.get("compile") else self._deploy_and_measure)
                self._print(f"{run.how}{f': {run.words}' if run.words else ''}")
                self._save("ending")
            if run.begun:
                self._restore()
            self._report_end()
        finally:
            self._heartbeat.stop()
            self._control.close()

    def _do(self, work: Callable[[], None]) -> tuple[str, str]:
        """Return the outcome and its reason."""
        try:
            work()
        except ProbeAborted:
            reason = self._heartbeat.why or (STOPPED if self._context.stopping.is_set() else "")
            return ("failed" if reason else "done"), reason
        except (BuildFailed, DeploymentUnhealthy) as error:
            return ("unbuildable" if isinstance(error, BuildFailed) else "unhealthy"), str(error)
        except ReportRejected as error:
            return "failed", f"The server rejected a report: {error}"
        except (DriverError, UnknownPlaceholder) as error:
            return "failed", str(error)
        except Exception as error:  # noqa: BLE001 - after any error the deployment must be removed and the end reported
            return "failed", f"Internal error of the runner: {type(error).__name__}: {error}"
        return "done", ""

    def _deploy_and_measure(self) -> None:
        self._deploy()
        self._measure()

    def _compile(self) -> None:
        """Compile the culprit and the build before it, and report what the compiler decided differently."""
        self._announce_deployment()
        compared = culprit_compilation.compare_culprit(self._context, self._run, self._is_aborted)
        self._print(f"{len(compared.reasons)} decisions of the compiler differ")
        uploaded: dict[str, str] = {}
        if compared.executables is not None:
            try:
                uploaded = culprit_compilation.upload_executables(
                    compared.executables, self._run, self._control, self._is_aborted
                )
            except CollectError as error:
                self._print(f"the executables were not uploaded: {error}")
        run_id = self._run.run_id
        try:
            self._report(lambda: self._control.record_decisions(run_id, compared.reasons, uploaded))
        except ReportRejected as error:
            if not uploaded:
                raise
            self._print(f"the server rejects the executables, so only the decisions are reported: {error}")
            self._report(lambda: self._control.record_decisions(run_id, compared.reasons))

    # -- until it is ready

    def _deploy(self) -> None:
        """Deploy, and retry while the driver reports transient failures."""
        until = time.monotonic() + float(self._run.lease["deployment_seconds"])
        while True:
            try:
                self._start_deployment()
                self._wait_until_ready(until)
            except DeploymentFailed as error:
                if (
                    not error.is_transient
                    or self._run.attempt >= self._context.config.attempts
                    or time.monotonic() > until
                ):
                    raise
                self._print(f"attempt {self._run.attempt} failed, retrying: {error}")
                if self._run.phase != "leased":
                    self._context.driver.restore(self._run.run_id)
                    self._run.phase = "deploying"
                self._run.attempt, self._run.handle = self._run.attempt + 1, None
                self._save(self._run.phase)
                self._sleep(min(2.0 * self._run.attempt, until - time.monotonic()))
            else:
                return

    def _start_deployment(self) -> None:
        run = self._run
        if run.phase == "leased":
            self._announce_deployment()
            self._run_context.prepare_build()
            run.begun = True
            self._save("deploying")
        if run.handle is None:
            self._check()
            run.handle = dict(self._context.driver.deploy(self._run_context.target()))
            self._save("deployed")
            self._print("deployed")

    def _announce_deployment(self) -> None:
        """Report the deployment to the server before it starts: the probe may have been leased to another runner."""
        pause = RETRY_SECONDS[0]
        while self._heartbeat.report_phase("deploying") is None:
            self._sleep(pause)
            pause = min(pause * 2, RETRY_SECONDS[1])
        self._check()

    def _wait_until_ready(self, until: float) -> None:
        driver, handle = self._context.driver, self._run.handle
        assert handle is not None
        while True:
            self._check()
            status = driver.status(handle, self._heartbeat.last.called_back)
            self._note = status.detail
            if status.state == "ready":
                break
            self._raise_if_failed(status.state, status.detail)
            if time.monotonic() > until:
                raise DeploymentFailed(
                    f"The deployment was not ready within {float(self._run.lease['deployment_seconds']):g} s. {status.detail}".strip()
                )
            self._sleep(driver.poll_seconds)
        self._checked_at = time.monotonic()
        self._wait_until_healthy()
        self._save("ready")

    def _raise_if_failed(self, state: str, detail: str) -> None:
        if state == "unbuildable":
            raise BuildFailed(detail or "The driver reports that the build failed.")
        if state == "failed":
            raise DeploymentFailed(detail or "The driver reports that the deployment failed.")

    def _wait_until_healthy(self) -> None:
        health_config, handle = self._context.config.health, self._run.handle
        if health_config is None or handle is None or self._run.phase == "ready":
            return
        until, pause = time.monotonic() + health_config.within_seconds, HEALTH_CHECK_SECONDS[0]
        while (
            reason := health_check.check_health(
                health_config,
                self._run_context.values(self._run_context.out()),
                self._run_context.environment(self._run_context.out()),
                self._run_context.cwd(),
            )
        ) is not None:
            self._note = reason
            if time.monotonic() - self._checked_at >= self._context.driver.poll_seconds:
                self._checked_at = time.monotonic()
                status = self._context.driver.status(handle, self._heartbeat.last.called_back)
                self._raise_if_failed(status.state, status.detail)
            if time.monotonic() > until:
                raise DeploymentUnhealthy(
                    f"The deployment was not healthy within {health_config.within_seconds:g} s: {reason}."
                )
            self._sleep(pause)
            pause = min(pause * 1.5, HEALTH_CHECK_SECONDS[1])

    # -- measuring

    def _measure(self) -> None:
        run = self._run
        if run.windows == 0:
            self._heartbeat.report_phase("warming")
            self._sleep(float(run.lease["warm_up_seconds"]))
        pause, idle = IDLE_SECONDS[0], False
        while True:
            reply = self._heartbeat.report_phase("idle" if idle else "soaking")
            self._check()
            if reply is not None and reply.command == "measure":
                run.windows = max(run.windows, reply.measurements_taken)
                if reply.measurement_seconds is not None:
                    run.lease["measurement_seconds"] = reply.measurement_seconds
                if run.windows < reply.measurements_requested:
                    self._window(run.windows)
                    pause, idle = IDLE_SECONDS[0], False
                    continue
            self._check_deployment()
            idle = True
            self._sleep(pause)
            pause = min(pause * 1.5, IDLE_SECONDS[1])

    def _window(self, index: int) -> None:
        started_at = self._context.now()
        context = self._run_context.measurement_context(index, self._is_aborted)
        self._check_deployment()
        result = take_measurement(self._context.config.measure, context, self._control)
        self._check_deployment(is_forced=True)
        self._check()
        self._heartbeat.report_phase("collecting")
        report = MeasurementReport(
            index,
            started_at,
            self._context.now(),
            value=result.value,
            measures=result.measures,
            verdict=result.verdict,
            problem=result.problem,
            artifact_ids=tuple(result.artifact_ids),
            is_on_dashboard=result.board,
        )
        try:
            self._report(lambda: self._control.window(self._run.run_id, report))
        except ReportRejected as error:
            problem = replace(
                report, value=None, verdict=None, artifact_ids=(), is_on_dashboard=False, problem=str(error)[:900]
            )
            self._report(lambda: self._control.window(self._run.run_id, problem))
        self._run.windows = index + 1
        self._save(self._run.phase)
        self._print(f"measurement {index}: {_describe(result)}")

    def _report(self, send: Callable[[], None]) -> None:
        """Send a report until the server responds. Raises `ReportRejected`, `ProbeAborted`."""
        pause = RETRY_SECONDS[0]
        while True:
            try:
                send()
            except UnknownToServer as error:
                self._heartbeat.abort(str(error))
                raise ProbeAborted from error
            except (ServerUnavailable, TokenForbidden):
                self._sleep(pause)
                pause = min(pause * 2, RETRY_SECONDS[1])
            else:
                return

    def _check_deployment(self, *, is_forced: bool = False) -> None:
        """Check that the deployment is still running; unless `surely`, at most once per poll interval."""
        now = time.monotonic()
        if not is_forced and now - self._checked_at < self._context.driver.poll_seconds:
            return
        self._checked_at = now
        assert self._run.handle is not None
        status = self._context.driver.status(self._run.handle, self._heartbeat.last.called_back)
        self._raise_if_failed(status.state, status.detail)

    # -- the end

    def _restore(self) -> None:
        """Remove the deployment; report and retry failures."""
        pause = RETRY_SECONDS[0]
        while True:
            try:
                run_processes.terminate_run(self._run.run_id, 1.0, "measure")
                self._context.driver.restore(self._run.run_id)
            except (DriverError, run_processes.StillRunning, OSError) as error:
                self._note = f"Cannot remove the deployment: {error}"
                self._print(self._note)
                if self._context.stopping.wait(pause) and pause >= RETRY_SECONDS[1]:
                    raise
                pause = min(pause * 2, RETRY_SECONDS[1])
            else:
                return

    def _report_end(self) -> None:
        """Report the end until the server accepts it."""
        run = self._run
        pause, until = RETRY_SECONDS[0], None
        while True:
            try:
                self._control.end(run.run_id, run.how or "failed", self._run_context.log(self._note))
                break
            except (UnknownToServer, ReportRejected):
                break
            except (ServerUnavailable, TokenForbidden) as error:
                if self._context.stopping.is_set():
                    until = until or time.monotonic() + FINAL_REPORT_SECONDS
                    if time.monotonic() > until:
                        self._print(f"its end will be reported when the runner is restarted: {error}")
                        return
                time.sleep(pause)
                pause = min(pause * 2, RETRY_SECONDS[1])
        self._context.files.forget(run.run_id)

    # -- helpers

    def _is_aborted(self) -> bool:
        return self._heartbeat.aborted.is_set() or self._context.stopping.is_set()

    def _check(self) -> None:
        if self._is_aborted():
            raise ProbeAborted

    def _sleep(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self._check()
            self._heartbeat.aborted.wait(min(left, POLL_SECONDS * 5))
        self._check()

    def _save(self, phase: Any) -> None:  # noqa: ANN401 - a Phase
        self._run.phase = phase
        self._context.files.keep(self._run)

    def _heartbeat_log(self) -> str:
        """Return the log that every heartbeat sends."""
        if isinstance(self._context.driver, SelfCleaning):
            self._context.driver.keep_alive(self._run.run_id)
        return self._run_context.log(self._note)

    def _print(self, message: str) -> None:
        self._context.log(
            f"#{self._run.lease['bisect_number']} probe {self._run.lease['number']} in slot {self._run.slot}: {message}"
        )


def _describe(result: MeasurementResult) -> str:
    if result.problem is not None:
        return result.problem
    if result.value is not None:
        return f"{result.value:g}"
    files = f"{len(result.artifact_ids)} files"
    return "measured from the dashboard" if result.board and not result.artifact_ids else result.verdict or files
