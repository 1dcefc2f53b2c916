"""A comparison of builds of two commits of a real repository, whose mirror is fetched."""

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from slowpath.adapters.egress import create_outside
from slowpath.adapters.git_mirrors import create_mirrors
from slowpath.adapters.git_remotes import create_remotes
from slowpath.analysis.formats.column_file import pack_strings, write_columns
from slowpath.core.ids import ArtifactId, BlobKey, ComparisonId, RepositoryId
from slowpath.evidence.artifacts.service import artifacts
from slowpath.verdicts.comparisons.service import comparison_results
from tests.factories.accounts import SomeTeam
from tests.factories.comparisons import FUNCTION_VIEW, ComparisonsFactory
from tests.factories.files import FilesFactory
from tests.support.app_under_test import AppUnderTest
from tests.support.git_repositories import SomeRepository, git_server, new_repository

FUNCTION = "main.clone"
BASE = "package pool\n\nfunc clone() {\n" + 6 * "\ta()\n" + "\tget()\n\tx()\n\tput()\n}\n"
CANDIDATE = BASE.replace("\tget()\n", "\tcopyBytes()\n")
GET = "// Get returns one.\nfunc (p *Pool) Get() *Item {\n\tif p.free == nil {\n\t\treturn new(Item)\n\t}\n\treturn p.pop()\n}\n"
SUM = "func sum(all []int) (n int) {\n\tfor _, one := range all {\n\t\tn += one\n\t}\n\treturn n\n}\n"
NEW = "func New() int {\n\treturn 1\n}\n"
MOVED_BASE = {
    "shop/a.go": f"package shop\n\n{GET}",
    "shop/b.go": "package shop\n\nfunc other() {\n" + 20 * "\tx()\n" + "}\n",
    "shop/sum.go": f"package shop\n\n{SUM}",
    "shop/new.go": f"package shop\n\n{NEW}",
    "cart/cart.go": f"package cart\n\n{NEW}",
    "cart/unlike.go": "package cart\n",
}
MOVED_CANDIDATE = {
    "shop/a.go": "package shop\n\nvar x = 1\n",
    "shop/b.go": "package shop\n\nfunc other() {\n" + 20 * "\tx()\n" + "}\n\n" + GET.replace("pop", "take"),
    "shop/sum.go": "package shop\n",
    "shop/new.go": "package shop\n",
    "math/sum.go": f'package math\n\nimport "a"\n\n{SUM}',
    "cart/cart.go": f"package cart\n\nvar y = 1\n\n{NEW}",
    "cart/unlike.go": "package cart\n\nfunc sum() {\n\ta()\n\tb()\n\tc()\n}\n",
}
"""`Get` moves to another file of its package, `sum` to another package; `New` is deleted where another package has one."""
OWNERS = "* @org/all\n/pool/ @org/storage\n"


@dataclass(frozen=True)
class World:
    """A repository with two commits, and a comparison of a build of each."""

    client: TestClient
    app: AppUnderTest
    files: FilesFactory
    repository: SomeRepository
    repository_id: str
    shas: tuple[str, str]
    comparison_id: ComparisonId

    def name_file(self, file: str, function: str = FUNCTION) -> None:
        """Set the file of the function in the table of functions."""
        strings = ["", function, file]
        columns = {"name": np.array([1], dtype=np.uint32), "file": np.array([2], dtype=np.uint32)}
        header = {"format": "slowpath.functions", "format_version": 1}
        key = comparison_results.make_view_key(self.files.team.id, self.comparison_id, FUNCTION_VIEW, "functions")
        self.app.blobs.put(BlobKey(key), gzip.compress(write_columns(header, {**columns, **pack_strings(strings)})))

    def measure(self, base: Mapping[str, int], candidate: Mapping[str, int]) -> None:
        """Store one measured line of each function on a side."""
        rows = [(name, line, side) for side, lines in enumerate((base, candidate)) for name, line in lines.items()]
        names = sorted({name for name, _, _ in rows})
        cost = {side: np.array([20.0 * (of == side) for _, _, of in rows]) for side in (0, 1)}
        columns = {
            "function": np.array([names.index(name) for name, _, _ in rows], dtype=np.uint32),
            "line": np.array([line for _, line, _ in rows], dtype=np.int32),
            **{f"base_{what}": cost[0] for what in ("self", "total")},
            **{f"candidate_{what}": cost[1] for what in ("self", "total")},
        }
        header = {"format": "slowpath.lines", "format_version": 1}
        key = comparison_results.make_view_key(self.files.team.id, self.comparison_id, FUNCTION_VIEW, "lines")
        self.app.blobs.put(BlobKey(key), write_columns(header, {**columns, **pack_strings(names)}))

    def ask(self, function: str = FUNCTION) -> dict[str, Any]:
        """Request the source of the function."""
        views = self.client.get(f"/api/v1/comparisons/{self.comparison_id}").json()["views"]
        view = next(each["id"] for each in views if each["granularity"] == "function")
        answer = self.client.get(
            f"/api/v1/comparisons/{self.comparison_id}/views/{view}/source", params={"function": function}
        )
        assert answer.status_code == 200, answer.text
        body: dict[str, Any] = answer.json()
        return body


@pytest.fixture
def world(app: AppUnderTest, team: SomeTeam, client: TestClient, tmp_path: Path) -> World:
    repository = new_repository(tmp_path / "served" / "api")
    mod = {"go.mod": "module example.org/app\n", "CODEOWNERS": OWNERS}
    (repository.folder / "secret").symlink_to("/etc/passwd")
    contents: dict[str, str | bytes | None] = {"pool/pool.go": BASE, "big.go": "x\n" * 600_000, "bad.go": b"\x00\xff"}
    shas = (
        repository.commit({**mod, **contents, **MOVED_BASE}, "first"),
        repository.commit(
            {"pool/pool.go": CANDIDATE, **MOVED_CANDIDATE}, "copy bytes\n\nReviewed-by: Lea Brandt <lea@example.org>\n"
        ),
    )
    settings = app.settings.model_copy(update={"egress_allowlist": "127.0.0.0/8", "git_dir": tmp_path / "mirrors"})
    app.app.state.mirrors = create_mirrors(settings, create_remotes(settings, create_outside(settings)))
    service_id = client.post("/api/v1/services", json={"name": "ingester"}).json()["id"]
    made = client.post(
        "/api/v1/repositories",
        json={
            "name": "api",
            "url": "https://github.com/example/api.git",
            "services": [{"service_id": service_id}],
        },
    ).json()
    with git_server(repository.folder.parent) as server:
        mirror = app.app.state.mirrors.get_mirror(team.id, RepositoryId(made["id"]))
        mirror.fetch(f"{server.url}/api/.git", None, lambda: None)
    commits = [
        {"sha": sha, "author_name": "Ann", "author_email": email, "title": "t", "message": message, "files": changed}
        for sha, email, message, changed in (
            (shas[0], "a@b.example", "", []),
            (shas[1], team.owner.email, "Reviewed-by: Lea <lea@x.example>", [{"path": "pool/pool.go"}]),
        )
    ]
    assert client.post(f"/api/v1/repositories/{made['id']}/commits", json={"commits": commits}).status_code == 200
    files = FilesFactory(app, team)
    comparison_id = ComparisonsFactory(files).done()
    found = World(client, app, files, repository, made["id"], shas, comparison_id)
    _link_builds(found, service_id)
    found.name_file("example.org/app/pool/pool.go")
    return found


def _link_builds(world: World, service_id: str) -> None:
    body = world.client.get(f"/api/v1/comparisons/{world.comparison_id}").json()
    for side, sha in zip(("base", "candidate"), world.shas, strict=True):
        build = world.client.post("/api/v1/builds", json={"service_id": service_id, "commit": sha})
        assert build.status_code in {200, 201}, build.text
        with world.app.database.writing(world.files.scope) as session:
            artifact = artifacts.get_artifact(session, ArtifactId(body[side]["artifact_ids"][0]))
            artifact.build_id = build.json()["id"]
