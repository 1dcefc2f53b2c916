"""The git binary on real repositories: contents are read unchanged, and every attack fails."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from slowpath.adapters.egress import AllowlistedEgressClient
from slowpath.adapters.egress_policy import parse_allowlist
from slowpath.adapters.git_history import MirrorHistory
from slowpath.adapters.git_mirror import GitLimits, GitMirror
from slowpath.adapters.git_process import GitCommandError
from slowpath.adapters.git_remotes import AllowedRemotes
from slowpath.core.errors import AddressNotAllowed, NotFound, TooLarge, UpstreamUnavailable
from slowpath.core.git_ports import NO_BLOB, GitChangedFile, GitCommit
from tests.support.git_repositories import GitServer, SomeRepository, basic, git_server, new_repository


def never() -> None:
    """No request asks for the end."""


@pytest.fixture
def repository(tmp_path: Path) -> SomeRepository:
    return new_repository(tmp_path / "served" / "api")


@pytest.fixture
def server(repository: SomeRepository) -> Iterator[GitServer]:
    with git_server(repository.folder.parent) as state:
        yield state


def mirror_in(
    folder: Path,
    *,
    allowed: str = "127.0.0.0/8",
    local: tuple[Path, ...] = (),
    most: int = 1 << 30,
    seconds: float = 60,
) -> GitMirror:
    outside = AllowlistedEgressClient(parse_allowlist(allowed), only_listed=False)
    return GitMirror(folder / "mirror", AllowedRemotes(outside, local), GitLimits(most, seconds))


def url_of(server: GitServer, name: str = "api") -> str:
    return f"{server.url}/{name}/.git"


def all_commits(mirror: GitMirror, sha: str, *known: str) -> list[GitCommit]:
    return list(mirror.commits([sha], known, 1_000, never))


def test_commits_are_returned_as_recorded(repository: SomeRepository, server: GitServer, tmp_path: Path) -> None:
    first = repository.commit(
        {"a.go": "a\n", "d/b.txt": "x\ny\nz\nlong enough\nto be found\n"}, "first\n\nwith a body\n"
    )
    repository.git("mv", "d/b.txt", "d/c d\t.txt")
    second = repository.commit({"a.go": "a\nb\n", "bin": b"\x00\x01"}, "second")
    repository.git("checkout", "--quiet", "-b", "branch", first)
    side = repository.commit({"n.go": "1\n"}, "on the side")
    repository.git("checkout", "--quiet", "main")
    repository.git("merge", "--quiet", "--no-ff", "-m", "merged", "branch")
    merged = repository.git("rev-parse", "HEAD")
    repository.git("tag", "-a", "v1.0.0", "-m", "one", first)

    mirror = mirror_in(tmp_path)
    heads = mirror.fetch(url_of(server), None, never)
    assert (dict(heads.branches), heads.default_branch) == ({"main": merged, "branch": side}, "main")
    assert dict(heads.tags) == {"v1.0.0": first}

    found = {one.sha: one for one in all_commits(mirror, merged)}
    assert [list(found).index(one) for one in (first, merged)] == [0, 3]
    assert (found[first].title, found[first].message, found[first].parents) == ("first", "with a body", ())
    assert (found[first].author_name, found[first].author_email) == ("Ann", "ann@example.org")
    assert found[first].committed_at == datetime(2026, 11, 1, 10, 1, tzinfo=UTC)
    by_name = {one.path: (one.status, one.added, one.removed) for one in found[second].changes}
    assert by_name == {"a.go": ("M", 1, 0), "bin": ("A", None, None), "d/c d\t.txt": ("R", 0, 0)}
    assert [one.before == NO_BLOB for one in found[second].changes] == [False, True, False]
    assert found[merged].parents == (second, side)
    assert [one.path for one in found[merged].changes] == ["n.go"]
    assert [one.sha for one in all_commits(mirror, merged, second)] == [side, merged]

    text, cut = mirror.patch(second, max_bytes=1 << 20, check=never)
    assert "+b\n" in text
    assert not cut
    assert mirror.patch(second, max_bytes=20, check=never) == (text[:20], True)
    with mirror.objects() as objects:
        names = {one.name: one for one in objects.tree(objects.root(merged))}
        assert objects.blob(names["a.go"].id, max_bytes=100) == b"a\nb\n"
        assert [names["d"].is_folder, names["a.go"].is_file] == [True, True]
        with pytest.raises(TooLarge):
            objects.blob(names["a.go"].id, max_bytes=3)
        with pytest.raises(NotFound):
            objects.blob(40 * "9", max_bytes=3)
        with pytest.raises(ValueError, match="not an object ID"):
            objects.blob("HEAD:a.go", max_bytes=3)
        assert objects.blob(names["a.go"].id, max_bytes=100) == b"a\nb\n"  # the child still answers in step


def test_changed_files_are_listed_with_their_blobs(
    repository: SomeRepository, server: GitServer, tmp_path: Path
) -> None:
    """A renamed file is two; links are not files, whatever they become."""
    (repository.folder / "link.go").symlink_to("a.go")
    first = repository.commit({"a.go": "a\n", "gone.go": "g\n", "same.go": "s\n"})
    (repository.folder / "link.go").unlink()
    second = repository.commit({"a.go": "b\n", "gone.go": None, "dir/gone.go": "g\n", "link.go": "l\n"})
    mirror = mirror_in(tmp_path)
    mirror.fetch(url_of(server), None, never)
    found = MirrorHistory("api", mirror, never, never).list_changed_files(first, second)
    blobs = {name: repository.git("hash-object", "--stdin", stdin_text=f"{name}\n") for name in "abgl"}
    assert found == [
        GitChangedFile("a.go", blobs["a"], blobs["b"]),
        GitChangedFile("dir/gone.go", NO_BLOB, blobs["g"]),
        GitChangedFile("gone.go", blobs["g"], NO_BLOB),
        GitChangedFile("link.go", NO_BLOB, blobs["l"]),
    ]


def test_a_fetch_adds_new_refs_and_deletes_removed_ones(
    repository: SomeRepository, server: GitServer, tmp_path: Path
) -> None:
    first = repository.commit({"a": "1"})
    repository.git("branch", "old")
    mirror = mirror_in(tmp_path)
    mirror.fetch(url_of(server), None, never)
    repository.git("branch", "-D", "old")
    second = repository.commit({"a": "2"})

    assert dict(mirror.fetch(url_of(server), None, never).branches) == {"main": second}
    assert [one.sha for one in all_commits(mirror, second, first)] == [second]
    assert list(mirror.commits([], [], 10, never)) == []
    with pytest.raises(NotFound):
        mirror.patch(40 * "1", max_bytes=100, check=never)


@pytest.mark.parametrize(
    "hostile", ["$(touch pwned)", ";touch pwned", "`touch pwned`", "--upload-pack=touch", "-x", "&id", "|id"]
)
def test_hostile_names_of_branches_and_files_reach_no_command(
    repository: SomeRepository, server: GitServer, tmp_path: Path, hostile: str
) -> None:
    name = hostile.replace(" ", "")
    sha = repository.commit({name.replace("/", ""): "x\n"}, f"{hostile}\n\n\x1e\x01 --exec={hostile}\n")
    repository.git("update-ref", f"refs/heads/{name}", sha)
    mirror = mirror_in(tmp_path)

    heads = mirror.fetch(url_of(server), None, never)
    assert heads.branches[name] == sha
    [commit] = all_commits(mirror, sha)
    assert (commit.title, [one.path for one in commit.changes]) == (hostile, [name])
    assert not list(tmp_path.rglob("pwned"))
    assert not Path("pwned").exists()


@pytest.mark.parametrize(
    "bad", ["HEAD", "--upload-pack=id", "$(id)", "a" * 39, "A" * 40, "a" * 40 + "\n", "main", "", "-1"]
)
def test_only_whole_ids_reach_a_command(
    repository: SomeRepository, server: GitServer, tmp_path: Path, bad: str
) -> None:
    repository.commit({"a": "1"})
    mirror = mirror_in(tmp_path)
    mirror.fetch(url_of(server), None, never)
    for asked in (
        lambda: list(mirror.commits([bad], [], 10, never)),
        lambda: list(mirror.commits(["a" * 40], [bad], 10, never)),
        lambda: mirror.has(bad),
        lambda: mirror.patch(bad, max_bytes=10, check=never),
    ):
        with pytest.raises(ValueError, match="not a SHA"):
            asked()


@pytest.mark.parametrize(
    "url",
    [
        "ext::sh -c id", "ext::sh%20-c%20id", "ssh://example.org/x", "git@example.org:x.git", "git://example.org/x", "ftp://example.org/x",
        "--upload-pack=id", "-u", "/etc", "file:///etc", "fd::17", "http://169.254.169.254/x", "http://127.0.0.1/x", "http://[::1]/x",
        "https://127.0.0.1/x", "https://localhost/x", "https://2130706433/x", "https://[64:ff9b::a9fe:a9fe]/x", "https://[2002:7f00:1::]/x",
        "https://user:secret@example.org/x", "https://example.org/x?y", "https://example.org/x#y", "https://example.org/a\nb",
        "https://example.org:22/x", "http://example.org/x", "https://example.org/../x", "HTTPS://exa mple.org", "https::ext::sh",
    ],
)  # fmt: skip
def test_addresses_that_are_not_fetched(tmp_path: Path, url: str) -> None:
    """Even where a name would lead to loopback, and before git is started."""
    outside = AllowlistedEgressClient(parse_allowlist(""), only_listed=False, resolver=lambda *_: ["127.0.0.1"])
    remotes = AllowedRemotes(outside)
    with pytest.raises(AddressNotAllowed):
        remotes.opened(url, None)
    with pytest.raises(AddressNotAllowed):
        GitMirror(tmp_path / "m", remotes, GitLimits(1, 1)).fetch(url, None, never)
    assert not (tmp_path / "m").exists()


def test_a_name_is_looked_up_once_and_git_goes_where_it_was_checked(
    repository: SomeRepository, server: GitServer, tmp_path: Path
) -> None:
    """A name that no resolver of this machine knows: a second lookup would fail."""
    sha = repository.commit({"a": "1"})
    asked: list[str] = []

    def resolve(host: str, port: int) -> list[str]:
        del port
        asked.append(host)
        return ["127.0.0.1"]

    outside = AllowlistedEgressClient(parse_allowlist("git.corp.invalid"), only_listed=False, resolver=resolve)
    mirror = GitMirror(tmp_path / "m", AllowedRemotes(outside), GitLimits(1 << 30, 60))
    heads = mirror.fetch(url_of(server).replace("127.0.0.1", "git.corp.invalid"), None, never)
    assert (heads.branches["main"], asked) == (sha, ["git.corp.invalid"])


def test_redirects_are_not_followed(repository: SomeRepository, server: GitServer, tmp_path: Path) -> None:
    repository.commit({"a": "1"})
    with git_server(repository.folder.parent) as other:
        server.redirects["/api/.git/info/refs"] = f"{other.url}/api/.git/info/refs"
        with pytest.raises(GitCommandError) as caught:
            mirror_in(tmp_path).fetch(url_of(server), None, never)
        assert caught.value.name == "address-redirects"
        assert other.asked == []


def test_alternates_of_the_dumb_protocol_lead_nowhere(
    repository: SomeRepository, server: GitServer, tmp_path: Path
) -> None:
    sha = repository.commit({"a": "1"})
    with git_server(repository.folder.parent) as other:
        server.responses = {
            "*": b"",
            "/x.git/info/refs": f"{sha}\trefs/heads/main\n".encode(),
            "/x.git/HEAD": b"ref: refs/heads/main\n",
            "/x.git/objects/info/http-alternates": f"{other.url}/api/.git/objects/\n".encode(),
            "/x.git/objects/info/alternates": f"{other.url}/api/.git/objects/\n".encode(),
        }
        with pytest.raises((GitCommandError, UpstreamUnavailable)):
            mirror_in(tmp_path).fetch(f"{server.url}/x.git", None, never)
        assert any(path.endswith("/objects/" + sha[:2] + "/" + sha[2:]) for path, _ in server.asked)
        assert other.asked == []


def test_credentials_go_to_the_host_and_into_no_argument(
    repository: SomeRepository, server: GitServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sha = repository.commit({"a": "1"})
    server.credentials = basic("x-access-token", "geheim")
    seen: list[list[str]] = []
    real = subprocess.Popen

    def watching(command: list[str], **more: object) -> object:
        seen.append(command)
        return real(command, **more)  # type: ignore[call-overload]  # handed on as it came

    monkeypatch.setattr(subprocess, "Popen", watching)
    monkeypatch.setenv("GIT_TRACE_CURL", str(tmp_path / "trace"))
    mirror = mirror_in(tmp_path)
    assert mirror.fetch(url_of(server), server.credentials, never).branches["main"] == sha
    assert {headers.get("authorization") for _, headers in server.asked} == {server.credentials}
    assert "geheim" not in str(seen)
    assert server.credentials not in str(seen)
    assert not (tmp_path / "trace").exists()  # nothing of our own environment reaches git
    for path in (tmp_path / "mirror").rglob("*"):
        assert not path.is_file() or server.credentials.encode() not in path.read_bytes()

    with pytest.raises(GitCommandError) as caught:
        mirror.fetch(url_of(server), basic("x-access-token", "wrong"), never)
    assert caught.value.name == "repository-not-signed-in"
    assert "wrong" not in repr(mirror._remotes.opened(url_of(server), basic("x", "wrong")))


def test_no_command_prompts_for_a_password(repository: SomeRepository, server: GitServer, tmp_path: Path) -> None:
    repository.commit({"a": "1"})
    server.credentials = "Basic x"
    with pytest.raises(GitCommandError, match="denied access"):
        mirror_in(tmp_path).fetch(url_of(server), None, never)


def test_missing_objects_are_reported(server: GitServer, tmp_path: Path) -> None:
    with pytest.raises(GitCommandError, match="No repository found at this address"):
        mirror_in(tmp_path).fetch(url_of(server, "nothing"), None, never)
    with pytest.raises(UpstreamUnavailable):
        mirror_in(tmp_path).fetch("http://127.0.0.1:1/x", None, never)


def test_a_hanging_fetch_times_out_and_a_cancelled_one_ends_its_children(
    repository: SomeRepository, server: GitServer, tmp_path: Path
) -> None:
    repository.commit({"a": "1"})
    server.hang = threading.Event()

    class Enough(Exception):
        pass

    begun = time.monotonic()

    def soon() -> None:
        if time.monotonic() - begun > 1:
            raise Enough

    with pytest.raises(Enough):
        mirror_in(tmp_path).fetch(url_of(server), None, soon)
    assert time.monotonic() - begun < 5
    completed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert not [line for line in completed.splitlines() if "git" in line and server.url in line]


def test_a_repository_that_is_too_large_is_not_stored(
    repository: SomeRepository, server: GitServer, tmp_path: Path
) -> None:
    repository.commit({"noise": os.urandom(300_000)})
    with pytest.raises(TooLarge) as caught:
        mirror_in(tmp_path, most=200_000).fetch(url_of(server), None, never)
    assert (caught.value.limit, caught.value.unit) == (200_000, "bytes")
    assert not (tmp_path / "mirror" / "git").exists()


def test_a_mirror_is_deleted_although_a_process_writes_for_a_moment(
    repository: SomeRepository, server: GitServer, tmp_path: Path
) -> None:
    repository.commit({"a": "1"})
    mirror = mirror_in(tmp_path)
    mirror.fetch(url_of(server), None, never)
    late = tmp_path / "mirror" / "git" / "objects" / "pack"
    writer = "import os, sys, time\nuntil = time.monotonic() + 1\n"
    writer += "while time.monotonic() < until: os.makedirs(sys.argv[1], exist_ok=True)\n"
    with subprocess.Popen([sys.executable, "-c", writer, str(late)]):
        mirror.delete()
    assert not (tmp_path / "mirror").exists()


def test_local_repositories_are_read_only_where_the_operator_says(repository: SomeRepository, tmp_path: Path) -> None:
    sha = repository.commit({"a": "1"})
    allowed = repository.folder.parent
    (allowed / "out").symlink_to("/etc")
    mirror = mirror_in(tmp_path, local=(allowed,))
    assert mirror.fetch(f"file://{repository.folder}", None, never).branches["main"] == sha
    for bad in (
        f"file://{allowed}/../mirror",
        f"file://{allowed}/out",
        f"file://{allowed}/%2e%2e/mirror",
        "file://api",
        "file://",
    ):
        with pytest.raises(AddressNotAllowed):
            mirror.fetch(bad, None, never)
    with pytest.raises(AddressNotAllowed):
        mirror_in(tmp_path / "none").fetch(f"file://{repository.folder}", None, never)


def test_hooks_and_configuration_of_others_do_nothing(
    repository: SomeRepository, server: GitServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The content of a repository (attributes, modules, hooks) and the environment run nothing."""
    repository.commit(
        {
            ".gitattributes": "* diff=evil filter=evil\n",
            ".gitmodules": '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "touch pwned"\n\tupdate = !touch pwned\n',
            ".gitconfig": '[diff "evil"]\n\ttextconv = touch pwned\n',
            "a": "1\n",
        }
    )
    sha = repository.commit({"a": "2\n"})
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / ".gitconfig").write_text(
        '[core]\n\tsshCommand = touch pwned\n[diff "evil"]\n\ttextconv = touch pwned\n'
    )
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "touch pwned")
    monkeypatch.setenv("GIT_SSH_COMMAND", "touch pwned")
    mirror = mirror_in(tmp_path)
    mirror.fetch(url_of(server), None, never)
    assert "+2" in mirror.patch(sha, max_bytes=1 << 16, check=never)[0]
    assert len(all_commits(mirror, sha)) == 2
    assert not list(tmp_path.rglob("pwned"))
    assert not Path("pwned").exists()


def test_impossible_years_and_invalid_letters_are_rejected(
    repository: SomeRepository, server: GitServer, tmp_path: Path
) -> None:
    tree = repository.git("write-tree")
    body = f"tree {tree}\nauthor \x1b[31mB\u202ead <b@d> 99999999999999 +0000\ncommitter C <c@d> -5 -9999\n\n\x1e\u202e=cmd()"
    sha = repository.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin_text=body)
    repository.git("update-ref", "refs/heads/main", sha)
    mirror = mirror_in(tmp_path)
    mirror.fetch(url_of(server), None, never)
    [commit] = all_commits(mirror, sha)
    assert commit.title == "\x1e\u202e=cmd()"
    assert commit.changes == ()


def test_a_copy_that_is_fetched_often_is_packed_and_loses_nothing(
    repository: SomeRepository, server: GitServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("slowpath.adapters.git_mirror.MAX_PACKS", 3)
    mirror = mirror_in(tmp_path)
    shas = [repository.commit({"a": "0"}, "kept")]
    mirror.fetch(url_of(server), None, never)
    for number in range(1, 6):
        repository.git("commit", "--amend", "--quiet", "-m", f"instead {number}")  # the one before is reached no more
        shas.append(repository.git("rev-parse", "HEAD").strip())
        mirror.fetch(url_of(server), None, never)
    assert len(list((tmp_path / "mirror").glob("git/objects/pack/*.pack"))) <= 3
    assert all(mirror.has(sha) for sha in shas)
