"""Select and read the samples of the classified series that the dashboard shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from slowpath.analysis.kinds.metrics.panels.service_panels import GaugeSamples, ServiceSamples, StatusClass
from slowpath.analysis.kinds.metrics.samples.series_classification import instance_of, status_class, status_label_of
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesData
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import EnvironmentId, ServiceId
from slowpath.evidence.metrics.service import service_signals
from slowpath.evidence.metrics.service.live_samples import LiveReads, RemoteServiceBinding
from slowpath.evidence.metrics.service.series_reader import RAW, ReadReach, SeriesSelector, SeriesSource, select_all
from slowpath.evidence.metrics.service.service_signals import ServiceSignals, Signal

GAUGES_MAX: Final = 4
SHAPES: Final = ("native", "classic", "sum-count")  # most precise first
NOT_HERE: Final = "No metrics of this service come in from this environment."


@dataclass(frozen=True)
class NotDrawnReason:
    """Reasons why requests or latency of a service are not shown."""

    requests: str | None
    latency: str | None


@dataclass(frozen=True)
class LiveService:
    """A service that is queried live: how far its samples reach, or why they cannot be read."""

    binding: RemoteServiceBinding
    newest_ms: int | None
    problem: str | None


@dataclass(frozen=True)
class EnvironmentSignals:
    """Classified signals of an environment, of which each service is either stored or queried live."""

    services: Mapping[ServiceId, ServiceSignals]
    series_known: int
    newest_ms: int | None
    """Newest sample of the environment, or of any environment in the WAL."""
    folded_ms: int | None = None
    """Newest compacted sample of this environment, some minutes old."""
    live: Mapping[ServiceId, LiveService] = field(default_factory=dict)
    reads: LiveReads | None = None

    def why(self, service_id: ServiceId) -> NotDrawnReason:
        """Return why requests or latency of a service are missing."""
        live = self.live.get(service_id)
        if live is not None and live.problem is not None:
            return NotDrawnReason(live.problem, live.problem)
        known = self.services.get(service_id)
        return (
            NotDrawnReason(known.why_no_requests, known.why_no_latency) if known else NotDrawnReason(NOT_HERE, NOT_HERE)
        )

    def samples(
        self,
        session: ReadSession,
        service_ids: Sequence[ServiceId],
        from_ms: int,
        to_ms: int,
        reach: ReadReach = RAW,
    ) -> dict[ServiceId, ServiceSamples]:
        """Return the samples of these services in a time range; services without signals have none.

        Raises `TooManySamples`.
        """
        stored = [one for one in service_ids if one not in self.live]
        chosen = {one: _chosen(self.services[one]) for one in stored if one in self.services}
        selectors = list(dict.fromkeys(key for one in chosen.values() for key in one.selector_keys()))
        read = select_all(session, [key.selector for key in selectors], from_ms, to_ms, reach)
        found = dict(zip(selectors, read, strict=True))
        samples = {one: chosen[one].samples(found) if one in chosen else ServiceSamples() for one in service_ids}
        if self.reads is not None:
            samples |= {
                one: self.reads.samples(self.live[one].binding, from_ms, to_ms)
                for one in service_ids
                if one in self.live and one in self.services
            }
        return samples


def load_environment_signals(
    session: ReadSession, environment_id: EnvironmentId, live: LiveReads | None = None
) -> EnvironmentSignals:
    """Return the classified signals of an environment: those of stored samples, and with `live` those of sources too.

    A service whose source fails, or has no recent samples of it, is without signals.
    """
    services = {each.service_id: each for each in service_signals.of_environment(session, environment_id)}
    folded_ms = service_signals.newest_folded_ms(session, environment_id)
    newest_ms = service_signals.newest_known(folded_ms, session)
    series_known = service_signals.series_known(session)
    bindings = live.bindings(session, environment_id) if live is not None else []
    if live is None or not bindings:
        return EnvironmentSignals(services, series_known, newest_ms, folded_ms)
    opened: dict[ServiceId, LiveService] = {}
    for binding in bindings:
        services.pop(binding.service_id, None)
        found, error = live.open(binding), live.error(binding)
        newest = found.newest_ms if found is not None and error is None else None
        opened[binding.service_id] = LiveService(binding, newest, error.detail if error is not None else None)
        if found is not None and found.signals is not None and newest is not None:
            services[binding.service_id] = found.signals
    newest_ms = max((at for at in (newest_ms, *(one.newest_ms for one in opened.values())) if at), default=None)
    return EnvironmentSignals(services, series_known, newest_ms, folded_ms, opened, live)


def load_range(
    session: ReadSession,
    place: tuple[EnvironmentId, ServiceId],
    from_ms: int,
    to_ms: int,
    live: LiveReads | None = None,
) -> ServiceSamples:
    """Return the samples of one service in a time range, stored or from its source, which need not be recent."""
    environment_id, service_id = place
    for binding in live.bindings(session, environment_id) if live is not None else ():
        if live is not None and binding.service_id == service_id:
            return live.samples(binding, from_ms, to_ms)
    recognised = load_environment_signals(session, environment_id)
    return recognised.samples(session, [service_id], from_ms, to_ms)[service_id]


def load_service_samples(known: ServiceSignals, source: SeriesSource, between_ms: tuple[int, int]) -> ServiceSamples:
    """Return the shown samples of one service, read from any source."""
    chosen = _chosen(known)
    keys = list(dict.fromkeys(chosen.selector_keys()))
    return chosen.samples(dict(zip(keys, source.select([key.selector for key in keys], *between_ms), strict=True)))


@dataclass(frozen=True)
class _SelectorKey:
    """A hashable selector."""

    name: str
    equal: tuple[tuple[str, str], ...]

    @property
    def selector(self) -> SeriesSelector:
        return SeriesSelector(self.name, dict(self.equal))


def _key(signal: Signal, name: str) -> _SelectorKey:
    return _SelectorKey(name, tuple(sorted(signal.equal.items())))


Found = Mapping[_SelectorKey, Sequence[SeriesData]]


@dataclass(frozen=True)
class _DrawnSignals:
    """The shown signals of a service."""

    requests: Sequence[Signal]
    latency: Sequence[Signal]
    gauges: Sequence[Signal]

    def selector_keys(self) -> list[_SelectorKey]:
        """Return the keys of all series to read; `up` shows whether a target could be scraped."""
        drawn = [*self.requests, *self.latency, *self.gauges]
        return [*(_key(one, name) for one in drawn for name in one.names), *(_key(one, "up") for one in drawn[:1])]

    def samples(self, found: Found) -> ServiceSamples:
        """Return the series that were read, by signal."""
        parts: dict[str, list[SeriesData]] = {"_bucket": [], "_sum": [], "_count": [], "": []}
        for signal in self.latency:
            for name in signal.names:
                ending = name.removeprefix(signal.family)
                parts.setdefault(ending, []).extend(found[_key(signal, name)])
        natives = [one for one in parts[""] if one.histograms is not None]
        counted = [(one, self.latency[0].status_label) for one in natives or parts["_count"]]
        if self.requests:
            counted = [
                (one, signal.status_label)
                for signal in self.requests
                for name in signal.names
                for one in found[_key(signal, name)]
            ]
        drawn = [*self.requests, *self.latency, *self.gauges]
        return ServiceSamples(
            requests=[(_status(one, label), one) for one, label in counted],
            buckets=[] if natives else parts["_bucket"],
            natives=natives,
            sums=[] if natives else parts["_sum"],
            counts=[] if natives else parts["_count"],
            seconds_per_unit=self.latency[0].scale if self.latency else 1.0,
            gauges=[
                GaugeSamples(one.family, one.title or one.family, one.unit, _all_of(one, found)) for one in self.gauges
            ],
            up=[series for one in drawn[:1] for series in found[_key(one, "up")]],
            instance_of=instance_of,
        )


def _all_of(signal: Signal, found: Found) -> list[SeriesData]:
    return [series for name in signal.names for series in found[_key(signal, name)]]


def _chosen(service: ServiceSignals) -> _DrawnSignals:
    """Choose the most precise latency, and all others of the same shape and unit, which can be summed."""
    latency: list[Signal] = []
    if service.latency:
        first = min(
            service.latency, key=lambda one: (SHAPES.index(one.shape) if one.shape in SHAPES else 9, one.family)
        )
        latency = [one for one in service.latency if (one.shape, one.scale) == (first.shape, first.scale)]
    gauges = sorted(service.gauges, key=lambda one: one.family)[:GAUGES_MAX]
    return _DrawnSignals(service.requests, latency, gauges)


def _status(series: SeriesData, usual_label: str | None) -> StatusClass:
    """Return the status class of the requests that a series counts; "other" if unknown."""
    label = usual_label if usual_label and series.labels.get(usual_label) else status_label_of(series.labels)
    return status_class(label, series.labels[label]) if label is not None else "other"
