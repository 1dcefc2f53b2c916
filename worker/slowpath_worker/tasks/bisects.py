"""Step searches, read what was measured of their probes, and look after what runs."""

from contextlib import ExitStack
from typing import Any

from slowpath.adapters.clock import SystemClock
from slowpath.adapters.outside import create_outside
from slowpath.analysis.builds.one_window import NotMeasured, signature_value
from slowpath.bisects.errors import BisectNotFound
from slowpath.bisects.jobs import ReadWindow, StepBisect, WatchBisect
from slowpath.bisects.service import board_windows, reading_windows, stepping, watching
from slowpath.bisects.service.board_windows import ToAsk
from slowpath.bisects.service.reading_windows import ToRead
from slowpath.core.errors import SlowpathError
from slowpath.core.ids import ArtifactId
from slowpath.core.sealing import create_sealer
from slowpath.core.sessions import WriteSession
from slowpath.metrics.service.elsewhere import Beyond
from slowpath.sources.service.through import ReadThroughs
from slowpath_worker.context import Cancelled, Context, NotYet
from slowpath_worker.measuring import columns_keys, mapped, measured

__all__ = [
    "ReadWindow", "StepBisect", "WatchBisect", "read_ended_badly", "read_window", "step_bisect", "step_ended_badly",
    "watch_bisect",
]  # fmt: skip

MOST_FUNCTIONS = 4096
"""What a window measures is kept nowhere, so more of it can be looked through than of a build."""
DECODED_AFTER_S = 0.5


def step_bisect(job: StepBisect, context: Context) -> None:
    """Do what the search says next."""
    secret = context.settings.secret_key.get_secret_value()
    with context.finishing() as session:
        try:
            stepping.step(session, job.bisect_id, secret=secret, now=SystemClock().now())
        except BisectNotFound:
            return  # deleted meanwhile


def step_ended_badly(
    session: WriteSession, job: StepBisect, _error: SlowpathError | Cancelled, problem: dict[str, Any]
) -> None:
    """Say of the bisect why it does not go on; what runs is taken down."""
    try:
        stepping.fail(session, job.bisect_id, problem, now=SystemClock().now())
    except BisectNotFound:
        return


def read_window(job: ReadWindow, context: Context) -> None:
    """Read a window's value as soon as its artifacts are decoded, or what its deploy pushed has come in."""
    beyond = ReadThroughs(create_outside(context.settings), create_sealer(context.settings))
    with context.reading() as session:
        asked = reading_windows.to_read(session, job.window_id, job.bisect_id)
        of_board = board_windows.to_ask(session, beyond, job.window_id, job.bisect_id)
    if of_board is not None:
        _read_board(job, of_board, beyond, context)
        return
    if asked is not None and asked.waits:
        raise NotYet(DECODED_AFTER_S)
    value, unit, problem = (None, "", None) if asked is None else _read(asked, context)
    with context.finishing() as session:
        if asked is not None:
            reading_windows.record(session, job.window_id, job.bisect_id, value=value, unit=unit, problem=problem)


def _read_board(job: ReadWindow, one: ToAsk, beyond: Beyond, context: Context) -> None:
    if one.bound is not None:
        said = board_windows.read_through(beyond, one)
    else:
        with context.reading() as session:
            said = board_windows.read(session, one)
    if said.again_seconds is not None:
        raise NotYet(said.again_seconds)
    with context.finishing() as session:
        board_windows.record(session, job.window_id, job.bisect_id, said, now=SystemClock().now())


def _read(asked: ToRead, context: Context) -> tuple[float | None, str, str | None]:
    if asked.asked is None:
        return None, "", asked.problem
    ids = [ArtifactId(row.id) for row in asked.asked.artifacts]
    with context.reading() as session:
        keys = columns_keys(session, ids)
    with ExitStack() as stack:
        columns = [mapped(context, keys[one], stack) for one in ids]
        try:
            value, unit = signature_value(
                measured(asked.asked, columns, MOST_FUNCTIONS), asked.kind, asked.subject, asked.unit
            )
        except NotMeasured as error:
            return None, "", str(error)
    return value, unit, None


def read_ended_badly(
    session: WriteSession, job: ReadWindow, error: SlowpathError | Cancelled, problem: dict[str, Any]
) -> None:
    """Say of the window why it has no value, so that the search does not wait for it."""
    why = str(problem.get("detail") or error)
    try:
        reading_windows.record(session, job.window_id, job.bisect_id, problem=f"It could not be read: {why}")
    except BisectNotFound:
        return


def watch_bisect(job: WatchBisect, context: Context) -> None:
    """Look after an open bisect, and again while it is open."""
    now = SystemClock().now()
    with context.reading() as session:
        guarded = watching.guarded(session, job.bisect_id, now=now)
    with context.finishing() as session:
        try:
            watching.watch(session, job.bisect_id, guarded, now=now)
        except BisectNotFound:
            return
