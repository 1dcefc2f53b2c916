"""Classify a series for the dashboard: requests, latency or gauge of a service, and where.

Else the reason why not. By the usual names of Prometheus's and OpenTelemetry's libraries, unless a metric rule of the
team matches. Only server-side metrics: what clients measure belongs to the service they call, whose name they do not
have.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from slowpath.analysis.kinds.metrics.samples.series_data import SeriesKind

Role = Literal["requests", "latency", "gauge"]
StatusClass = Literal["2xx", "4xx", "5xx", "other"]

SERVICE_LABELS: Final = ("service", "service_name", "service.name", "app", "application", "job")
ENVIRONMENT_LABELS: Final = (
    "environment",
    "env",
    "deployment_environment_name",
    "deployment.environment.name",
    "deployment_environment",
    "deployment.environment",
)
INSTANCE_LABELS: Final = ("instance", "pod", "service_instance_id", "service.instance.id", "host", "hostname")
STATUS_LABELS: Final = (
    "code",
    "status_code",
    "http_response_status_code",
    "http.response.status_code",
    "http_status_code",
    "http.status_code",
    "status",
    "grpc_code",
    "rpc_grpc_status_code",
    "rpc.grpc.status_code",
)
DEFAULT_ENVIRONMENT: Final = "production"

PART: Final = re.compile(r"_(bucket|sum|count)$")
CLIENT: Final = re.compile(r"(^|_)client(_|$)")
OWN: Final = re.compile(r"^(promhttp_|prometheus_|scrape_|net_conntrack_)")
UNITS: Final = r"(_(seconds|milliseconds|ms))?"
LATENCY: Final = re.compile(
    rf"(^|_)(request|server|rpc|handler)s?_(call_|request_)?(duration|latency){UNITS}$"
    rf"|^grpc_server_handling{UNITS}$|(^|_)response_time{UNITS}$"
)
REQUESTS: Final = re.compile(r"(^|_)requests(_total)?$|^grpc_server_handled_total$")
GAUGE: Final = re.compile(r"in_?flight|queue_(depth|length|size)$|(^|_)queued(_|$)|active_requests$|(^|_)backlog$")
MILLISECONDS: Final = re.compile(r"_(milliseconds|ms)$")

# gRPC's codes by name and number; the caller's mistakes are 4xx, other failures 5xx.
GRPC_CLIENT_FAULTS: Final = frozenset(
    [
        "cancelled",
        "canceled",
        "invalidargument",
        "notfound",
        "alreadyexists",
        "permissiondenied",
        "unauthenticated",
        "failedprecondition",
        "outofrange",
        "aborted",
    ]
)
GRPC_NUMBERS: Final = {
    "0": "2xx", "1": "4xx", "3": "4xx", "5": "4xx", "6": "4xx", "7": "4xx", "9": "4xx", "10": "4xx", "11": "4xx", "16": "4xx",
}  # fmt: skip

WHY: Final = {
    "by-rule": "a metric rule of the team matches it",
    "by-name": "its name is common for this role",
    "ignored": "a metric rule of the team ignores it",
    "client-side": "a client measures it about the services it calls; the dashboard shows server-side metrics",
    "own": "it is about Prometheus or its scraping",
    "no-service": "no label names its service: service, service_name, app, job",
    "name-unusable": "the service's name has no letter or digit",
    "too-many-services": "the team has the maximum number of automatically created services",
    "not-cumulative": "it is named like a histogram but has neither buckets nor a native histogram",
    "unusual-name": "its name is not common for requests, latency or queues",
}
"""Each reason in words that continue "... because"."""


@dataclass(frozen=True, slots=True)
class ClassificationRule:
    """A team's classification of one metric family."""

    metric: str
    role: Role | Literal["ignore"]
    equal: Mapping[str, str] = field(default_factory=dict)
    service: str | None = None
    service_label: str | None = None
    environment_label: str | None = None
    status_label: str | None = None
    scale: float = 1.0
    title: str | None = None


@dataclass(frozen=True, slots=True)
class SeriesClassification:
    """The classification of a series. Without a role it is stored, but not shown on the dashboard."""

    role: Role | None
    why: str
    """A key of WHY."""
    service: str | None = None
    environment: str | None = None


def family_of(name: str) -> str:
    """Return the name of the metric that a series is a part of."""
    return PART.sub("", name)


def classify_series(
    name: str, labels: Mapping[str, str], kind: SeriesKind, rules: Sequence[ClassificationRule]
) -> SeriesClassification:
    """Classify a series."""
    rule = rule_for(name, labels, rules)
    service, environment = service_of(labels, rule), environment_of(labels, rule)
    if rule is not None:
        role, why = (None, "ignored") if rule.role == "ignore" else (rule.role, "by-rule")
    else:
        role, why = _by_name(name, kind)
    if role is not None and service is None:
        role, why = None, "no-service"
    return SeriesClassification(role, why, service, environment)


def _by_name(name: str, kind: SeriesKind) -> tuple[Role | None, str]:
    plain = name.replace(".", "_")
    family = family_of(plain)
    if OWN.search(plain):
        return None, "own"
    if LATENCY.search(family):
        if CLIENT.search(plain):
            return None, "client-side"
        is_part = family != plain
        return (
            ("latency", "by-name") if is_part or kind in {"histogram", "gauge-histogram"} else (None, "not-cumulative")
        )
    if REQUESTS.search(plain) and kind in {"counter", "unknown"} and not GAUGE.search(plain):
        return (None, "client-side") if CLIENT.search(plain) else ("requests", "by-name")
    if GAUGE.search(plain) and kind in {"gauge", "unknown"}:
        return "gauge", "by-name"
    return None, "unusual-name"


def rule_for(name: str, labels: Mapping[str, str], rules: Sequence[ClassificationRule]) -> ClassificationRule | None:
    """Return the first rule that matches this series."""
    family = family_of(name)
    return next(
        (
            rule
            for rule in rules
            if rule.metric in (name, family)
            and all(labels.get(label, "") == value for label, value in rule.equal.items())
        ),
        None,
    )


def service_of(labels: Mapping[str, str], rule: ClassificationRule | None = None) -> str | None:
    """Return the name of the service of a series."""
    if rule is not None and rule.service:
        return rule.service
    label_names = (rule.service_label,) if rule is not None and rule.service_label else SERVICE_LABELS
    return next((labels[label] for label in label_names if labels.get(label)), None)


def environment_of(labels: Mapping[str, str], rule: ClassificationRule | None = None) -> str | None:
    """Return the name of the environment of a series."""
    label_names = (rule.environment_label,) if rule is not None and rule.environment_label else ENVIRONMENT_LABELS
    return next((labels[label] for label in label_names if labels.get(label)), None)


def instance_of(labels: Mapping[str, str]) -> str | None:
    """Return the service instance of a series."""
    return next((labels[label] for label in INSTANCE_LABELS if labels.get(label)), None)


def status_label_of(labels: Mapping[str, str]) -> str | None:
    """Return the label with the status of requests."""
    return next((label for label in STATUS_LABELS if labels.get(label)), None)


def status_class(label: str, value: str) -> StatusClass:
    """Return the status class of requests with this label value."""
    if "grpc" in label:
        return _grpc_class(value)
    if len(value) == 3 and value[0] in "12345" and (value[1:].isdigit() or value[1:].lower() == "xx"):
        return "4xx" if value[0] == "4" else "5xx" if value[0] == "5" else "2xx"
    plain = value.lower()
    if plain in {"success", "ok", "true"}:
        return "2xx"
    if plain in {"error", "failure", "failed", "fail"}:
        return "5xx"
    if plain.replace("_", "") in GRPC_CLIENT_FAULTS:
        return "4xx"
    return "other"


def _grpc_class(value: str) -> StatusClass:
    plain = value.lower().replace("_", "")
    if plain == "ok" or value == "0":
        return "2xx"
    return "4xx" if plain in GRPC_CLIENT_FAULTS or GRPC_NUMBERS.get(value) == "4xx" else "5xx"


def scale_of(name: str, unit: str, rule: ClassificationRule | None = None) -> float:
    """Return the factor from a latency's unit to seconds."""
    if rule is not None:
        return rule.scale
    return 1e-3 if MILLISECONDS.search(family_of(name)) or unit in {"ms", "milliseconds"} else 1.0
