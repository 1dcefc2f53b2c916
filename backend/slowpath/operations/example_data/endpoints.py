"""HTTP endpoints of example data."""

from fastapi import APIRouter

from slowpath.core.errors import Conflict, NotFound
from slowpath.operations.example_data.schemas import ExampleDataOut, OwnDataOut
from slowpath.operations.example_data.service import example_state
from slowpath.operations.example_data.service.example_state import ExampleDataStatus
from slowpath.platform.accounts.access import MayManage, MayRead
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Reading, Writing

router = APIRouter(prefix="/api/v1", tags=["example data"])


def make_example_data_out(status: ExampleDataStatus) -> ExampleDataOut:
    """Return the wire shape of the state of example data."""
    row, job = status.row, status.job
    problem = (row.problem if row is not None else None) or {}
    return ExampleDataOut.model_validate(
        {
            "state": row.state if row is not None else "absent",
            "services": [each.slug for each in status.services],
            "series": status.series,
            "own": OwnDataOut.model_validate(status.own),
            "progress": job.progress if job is not None else 0.0,
            "step": job.step if job is not None else "",
            "detail": problem.get("detail"),
        }
    )


@router.get("/example-data", operation_id="example-data:get")
def get_example_data(caller: MayRead, session: Reading) -> ExampleDataOut:
    """Return whether the team has example data, and the progress of the job that adds or removes it."""
    return make_example_data_out(example_state.get_status(session))


@router.post(
    "/example-data", operation_id="example-data:add", status_code=202, responses=document_problems(Conflict)
)
def add_example_data(caller: MayManage, session: Writing) -> ExampleDataOut:
    """Add example data by a job: services with builds, profiles, traces, metrics, comparisons and a finished bisect."""
    row = example_state.request_addition(session)
    record_audit_event(session, caller, "example-data.added", "team", caller.team_id, {})
    session.flush()
    return make_example_data_out(ExampleDataStatus(row))


@router.delete(
    "/example-data", operation_id="example-data:remove", status_code=202, responses=document_problems(NotFound)
)
def remove_example_data(caller: MayManage, session: Writing) -> ExampleDataOut:
    """Remove all example data by a job: its services with everything that belongs to them, and nothing else."""
    row = example_state.request_removal(session)
    record_audit_event(session, caller, "example-data.removed", "team", caller.team_id, {})
    session.flush()
    return make_example_data_out(ExampleDataStatus(row))
