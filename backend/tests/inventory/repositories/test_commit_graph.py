"""Commits are recorded in any order; their order and ranges follow from their parents."""

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import RepositoryId, ServiceId, new_id
from slowpath.inventory.catalog.service import catalog_entries
from slowpath.inventory.repositories.errors import (
    CommitNotFound,
    InvalidCommitSha,
    RepositoryNotFound,
    RepositoryNotLinked,
)
from slowpath.inventory.repositories.read_models import CommitsInRange
from slowpath.inventory.repositories.rules import (
    ChangedFile,
    CommitMetadata,
    DependencyUpdate,
    ancestors_by_distance,
    commit_range,
    generations,
)
from slowpath.inventory.repositories.service import commit_graph
from slowpath.inventory.repositories.tables import Repository, ServiceRepository
from tests.factories.accounts import SomeTeam
from tests.support.app_under_test import AppUnderTest

AT = datetime(2026, 11, 21, 12, tzinfo=UTC)


def sha(number: int) -> str:
    return f"{number:040x}"


def facts(number: int, *parents: int, **more: object) -> CommitMetadata:
    return CommitMetadata(sha(number), [sha(parent) for parent in parents], **more)  # type: ignore[arg-type]  # named by the test


@pytest.fixture
def scope(team: SomeTeam) -> TeamScope:
    return TeamScope(team.id, team.owner.user_id)


@pytest.fixture
def service_id(app: AppUnderTest, scope: TeamScope) -> ServiceId:
    with app.database.writing(scope) as session:
        return ServiceId(catalog_entries.create_service(session, "ingester", {}).id)


@pytest.fixture
def repository_id(app: AppUnderTest, scope: TeamScope, service_id: ServiceId) -> RepositoryId:
    with app.database.writing(scope) as session:
        row = Repository(team_id=session.team_id, id=new_id(), label="mono", kind="pushed", credentials="none")
        session.add(row)
        session.flush()
        session.add(
            ServiceRepository(team_id=session.team_id, id=new_id(), service_id=service_id, repository_id=row.id)
        )
        return RepositoryId(row.id)


def record(app: AppUnderTest, scope: TeamScope, repository_id: RepositoryId, commits: Sequence[CommitMetadata]) -> int:
    with app.database.writing(scope) as session:
        return commit_graph.record_commits(session, repository_id, commits)


def between(app: AppUnderTest, scope: TeamScope, service_id: ServiceId, good: int, bad: int) -> CommitsInRange:
    with app.database.reading(scope) as session:
        return commit_graph.list_commits_in_range(session, service_id, sha(good), sha(bad))


MERGED = [facts(1), facts(2, 1), facts(3, 2), facts(4, 2), facts(5, 3, 4), facts(6, 5)]
"""1 - 2 - 3 - 5 - 6, with 4 branched off at 2 and merged by 5."""


@pytest.mark.database
@pytest.mark.parametrize("commits", [MERGED, MERGED[::-1]], ids=["oldest first", "newest first"])
@pytest.mark.parametrize("at_once", [True, False], ids=["at once", "one by one"])
def test_order_does_not_depend_on_the_order_of_input(
    app: AppUnderTest,
    scope: TeamScope,
    service_id: ServiceId,
    repository_id: RepositoryId,
    commits: list[CommitMetadata],
    at_once: bool,
) -> None:
    for some in [commits] if at_once else [[one] for one in commits]:
        assert record(app, scope, repository_id, some) == len(some)
    assert record(app, scope, repository_id, commits) == 0

    with app.database.reading(scope) as session:
        asked = [sha(6), sha(9), sha(4)[:39] + "4", sha(1), sha(5)]
        found = commit_graph.sort_topologically(session, service_id, asked)
    assert found is not None
    assert (list(found.order), list(found.unknown)) == ([sha(1), sha(4), sha(5), sha(6)], [sha(9)])

    found_between = between(app, scope, service_id, 3, 6)
    assert [row.sha for row in found_between.commits] == [sha(6), sha(5), sha(4)]
    assert (found_between.complete, found_between.related, found_between.total) == (True, True, 3)
    assert not between(app, scope, service_id, 3, 4).related


@pytest.mark.database
def test_missing_metadata_is_filled_and_present_metadata_stays(
    app: AppUnderTest, scope: TeamScope, service_id: ServiceId, repository_id: RepositoryId
) -> None:
    record(app, scope, repository_id, [CommitMetadata(sha(1)), CommitMetadata(sha(2), title="Faster")])
    partly = between(app, scope, service_id, 1, 2)
    assert (partly.complete, [row.sha for row in partly.commits]) == (False, [sha(2)])

    files = [ChangedFile("a.go", 3, 1), ChangedFile("b.png", None, None, "added")]
    bumps = [DependencyUpdate("example.org/lib", "v1.0.0", "v1.1.0")]
    whole = facts(2, 1, title="Other", committed_at=AT, files=files, dependency_updates=bumps, author_name="Ann\x00")
    record(app, scope, repository_id, [whole])
    [row] = between(app, scope, service_id, 1, 2).commits
    assert (row.title, row.committed_at, row.author_name, row.generation) == ("Faster", AT, "Ann\ufffd", 2)
    assert (row.files_total, row.lines_added, row.lines_removed) == (2, 3, 1)
    assert row.dependency_updates == [
        {"module": "example.org/lib", "old_version": "v1.0.0", "new_version": "v1.1.0", "file": "go.mod"}
    ]


@pytest.mark.database
def test_long_and_invalid_metadata_is_truncated(
    app: AppUnderTest, scope: TeamScope, service_id: ServiceId, repository_id: RepositoryId
) -> None:
    many = [ChangedFile(f"{number}/" + "p" * 2_000, 1, 0) for number in range(400)]
    metadata = facts(2, 1, title="t" * 70_000, message="\ud800" * 20_000, author_name="n" * 70_000, files=many)
    record(app, scope, repository_id, [facts(1), metadata])
    [row] = between(app, scope, service_id, 1, 2).commits
    assert row.files is not None
    assert (len(row.title), len(row.message), len(row.author_name)) == (500, 10_000, 300)
    assert (len(row.files), row.files_total, row.lines_added, len(row.files[0]["path"])) == (300, 400, 400, 1_000)


@pytest.mark.database
@pytest.mark.parametrize("bad", ["", "HEAD", "--upload-pack=id", "$(id)", ";id", "a" * 39, "A" * 40, "a" * 40 + "\n"])
def test_only_forty_digits_are_a_commit(
    app: AppUnderTest, scope: TeamScope, repository_id: RepositoryId, bad: str
) -> None:
    for metadata in (CommitMetadata(bad), CommitMetadata(sha(1), [bad])):
        with pytest.raises(InvalidCommitSha):
            record(app, scope, repository_id, [metadata])


@pytest.mark.database
def test_unknown_values_are_reported(
    app: AppUnderTest, scope: TeamScope, service_id: ServiceId, repository_id: RepositoryId, people: object
) -> None:
    record(app, scope, repository_id, [facts(1), facts(0xABC << 148)])
    with app.database.reading(scope) as session:
        assert commit_graph.sort_topologically(session, ServiceId(uuid4()), [sha(1)]) is None
        assert commit_graph.sort_topologically(session, service_id, [sha(7), "dev", "", "%"]) is None
        assert commit_graph.resolve_commits(session, repository_id, ["abc0000", "0000000", "ABC00000", "abc"]) == {
            "abc0000": sha(0xABC << 148), "0000000": sha(1), "ABC00000": sha(0xABC << 148),
        }  # fmt: skip
        with pytest.raises(RepositoryNotLinked):
            commit_graph.list_commits_in_range(session, ServiceId(uuid4()), sha(1), sha(1))
        with pytest.raises(CommitNotFound):
            commit_graph.list_commits_in_range(session, service_id, sha(1), sha(2))
    with pytest.raises(RepositoryNotFound):
        record(app, scope, RepositoryId(UUID(int=1)), [facts(1)])


@given(st.dictionaries(st.integers(0, 12), st.lists(st.integers(0, 14), max_size=3), max_size=13))
def test_generations_of_any_graph_come_to_an_end_and_rise_along_it(numbers: dict[int, list[int]]) -> None:
    graph = {str(one): [str(parent) for parent in parents] for one, parents in numbers.items()}
    forward = {one: [parent for parent in parents if int(parent) < int(one)] for one, parents in graph.items()}
    assert set(generations(graph)) == set(graph)
    counted = generations(forward)
    for one, parents in forward.items():
        assert all(counted[parent] < counted[one] for parent in parents if parent in counted)


def test_a_range_holds_what_was_merged_into_it() -> None:
    graph = {one.sha: list(one.parents or ()) for one in MERGED}
    assert commit_range(graph, sha(2), sha(6)).shas == {sha(3), sha(4), sha(5), sha(6)}


def test_a_long_line_is_counted_without_recursion() -> None:
    graph = {sha(number): [sha(number - 1)] for number in range(20_000, 0, -1)}
    assert generations(graph)[sha(20_000)] == 20_000


@pytest.mark.parametrize(
    ("start", "order"),
    [
        ("root", []),
        ("tip", ["middle", "root"]),
        ("merge", ["tip", "topic", "middle", "root"]),
        ("unknown", []),
    ],
)
def test_ancestors_are_listed_by_distance_and_the_first_parent_first(start: str, order: list[str]) -> None:
    graph = {
        "root": [],
        "middle": ["root"],
        "tip": ["middle"],
        "topic": ["root"],
        "merge": ["tip", "topic", "not recorded"],
    }
    assert ancestors_by_distance(graph, start) == order


def test_a_cycle_of_ancestors_ends() -> None:
    assert ancestors_by_distance({"a": ["b"], "b": ["a"]}, "a") == ["b"]
