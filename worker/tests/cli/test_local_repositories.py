"""Work trees of local repositories."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from slowpath.adapters.git_objects import CatFileReader
from slowpath_cli.local_bisect.local_repositories import LocalRepository
from tests.support.git_repositories import new_repository


def test_slots_are_checked_out_at_the_same_time(tmp_path: Path) -> None:
    """Git fails on the unfinished files of another work tree that is being created."""
    source = new_repository(tmp_path / "source")
    shas = [source.commit({"number": f"{one}\n"}, f"Step {one}") for one in range(4)]
    for attempt in range(3):
        copy = LocalRepository("source", source.folder, tmp_path / f"home-{attempt}", CatFileReader)
        with ThreadPoolExecutor(8) as pool:
            folders = list(pool.map(lambda slot, copy=copy: copy.tree(slot, shas[slot % 4]), range(8)))
        assert [(one / "number").read_text() for one in folders] == [f"{slot % 4}\n" for slot in range(8)]
