"""The commit of a side: the only one, or the newest of several."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from slowpath.evidence.artifacts.tables import Artifact
from slowpath.inventory.catalog.tables import Build
from slowpath.verdicts.function_sources.service.side_commits import make_side_commit

NOON = datetime(2026, 11, 17, 12, tzinfo=UTC)
OLD, NEW, MODULES = UUID(int=1), UUID(int=2), {"example.com/x": "v1.2.0"}


def build(build_id: UUID, commit: str, hours: int) -> Build:
    return Build(
        id=build_id, service_id=UUID(int=9), commit=commit, go_version="go1.26", dependencies=MODULES,
        committed_at=NOON + timedelta(hours=hours), created_at=NOON,
    )  # fmt: skip


BUILDS = {OLD: build(OLD, "aaa", 1), NEW: build(NEW, "bbb", 5)}


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
    newest = make_side_commit(artifacts, BUILDS, takes_newest=True)
    assert (newest.commit, newest.reason, newest.commits) == ("bbb", None, 2)
    uploaded_later = make_side_commit([*artifacts, artifact(None, "ccc", hours=6)], BUILDS, takes_newest=True)
    assert (uploaded_later.commit, uploaded_later.service_id, uploaded_later.commits) == ("ccc", None, 3)
