"""A sample of what `npm run test:long -- api` does at length."""

import pytest

from proofs.api_fuzz import ask
from tests.support.databases import TestDatabase
from tests.support.running_stacks import RunningStack, reported_faults

pytestmark = pytest.mark.processes

EXAMPLES = 2
SECONDS = 30
SEED = 20261121


@pytest.mark.takes_long
@pytest.mark.database
def test_a_sample_of_requests_is_answered_as_described(stack: RunningStack, migrated: TestDatabase) -> None:
    asked = ask(stack, migrated, examples=EXAMPLES, seconds=SECONDS, seed=SEED)

    assert asked.code == 0, asked.output[-8000:]
    assert reported_faults(stack.folder) == []
