"""Worker contexts for tests: the real adapters, made from the settings of a test."""

from dataclasses import replace
from pathlib import Path

from slowpath.adapters.egress import create_outside
from slowpath.adapters.git_mirrors import create_mirrors
from slowpath.adapters.git_remotes import create_remotes
from slowpath.adapters.smtp_mailer import create_mailer
from slowpath.adapters.system_clock import SystemClock
from slowpath.core.db_sessions import Database
from slowpath.core.ids import TeamId
from slowpath.core.ports import BlobStore
from slowpath.core.settings import Settings
from slowpath_worker.job_context import WorkerContext


def make_worker_context(settings: Settings, database: Database, blobs: BlobStore, scratch: Path) -> WorkerContext:
    """Create a context over a test's database and blob store."""
    egress = create_outside(settings)
    mirrors = create_mirrors(settings, create_remotes(settings, egress))
    return WorkerContext(settings, database, blobs, scratch, SystemClock(), egress, create_mailer(settings), mirrors)


def with_settings(context: WorkerContext, settings: Settings) -> WorkerContext:
    """Return the context with other settings, and with the adapters made from them."""
    made = make_worker_context(settings, context.database, context.blobs, context.scratch)
    return replace(made, clock=context.clock)


def mirror_folder(settings: Settings, team_id: TeamId) -> Path:
    """Return the folder of a team's mirrors."""
    return create_mirrors(settings, create_remotes(settings, create_outside(settings))).team_folder(team_id)
