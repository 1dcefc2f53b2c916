"""Source text over HTTP: read from real mirrors at the commits of both sides; hostile names reach no file."""

import pytest

from slowpath.core.ids import ArtifactId
from slowpath.evidence.artifacts.service import artifacts
from tests.verdicts.function_sources.conftest import World

pytestmark = pytest.mark.database


def test_both_sides_are_read_at_their_commits(world: World) -> None:
    found = world.ask()
    base, candidate = found["base"], found["candidate"]
    assert (base["commit"], candidate["commit"]) == world.shas
    assert (base["path"], base["reason"], base["origin"]) == ("pool/pool.go", None, "service")
    assert [line["number"] for line in base["lines"]] == list(range(3, 14))
    assert [line["number"] for line in base["lines"] if line["is_changed"]] == [10]
    changed = next(line for line in candidate["lines"] if line["is_changed"])
    assert (changed["number"], changed["text"], changed["self_value"]) == (10, "\tcopyBytes()", 60.0)
    assert (changed["attributed_value"], changed["inlined"]) == (30.0, ["main.clone"])
    assert {line["attributed_value"] for line in candidate["lines"] if line["total_value"] == 0} == {0}
    web = "https://github.com/example/api"
    assert candidate["url"] == f"{web}/blob/{world.shas[1]}/pool/pool.go#L3-L13"
    assert found["comparison_url"] == f"{web}/compare/{world.shas[0]}...{world.shas[1]}"
    service = world.client.get(f"/api/v1/comparisons/{world.comparison_id}/commits").json()
    assert (service["base"], service["candidate"]) == world.shas
    assert service["service_id"] is not None


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("../../etc/passwd", "unknown-file"),
        ("example.org/app/../../../etc/passwd", "unknown-file"),
        ("example.org/app/pool\x00.go", "unknown-file"),
        ("example.org/app/" + "a/" * 32_768 + "a.go", "unknown-file"),
        ("example.org/app/" + "a/" * 70 + "a.go", "not-in-repository"),
        ("example.org/app/secret", "not-in-repository"),
        ("example.org/app/secret/x", "not-in-repository"),
        ("example.org/app/pool", "not-in-repository"),
        ("example.org/app/bad.go", "not-in-repository"),
        ("example.org/app/big.go", "too-large"),
        ("example.org/app/go.mod", "no-lines"),
        ("/etc/passwd", "not-in-repository"),
    ],
)
def test_other_files_are_not_read(world: World, file: str, reason: str) -> None:
    world.name_file(file)
    found = world.ask()
    assert [found[side]["reason"] for side in ("base", "candidate")] == [reason, reason]
    assert [found[side]["lines"] for side in ("base", "candidate")] == [[], []]


def test_a_side_without_a_commit_states_that(world: World) -> None:
    """A module without a dot in its path is neither part of Go nor of an unknown version."""
    body = world.client.get(f"/api/v1/comparisons/{world.comparison_id}").json()
    with world.app.database.writing(world.files.scope) as session:
        artifacts.get_artifact(session, ArtifactId(body["base"]["artifact_ids"][0])).build_id = None
    world.name_file("quoter/discount/discount.go")
    found = world.ask()
    assert [found[side]["reason"] for side in ("base", "candidate")] == ["no-commit", "unknown-file"]


def test_a_file_without_a_mirror_is_linked(world: World) -> None:
    world.name_file("github.com/other/lib@v1.2.0/id/pool.go")
    base = world.ask()["base"]
    assert (base["reason"], base["module"], base["version"]) == ("no-repository", "github.com/other/lib", "v1.2.0")
    assert base["url"] == "https://github.com/other/lib/blob/v1.2.0/id/pool.go#L10-L12"

    world.app.app.state.mirrors.delete_team(world.files.team.id)
    world.name_file("example.org/app/pool/pool.go")
    assert world.ask()["base"]["reason"] == "no-mirror"  # the module's path is in the mirror
    world.name_file("github.com/example/api/pool/pool.go")
    base = world.ask()["base"]
    assert base["reason"] == "no-mirror"
    assert base["url"] == f"https://github.com/example/api/blob/{world.shas[0]}/pool/pool.go#L10-L12"
    assert world.ask("main.unknown")["base"]["reason"] == "no-file"


def test_the_people_of_a_commit_are_named(world: World) -> None:
    url = f"/api/v1/repositories/{world.repository_id}/commits"
    found = world.client.get(f"{url}/{world.shas[1]}/people").json()
    assert found["owners"] == ["@org/storage"]
    assert found["author"]["user_id"] == str(world.files.team.owner.user_id)
    assert [one["name"] for one in found["reviewers"]] == ["Lea"]
    other = world.client.get(f"{url}/{world.shas[0]}/people").json()
    assert (other["author"]["user_id"], other["owners"], other["owners_reason"]) == (None, None, "no-files")
    assert world.client.get(f"{url}/{40 * '0'}/people").status_code == 404


def test_the_people_of_a_deployment_are_the_authors_since_the_former_one(world: World) -> None:
    commits = f"/api/v1/repositories/{world.repository_id}/commits"
    parents = [{"sha": world.shas[0], "parents": []}, {"sha": world.shas[1], "parents": [world.shas[0]]}]
    assert world.client.post(commits, json={"commits": parents}).status_code == 200
    service_id = world.client.get(f"/api/v1/comparisons/{world.comparison_id}/commits").json()["service_id"]
    environment_id = world.client.post("/api/v1/environments", json={"name": "production"}).json()["id"]
    where = {"service_id": service_id, "environment_id": environment_id}
    first, second = (
        world.client.post(
            "/api/v1/deployments", json={**where, "commit": sha, "started_at": f"2026-05-0{day}T00:00:00Z"}
        )
        for day, sha in enumerate(world.shas, 1)
    )
    found = world.client.get(f"/api/v1/deployments/{second.json()['id']}/people").json()
    assert (found["former_commit"], found["commits"], found["complete"]) == (world.shas[0], 1, True)
    owner = str(world.files.team.owner.user_id)
    assert [(one["user_id"], one["commits"]) for one in found["authors"]] == [(owner, 1)]
    assert (found["owners"], found["owners_reason"]) == (["@org/storage"], None)
    former = world.client.get(f"/api/v1/deployments/{first.json()['id']}/people")
    assert (former.status_code, former.json()["type"]) == (409, "urn:slowpath:no-former-deployment")
