"""Federated queries: the dashboard queries the samples of federated services at their sources and stores none.

Raw samples are queried up to a limit; a panel is then the same as with pushed samples. Above the limit, values at steps
are queried, four per dashboard column. Results are cached in this process for one dashboard step.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from slowpath.analysis.kinds.metrics.dashboard.dashboard_header import DashboardSource
from slowpath.analysis.kinds.metrics.panels.service_panels import ServiceSamples
from slowpath.analysis.kinds.metrics.samples.series_classification import ClassificationRule
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesKind
from slowpath.core.db_sessions import ReadSession
from slowpath.core.encryption import SecretEncryptor
from slowpath.core.errors import SlowpathError, UpstreamUnavailable
from slowpath.core.ids import EnvironmentId, MetricSourceId, ServiceId
from slowpath.core.ports import EgressClient
from slowpath.evidence.metric_sources import queries
from slowpath.evidence.metric_sources.rules import (
    CONCURRENT_QUERIES,
    KINDS_SECONDS,
    MOST_CACHED_SAMPLES,
    MOST_KINDS,
    QUERY_SECONDS,
    UNAVAILABLE_SECONDS,
)
from slowpath.evidence.metric_sources.service import history_import, metric_sources
from slowpath.evidence.metric_sources.service.federated_samples import FederatedSampleSource, QueryBudget
from slowpath.evidence.metric_sources.service.history_import import Families
from slowpath.evidence.metric_sources.service.metric_sources import SourceConnection
from slowpath.evidence.metric_sources.service.prometheus_client import PrometheusClient
from slowpath.evidence.metric_sources.tables import FederatedService, MetricSource
from slowpath.evidence.metrics.service.dashboard_samples import NotDrawnReason
from slowpath.evidence.metrics.service.live_samples import RemoteServiceBinding
from slowpath.evidence.metrics.service.remote_samples import RemoteServiceSamples, samples_of

EMPTY: Final = ServiceSamples()


@dataclass(frozen=True)
class FederatedBinding(RemoteServiceBinding):
    """A federated service and the connection to its source."""

    id: str
    source_id: MetricSourceId
    source_name: str
    reached: SourceConnection | None
    problem: str | None
    """Why no connection to the source is possible."""
    equal: tuple[tuple[str, str], ...]
    rules: tuple[ClassificationRule, ...]

    def describe_source(self, *, step_ms: int | None = None, problem: str | None = None) -> DashboardSource:
        """Return the source of a dashboard row."""
        return DashboardSource(str(self.source_id), self.source_name, step_ms, problem)

    def failed(self, problem: str) -> RemoteServiceSamples:
        """Return an empty result with the reason."""
        reason = f"{self.source_name}: {problem}"
        return RemoteServiceSamples(EMPTY, NotDrawnReason(reason, reason), self.describe_source(problem=problem))


Key = tuple[str, SourceConnection | None, tuple[tuple[str, str], ...], int, int]


class FederatedQueryCache:
    """Cache of recent results and of unavailable sources, limited by the number of samples."""

    def __init__(self) -> None:
        """Create an empty cache."""
        self._lock = threading.Lock()
        self._results: OrderedDict[str, tuple[Key, float, int, RemoteServiceSamples]] = OrderedDict()
        self._kinds: dict[
            MetricSourceId, tuple[SourceConnection | None, float, dict[str, tuple[SeriesKind, str] | None]]
        ] = {}
        self._unavailable: dict[MetricSourceId, tuple[SourceConnection | None, float, str]] = {}

    def find(self, key: Key) -> RemoteServiceSamples | None:
        """Return a cached result that has not expired, or None."""
        with self._lock:
            found = self._results.get(_place(key))
            return found[3] if found is not None and found[0] == key and found[1] > time.monotonic() else None

    def put(self, key: Key, answer: RemoteServiceSamples, seconds: float) -> None:
        """Cache a result for some seconds; evict the oldest above the limit."""
        samples = sum(len(one.times_ms) for one in answer.samples.counters())
        with self._lock:
            self._results.pop(_place(key), None)
            self._results[_place(key)] = key, time.monotonic() + seconds, samples, answer
            while sum(each[2] for each in self._results.values()) > MOST_CACHED_SAMPLES:
                self._results.popitem(last=False)

    def kinds(
        self, binding: FederatedBinding, names: Sequence[str], ask: Callable[[Sequence[str]], Families]
    ) -> Mapping[str, tuple[SeriesKind, str]]:
        """Return the kinds of metric families, cached for longer because a source returns all of them at once."""
        with self._lock:
            reached, until, known = self._kinds.get(binding.source_id, (None, 0.0, {}))
        if reached != binding.reached or until < time.monotonic():
            known = {}
        if not known.keys() >= set(names):
            found = ask(names)
            known = {**known, **{name: found.get(name) for name in names}}
            with self._lock:
                self._kinds[binding.source_id] = binding.reached, time.monotonic() + KINDS_SECONDS, known
                while len(self._kinds) > MOST_KINDS:
                    del self._kinds[next(iter(self._kinds))]
        return {name: kind for name in names if (kind := known[name]) is not None}

    def problem(self, binding: FederatedBinding) -> str | None:
        """Return why a source was unavailable in the last seconds, or None."""
        with self._lock:
            reached, until, problem = self._unavailable.get(binding.source_id, (None, 0.0, ""))
            return problem if until > time.monotonic() and reached == binding.reached else None

    def mark_unavailable(self, binding: FederatedBinding, problem: str) -> None:
        """Remember that a source is unavailable."""
        with self._lock:
            self._unavailable[binding.source_id] = binding.reached, time.monotonic() + UNAVAILABLE_SECONDS, problem
            for source_id in [one for one, (_, until, _) in self._unavailable.items() if until < time.monotonic()]:
                del self._unavailable[source_id]


def _place(key: Key) -> str:
    return f"{key[0]}/{key[4] - key[3]}"


class FederatedQueries:
    """Federated queries of the dashboard."""

    def __init__(self, outside: EgressClient, sealer: SecretEncryptor) -> None:
        """Query sources through an egress client."""
        self.outside = outside
        self._sealer = sealer
        self.cache = FederatedQueryCache()

    def bound(self, session: ReadSession) -> Sequence[RemoteServiceBinding]:
        """Return the bindings of the team's federated services, in at most two queries."""
        rows = queries.select_all_federated_services(session)
        rules = tuple(history_import.rules_of(session)) if rows else ()
        return [self._binding(row, source, rules) for row, source in rows]

    def _binding(
        self, row: FederatedService, source: MetricSource, rules: tuple[ClassificationRule, ...]
    ) -> FederatedBinding:
        reached, problem = None, None
        try:
            reached = metric_sources.get_connection(source, self._sealer)
        except SlowpathError as error:
            problem = error.detail
        return FederatedBinding(
            EnvironmentId(row.environment_id),
            ServiceId(row.service_id),
            row.scanned_until_ms,
            str(row.id),
            MetricSourceId(row.source_id),
            source.label,
            reached,
            problem,
            tuple(sorted(row.label_matchers.items())),
            rules,
        )

    def asked(
        self, bound: Sequence[RemoteServiceBinding], between_ms: tuple[int, int], column_ms: int
    ) -> Mapping[ServiceId, RemoteServiceSamples]:
        """Query the samples of services concurrently, within a total time limit."""
        bindings = [each for each in bound if isinstance(each, FederatedBinding)]
        between = between_ms[0] // column_ms * column_ms, between_ms[1] // column_ms * column_ms
        until = QueryBudget(QUERY_SECONDS)
        with ThreadPoolExecutor(min(CONCURRENT_QUERIES, len(bindings)) or 1) as pool:
            answers = list(pool.map(lambda one: self._one(one, between, column_ms, until), bindings))
        return {binding.service_id: answer for binding, answer in zip(bindings, answers, strict=True)}

    def _one(
        self, binding: FederatedBinding, between_ms: tuple[int, int], column_ms: int, until: QueryBudget
    ) -> RemoteServiceSamples:
        if binding.reached is None:
            return binding.failed(binding.problem or "The source cannot be queried.")
        key = (binding.id, binding.reached, binding.equal, *between_ms)
        known = self.cache.find(key)
        if known is not None:
            return known
        problem = self.cache.problem(binding)
        if problem is not None:
            return binding.failed(problem)
        try:
            answer = self._ask(binding, binding.reached, between_ms, column_ms, until)
        except SlowpathError as error:
            if isinstance(error, UpstreamUnavailable) and error.name != "asked-too-long":
                self.cache.mark_unavailable(binding, error.detail)
            return binding.failed(error.detail)
        self.cache.put(key, answer, column_ms / 1000)
        return answer

    def _ask(
        self,
        binding: FederatedBinding,
        reached: SourceConnection,
        between_ms: tuple[int, int],
        column_ms: int,
        until: QueryBudget,
    ) -> RemoteServiceSamples:
        with self.outside.opened(reached.url) as peer:
            api = PrometheusClient(peer, reached.headers, until.left)
            asked = FederatedSampleSource(
                api,
                dict(binding.equal),
                column_ms,
                lambda names: self.cache.kinds(binding, names, api.kinds),
            )
            series = asked.series(binding.rules, between_ms)
            if not series:
                where = ", ".join(f"{label}={value}" for label, value in binding.equal)
                return binding.failed(f"The source has no recognized metrics with {where}.")
            samples, why = samples_of(binding, series, binding.rules, asked, between_ms)
        return RemoteServiceSamples(samples, why, binding.describe_source(step_ms=asked.at_steps_ms))
