"""Import history from a Prometheus-compatible API."""

from slowpath.core.db_sessions import WriteSession
from slowpath.core.encryption import create_sealer
from slowpath.evidence.metric_sources.errors import PageTooLarge
from slowpath.evidence.metric_sources.jobs import ImportHistory
from slowpath.evidence.metric_sources.service import history_import, metric_sources
from slowpath.evidence.metric_sources.service.history_import import ImportProgress, ImportSelection
from slowpath.evidence.metric_sources.service.prometheus_client import PrometheusClient
from slowpath.evidence.metrics.service.series_cache import SeriesCache
from slowpath_worker.job_context import Cancelled, JobContext, JobFailure

__all__ = ["ImportHistory", "import_history", "record_import_failure"]


def import_history(job: ImportHistory, context: JobContext) -> None:
    """Import the common metrics one after the other; samples imported before a failure are preserved."""
    with context.reading() as session:
        connection = metric_sources.get_connection(
            metric_sources.get_metric_source(session, job.source_id), create_sealer(context.settings)
        )
        rules = history_import.rules_of(session)

    progress = ImportProgress()
    with context.egress.opened(connection.url) as peer:
        api = PrometheusClient(peer, connection.headers)
        context.progress("finding metrics", 0.0)
        selection = history_import.select_metrics_to_import(api, rules, job.from_ms, job.to_ms)
        if selection.more:
            progress.faults.add(
                "too-many-names", "The source has more common metrics than one import can read.", selection.more
            )
        _import_metrics(job, context, api, selection, progress)

    result = {
        "state": "done",
        "from_ms": job.from_ms,
        "to_ms": job.to_ms,
        "names": len(selection.names),
        **progress.to_json(),
    }
    with context.finishing() as session:
        metric_sources.record_import_result(session, job.source_id, result)


def _import_metrics(
    job: ImportHistory, context: JobContext, api: PrometheusClient, selection: ImportSelection, progress: ImportProgress
) -> None:
    cache = SeriesCache()
    for number, name in enumerate(selection.names):

        def report(fraction: float, name: str = name, number: int = number) -> None:
            context.progress(f"importing {name[:100]}", (number + fraction) / len(selection.names))

        try:
            for page in history_import.iterate_sample_pages(
                api, name, (job.from_ms, job.to_ms), report, progress.coarser
            ):
                with cache.of(context.team_id) as team, context.writing() as session:
                    now_ms = int(context.clock.now().timestamp() * 1000)
                    most_series = context.settings.max_series
                    history_import.write_samples(
                        session, team, page, selection.families, progress, now_ms=now_ms, most_series=most_series
                    )
        except PageTooLarge as error:
            progress.faults.add(error.name, error.detail)  # the other metrics can still be imported


def record_import_failure(session: WriteSession, job: ImportHistory, failure: JobFailure) -> None:
    """Record on the source why its import ended."""
    cancelled = "A user cancelled the import. Samples imported before are preserved."
    state, detail = (
        ("cancelled", cancelled) if isinstance(failure.error, Cancelled) else ("failed", failure.error.detail)
    )
    result = {
        "state": state,
        "from_ms": job.from_ms,
        "to_ms": job.to_ms,
        "detail": detail,
    }
    metric_sources.record_import_result(session, job.source_id, result)
