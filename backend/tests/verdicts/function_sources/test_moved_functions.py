"""Functions that are in another file on the other side, in a real repository."""

import subprocess
import time
from pathlib import Path

import pytest

from slowpath.adapters.git_objects import CatFileReader
from slowpath.analysis.formats.go_declarations import DeclaredFunction
from slowpath.core.git_ports import NO_BLOB, GitChangedFile
from slowpath.verdicts.function_sources.service.moved_functions import MOST_FILES, find_moved_text
from tests.support.git_repositories import new_repository
from tests.verdicts.function_sources.conftest import World

APP = "example.org/app"
GET = f"{APP}/shop.(*Pool).Get"
database = pytest.mark.database


@database
@pytest.mark.parametrize("named", ["a.go", "b.go"])
def test_a_function_in_another_file_of_its_package_is_followed(world: World, named: str) -> None:
    """Profiles of both sides have it; the table of functions names the file of one of them."""
    world.name_file(f"{APP}/shop/{named}", GET)
    world.measure({GET: 6}, {GET: 28})
    found = world.ask(GET)
    assert found["move"] == {
        "base_path": "shop/a.go", "candidate_path": "shop/b.go", "base_function": GET, "candidate_function": GET,
    }  # fmt: skip
    base, candidate = found["base"], found["candidate"]
    assert (base["path"], candidate["path"]) == ("shop/a.go", "shop/b.go")
    assert [line["number"] for line in base["lines"]] == list(range(3, 10))
    assert [line["number"] for line in candidate["lines"]] == list(range(26, 33))
    assert [line["text"] for line in base["lines"] if line["is_changed"]] == ["\treturn p.pop()"]
    assert [line["text"] for line in candidate["lines"] if line["is_changed"]] == ["\treturn p.take()"]
    assert [(line["number"], line["total_value"]) for line in candidate["lines"] if line["total_value"]] == [(28, 20)]
    assert candidate["url"] == f"https://github.com/example/api/blob/{world.shas[1]}/shop/b.go#L26-L32"


@database
@pytest.mark.parametrize(("package", "file"), [("shop", "shop/sum.go"), ("math", "math/sum.go")])
def test_a_function_in_another_package_is_followed_with_its_cost(world: World, package: str, file: str) -> None:
    """Its name differs: each side has samples of one name only, whichever the user opens."""
    names = (f"{APP}/shop.sum", f"{APP}/math.sum")
    world.name_file(f"{APP}/{file}", f"{APP}/{package}.sum")
    world.measure({names[0]: 5}, {names[1]: 7})
    found = world.ask(f"{APP}/{package}.sum")
    assert found["move"] == {
        "base_path": "shop/sum.go", "candidate_path": "math/sum.go", "base_function": names[0], "candidate_function": names[1],
    }  # fmt: skip
    measured = [
        [line["number"] for line in found[side]["lines"] if line["total_value"]] for side in ("base", "candidate")
    ]
    assert measured == [[5], [7]]
    assert not any(line["is_changed"] for side in ("base", "candidate") for line in found[side]["lines"])


@database
def test_another_function_of_the_same_name_is_not_the_moved_one(world: World) -> None:
    """`cart.New` was there before, and changed in its file only."""
    name = f"{APP}/shop.New"
    world.name_file(f"{APP}/shop/new.go", name)
    world.measure({name: 4}, {})
    found = world.ask(name)
    assert found["move"] is None
    assert [found[side]["reason"] for side in ("base", "candidate")] == [None, "not-declared"]
    assert found["candidate"]["lines"] == []


@database
def test_a_function_with_another_text_is_not_followed(world: World) -> None:
    """`cart.sum` is new; `shop.sum`, which is deleted, has no line in common with it."""
    name = f"{APP}/cart.sum"
    world.name_file(f"{APP}/cart/unlike.go", name)
    world.measure({}, {name: 4})
    found = world.ask(name)
    assert (found["move"], found["base"]["reason"]) == (None, "not-declared")


def test_hostile_repositories_take_bounded_time(tmp_path: Path) -> None:
    """Of files that all declare the function, or are all large, a bounded number is read; unsafe names are not returned."""
    repository = new_repository(tmp_path / "hostile")
    large = "package a\n\nfunc f() {\n" + "\tx()\n" * 170_000 + "}\n"
    sha = repository.commit({"a/large.go": large, "b/small.go": "package b\n\nfunc f() { a(); b() }\n"}, "all")
    ids = {path: repository.git("rev-parse", f"{sha}:{path}") for path in ("a/large.go", "b/small.go")}
    changes = [
        *(GitChangedFile(f"d{n}/large.go", NO_BLOB, ids["a/large.go"]) for n in range(5_000)),
        *(GitChangedFile(f"{name}/x.go", NO_BLOB, ids["b/small.go"]) for name in ("..", "a\x1b", "", "a//b")),
        GitChangedFile("gone.go", NO_BLOB, 40 * "f"),
        GitChangedFile("z/small.go", NO_BLOB, ids["b/small.go"]),
    ]
    lines = ["func f() { a(); b() }"]
    with subprocess.Popen(
        ["git", "-C", str(repository.folder), "cat-file", "--batch-command"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as child:
        began = time.process_time()
        reader, declared = CatFileReader(child), DeclaredFunction(None, "f")
        assert len(changes) > MOST_FILES
        assert find_moved_text(reader, changes, declared, "b/other.go", lines) is None
        assert time.process_time() - began < 5
        found = find_moved_text(reader, changes[-6:], declared, "b/other.go", lines)
        child.kill()
    assert found is not None
    assert found.path == "z/small.go"
