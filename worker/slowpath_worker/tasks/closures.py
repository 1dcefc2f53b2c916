"""Find which commits between two builds change a service's binary."""

from uuid import UUID

from slowpath.adapters.git import mirror_of
from slowpath.adapters.git_remotes import create_remotes
from slowpath.adapters.outside import create_outside
from slowpath.analysis.closure.closure import Closures
from slowpath.commits.jobs import ReadClosures
from slowpath.commits.rules import recipe_of
from slowpath.commits.service import keeping, suspecting
from slowpath.core.errors import NotFound, TooLarge
from slowpath.core.ids import RepositoryId
from slowpath.core.sealing import create_sealer
from slowpath_worker.context import Context

__all__ = ["ReadClosures", "read_closures"]

AT_ONCE = 200
"""Commits whose closures are written in one transaction."""


def read_closures(job: ReadClosures, context: Context) -> None:
    """Read the closure at every commit of the range and at those just before it; what is known already is left alone."""
    with context.reading() as session:
        between, wanted = suspecting.open_closures(session, job.service_id, job.good, job.bad)
        built = between.built
        url, authorization = between.repository.url, keeping.authorization(
            between.repository, create_sealer(context.settings)
        )  # fmt: skip
    remotes = create_remotes(context.settings, create_outside(context.settings))
    mirror = mirror_of(context.settings, remotes, context.team_id, RepositoryId(between.repository.id))
    if url is not None and not all(mirror.has(sha) for sha in (between.good, between.bad)):
        context.progress("fetching", 0.0)
        mirror.fetch(url, authorization, context.check)

    recipe, memory = recipe_of(built.directory, built.main_package), mirror.remembered()
    found: list[tuple[UUID, str | None, int | None, str | None]] = []
    with mirror.objects() as objects:
        closures = Closures(objects, built.directory, built.main_package, memory=memory)
        for number, (commit_id, sha) in enumerate(wanted):
            context.progress("comparing what is built", number / len(wanted))
            try:
                one = closures.at(objects.root(sha))
                found.append((commit_id, one.hash, len(one.packages), one.problem))
            except (NotFound, TooLarge) as error:  # of this commit, not of the range
                found.append((commit_id, None, None, error.detail))
            if len(found) == AT_ONCE:
                _write(context, recipe, found)
                found = []
    mirror.remember(memory)
    with context.finishing() as session:
        suspecting.write_closures(session, recipe, found)


def _write(context: Context, recipe: str, found: list[tuple[UUID, str | None, int | None, str | None]]) -> None:
    with context.writing() as session:
        suspecting.write_closures(session, recipe, found)
