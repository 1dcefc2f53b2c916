"""A whole Slowpath, and the example's pipeline as real processes that send to it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from demos.example_pipeline import Pipeline, built, go_command
from tests.conftest import migrated  # noqa: F401 - pytest finds fixtures by name
from tests.support.databases import TestDatabase
from tests.support.running_stacks import running_stack


@dataclass(frozen=True)
class Sending:
    """The address, the token, a reading client and the running stack."""

    address: str
    token: str
    person: httpx.Client
    pipeline: Pipeline


@pytest.fixture(scope="module")
def sending(migrated: TestDatabase, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sending]:  # noqa: F811 - as above
    program = built(go_command(), "test", tmp_path_factory.mktemp("pipeline"))
    with running_stack(migrated, Path(tmp_path_factory.mktemp("stack"))) as stack, stack.signed_up() as person:
        team = person.get("/session").json()["teams"][0]
        asked = {"name": "senders", "scopes": ["upload"], "expires_in_days": 1}
        token = person.post(f"/teams/{team['id']}/tokens", json=asked).json()["secret"]
        with Pipeline(program, stack.address, token, rate=60, series=20) as pipeline:
            pipeline.deploy(program, "zero-copy")
            yield Sending(stack.address, token, person, pipeline)
