"""Erase the data of a deleted team."""

from slowpath.platform.accounts import service
from slowpath.platform.accounts.jobs import EraseTeam
from slowpath_worker.job_context import JobContext

__all__ = ["EraseTeam", "erase_team"]


def erase_team(job: EraseTeam, context: JobContext) -> None:
    """Delete the team's blobs and mirrors, then its rows, including the job's. A restored team is not deleted."""
    with context.reading() as session:
        is_deleted = service.is_team_deleted(session)
    if not is_deleted:  # restored meanwhile
        with context.finishing():
            return
    context.progress("deleting files", 0.1)
    context.blobs.delete_under(str(job.team_id))
    context.mirrors.delete_team(context.team_id)

    with context.finishing() as session:
        service.erase_team(session)
