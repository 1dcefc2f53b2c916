"""Repositories are fetched from a real git server, diffs and closures are read from the mirror, and failures are reported."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from slowpath.adapters.egress import create_outside
from slowpath.adapters.git_remotes import create_remotes
from slowpath.analysis.bisect.commit_suspicion import RegressedCode
from slowpath.core.db_sessions import TeamScope
from slowpath.core.encryption import create_sealer
from slowpath.core.ids import CommitId, JobId, RepositoryId, ServiceId
from slowpath.core.jobs import Job, JobState
from slowpath.inventory.catalog.service import catalog_entries
from slowpath.inventory.repositories.jobs import (
    ComputePackageClosures,
    DeleteRepositoryMirror,
    FetchRepository,
    PollRepository,
    ReadCommitDiff,
)
from slowpath.inventory.repositories.service import commit_graph, repositories, suspect_commits
from slowpath.inventory.repositories.service.repositories import GitCredentials, ServiceSource
from tests.jobs.conftest import Bench
from tests.support.git_repositories import GitServer, SomeRepository, basic, git_server, new_repository
from tests.support.worker_contexts import mirror_folder

pytestmark = pytest.mark.database

MOD = "module example.org/app\n\ngo 1.21\n"
FIRST = {
    "go.mod": MOD, "cmd/server/main.go": 'package main\n\nimport "example.org/app/store"\n\nfunc main() { store.Get() }\n',
    "store/store.go": "package store\n\nfunc Get() {}\n", "README.md": "x\n",
}  # fmt: skip


@pytest.fixture
def repository(tmp_path: Path) -> SomeRepository:
    return new_repository(tmp_path / "served" / "api")


@pytest.fixture
def server(repository: SomeRepository) -> Iterator[GitServer]:
    with git_server(repository.folder.parent) as state:
        yield state


@pytest.fixture
def near(bench: Bench, tmp_path: Path) -> Bench:
    """Return a bench whose operator allows loopback addresses, with mirrors in a folder of the test."""
    settings = bench.worker_context.settings.model_copy(
        update={"egress_allowlist": "127.0.0.0/8", "git_dir": tmp_path / "copies"}
    )
    return bench.with_settings(settings)


def scope(bench: Bench) -> TeamScope:
    return TeamScope(bench.team.id, bench.team.owner.user_id)


def added(bench: Bench, url: str, sign_in: GitCredentials | None = None) -> tuple[RepositoryId, ServiceId]:
    """Add a repository by its verb, which writes its first fetch down."""
    settings = bench.worker_context.settings
    with bench.worker_context.database.writing(scope(bench)) as session:
        service_id = ServiceId(catalog_entries.create_service(session, "ingester", {}).id)
        row = repositories.create_repository(
            session, create_sealer(settings), create_remotes(settings, create_outside(settings)),
            label="api", url=url, kind=None, web_url=None, sign_in=sign_in or GitCredentials("none"),
            services=[ServiceSource(service_id, "", "cmd/server")],
        )  # fmt: skip
        return RepositoryId(row.id), service_id


def done(bench: Bench, job: Job) -> dict[str, Any]:
    row = bench.carry_out(bench.write_down(job))
    assert row["state"] == JobState.DONE, row["problem"]
    return row


def test_a_repository_is_fetched_and_read(near: Bench, repository: SomeRepository, server: GitServer) -> None:
    shas = [repository.commit(FIRST, "first"), repository.commit({"README.md": "y\n"}, "words\n\nand more")]
    shas.append(repository.commit({"store/store.go": "package store\n\nfunc Get() { println(1) }\n"}, "slower"))
    shas.append(repository.commit({"go.mod": MOD + "\nrequire example.org/lib v1.1.0\n"}, "bump"))
    server.credentials = basic("ann", "geheim")
    repository_id, service_id = added(near, f"{server.url}/api/.git", GitCredentials("basic", "", "ann", "geheim"))
    first = near.admin.execute("SELECT id FROM job WHERE name = 'repositories.fetch'").fetchone()
    assert first is not None
    near.admin.execute("UPDATE repository SET kind = 'gitea'")
    assert near.carry_out(JobId(first[0]))["state"] == JobState.DONE
    lookup = "SELECT count(*) FROM job WHERE name = 'repositories.fetch-pull-requests'"
    assert near.admin.execute(lookup).fetchone() == (1,), "its credentials may read pull requests"

    with near.worker_context.database.reading(scope(near)) as session:
        row = repositories.get_repository(session, repository_id)
        assert (row.branch_heads, row.default_branch, row.problem) == ({"main": shas[-1]}, "main", None)
        assert row.fetched_at is not None
        found = suspect_commits.rank_suspects(
            session, service_id, shas[0], shas[-1], RegressedCode(["example.org/app/store.Get"])
        )
        commits = [one.commit for one in found.suspects]
        assert [one.sha for one in commits] == shas[:0:-1]
        assert [one.title for one in commits] == ["bump", "slower", "words"]
        assert (commits[2].message, commits[1].files) == (
            "and more", [{"path": "store/store.go", "lines_added": 1, "lines_removed": 1, "status": "modified"}],
        )  # fmt: skip
        assert commits[0].dependency_updates == [
            {"module": "example.org/lib", "old_version": None, "new_version": "v1.1.0", "file": "go.mod"}
        ]  # fmt: skip
        assert found.suspects[1].share > 0.7
        commit_id = CommitId(commits[1].id)

    done(near, ReadCommitDiff(commit_id))
    done(near, ComputePackageClosures(service_id, shas[0], shas[-1]))
    with near.worker_context.database.reading(scope(near)) as session:
        diff = suspect_commits.get_diff(session, suspect_commits.get_commit(session, repository_id, shas[2]))
        assert diff.content is not None
        [file] = diff.content["files"]
        assert file["hunks"][0]["lines"][-2:] == ["-func Get() {}", "+func Get() { println(1) }"]
        found = suspect_commits.rank_suspects(session, service_id, shas[0], shas[-1], RegressedCode())
        assert found.closures == "known"
        assert [one.changes_binary for one in found.suspects] == [False, True, False]
        assert suspect_commits.list_uncomputed_closures(session, service_id, shas[0], shas[-1])[1] == []

    shas.append(repository.commit({"a": "1"}, "later"))
    done(near, FetchRepository(repository_id))
    with near.worker_context.database.reading(scope(near)) as session:
        assert [
            one.sha for one in commit_graph.list_commits_in_range(session, service_id, shas[-2], shas[-1]).commits
        ] == shas[-1:]

    folder = mirror_folder(near.worker_context.settings, near.team.id) / str(repository_id)
    assert folder.exists()
    with near.worker_context.database.writing(scope(near)) as session:
        repositories.delete_repository(session, repository_id)
    done(near, DeleteRepositoryMirror(repository_id))
    assert not folder.exists()


def test_a_repository_without_webhooks_is_fetched_on_a_schedule(
    near: Bench, repository: SomeRepository, server: GitServer
) -> None:
    sha = repository.commit(FIRST, "first")
    repository.git("tag", "v1.0.0")
    repository_id, _ = added(near, f"{server.url}/api/.git")
    near.admin.execute("DELETE FROM job")
    waiting = "SELECT count(*) FROM job WHERE state = 'waiting' AND name = %s"

    def count(name: str) -> int:
        row = near.admin.execute(waiting, (name,)).fetchone()
        assert row is not None
        return int(row[0])

    done(near, FetchRepository(repository_id))
    with near.worker_context.database.reading(scope(near)) as session:
        assert repositories.get_repository(session, repository_id).tags == {"v1.0.0": sha}
    assert (count("repositories.poll"), count("repositories.fetch")) == (1, 0)
    near.admin.execute("DELETE FROM job WHERE name = 'repositories.poll'")
    done(near, PollRepository(repository_id))
    assert (count("repositories.poll"), count("repositories.fetch")) == (1, 0), "it was fetched a moment ago"
    near.admin.execute("UPDATE repository SET fetched_at = fetched_at - interval '16 minutes'")
    done(near, PollRepository(repository_id))
    assert count("repositories.fetch") == 1

    with near.worker_context.database.writing(scope(near)) as session:
        repositories.delete_repository(session, repository_id)
    near.admin.execute("DELETE FROM job WHERE state = 'waiting'")
    done(near, PollRepository(repository_id))
    assert (count("repositories.poll"), count("repositories.fetch")) == (0, 0), "deleted repositories are not fetched"


def test_a_copy_that_is_lost_is_made_again(near: Bench, repository: SomeRepository, server: GitServer) -> None:
    shas = [
        repository.commit(FIRST),
        repository.commit({"store/store.go": "package store\n\nfunc Get() { println() }\n"}),
    ]
    repository_id, service_id = added(near, f"{server.url}/api/.git")
    done(near, FetchRepository(repository_id))
    with near.worker_context.database.reading(scope(near)) as session:
        commit_id = CommitId(suspect_commits.get_commit(session, repository_id, shas[1]).id)

    done(near, DeleteRepositoryMirror(repository_id))
    done(near, ReadCommitDiff(commit_id))
    done(near, DeleteRepositoryMirror(repository_id))
    done(near, ComputePackageClosures(service_id, shas[0], shas[1]))
    done(near, DeleteRepositoryMirror(repository_id))
    done(near, FetchRepository(repository_id))


def test_the_reason_of_a_failed_fetch_is_stored_with_the_repository(near: Bench, server: GitServer) -> None:
    repository_id, _ = added(near, f"{server.url}/nothing")
    row = near.carry_out(near.write_down(FetchRepository(repository_id)))
    assert row["state"] == JobState.FAILED
    with near.worker_context.database.reading(scope(near)) as session:
        problem = repositories.get_repository(session, repository_id).problem
    assert problem is not None
    assert problem["type"] == "urn:slowpath:repository-not-there"


def test_the_reason_of_an_unreadable_diff_is_stored_with_the_commit(
    near: Bench, repository: SomeRepository, server: GitServer
) -> None:
    sha = repository.commit(FIRST)
    repository_id, _ = added(near, f"{server.url}/api/.git")
    done(near, FetchRepository(repository_id))
    with near.worker_context.database.reading(scope(near)) as session:
        commit_id = CommitId(suspect_commits.get_commit(session, repository_id, sha).id)
    done(near, DeleteRepositoryMirror(repository_id))
    server.redirects["/api/.git/info/refs"] = "http://169.254.169.254/"
    assert near.carry_out(near.write_down(ReadCommitDiff(commit_id)))["state"] == JobState.FAILED
    with near.worker_context.database.reading(scope(near)) as session:
        diff = suspect_commits.get_diff(session, suspect_commits.get_commit(session, repository_id, sha))
    assert diff.problem is not None
    assert (diff.state, diff.problem["type"]) == ("failed", "urn:slowpath:address-redirects")
    assert isinstance(repository_id, UUID)
