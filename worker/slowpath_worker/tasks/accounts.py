"""Erase what a deleted team held."""

import shutil

from slowpath.accounts import service
from slowpath.accounts.jobs import EraseTeam
from slowpath.adapters.git import mirror_folder
from slowpath_worker.context import Context

__all__ = ["EraseTeam", "erase_team"]


def erase_team(job: EraseTeam, context: Context) -> None:
    """Remove the team's bytes, then its rows; the job's own row goes with them. A team that was reopened stays."""
    with context.reading() as session:
        closed = service.is_closed(session)
    if not closed:  # reopened meanwhile
        with context.finishing():
            return
    context.progress("removing files", 0.1)
    context.blobs.delete_under(str(job.team_id))
    shutil.rmtree(mirror_folder(context.settings, context.team_id), ignore_errors=True)

    with context.finishing() as session:
        service.erase_team(session)
