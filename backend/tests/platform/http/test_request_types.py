"""Fields of request bodies accept what their JSON schema describes, and convert nothing else."""

import sys
from collections.abc import Iterator
from typing import Annotated, Any, get_args

import pytest
from fastapi.routing import iter_route_contexts
from jsonschema_rs import Draft202012Validator
from pydantic import BaseModel, TypeAdapter, ValidationError

from tests.support.endpoints import schema_app

PROBES: tuple[object, ...] = (
    0,
    1,
    -1,
    1.0,
    0.5,
    1e300,
    True,
    False,
    None,
    "",
    "0",
    "1",
    "true",
    "null",
    [],
    {},
)


def _models_of(annotation: Any, seen: set[type[BaseModel]]) -> Iterator[type[BaseModel]]:  # noqa: ANN401 - any type
    if isinstance(annotation, type) and issubclass(annotation, BaseModel) and annotation not in seen:
        seen.add(annotation)
        yield annotation
        for field in annotation.model_fields.values():
            yield from _models_of(field.annotation, seen)
    for part in get_args(annotation):
        yield from _models_of(part, seen)


def _request_models() -> list[type[BaseModel]]:
    seen: set[type[BaseModel]] = set()
    bodies = [getattr(context, "body_field", None) for context in iter_route_contexts(schema_app().routes)]
    models = [model for body in bodies if body for model in _models_of(body.field_info.annotation, seen)]
    return sorted(models, key=lambda model: model.__name__)


def _accepts(adapter: TypeAdapter[Any], value: object) -> bool:
    try:
        adapter.validate_python(value)
    except ValidationError:
        return False
    return True


MODELS = _request_models()


def test_the_models_of_all_bodies_are_found() -> None:
    assert {"InboxViewIn", "SetDueAction", "BisectSettingsIn"} <= {model.__name__ for model in MODELS}


@pytest.mark.parametrize("model", MODELS, ids=[model.__name__ for model in MODELS])
def test_a_field_accepts_nothing_that_its_schema_excludes(model: type[BaseModel]) -> None:
    converted: list[tuple[str, object]] = []
    for name, field in model.model_fields.items():
        if field.discriminator is not None:
            continue  # its members are models of the list
        annotation: Any = Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation
        adapter: TypeAdapter[Any] = TypeAdapter(annotation)
        adapter.rebuild(_types_namespace=dict(vars(sys.modules[model.__module__])))
        schema = Draft202012Validator(adapter.json_schema(mode="validation"), validate_formats=True)
        converted += [(name, value) for value in PROBES if not schema.is_valid(value) and _accepts(adapter, value)]

    assert converted == []
