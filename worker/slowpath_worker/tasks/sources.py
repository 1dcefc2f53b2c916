"""Import history from a Prometheus-compatible API."""

from typing import Any

from slowpath.adapters.clock import SystemClock
from slowpath.adapters.outside import create_outside
from slowpath.core.errors import SlowpathError
from slowpath.core.sealing import create_sealer
from slowpath.core.sessions import WriteSession
from slowpath.metrics.service.memory import SeriesMemory
from slowpath.sources.errors import PageTooLarge
from slowpath.sources.jobs import ImportHistory
from slowpath.sources.service import importing, keeping
from slowpath.sources.service.asking import PrometheusApi
from slowpath.sources.service.importing import Brought, Wanted
from slowpath_worker.context import Cancelled, Context

__all__ = ["ImportHistory", "import_ended_badly", "import_history"]


def import_history(job: ImportHistory, context: Context) -> None:
    """Bring the usual names one after the other; what came before a failure stays."""
    with context.reading() as session:
        reached = keeping.reach(keeping.find(session, job.source_id), create_sealer(context.settings))
        rules = importing.rules_of(session)

    brought = Brought()
    with create_outside(context.settings).opened(reached.url) as peer:
        api = PrometheusApi(peer, reached.headers)
        context.progress("looking for usual names", 0.0)
        wanted = importing.wanted(api, rules, job.from_ms, job.to_ms)
        if wanted.more:
            brought.faults.add("too-many-names", "More usual names than one import brings.", wanted.more)
        _bring(job, context, api, wanted, brought)

    said = {"state": "done", "from_ms": job.from_ms, "to_ms": job.to_ms, "names": len(wanted.names), **brought.said()}
    with context.finishing() as session:
        keeping.ended(session, job.source_id, said)


def _bring(job: ImportHistory, context: Context, api: PrometheusApi, wanted: Wanted, brought: Brought) -> None:
    memory, clock = SeriesMemory(), SystemClock()
    for number, name in enumerate(wanted.names):

        def going(fraction: float, name: str = name, number: int = number) -> None:
            context.progress(f"importing {name[:100]}", (number + fraction) / len(wanted.names))

        try:
            for page in importing.pages(api, name, (job.from_ms, job.to_ms), going, brought.coarser):
                with memory.of(context.team_id) as team, context.writing() as session:
                    now_ms = int(clock.now().timestamp() * 1000)
                    most_series = context.settings.max_series
                    importing.write(
                        session, team, page, wanted.families, brought, now_ms=now_ms, most_series=most_series
                    )
        except PageTooLarge as error:
            brought.faults.add(error.name, error.detail)  # the other names can still be brought


def import_ended_badly(
    session: WriteSession, job: ImportHistory, error: SlowpathError | Cancelled, _problem: dict[str, Any]
) -> None:
    """Write down with the source why its import ended."""
    cancelled = "Somebody cancelled it; what had come by then stays."
    state, detail = ("cancelled", cancelled) if isinstance(error, Cancelled) else ("failed", error.detail)
    said = {
        "state": state,
        "from_ms": job.from_ms,
        "to_ms": job.to_ms,
        "detail": detail,
    }
    keeping.ended(session, job.source_id, said)
