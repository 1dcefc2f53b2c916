"""Every job has exactly one handler, and a payload that survives the way through the table."""

from collections.abc import Iterator
from dataclasses import fields
from typing import get_type_hints
from uuid import UUID, uuid4

import pytest

import slowpath.metadata
from slowpath.core.jobs import Job, Queue
from slowpath_worker.job_handlers import HANDLERS

assert slowpath.metadata.FEATURES  # with its tables, each feature's package is imported


def all_jobs(base: type[Job] = Job) -> Iterator[type[Job]]:
    for job in base.__subclasses__():
        if job.__module__.startswith("slowpath."):
            yield job
            yield from all_jobs(job)


def test_every_job_has_exactly_one_handler() -> None:
    jobs = list(all_jobs())

    assert {job.name for job in jobs} == set(HANDLERS)
    assert len({job.name for job in jobs}) == len(jobs)
    assert {handler.job for handler in HANDLERS.values()} == set(jobs)


@pytest.mark.parametrize("job", list(all_jobs()), ids=lambda job: job.name)
def test_a_job_survives_the_way_through_the_table(job: type[Job]) -> None:
    values = {field.name: _made_up(field.name, str(get_type_hints(job)[field.name])) for field in fields(job)}
    value = job(**values)

    assert job.from_payload(value.payload()) == value
    assert isinstance(value.subject_id, UUID)
    assert job.queue in Queue
    assert job.max_attempts >= 1


def _made_up(name: str, kind: str) -> object:
    return uuid4() if name.endswith("_id") else ["a", "b"] if kind.startswith("list") else "some text"
