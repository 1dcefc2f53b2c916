"""Signals of the services of an environment: requests, latency and gauges, with their selectors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from slowpath.analysis.kinds.metrics.samples.series_classification import (
    ENVIRONMENT_LABELS,
    INSTANCE_LABELS,
    SERVICE_LABELS,
    ClassificationRule,
    family_of,
    rule_for,
    scale_of,
    status_label_of,
)
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesKind
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import EnvironmentId, ServiceId
from slowpath.evidence.metrics import queries
from slowpath.evidence.metrics.service.series_reader import SeriesSelector
from slowpath.evidence.metrics.service.series_registry import rule_of

Shape = Literal["counter", "classic", "native", "sum-count", "gauge"]


@dataclass(frozen=True)
class Signal:
    """One signal of one service: a request counter, a latency histogram, or a gauge."""

    family: str
    """Metric name without _bucket, _sum, _count."""
    shape: Shape
    names: tuple[str, ...]
    """Existing series names, such as the family's name with _bucket, _sum and _count."""
    equal: Mapping[str, str]
    """Label matchers of its series."""
    kind: SeriesKind
    unit: str
    scale: float
    """Factor that converts a latency to seconds."""
    status_label: str | None
    """Label with the status of requests, if there is one."""
    instance_label: str | None
    title: str | None = None

    def selector(self, name: str) -> SeriesSelector:
        """Return the selector of one of its names."""
        return SeriesSelector(name, self.equal)

    @property
    def selectors(self) -> tuple[SeriesSelector, ...]:
        """Selectors of all its series."""
        return tuple(self.selector(name) for name in self.names)


@dataclass(frozen=True)
class ServiceSignals:
    """Signals of one service in one environment. Several signals of one role are summed."""

    service_id: ServiceId
    requests: tuple[Signal, ...]
    latency: tuple[Signal, ...]
    gauges: tuple[Signal, ...]
    why_no_requests: str | None
    why_no_latency: str | None


WHO_LABELS: Final = (*SERVICE_LABELS, *ENVIRONMENT_LABELS)


@dataclass(frozen=True)
class ClassifiedSeries:
    """One classified series: its labels, and those that name service and environment."""

    role: str
    name: str
    kind: SeriesKind
    unit: str
    who: Mapping[str, str]
    example: Mapping[str, str]


def of_rows(
    service_id: ServiceId, rows: Sequence[ClassifiedSeries], rules: Sequence[ClassificationRule]
) -> ServiceSignals:
    """Return the signals of a service from its classified series."""
    return _service(service_id, rows, rules)


def of_environment(session: ReadSession, environment_id: EnvironmentId) -> list[ServiceSignals]:
    """Return the signals of all recognized services in an environment."""
    rules = [rule_of(row) for row in queries.all_rules(session)]
    rows = queries.select_classified_series(session, environment_id, WHO_LABELS)
    by_service: dict[ServiceId, list[Any]] = {}
    for row in rows:
        by_service.setdefault(ServiceId(row.service_id), []).append(row)
    return [_service(service_id, mine, rules) for service_id, mine in by_service.items()]


def environments_measured(session: ReadSession) -> set[EnvironmentId]:
    """Return the environments that have recognized series."""
    return {EnvironmentId(each) for each in queries.environments_measured(session)}


def newest_ms(session: ReadSession, environment_id: EnvironmentId) -> int | None:
    """Return the time of the newest sample: compacted, in the team's WAL, or scanned at a source; None if none."""
    cursor = queries.select_detection_cursor(session, environment_id)
    known = newest_known(newest_folded_ms(session, environment_id), session)
    return max((at for at in (known, cursor.scanned_until_ms if cursor else None) if at), default=None)


def newest_folded_ms(session: ReadSession, environment_id: EnvironmentId) -> int | None:
    """Return the time of the newest compacted sample of the environment; None if there is none."""
    return queries.newest_folded_ms(session, environment_id) or None


def newest_known(folded_ms: int | None, session: ReadSession) -> int | None:
    """Return the later of a time and the newest sample in the WAL, possibly of another environment."""
    return max((at for at in (folded_ms, queries.newest_in_tail_ms(session)) if at), default=None)


def series_known(session: ReadSession) -> int:
    """Return the number of pushed series of the team."""
    return queries.count_of_series(session)


def _service(service_id: ServiceId, rows: Sequence[Any], rules: Sequence[ClassificationRule]) -> ServiceSignals:
    families: dict[tuple[Any, ...], list[Any]] = {}
    for row in rows:
        family = row.name if row.role != "latency" else family_of(row.name)
        families.setdefault((row.role, family, tuple(sorted(row.who.items()))), []).append(row)
    signals: dict[str, list[Signal]] = {"requests": [], "latency": [], "gauge": []}
    for (role, family, who), mine in families.items():
        signals[role].append(_signal(role, family, dict(who), mine, rules))
    latency = tuple(one for one in signals["latency"] if one.shape != "gauge")
    return ServiceSignals(
        service_id,
        tuple(signals["requests"]),
        latency,
        tuple(signals["gauge"]),
        None if signals["requests"] or latency else _why("http_requests_total or grpc_server_handled_total"),
        None if latency else _why("http_request_duration_seconds or http.server.request.duration"),
    )


def _signal(
    role: str, family: str, who: Mapping[str, str], rows: Sequence[Any], rules: Sequence[ClassificationRule]
) -> Signal:
    names = tuple(sorted({row.name for row in rows}))
    example = rows[0].example
    rule = rule_for(names[0], example, rules)
    kind: SeriesKind = rows[0].kind
    return Signal(
        family,
        _shape(role, family, rows),
        names,
        _equal(who, rule),
        kind,
        rows[0].unit,
        scale_of(family, rows[0].unit, rule),
        rule.status_label if rule is not None and rule.status_label else status_label_of(example),
        next((label for label in INSTANCE_LABELS if example.get(label)), None),
        rule.title if rule is not None else None,
    )


def _equal(who: Mapping[str, str], rule: ClassificationRule | None) -> dict[str, str]:
    """Return the label matchers of these series; "" for naming labels that only other series have."""
    matchers = {label: who.get(label, "") for label in WHO_LABELS}
    return {**matchers, **(rule.equal if rule is not None else {})}


def _shape(role: str, family: str, rows: Sequence[Any]) -> Shape:
    if role == "gauge":
        return "gauge"
    if role == "requests":
        return "counter"
    names = {row.name for row in rows}
    if any(row.name == family and row.kind in {"histogram", "gauge-histogram"} for row in rows):
        return "native"
    return "classic" if f"{family}_bucket" in names else "sum-count"


def _why(usual: str) -> str:
    return f"no series of this service has a recognized name such as {usual}. Add a metric rule to select one."
