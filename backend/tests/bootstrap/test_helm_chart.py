"""The Helm chart, rendered by Helm 4 and held against the published schemas of Kubernetes and of the operator of Prometheus."""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml

from bootstrap_parts.project_paths import ROOT
from slowpath.core.jobs import Queue
from support.go_modules import unpacked_module
from support.helm_chart import CHART, CUSTOM, EVERYTHING, NEEDED, OPERATOR, helm_library
from support.unpacked_wheels import unpacked_wheel

pytestmark = pytest.mark.processes
SCHEMAS = ("kubernetes-validate", "1.37.0", "85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9")
OLDEST, NEWEST = "1.25.0", "1.37.0"
Json = dict[str, Any]
Render = Callable[[Mapping[str, object]], list[Json]]


@pytest.fixture(scope="module")
def render() -> Iterator[Render]:
    """Give a function from values to objects."""
    with helm_library() as helm:
        if helm is None or unpacked_wheel(*SCHEMAS) is None:
            pytest.skip("Helm or the schemas of Kubernetes cannot be had")
        chart = helm.Chart.load(CHART)

        def rendered(values: Mapping[str, object]) -> list[Json]:
            chart.validate_schema(values)
            files = chart.render(values, name="slowpath", namespace="perf", is_install=True, revision=1)
            return [document for text in files.values() for document in yaml.safe_load_all(text) if document]

        yield rendered


@cache
def validator(version: str, kind: str, api: str) -> jsonschema_rs.Validator:
    package = unpacked_wheel(*SCHEMAS)
    assert package is not None
    folder = package / "kubernetes_validate" / "kubernetes-json-schema" / f"v{version}-local-strict"
    group, _, number = api.rpartition("/")
    name = "-".join(part for part in (kind.lower(), group.partition(".")[0], number) if part)

    def read(path: Path) -> Json:
        schema: Json = json.loads(path.read_text().replace('"_definitions.json#', '"#'))
        return schema

    schema = read(folder / f"{name}.json")
    return jsonschema_rs.validator_for({**schema, **read(folder / "_definitions.json")})


@cache
def custom_validator(kind: str, api: str) -> jsonschema_rs.Validator | None:
    """Return the validator of the operator's definition of a kind; None if its module cannot be had."""
    module = unpacked_module(*OPERATOR)
    if module is None:
        return None
    path = module / "example" / "prometheus-operator-crd" / f"monitoring.coreos.com_{CUSTOM[kind]}.yaml"
    definition = yaml.safe_load(path.read_text())
    [schema] = [
        version["schema"]["openAPIV3Schema"]
        for version in definition["spec"]["versions"]
        if f"{definition['spec']['group']}/{version['name']}" == api
    ]
    schema["properties"]["metadata"] = {"type": "object"}  # that of all kinds, which the definition leaves open
    return jsonschema_rs.validator_for(_strict(schema))


def _strict(schema: Json) -> Json:
    """Forbid what a definition does not name: an API server would drop it."""
    closed: Json = {
        name: _strict(value)
        if isinstance(value, dict)
        else [_strict(each) if isinstance(each, dict) else each for each in value]
        if isinstance(value, list)
        else value
        for name, value in schema.items()
    }
    if "properties" in schema and schema.get("type") == "object" and "additionalProperties" not in schema:
        closed["additionalProperties"] = bool(schema.get("x-kubernetes-preserve-unknown-fields", False))
    return closed


def named(objects: list[Json], kind: str) -> dict[str, Json]:
    return {each["metadata"]["name"]: each for each in objects if each["kind"] == kind}


def pods(objects: list[Json]) -> dict[str, Json]:
    return {
        name: each["spec"]["template"]["spec"]
        for kind in ("Deployment", "Job")
        for name, each in named(objects, kind).items()
    }


@pytest.mark.parametrize("values", [NEEDED, EVERYTHING], ids=["default", "everything"])
@pytest.mark.parametrize("version", [OLDEST, NEWEST])
def test_every_object_has_the_published_schema(render: Render, values: Json, version: str) -> None:
    objects = render(values)
    faults = [
        f"{each['kind']} {each['metadata']['name']}: {error.message} at {error.instance_path}"
        for each in objects
        if each["kind"] not in CUSTOM
        for error in validator(version, each["kind"], each["apiVersion"]).iter_errors(each)
    ]
    assert faults == []
    keys = [(each["kind"], each["metadata"]["name"]) for each in objects]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("kind", CUSTOM)
def test_kinds_of_the_operator_of_prometheus_have_its_schema(render: Render, kind: str) -> None:
    [found] = named(render(EVERYTHING), kind).values()
    custom = custom_validator(kind, found["apiVersion"])
    if custom is None:
        pytest.skip("the module of the operator cannot be had")
    assert [f"{error.message} at {error.instance_path}" for error in custom.iter_errors(found)] == []
    found["spec"]["period"] = "1m"
    assert not custom.is_valid(found)


def test_a_wrong_field_is_a_fault(render: Render) -> None:
    service = named(render(NEEDED), "Service")["slowpath"]
    service["spec"]["portz"] = []
    assert not validator(NEWEST, "Service", "v1").is_valid(service)


def test_every_process_runs_and_the_migration_before_them(render: Render) -> None:
    objects = render(NEEDED)
    assert set(named(objects, "Deployment")) == {
        "slowpath-web", "slowpath-relay", *(f"slowpath-worker-{queue}" for queue in Queue),
    }  # fmt: skip
    assert (
        named(objects, "Job")["slowpath-migrate"]["metadata"]["annotations"]["helm.sh/hook"]
        == "pre-install,pre-upgrade"
    )
    assert named(objects, "Secret") == {}
    assert not CUSTOM.keys() & {each["kind"] for each in objects}


def test_together_the_workers_serve_every_queue(render: Render) -> None:
    served = [
        variable["value"]
        for pod in pods(render(NEEDED)).values()
        for variable in pod["containers"][0]["env"]
        if variable["name"] == "SLOWPATH_WORKER_QUEUES"
    ]
    assert sorted(served) == sorted(Queue)


def test_no_pod_has_rights_that_it_does_not_need(render: Render) -> None:
    for name, pod in pods(render(EVERYTHING)).items():
        container = pod["containers"][0]
        assert pod["securityContext"]["runAsNonRoot"], name
        assert pod["automountServiceAccountToken"] is False
        assert container["securityContext"] == {
            "readOnlyRootFilesystem": True, "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]},
        }  # fmt: skip
        assert "memory" in container["resources"]["limits"]
        secrets = {each["name"] for each in container["env"] if "valueFrom" in each}
        assert ("MIGRATE_DATABASE_URL" in secrets) == (name == "slowpath-migrate")


def test_every_selector_finds_pods(render: Render) -> None:
    objects = render(EVERYTHING)
    labels = [each["spec"]["template"]["metadata"]["labels"] for each in named(objects, "Deployment").values()]
    selectors = [
        *(
            each["spec"]["selector"]["matchLabels"]
            for kind in ("Deployment", "PodDisruptionBudget")
            for each in named(objects, kind).values()
        ),
        *(each["spec"]["podSelector"]["matchLabels"] for each in named(objects, "NetworkPolicy").values()),
        named(objects, "Service")["slowpath"]["spec"]["selector"],
    ]
    assert all(any(selector.items() <= each.items() for each in labels) for selector in selectors)
    service = named(objects, "Service")["slowpath"]["metadata"]["labels"]
    assert named(objects, "ServiceMonitor")["slowpath"]["spec"]["selector"]["matchLabels"].items() <= service.items()
    scaled = {each["spec"]["scaleTargetRef"]["name"] for each in named(objects, "HorizontalPodAutoscaler").values()}
    assert scaled == set(named(objects, "Deployment")) - {"slowpath-relay"}


def test_alerts_and_dashboard_use_metrics_that_exist(render: Render) -> None:
    objects = render(EVERYTHING)
    dashboard = json.loads(named(objects, "ConfigMap")["slowpath-dashboard"]["data"]["slowpath.json"])
    rules = named(objects, "PrometheusRule")["slowpath"]["spec"]["groups"][0]["rules"]
    queries = [
        *(rule["expr"] for rule in rules),
        *(target["expr"] for panel in dashboard["panels"] for target in panel["targets"]),
    ]
    sources = "".join(path.read_text() for path in (ROOT / "backend/slowpath/platform/http").glob("*.py"))
    found = {
        word.removesuffix("_bucket")
        for query in queries
        for word in query.replace("(", " ").replace("{", " ").replace("[", " ").split()
        if word.startswith("slowpath_")
    }
    assert len(found) == 4
    assert all(f'"{name.rstrip(")")}"' in sources for name in found), found


@pytest.mark.parametrize("missing", NEEDED)
def test_a_missing_value_is_named(render: Render, missing: str) -> None:
    with pytest.raises(Exception, match=missing):
        render({name: value for name, value in NEEDED.items() if name != missing})
