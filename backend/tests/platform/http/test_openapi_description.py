"""The API's description: complete enough that a generated client has types of all responses."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.endpoints import schema_app

DESCRIPTION = schema_app().openapi()
OPERATIONS = [
    (operation["operationId"], path, method, operation)
    for path, operations in DESCRIPTION["paths"].items()
    for method, operation in operations.items()
]
OF_API = [each for each in OPERATIONS if each[1].startswith("/api/")]


def test_ids_are_feature_and_verb_and_unique() -> None:
    ids = [each[0] for each in OPERATIONS]

    assert len(set(ids)) == len(ids)
    assert all(len(name.split(":")) == 2 for name in ids)


def test_no_fixed_path_is_also_one_with_an_id() -> None:
    """Otherwise methods of the path with an id answer 422 at the fixed path, where 405 is described."""
    with_id = {path for path in DESCRIPTION["paths"] if path.endswith("_id}")}
    fixed = {path for path in DESCRIPTION["paths"] if not path.endswith("}")}

    assert [
        path for path in sorted(fixed) if any(path.rpartition("/")[0] == each.rpartition("/")[0] for each in with_id)
    ] == []


@pytest.mark.parametrize("operation", [each[3] for each in OF_API], ids=[each[0] for each in OF_API])
def test_an_operation_documents_its_problems(operation: dict[str, Any]) -> None:
    responses = operation["responses"]

    assert {"422", "503"} <= set(responses)
    if "security" in operation:
        assert {"401", "403", "404"} <= set(responses)
    for status, response in responses.items():
        if int(status) >= 400:
            assert list(response["content"]) == ["application/problem+json"], status
            assert response["description"]
    assert operation["summary"]
    assert operation["description"].endswith((".", "`"))


@pytest.mark.parametrize("operation", [each[3] for each in OF_API], ids=[each[0] for each in OF_API])
def test_an_operation_documents_its_response(operation: dict[str, Any]) -> None:
    for status, response in operation["responses"].items():
        if status in {"200", "201", "202"}:
            for described_type, content in response["content"].items():
                assert content.get("schema"), (status, described_type)


def test_no_shape_is_left_over_or_missing() -> None:
    def references(node: Any) -> Iterator[str]:  # noqa: ANN401 - any JSON value
        if isinstance(node, dict):
            if isinstance(node.get("$ref"), str):
                yield node["$ref"].rsplit("/", 1)[1]
            for value in node.values():
                yield from references(value)
        elif isinstance(node, list):
            for value in node:
                yield from references(value)

    assert set(references(DESCRIPTION)) == set(DESCRIPTION["components"]["schemas"])


@pytest.mark.parametrize(
    ("operation_id", "media_type"),
    [
        ("artifacts:upload", "application/octet-stream"),
        ("artifacts:upload-many", "multipart/form-data"),
        ("uploads:put-part", "application/octet-stream"),
    ],
)
def test_a_binary_body_is_described_as_such(operation_id: str, media_type: str) -> None:
    operation = next(each[3] for each in OPERATIONS if each[0] == operation_id)

    assert list(operation["requestBody"]["content"]) == [media_type]
    assert operation["requestBody"]["required"]
    assert "413" in operation["responses"]


@pytest.mark.parametrize(
    ("operation_id", "headers"),
    [
        ("dashboard:get", ["DashboardHeader"]),
        ("diff-views:chunk", ["DiffTreeHeader", "DiffHeader"]),
        ("diff-views:subtree", ["DiffTreeHeader"]),
        ("execution-traces:tile", ["TimelineTileHeader"]),
    ],
)
def test_a_column_file_is_described_with_all_members_of_its_header(operation_id: str, headers: list[str]) -> None:
    operation = next(each[3] for each in OPERATIONS if each[0] == operation_id)
    content = operation["responses"]["200"]["content"]
    assert list(content) == ["application/octet-stream"]

    header = content["application/octet-stream"]["x-header"]
    assert [each["$ref"].rsplit("/", 1)[1] for each in header.get("anyOf", [header])] == headers
    for name in headers:
        schema = DESCRIPTION["components"]["schemas"][name]
        assert schema["required"] == list(schema["properties"])
