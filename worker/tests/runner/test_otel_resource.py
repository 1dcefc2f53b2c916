"""The resource attributes of a deployment's own metrics: they name its run, with any existing attributes."""

import pytest

from slowpath_cli.runner.core.otel_resource import ATTRIBUTES, ORIGINAL_ATTRIBUTES, POD, RUN_ID, attributes, of_pods

RUN = "0192f0c4-0000-7000-8000-000000000001"


@pytest.mark.parametrize(
    ("already", "existing"),
    [
        ("", f"service.instance.id={RUN}"),
        ("service.name=api, team=a", f"service.name=api,team=a,service.instance.id={RUN}"),
        ("service.instance.id=mine,service.name=api", f"service.name=api,service.instance.id={RUN}"),
    ],
)
def test_existing_resource_attributes_stay_except_the_instance(already: str, existing: str) -> None:
    assert attributes(RUN, already) == existing


def test_pods_of_a_run_are_instances_of_their_own() -> None:
    env = [{"name": "GOGC", "value": "100"}, {"name": ATTRIBUTES, "value": "service.name=api"}]
    variables = of_pods(env, RUN)
    assert [one["name"] for one in variables] == ["GOGC", RUN_ID, POD, ATTRIBUTES]
    assert variables[-1]["value"] == f"service.name=api,service.instance.id={RUN}.$({POD})"
    assert of_pods(variables, RUN) == variables


def test_external_resources_are_embedded() -> None:
    source = {"configMapKeyRef": {"name": "otel", "key": "attributes"}}
    variables = of_pods([{"name": ATTRIBUTES, "valueFrom": source}], RUN)
    assert variables[0] == {"name": ORIGINAL_ATTRIBUTES, "valueFrom": source}
    assert variables[-1] == {
        "name": ATTRIBUTES,
        "value": f"$({ORIGINAL_ATTRIBUTES}),service.instance.id={RUN}.$({POD})",
    }
