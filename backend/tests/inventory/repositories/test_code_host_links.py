"""Links to code hosts, and templates that are refused."""

import pytest

from slowpath.inventory.repositories.rules.code_host_links import (
    CodeHost,
    check_file_template,
    make_commit_link,
    make_comparison_link,
    make_file_link,
)

A, B = 40 * "a", 40 * "b"
WEB = "https://code.example/o/r"


@pytest.mark.parametrize(
    ("kind", "file", "commit", "comparison"),
    [
        ("github", f"/blob/{A}/d/x%23y.go#L3-L9", f"/commit/{A}", f"/compare/{A}...{B}"),
        ("gitlab", f"/-/blob/{A}/d/x%23y.go#L3-9", f"/-/commit/{A}", f"/-/compare/{A}...{B}"),
        ("bitbucket", f"/src/{A}/d/x%23y.go#lines-3:9", f"/commits/{A}", f"/branches/compare/{B}%0D{A}"),
        ("gitea", f"/src/commit/{A}/d/x%23y.go#L3-L9", f"/commit/{A}", f"/compare/{A}...{B}"),
    ],
)
def test_each_host_has_its_addresses(kind: str, file: str, commit: str, comparison: str) -> None:
    host = CodeHost(kind, WEB)
    assert make_file_link(host, A, "d/x#y.go", 3, 9) == WEB + file
    assert make_commit_link(host, A) == WEB + commit
    assert make_comparison_link(host, A, B) == WEB + comparison


def test_a_template_precedes_the_kind_and_unknown_hosts_have_no_files() -> None:
    template = check_file_template("https://cs.example/r/+/{commit}/{path}?l={line}")
    assert make_file_link(CodeHost("github", WEB, template), A, "a b/{line}.go", 7, 9) == (
        f"https://cs.example/r/+/{A}/a%20b/%7Bline%7D.go?l=7"
    )
    assert make_file_link(CodeHost("other", WEB), A, "a.go", 1, 2) is None
    assert make_comparison_link(CodeHost("other", WEB), A, B) is None
    assert make_commit_link(CodeHost("other", WEB), A) == f"{WEB}/commit/{A}"
    assert make_commit_link(CodeHost("pushed", None), A) is None
    assert make_file_link(CodeHost("github", WEB), A, "a.go", None, None) == f"{WEB}/blob/{A}/a.go"


@pytest.mark.parametrize(
    "template",
    [
        "http://cs.example/{commit}/{path}",
        "javascript:alert(1)//{commit}/{path}",
        "https://{path}.example/{commit}",
        "https://user@cs.example/{commit}/{path}",
        "https:///{commit}/{path}",
        "https://cs.example/{commit}",
        "https://cs.example/{path}",
        "https://cs.example/{commit}/{path}/{user}",
        "https://cs.example/{commit}/{path}/{",
        "https://cs.example/{commit}/{path} x",
        "https://cs.example/{commit}/{path}\u202e",
        "https://cs.example/{commit}/{path}" + 1_000 * "x",
    ],
)
def test_a_template_that_leads_elsewhere_is_refused(template: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        check_file_template(template)
