"""The commit of a side: the only one, or the newest of several."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from slowpath.evidence.artifacts.tables import Artifact
from slowpath.inventory.catalog.tables import Build
from slowpath.verdicts.function_sources.service.side_commits import make_compared_commits, make_side_commit

NOON = datetime(2026, 11, 17, 12, tzinfo=UTC)
OLD, NEW, MODULES = UUID(int=1), UUID(int=2), {"example.com/x": "v1.2.0"}


def build(build_id: UUID, commit: str, hours: int) -> Build:
    return Build(
        id=build_id, service_id=UUID(int=9), commit=commit, go_version="go1.26", dependencies=MODULES,
        committed_at=NOON + timedelta(hours=hours), created_at=NOON,
    )  # fmt: skip


THIRD = UUID(int=3)
BUILDS = {OLD: build(OLD, "aaa", 1), NEW: build(NEW, "bbb", 5), THIRD: build(THIRD, "ddd", 7)}


def artifact(build_id: UUID | None, commit: str = "", hours: int = 0) -> Artifact:
    return Artifact(
        build_id=build_id, run_metadata={"commit": commit} if commit else {}, created_at=NOON + timedelta(hours=hours)
    )


def test_one_commit_is_that_of_the_side() -> None:
    side = make_side_commit([artifact(OLD), artifact(OLD)], BUILDS)
    assert (side.commit, side.reason, side.commits, side.dependencies) == ("aaa", None, 1, MODULES)
    assert make_side_commit([artifact(None)], {}).reason == "no-commit"


def test_of_several_commits_there_is_none_or_the_newest() -> None:
    artifacts = [artifact(NEW), artifact(OLD), artifact(OLD)]
    side = make_side_commit(artifacts, BUILDS)
    assert (side.commit, side.reason, side.commits) == (None, "several-commits", 2)
    newest = make_side_commit(artifacts, BUILDS, takes="newest")
    assert (newest.commit, newest.reason, newest.commits) == ("bbb", None, 2)
    uploaded_later = make_side_commit([*artifacts, artifact(None, "ccc", hours=6)], BUILDS, takes="newest")
    assert (uploaded_later.commit, uploaded_later.service_id, uploaded_later.commits) == ("ccc", None, 3)


def test_a_change_between_pools_of_builds_is_between_the_newest_base_and_the_oldest_candidate() -> None:
    oldest = make_side_commit([artifact(THIRD), artifact(NEW)], BUILDS, takes="oldest")
    assert (oldest.commit, oldest.service_id, oldest.commits) == ("bbb", UUID(int=9), 2)
    compared = make_compared_commits(make_side_commit([artifact(OLD)], BUILDS, takes="newest"), oldest)
    assert (compared.service_id, compared.base, compared.candidate) == (UUID(int=9), "aaa", "bbb")
    overlapping = make_side_commit([artifact(OLD), artifact(NEW)], BUILDS, takes="newest")
    compared = make_compared_commits(overlapping, oldest)
    assert (compared.base, compared.candidate) == (None, None)
    later = make_side_commit([artifact(THIRD)], BUILDS, takes="newest")
    compared = make_compared_commits(later, make_side_commit([artifact(OLD)], BUILDS, takes="oldest"))
    assert (compared.base, compared.candidate) == ("ddd", "aaa"), "one commit a side is taken as it is"
