"""Read federated services for evaluations: change points, deployments, budgets, latency of builds, time ranges."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.errors import SlowpathError, UpstreamUnavailable
from slowpath.core.ids import MetricSourceId
from slowpath.evidence.metric_sources import queries
from slowpath.evidence.metric_sources.rules import (
    BUFFERED_MS,
    CONCURRENT_QUERIES,
    FAILING_AFTER_MS,
    MOST_AT_STEPS,
    MOST_RAW_SAMPLES,
    MOST_WATCHED_AT_STEPS,
    MOST_WATCHED_SAMPLES,
    QUERY_SECONDS,
    WATCH_COLUMN_MS,
    WATCH_QUERY_SECONDS,
)
from slowpath.evidence.metric_sources.service.federated_query import FederatedBinding, FederatedQueries
from slowpath.evidence.metric_sources.service.federated_samples import FederatedSampleSource, QueryBudget
from slowpath.evidence.metric_sources.service.prometheus_client import PrometheusClient
from slowpath.evidence.metric_sources.service.sample_buffers import BufferedSampleSource, SampleBuffers
from slowpath.evidence.metrics.service.dashboard_samples import load_service_samples
from slowpath.evidence.metrics.service.live_samples import (
    RECENT_MS,
    LiveRange,
    LiveSamples,
    OpenedService,
    RemoteServiceBinding,
)
from slowpath.evidence.metrics.service.remote_samples import signals_of
from slowpath.evidence.metrics.service.series_reader import SeriesSource


@dataclass(frozen=True)
class WatchedSamples:
    """Reader of federated services. Recent ranges are held in the buffers; earlier and longer ones are not."""

    federated: FederatedQueries
    buffers: SampleBuffers
    seconds: float = WATCH_QUERY_SECONDS
    most_raw: int = MOST_WATCHED_SAMPLES
    most_at_steps: int = MOST_WATCHED_AT_STEPS

    def bound(self, session: ReadSession) -> Sequence[RemoteServiceBinding]:
        """Return the bindings of the team's federated services."""
        return self.federated.bound(session)

    def read(self, ranges: Sequence[LiveRange], now_ms: int) -> Sequence[LiveSamples]:
        """Read ranges concurrently, each completely or not at all."""
        with ThreadPoolExecutor(min(CONCURRENT_QUERIES, len(ranges))) as pool:
            return list(pool.map(lambda each: self._read(each, now_ms), ranges))

    def record(
        self, session: WriteSession, opened: Sequence[OpenedService], scanned_ms: int | None, now_ms: int
    ) -> None:
        """Record which services were scanned, and on a source since when and why its services cannot be read."""
        failing: dict[MetricSourceId, SlowpathError] = {}
        for binding, error in opened:
            assert isinstance(binding, FederatedBinding)
            if error is not None and now_ms - (binding.scanned_until_ms or 0) > FAILING_AFTER_MS:
                failing[binding.source_id] = error
        read = [binding for binding, error in opened if error is None and isinstance(binding, FederatedBinding)]
        if scanned_ms is not None:
            queries.update_scanned_until(session, [each.id for each in read], scanned_ms)
        for source_id in {each.source_id for each in read} | failing.keys():
            row = queries.lock_source(session, source_id)
            is_failing = bool(row is not None and row.last_check and row.last_check.get("detail"))
            if row is not None and (source_id in failing) != is_failing:
                found = failing.get(source_id)
                row.last_check = {"at_ms": now_ms, "detail": found.detail} if found is not None else None

    def _read(self, wanted: LiveRange, now_ms: int) -> LiveSamples:
        binding = wanted.binding
        assert isinstance(binding, FederatedBinding)
        try:
            return self._ask(binding, wanted, now_ms)
        except SlowpathError as error:
            return LiveSamples(error=error)

    def _ask(self, binding: FederatedBinding, wanted: LiveRange, now_ms: int) -> LiveSamples:
        if binding.reached is None:
            raise UpstreamUnavailable(binding.problem or "The source cannot be queried.")
        until = QueryBudget(self.seconds)
        with self.federated.outside.opened(binding.reached.url) as peer:
            api = PrometheusClient(peer, binding.reached.headers, until.left, is_strict=True)
            source = FederatedSampleSource(
                api,
                dict(binding.equal),
                WATCH_COLUMN_MS,
                lambda names: self.federated.cache.kinds(binding, names, api.kinds),
                self.most_raw,
                self.most_at_steps,
            )
            between_ms = wanted.from_ms, wanted.to_ms
            if wanted.to_ms >= now_ms - RECENT_MS and wanted.to_ms - wanted.from_ms <= BUFFERED_MS:
                buffer = self.buffers.of(binding.id, (binding.reached, binding.equal, binding.rules))
                with buffer.lock:
                    buffer.list_series(source, binding.rules, (now_ms - RECENT_MS, now_ms))
                    return _load(binding, source, BufferedSampleSource(source, buffer), between_ms)
            source.series(binding.rules, between_ms)
            return _load(binding, source, source, between_ms)


def create_interactive_reader(federated: FederatedQueries) -> WatchedSamples:
    """Return a reader for requests that a user waits for, with the limits of the dashboard."""
    return WatchedSamples(federated, SampleBuffers(), QUERY_SECONDS, MOST_RAW_SAMPLES, MOST_AT_STEPS)


def _load(
    binding: FederatedBinding, source: FederatedSampleSource, reader: SeriesSource, between_ms: tuple[int, int]
) -> LiveSamples:
    signals = signals_of(binding, source.found, binding.rules)
    return LiveSamples(load_service_samples(signals, reader, between_ms), signals)
