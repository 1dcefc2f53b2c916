"""Measuring one window of a probe: by the user's command, or by collecting from the process."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, Literal, cast
from uuid import UUID

from slowpath.analysis.facts import Facts
from slowpath_cli.bisecting.measuring import AGAIN, BAD, MOST_BYTES, Answer, BadScript, read_answer
from slowpath_cli.bisecting.repositories import DIES_WITH_US
from slowpath_cli.collecting.errors import CollectError, Declined, NotReachable
from slowpath_cli.collecting.facts import observe
from slowpath_cli.collecting.fetch import Address, Client
from slowpath_cli.collecting.plan import Plan, SnapshotKind
from slowpath_cli.collecting.recording import Missed, check_mounted, record
from slowpath_cli.collecting.request_counters import read_selector
from slowpath_cli.runner import processes
from slowpath_cli.runner.config import Collect, Measure
from slowpath_cli.runner.control import Control
from slowpath_cli.runner.driver import Unbuildable
from slowpath_cli.runner.words import UnknownPlaceholder, fill, filled
from slowpath_cli.upload import find_items

TIMES: Final = 3
LOOK_SECONDS: Final = 0.05
LONGEST_PROFILE_SECONDS: Final = 30.0
MOST_PROFILES: Final = 20
MOST_FILES: Final = 40
CUSTOM: Final = "custom"
LATENCY: Final = "latency"
"""What the board tells: a window is waited out, and whatever is collected goes along as evidence."""


class Torn(Exception):
    """The probe is to be taken down; what was being measured is of no use any more."""


@dataclass(frozen=True)
class Ground:
    """What a window is measured on."""

    run_id: UUID
    number: int
    index: int
    commit: str
    cwd: Path
    out: Path
    """A folder of this window alone."""
    values: Mapping[str, str]
    """What the placeholders become."""
    environment: Mapping[str, str]
    signature: str
    """Its kind."""
    window_seconds: float
    torn: Callable[[], bool]


@dataclass(frozen=True)
class Reading:
    """What a window gave: `value`, `verdict`, artifacts, or the problem why there is none of them."""

    value: float | None = None
    verdict: Literal["slower", "not-slower"] | None = None
    problem: str | None = None
    artifact_ids: Sequence[str] = ()
    board: bool = False


def measured(measure: Measure, ground: Ground, control: Control) -> Reading:
    """Measure one window. Raises `Torn`, `Unbuildable`."""
    ground.out.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        if measure.collect is not None:
            return _collected(measure.collect, ground, control)
        return _commanded(measure, ground, control)
    except (UnknownPlaceholder, BadScript, CollectError) as error:
        return Reading(problem=str(error)[:900])


def _commanded(measure: Measure, ground: Ground, control: Control) -> Reading:
    answer = Answer("nothing")
    for _ in range(TIMES):
        code, said = _run(measure, ground)
        if code != AGAIN:
            answer = read_answer(code, said, ground.out)
            break
    if answer.kind == "unbuildable":
        raise Unbuildable("The command that measures says that it does not build.")
    if answer.kind == "nothing":
        return Reading(problem=f"The command asked {TIMES} times to be tried again.")
    if ground.signature != CUSTOM and answer.kind == "bad":
        # whatever breaks ends with 1: that alone says nothing of what is to be read
        return Reading(problem=f"The command ended with {BAD}; what is to be read is not told by that.")
    return _answered(answer, _sent(ground, control), ground.signature)


def _answered(answer: Answer, sent: Sequence[str], signature: str) -> Reading:
    if signature == LATENCY:  # the command was the load
        return Reading(artifact_ids=sent, board=True)
    read = signature != CUSTOM
    if read and sent:
        return Reading(artifact_ids=sent)
    if read and answer.kind == "good":
        return Reading(problem="The command left neither files nor a number.")
    if answer.kind == "number":
        return Reading(value=answer.number, artifact_ids=sent)
    return Reading(verdict="slower" if answer.kind == "bad" else "not-slower", artifact_ids=sent)


def _run(measure: Measure, ground: Ground) -> tuple[int, bytes]:
    words = filled(measure.command, ground.values)
    said, wrong = ground.out / "stdout", ground.out / "stderr"
    environment = {**ground.environment, processes.ROLE: "measure"}
    with said.open("wb") as stdout, wrong.open("wb") as stderr:
        try:
            child = subprocess.Popen(
                [*DIES_WITH_US, *words], cwd=ground.cwd, env=environment, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr,
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise BadScript(f"{words[0]} can not be run: {error.strerror}.") from error
        try:
            code = _waited(child, ground.window_seconds + measure.within_seconds, ground.torn)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)  # and whatever it left running
            child.wait()
    with said.open("rb") as stdout:
        stdout.seek(max(0, said.stat().st_size - MOST_BYTES))
        return code, stdout.read()


def _waited(child: "subprocess.Popen[bytes]", seconds: float, torn: Callable[[], bool]) -> int:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with suppress(subprocess.TimeoutExpired):
            return child.wait(timeout=LOOK_SECONDS)
        if torn():
            raise Torn
    raise BadScript(f"It did not end within {seconds:g} seconds.")


def _sent(ground: Ground, control: Control) -> list[str]:
    """Upload what the command left."""
    own = {ground.out / "stdout", ground.out / "stderr"}
    left = [
        path for path in sorted(ground.out.rglob("*")) if path.is_file() and not path.is_symlink() and path not in own
    ]
    if not left:
        return []
    if len(left) > 2 * MOST_FILES:
        raise BadScript(f"The command left {len(left)} files; at most {MOST_FILES} are taken.")
    items = [one for one in find_items([str(ground.out)], Facts(commit=ground.commit)) if one.path not in own]
    if len(items) > MOST_FILES:
        raise BadScript(f"The command left {len(items)} files; at most {MOST_FILES} are taken.")
    return [
        _patiently(ground, partial(control.put_file, ground.run_id, one.path, _name(ground, one.name), one.facts))
        for one in items
    ]


def _collected(collect: Collect, ground: Ground, control: Control) -> Reading:
    until = time.monotonic() + ground.window_seconds
    sent, missed = ([], None) if collect.pprof is None else _recorded(collect, collect.pprof, ground, control)
    if ground.signature == LATENCY:
        _waited_out(until, ground.torn)
        return Reading(artifact_ids=sent, board=True)
    if collect.pprof is None:
        return Reading(problem=f"{ground.signature} is read of files, and nothing is collected: give collect a pprof.")
    if not sent:
        return Reading(problem=f"Nothing could be collected: {missed}"[:900])
    return Reading(artifact_ids=sent)


def _recorded(collect: Collect, pprof: str, ground: Ground, control: Control) -> tuple[list[str], CollectError | None]:
    """Collect and upload; return what was, and why something was not."""
    values = ground.values
    address = Address.parse(fill(pprof, values), None if collect.metrics is None else fill(collect.metrics, values))
    asked = read_selector(collect.requests_metric) if collect.requests_metric else None
    seconds = collect.seconds or min(max(ground.window_seconds, 1.0), LONGEST_PROFILE_SECONDS)
    profiles = min(max(round(ground.window_seconds / seconds), 1), MOST_PROFILES)
    plan = Plan(
        profiles, seconds, collect.traces, collect.trace_seconds, cast("tuple[SnapshotKind, ...]", collect.snapshots)
    )
    sent: list[str] = []
    missed: CollectError | None = None
    with Client() as client:
        observer = observe(client, address, asked, Facts(commit=ground.commit), check_mounted(client, address))
        if observer.counter:
            observer = observer.counting(observer.counter)
        for result in record(client, address, observer, plan.recordings()):
            if ground.torn():
                raise Torn
            if isinstance(result, Missed):
                missed = result.error
                continue
            put = partial(control.put, ground.run_id, _name(ground, result.recording.name), result.body, result.facts)
            sent.append(_patiently(ground, put))
    return sent, missed


def _waited_out(until: float, torn: Callable[[], bool]) -> None:
    while (left := until - time.monotonic()) > 0:
        if torn():
            raise Torn
        time.sleep(min(left, LOOK_SECONDS))


def _name(ground: Ground, name: str) -> str:
    return f"{ground.number:03}-{ground.index:02}-{name.replace('/', '-')}"


def _patiently(ground: Ground, send: Callable[[], str]) -> str:
    """Upload, while the server does not answer, until the probe is to be taken down."""
    pause = 0.5
    while True:
        try:
            return send()
        except (NotReachable, Declined) as error:
            if isinstance(error, Declined) and not error.passing:
                raise
            if ground.torn():
                raise Torn from error
            time.sleep(pause)
            pause = min(pause * 2, 10.0)
