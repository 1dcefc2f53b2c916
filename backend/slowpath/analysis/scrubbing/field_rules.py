"""Field names of the API's documents that contain labels, hosts or people."""

import re
from collections.abc import Iterator
from typing import Any

LABELS = frozenset(
    [
        "labels",
        "attributes",
        "resource",
        "resource_attributes",
        "tags",
        "equal",
        "baggage",
        "metadata",
        "label_values",
        "matchers",
    ]
)
HOSTS = re.compile(
    r"(?:.*[._])?(?:instance|instances|instance_names|instance_name|instance\.id|host|hosts|hostname|host_name|node|nodes|pod|pods|"
    r"machine|machines|ip|address|addresses|peer|server|endpoint|k8s\.pod\.name|k8s\.node\.name|host\.name|host\.id|"
    r"server\.address|client\.address|net\.peer\.name|net\.host\.name|peer\.address|container\.id|nodename|addr)"
)
PEOPLE = frozenset(
    [
        "author",
        "authors",
        "author_name",
        "author_email",
        "committer",
        "committer_name",
        "committer_email",
        "email",
        "mail",
        "created_by",
        "changed_by",
        "published_by",
        "assignee",
        "by",
        "actor_name",
        "reviewer",
        "reviewers",
        "owners",
        "login",
        "user",
        "user_name",
        "username",
        "person",
        "people",
        "mentioned",
    ]
)
STRUCTURE = frozenset(
    [
        "id",
        "kind",
        "state",
        "verdict",
        "type",
        "unit",
        "basis",
        "granularity",
        "part",
        "direction",
        "format",
        "media_type",
        "cause",
        "category",
        "categories",
        "sample_type",
        "default_basis",
        "bases",
        "normalization",
        "normalizations",
        "default_normalization",
        "profile_kind",
        "what",
        "role",
        "goos",
        "goarch",
        "sha",
        "sha256",
        "trace_id",
        "span_id",
        "status",
        "reason",
        "shape",
        "flags",
        "granularities",
        "created_at",
        "changed_at",
        "mode",
        "dialect",
    ]
)
"""Fields whose values the pages' code reads."""
PLAIN = re.compile(r"[A-Za-z0-9_+-]{0,64}(?:\.[a-z_]{1,20}){0,2}")
MOMENT_OR_ID = re.compile(r"[0-9a-f-]{8,64}|[0-9TZ:.+-]{10,40}")
ORDINARY = re.compile(
    r"(?:http\.(?:request\.)?method|http\.(?:response\.)?status_code|http\.flavor|network\.protocol\.(?:name|version)|"
    r"url\.scheme|span\.kind|otel\.(?:status_code|scope\.name|scope\.version|library\.name|library\.version)|error|"
    r"rpc\.(?:system|grpc\.status_code)|db\.(?:system|operation)(?:\.name)?|messaging\.(?:system|operation)(?:\.type)?|"
    r"telemetry\.sdk\.(?:name|language|version)|le|quantile|code|method|status|status_code|job_type|internal\.span\.format)"
)
"""Labels whose values are standard terms: they make a span readable and identify nothing."""
ORDINARY_VALUE = re.compile(r"[A-Za-z0-9_.+/-]{1,24}")


def pairs_of(value: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - any JSON value
    """Yield keys and values of labels in any of the formats of the documents."""
    if isinstance(value, dict):
        yield from ((str(key), one) for key, one in value.items())
    elif isinstance(value, list):
        for one in value:
            if isinstance(one, list) and len(one) == 2 and isinstance(one[0], str):
                yield one[0], one[1]
            elif isinstance(one, dict) and "value" in one and isinstance(key := one.get("key", one.get("name")), str):
                yield key, one["value"]


def is_ordinary(key: str, value: Any) -> bool:  # noqa: ANN401 - any JSON value
    """Return whether a label's value is a standard term, or a boolean."""
    if isinstance(value, bool) or value is None:
        return True
    return ORDINARY.fullmatch(key) is not None and ORDINARY_VALUE.fullmatch(str(value)) is not None


def is_structure(key: str, value: str) -> bool:
    """Return whether a text is read by the pages' code, not by people."""
    if key.endswith(("id", "_ids", "_at")) and MOMENT_OR_ID.fullmatch(value) is not None:
        return True
    return key in STRUCTURE and PLAIN.fullmatch(value) is not None


def is_identifying(value: str) -> bool:
    """Return whether a label's value is searched outside of labels too; plain words occur in any sentence."""
    if len(value) < 4 or value.isdigit():
        return False
    if value.isascii() and value.isalpha():
        return not value.islower() and not (value.isupper() and len(value) < 8)
    return True
