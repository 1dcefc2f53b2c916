"""Read through: what the board draws of a service is asked of its source when it is looked at, and kept nowhere.

Samples as they are, where that is not too much: then a panel is what it would be had they been pushed. Else values at steps,
four of them in each of the board's columns. What was asked is remembered for as long as the board's step, in this process.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from slowpath.analysis.kinds.metrics.series_classification import ClassificationRule
from slowpath.analysis.kinds.metrics.series_data import SeriesKind
from slowpath.analysis.kinds.metrics.service_panels import ServiceSamples
from slowpath.core.db_sessions import ReadSession
from slowpath.core.encryption import SecretEncryptor
from slowpath.core.errors import SlowpathError, UpstreamUnavailable
from slowpath.core.ids import EnvironmentId, MetricSourceId, ServiceId
from slowpath.core.ports import EgressClient
from slowpath.evidence.metric_sources import queries
from slowpath.evidence.metric_sources.rules import (
    KINDS_SECONDS,
    LANES,
    MOST_KEPT_SAMPLES,
    MOST_KINDS,
    SULK_SECONDS,
    THROUGH_SECONDS,
)
from slowpath.evidence.metric_sources.service import history_import, metric_sources
from slowpath.evidence.metric_sources.service.federated_samples import FederatedSampleSource, QueryBudget
from slowpath.evidence.metric_sources.service.history_import import Families
from slowpath.evidence.metric_sources.service.metric_sources import SourceConnection
from slowpath.evidence.metric_sources.service.prometheus_client import PrometheusClient
from slowpath.evidence.metric_sources.tables import FederatedService, MetricSource
from slowpath.evidence.metrics.service.dashboard_samples import NotDrawnReason
from slowpath.evidence.metrics.service.remote_samples import RemoteServiceBinding, RemoteServiceSamples, samples_of

EMPTY: Final = ServiceSamples()


@dataclass(frozen=True)
class FederatedBinding(RemoteServiceBinding):
    """A service that is read through, and how its source is asked."""

    id: str
    source_id: MetricSourceId
    source_name: str
    reached: SourceConnection | None
    problem: str | None
    """Why the source can not be asked at all."""
    equal: tuple[tuple[str, str], ...]
    rules: tuple[ClassificationRule, ...]

    def said(self, *, step_ms: int | None = None, problem: str | None = None) -> Mapping[str, object]:
        """Return what the board's row tells of it."""
        return {"id": str(self.source_id), "name": self.source_name, "step_ms": step_ms, "problem": problem}

    def failed(self, problem: str) -> RemoteServiceSamples:
        """Return an answer that tells why there is none."""
        told = f"{self.source_name}: {problem}"
        return RemoteServiceSamples(EMPTY, NotDrawnReason(told, told), self.said(problem=problem))


Key = tuple[str, SourceConnection | None, tuple[tuple[str, str], ...], int, int]


class FederatedQueryCache:
    """Answers of the last seconds, and sources that did not answer; bounded by samples."""

    def __init__(self) -> None:
        """Begin empty."""
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[Key, float, int, RemoteServiceSamples]] = OrderedDict()
        self._kinds: dict[
            MetricSourceId, tuple[SourceConnection | None, float, dict[str, tuple[SeriesKind, str] | None]]
        ] = {}
        self._sulking: dict[MetricSourceId, tuple[SourceConnection | None, float, str]] = {}

    def find(self, key: Key) -> RemoteServiceSamples | None:
        """Return an answer that still holds."""
        with self._lock:
            found = self._kept.get(_place(key))
            return found[3] if found is not None and found[0] == key and found[1] > time.monotonic() else None

    def keep(self, key: Key, answer: RemoteServiceSamples, seconds: float) -> None:
        """Keep an answer for so long; the oldest go when it is too much."""
        samples = sum(len(one.times_ms) for one in answer.samples.counters())
        with self._lock:
            self._kept.pop(_place(key), None)
            self._kept[_place(key)] = key, time.monotonic() + seconds, samples, answer
            while sum(each[2] for each in self._kept.values()) > MOST_KEPT_SAMPLES:
                self._kept.popitem(last=False)

    def kinds(
        self, binding: FederatedBinding, names: Sequence[str], ask: Callable[[Sequence[str]], Families]
    ) -> Mapping[str, tuple[SeriesKind, str]]:
        """Return what a source says of families; it is asked for all it knows, so that is remembered for longer."""
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
        return {name: told for name in names if (told := known[name]) is not None}

    def problem(self, binding: FederatedBinding) -> str | None:
        """Return why a source did not answer a moment ago: it is not waited for again at once."""
        with self._lock:
            reached, until, problem = self._sulking.get(binding.source_id, (None, 0.0, ""))
            return problem if until > time.monotonic() and reached == binding.reached else None

    def sulk(self, binding: FederatedBinding, problem: str) -> None:
        """Remember that a source did not answer."""
        with self._lock:
            self._sulking[binding.source_id] = binding.reached, time.monotonic() + SULK_SECONDS, problem
            for source_id in [one for one, (_, until, _) in self._sulking.items() if until < time.monotonic()]:
                del self._sulking[source_id]


def _place(key: Key) -> str:
    return f"{key[0]}/{key[4] - key[3]}"


class FederatedQueries:
    """The board's way to sources."""

    def __init__(self, outside: EgressClient, sealer: SecretEncryptor) -> None:
        """Ask by this way out."""
        self._outside = outside
        self._sealer = sealer
        self._remembered = FederatedQueryCache()

    def bound(self, session: ReadSession) -> Sequence[RemoteServiceBinding]:
        """Return which services of the team are read through, and how; two queries at most."""
        rows = queries.all_read_through(session)
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
        """Ask for the samples of services, several at a time, for some seconds in all."""
        bindings = [each for each in bound if isinstance(each, FederatedBinding)]
        between = between_ms[0] // column_ms * column_ms, between_ms[1] // column_ms * column_ms
        until = QueryBudget(THROUGH_SECONDS)
        with ThreadPoolExecutor(min(LANES, len(bindings)) or 1) as lanes:
            answers = list(lanes.map(lambda one: self._one(one, between, column_ms, until), bindings))
        return {binding.service_id: answer for binding, answer in zip(bindings, answers, strict=True)}

    def _one(
        self, binding: FederatedBinding, between_ms: tuple[int, int], column_ms: int, until: QueryBudget
    ) -> RemoteServiceSamples:
        if binding.reached is None:
            return binding.failed(binding.problem or "It can not be asked.")
        key = (binding.id, binding.reached, binding.equal, *between_ms)
        known = self._remembered.find(key)
        if known is not None:
            return known
        problem = self._remembered.problem(binding)
        if problem is not None:
            return binding.failed(problem)
        try:
            answer = self._ask(binding, binding.reached, between_ms, column_ms, until)
        except SlowpathError as error:
            if isinstance(error, UpstreamUnavailable) and error.name != "asked-too-long":
                self._remembered.sulk(binding, error.detail)
            return binding.failed(error.detail)
        self._remembered.keep(key, answer, column_ms / 1000)
        return answer

    def _ask(
        self,
        binding: FederatedBinding,
        reached: SourceConnection,
        between_ms: tuple[int, int],
        column_ms: int,
        until: QueryBudget,
    ) -> RemoteServiceSamples:
        with self._outside.opened(reached.url) as peer:
            api = PrometheusClient(peer, reached.headers, until.left)
            asked = FederatedSampleSource(
                api,
                dict(binding.equal),
                column_ms,
                lambda names: self._remembered.kinds(binding, names, api.kinds),
            )
            told = asked.series(binding.rules, between_ms)
            if not told:
                where = ", ".join(f"{label}={value}" for label, value in binding.equal)
                return binding.failed(f"It has none of the usual names where {where}.")
            samples, why = samples_of(binding, told, binding.rules, asked, between_ms)
        return RemoteServiceSamples(samples, why, binding.said(step_ms=asked.at_steps_ms))
