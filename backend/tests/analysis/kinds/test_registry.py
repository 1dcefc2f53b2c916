"""The functions that the registry imports at their first use exist."""

import ast
import importlib
import inspect

import pytest

from slowpath.analysis.kinds import registry

NAMES = [
    tuple(ast.literal_eval(argument) for argument in node.args)
    for node in ast.walk(ast.parse(inspect.getsource(registry)))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "import_later"
]


def test_the_names_are_read_from_the_registry() -> None:
    assert ("profiles.decoded.profile_artifact", "read_artifact") in NAMES


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_a_name_that_is_imported_later_exists(module: str, name: str) -> None:
    assert callable(getattr(importlib.import_module(f"slowpath.analysis.kinds.{module}"), name))
