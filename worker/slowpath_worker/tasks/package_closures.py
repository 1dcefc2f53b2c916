"""Find which commits between two builds change a service's binary."""

from uuid import UUID

from slowpath.analysis.closure.closure_cache import dump_cache, load_cache
from slowpath.analysis.closure.package_closure import PackageClosureReader
from slowpath.core.encryption import create_sealer
from slowpath.core.errors import NotFound, TooLarge
from slowpath.core.ids import RepositoryId
from slowpath.inventory.repositories.jobs import ComputePackageClosures
from slowpath.inventory.repositories.rules import build_recipe
from slowpath.inventory.repositories.service import repositories, suspect_commits
from slowpath_worker.job_context import JobContext

__all__ = ["ComputePackageClosures", "read_closures"]

BATCH_SIZE = 200
"""Closures recorded in one transaction."""


def read_closures(job: ComputePackageClosures, context: JobContext) -> None:
    """Compute the package closures of a commit range and of the commits just before it; known ones are skipped."""
    with context.reading() as session:
        commit_range, commits = suspect_commits.list_uncomputed_closures(session, job.service_id, job.good, job.bad)
        built = commit_range.built
        url, authorization = commit_range.repository.url, repositories.authorization(
            commit_range.repository, create_sealer(context.settings)
        )  # fmt: skip
    mirror = context.mirrors.get_mirror(context.team_id, RepositoryId(commit_range.repository.id))
    if url is not None and not all(mirror.has(sha) for sha in (commit_range.good, commit_range.bad)):
        context.progress("fetching", 0.0)
        mirror.fetch(url, authorization, context.check)

    recipe, memory = build_recipe(built.directory, built.main_package), load_cache(mirror.read_package_cache())
    found: list[tuple[UUID, str | None, int | None, str | None]] = []
    with mirror.objects() as objects:
        closures = PackageClosureReader(objects, built.directory, built.main_package, memory=memory)
        for number, (commit_id, sha) in enumerate(commits):
            context.progress("comparing binaries", number / len(commits))
            try:
                one = closures.at(objects.root(sha))
                found.append((commit_id, one.hash, len(one.packages), one.problem))
            except (NotFound, TooLarge) as error:  # affects only this commit
                found.append((commit_id, None, None, error.detail))
            if len(found) == BATCH_SIZE:
                _write(context, recipe, found)
                found = []
    mirror.write_package_cache(dump_cache(memory))
    with context.finishing() as session:
        suspect_commits.record_closures(session, recipe, found)


def _write(context: JobContext, recipe: str, found: list[tuple[UUID, str | None, int | None, str | None]]) -> None:
    with context.writing() as session:
        suspect_commits.record_closures(session, recipe, found)
