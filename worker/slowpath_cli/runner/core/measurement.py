"""Take one measurement of a probe: run the user's command, or collect artifacts from the process."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final, Literal, cast
from uuid import UUID

from slowpath.analysis.experiments.output_measures import VALUE, InvalidOutput, read_output_measures
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath_cli.collect.collect_plan import CollectPlan, SnapshotKind
from slowpath_cli.collect.executable_file import EXECUTABLE_NAME
from slowpath_cli.collect.pgo_profile import add_pgo_profile
from slowpath_cli.collect.pprof_client import PprofClient, PprofTarget
from slowpath_cli.collect.recorder import CompletedRecording, FailedRecording, check_mounted, record
from slowpath_cli.collect.request_counters import read_selector
from slowpath_cli.collect.run_observer import make_observer
from slowpath_cli.collect.upload_items import find_items
from slowpath_cli.core.collect_errors import CollectError, InvalidArgument, RequestDeclined, TargetUnreachable
from slowpath_cli.local_bisect.local_repositories import DIES_WITH_US
from slowpath_cli.local_bisect.script_runner import (
    BAD,
    MAX_OUTPUT_BYTES,
    RETRY,
    ScriptProtocolError,
    ScriptResult,
    read_answer,
)
from slowpath_cli.runner.core import run_processes
from slowpath_cli.runner.core.driver_interface import BuildFailed
from slowpath_cli.runner.core.placeholders import UnknownPlaceholder, fill_placeholder, fill_placeholders
from slowpath_cli.runner.core.runner_config import CollectConfig, MeasureConfig
from slowpath_cli.runner.core.server_client import ServerClient

MAX_RUNS: Final = 3
POLL_SECONDS: Final = 0.05
MAX_PROFILE_SECONDS: Final = 30.0
MAX_PROFILES: Final = 20
MAX_FILES: Final = 40
CUSTOM: Final = "custom"
LATENCY: Final = "latency"
"""The dashboard measures this signature: the runner waits for the measurement window and collects artifacts as evidence."""


class ProbeAborted(Exception):
    """The probe must stop; its current measurement is discarded."""


@dataclass(frozen=True)
class MeasurementContext:
    """Context of one measurement."""

    run_id: UUID
    number: int
    index: int
    commit: str
    cwd: Path
    out: Path
    """Folder of this measurement."""
    values: Mapping[str, str]
    """Values of placeholders."""
    environment: Mapping[str, str]
    signature: str
    """Kind of the signature."""
    window_seconds: float
    is_aborted: Callable[[], bool]
    is_experiment: bool = False


@dataclass(frozen=True)
class MeasurementResult:
    """Result of a measurement: `value`, `verdict`, artifacts, or the problem."""

    value: float | None = None
    measures: Mapping[str, float] = field(default_factory=dict)
    """Further values of an experiment."""
    verdict: Literal["slower", "not-slower"] | None = None
    problem: str | None = None
    artifact_ids: Sequence[str] = ()
    board: bool = False


def take_measurement(measure: MeasureConfig, context: MeasurementContext, control: ServerClient) -> MeasurementResult:
    """Take one measurement; with the first one, upload the executable if asked. Raises `ProbeAborted`, `BuildFailed`."""
    context.out.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        if measure.collect is not None:
            result = _collect(measure.collect, context, control)
        else:
            result = _run_command(measure, context, control)
        if not measure.executable or context.index > 0 or result.problem is not None:
            return result
        return replace(
            result, artifact_ids=[*result.artifact_ids, _upload_executable(measure.executable, context, control)]
        )
    except (UnknownPlaceholder, ScriptProtocolError, CollectError, InvalidOutput) as error:
        return MeasurementResult(problem=str(error)[:900])


def _run_command(measure: MeasureConfig, context: MeasurementContext, control: ServerClient) -> MeasurementResult:
    answer, output = ScriptResult("nothing"), b""
    for _ in range(MAX_RUNS):
        code, output = _run(measure, context)
        if code != RETRY:
            answer = read_answer(code, output, context.out)
            break
    if answer.kind == "unbuildable":
        raise BuildFailed("The measurement command reports that the build failed.")
    if answer.kind == "nothing":
        return MeasurementResult(problem=f"The command requested a retry {MAX_RUNS} times.")
    if context.signature != CUSTOM and answer.kind == "bad":
        # any failure exits with 1, so that alone is not a measurement of the signature
        return MeasurementResult(problem=f"The command exited with {BAD} and without a value of the signature.")
    result = _make_result(answer, _upload_files(context, control), context.signature)
    return replace(result, measures=_other_measures(output, answer.number)) if context.is_experiment else result


def _other_measures(output: bytes, value: float | None) -> Mapping[str, float]:
    """Return the measures of the Go benchmark format in an output, without the one that is the value."""
    if not output.strip():
        return {}
    found = read_output_measures(output.decode("utf-8", "replace"))
    return {name: one for name, one in found.values.items() if name != VALUE and one != value}


def _make_result(answer: ScriptResult, sent: Sequence[str], signature: str) -> MeasurementResult:
    if signature == LATENCY:  # the command only generates the load
        return MeasurementResult(artifact_ids=sent, board=True)
    is_artifact_signature = signature != CUSTOM
    if is_artifact_signature and sent:
        return MeasurementResult(artifact_ids=sent)
    if is_artifact_signature and answer.kind == "good":
        return MeasurementResult(problem="The command wrote neither files nor a number.")
    if answer.kind == "number":
        return MeasurementResult(value=answer.number, artifact_ids=sent)
    return MeasurementResult(verdict="slower" if answer.kind == "bad" else "not-slower", artifact_ids=sent)


def _run(measure: MeasureConfig, context: MeasurementContext) -> tuple[int, bytes]:
    words = fill_placeholders(measure.command, context.values)
    stdout_file, stderr_file = context.out / "stdout", context.out / "stderr"
    environment = {**context.environment, run_processes.ROLE: "measure"}
    with stdout_file.open("wb") as stdout, stderr_file.open("wb") as stderr:
        try:
            child = subprocess.Popen(
                [*DIES_WITH_US, *words], cwd=context.cwd, env=environment, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr,
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise ScriptProtocolError(f"Cannot run {words[0]}: {error.strerror}.") from error
        try:
            code = _wait_for_exit(child, context.window_seconds + measure.within_seconds, context.is_aborted)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)  # also kills its remaining children
            child.wait()
    with stdout_file.open("rb") as stdout:
        stdout.seek(max(0, stdout_file.stat().st_size - MAX_OUTPUT_BYTES))
        return code, stdout.read()


def _wait_for_exit(child: "subprocess.Popen[bytes]", seconds: float, is_aborted: Callable[[], bool]) -> int:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with suppress(subprocess.TimeoutExpired):
            return child.wait(timeout=POLL_SECONDS)
        if is_aborted():
            raise ProbeAborted
    raise ScriptProtocolError(f"The command did not finish within the limit of {seconds:g} seconds.")


def _upload_files(context: MeasurementContext, control: ServerClient) -> list[str]:
    """Upload the files that the command wrote."""
    own = {context.out / "stdout", context.out / "stderr"}
    left = [
        path for path in sorted(context.out.rglob("*")) if path.is_file() and not path.is_symlink() and path not in own
    ]
    if not left:
        return []
    if len(left) > 2 * MAX_FILES:
        raise ScriptProtocolError(f"The command wrote {len(left)} files; at most {MAX_FILES} are accepted.")
    items = [one for one in find_items([str(context.out)], RunMetadata(commit=context.commit)) if one.path not in own]
    if len(items) > MAX_FILES:
        raise ScriptProtocolError(f"The command wrote {len(items)} files; at most {MAX_FILES} are accepted.")
    return [
        upload_with_retry(
            context.is_aborted, partial(control.put_file, context.run_id, one.path, _name(context, one.name), one.facts)
        )
        for one in items
    ]


def _upload_executable(wanted: str, context: MeasurementContext, control: ServerClient) -> str:
    """Upload the executable of the build; it is evidence, not a value. Raises `CollectError`."""
    path = context.cwd / fill_placeholder(wanted, context.values)
    if not path.is_file():
        raise InvalidArgument(
            f"[measure] executable: {path} is not a file. The deploying command has to leave it there."
        )
    facts = add_pgo_profile(RunMetadata(commit=context.commit), path)
    return upload_with_retry(
        context.is_aborted, partial(control.put_file, context.run_id, path, _name(context, EXECUTABLE_NAME), facts)
    )


def _collect(collect: CollectConfig, context: MeasurementContext, control: ServerClient) -> MeasurementResult:
    until = time.monotonic() + context.window_seconds
    sent, missed = ([], None) if collect.pprof is None else _record(collect, collect.pprof, context, control)
    if context.signature == LATENCY:
        _wait_until(until, context.is_aborted)
        return MeasurementResult(artifact_ids=sent, board=True)
    if collect.pprof is None:
        return MeasurementResult(
            problem=f"The signature {context.signature} needs artifacts, but none are collected: set pprof in [measure] collect."
        )
    if not sent:
        return MeasurementResult(problem=f"No artifact could be collected: {missed}"[:900])
    return MeasurementResult(artifact_ids=sent)


def _record(
    collect: CollectConfig, pprof: str, context: MeasurementContext, control: ServerClient
) -> tuple[list[str], CollectError | None]:
    """Collect and upload artifacts; return their IDs, and the last error."""
    values = context.values
    address = PprofTarget.parse(
        fill_placeholder(pprof, values), None if collect.metrics is None else fill_placeholder(collect.metrics, values)
    )
    requests_counter = read_selector(collect.requests_metric) if collect.requests_metric else None
    # Go's profile handler takes whole seconds only
    seconds = max(round(collect.seconds or min(context.window_seconds, MAX_PROFILE_SECONDS)), 1)
    profiles = min(max(round(context.window_seconds / seconds), 1), MAX_PROFILES)
    plan = CollectPlan(
        profiles, seconds, collect.traces, collect.trace_seconds, cast("tuple[SnapshotKind, ...]", collect.snapshots)
    )
    sent: list[str] = []
    missed: CollectError | None = None
    with PprofClient() as client:
        observer = make_observer(
            client, address, requests_counter, RunMetadata(commit=context.commit), check_mounted(client, address)
        )
        if observer.counter:
            observer = observer.counting(observer.counter)
        for result in record(client, address, observer, plan.recordings()):
            if context.is_aborted():
                raise ProbeAborted
            if isinstance(result, FailedRecording):
                missed = result.error
            if not isinstance(result, CompletedRecording):
                continue
            put = partial(control.put, context.run_id, _name(context, result.recording.name), result.body, result.facts)
            sent.append(upload_with_retry(context.is_aborted, put))
    return sent, missed


def _wait_until(until: float, is_aborted: Callable[[], bool]) -> None:
    while (left := until - time.monotonic()) > 0:
        if is_aborted():
            raise ProbeAborted
        time.sleep(min(left, POLL_SECONDS))


def _name(context: MeasurementContext, name: str) -> str:
    return f"{context.number:03}-{context.index:02}-{name.replace('/', '-')}"


def upload_with_retry(is_aborted: Callable[[], bool], send: Callable[[], str]) -> str:
    """Upload and return the artifact's ID; retry while the server is unavailable. Raises `CollectError`, `ProbeAborted`."""
    pause = 0.5
    while True:
        try:
            return send()
        except (TargetUnreachable, RequestDeclined) as error:
            if isinstance(error, RequestDeclined) and not error.is_transient:
                raise
            if is_aborted():
                raise ProbeAborted from error
            time.sleep(pause)
            pause = min(pause * 2, 10.0)
