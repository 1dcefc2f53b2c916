"""Messages of deploy tools, as they come."""

import json
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowpath.inventory.catalog.rules import NotADeploymentEvent, parse_deployment_event

AT = datetime(2026, 11, 18, 14, 2, tzinfo=UTC)
SHA = "5f3c1e8a9b0d4c7e8f1a2b3c4d5e6f708192a3b4"

ARGO = {
    "app": {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "distributor"},
        "spec": {"destination": {"namespace": "production"}},
        "status": {
            "operationState": {
                "phase": "Succeeded",
                "finishedAt": "2026-11-18T14:02:00Z",
                "syncResult": {"revision": SHA},
            }
        },
    }
}
GITHUB = {
    "deployment_status": {"id": 7, "state": "success", "created_at": "2026-11-18T14:02:00Z"},
    "deployment": {"sha": SHA, "ref": "main", "environment": "production", "payload": {}},
    "repository": {"name": "distributor"},
}
KUBERNETES = {
    "kind": "Deployment",
    "metadata": {"name": "distributor", "namespace": "production", "uid": "u-1", "generation": 4},
    "spec": {"template": {"spec": {"containers": [{"image": f"registry.example:5000/distributor:{SHA}"}]}}},
    "status": {"conditions": [{"type": "Progressing", "lastUpdateTime": "2026-11-18T14:02:00Z"}]},
}
OURS = {"service": "distributor", "environment": "production", "commit": SHA, "at": "2026-11-18T14:02:00Z"}


@pytest.mark.parametrize(
    ("message", "dialect"),
    [
        (ARGO, "argo-cd"),
        (ARGO["app"], "argo-cd"),
        (GITHUB, "github"),
        (KUBERNETES, "kubernetes"),
        ({"kind": "AdmissionReview", "request": {"object": KUBERNETES}}, "kubernetes"),
        (OURS, "slowpath"),
    ],
)
def test_each_dialect_gives_the_same_metadata(message: dict[str, Any], dialect: str) -> None:
    event = parse_deployment_event(message)

    assert (event.service, event.environment, event.commit, event.started_at) == ("distributor", "production", SHA, AT)
    assert event.dialect == dialect


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (
            {**GITHUB, "deployment_status": {"state": "in_progress"}},
            "The state of the GitHub deployment is in_progress",
        ),
        ({"app": {**ARGO["app"], "status": {"operationState": {"phase": "Failed"}}}}, "its phase is Failed"),
        ({"kind": "Deployment", "metadata": {}}, "metadata.name is missing"),
        ({"hello": "world"}, "format of the event is unknown"),
        ({}, "format of the event is unknown"),
    ],
)
def test_an_ignored_event_states_its_reason(message: dict[str, Any], why: str) -> None:
    with pytest.raises(NotADeploymentEvent, match=why):
        parse_deployment_event(message)


def test_hostile_texts_are_cut_and_links_are_links() -> None:
    event = parse_deployment_event(
        {
            **OURS,
            "service": "x\x00y" * 500,
            "url": "javascript:alert(1)",
            "label": "\ud800",
            "at": "not a time",
            "commits": [{"id": "a", "url": "http://example.org/a"}, "b", {"title": "no id"}, {"id": ["c"]}],
        }
    )

    assert len(event.service) == 200
    assert "\x00" not in event.service
    assert (event.url, event.label, event.started_at) == (None, "?", None)
    assert event.commits == ({"id": "a", "url": "http://example.org/a"},)


def test_tags_of_other_objects_are_listed_unchanged() -> None:
    message = json.loads(json.dumps(KUBERNETES))
    message["spec"]["template"]["spec"]["containers"][0]["image"] = "localhost:5000/distributor:v1.2@sha256:abc"

    assert parse_deployment_event(message).commit == "v1.2"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
KEYS = ("service", "app", "kind", "metadata", "spec", "status", "deployment_status", "deployment", "repository")


@given(st.dictionaries(st.sampled_from(KEYS), JSON))
def test_any_message_is_read_or_refused(message: dict[str, Any]) -> None:
    with suppress(NotADeploymentEvent):
        assert parse_deployment_event(message).service
