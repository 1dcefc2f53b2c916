"""CODEOWNERS of GitHub and GitLab: the last match wins, sections add up."""

import pytest

from slowpath.inventory.repositories.rules.code_owners import find_owners, make_matcher, parse_code_owners

GITHUB = """
# The last match wins.
*       @global @org/all
*.js    @js-owner # not @this
/build/logs/ @doctocat
docs/*  docs@example.com
apps/   @octocat
/apps/github
**/logs @logs
/a\\ b/  @space
"""
GITLAB = """
* @default
[Docs] @docs-team
*.md
/docs/internal.md @insider
^[Database][2] @dba
model/db/
!model/db/generated/
[docs]
README.md @readme
"""


@pytest.mark.parametrize(
    ("path", "owners"),
    [
        ("main.go", ("@global", "@org/all")),
        ("web/app.js", ("@js-owner",)),
        ("build/logs/a/b.txt", ("@logs",)),
        ("docs/readme.txt", ("docs@example.com",)),
        ("docs/build/readme.txt", ("@global", "@org/all")),
        ("x/apps/main.go", ("@octocat",)),
        ("apps/github/main.go", ()),
        ("deep/down/logs/x", ("@logs",)),
        ("a b/c", ("@space",)),
    ],
)
def test_the_last_matching_rule_of_github_names_the_owners(path: str, owners: tuple[str, ...]) -> None:
    assert find_owners(parse_code_owners(GITHUB, with_sections=False), path) == owners


@pytest.mark.parametrize(
    ("path", "owners"),
    [
        ("main.go", ("@default",)),
        ("a/b.md", ("@default", "@docs-team")),
        ("docs/internal.md", ("@default", "@insider")),
        ("model/db/a.go", ("@default", "@dba")),
        ("model/db/generated/a.go", ("@default",)),
        ("README.md", ("@default", "@readme")),
    ],
)
def test_each_section_of_gitlab_adds_owners(path: str, owners: tuple[str, ...]) -> None:
    assert find_owners(parse_code_owners(GITLAB, with_sections=True), path) == owners


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("a*b", "axyb", True),
        ("/a?c", "abc", True),
        ("/a?c", "a/c", False),
        ("a/**/c", "a/c", True),
        ("a/**/c", "a/b/b/c", True),
        ("a/**", "a/b/c", True),
        ("a/**", "a", False),
        ("/a", "b/a", False),
        ("a.c", "abc", False),
        ("*" * 200 + "x", "a" * 3_000, False),
        ("(a+)+$", "a" * 3_000, False),
    ],
)
def test_patterns_are_those_of_gitignore(pattern: str, path: str, *, matches: bool) -> None:
    assert make_matcher(pattern)(path) is matches
