"""The commits of a pull request, and its reviewers: never a guess."""

import pytest

from slowpath.inventory.repositories.rules.pull_requests import Reviewer, add_reviewers, list_pull_request_commits

GRAPH = {
    "main1": [], "main2": ["main1"], "one": ["main1"], "two": ["one"], "merge": ["main2", "two"],
    "squash": ["main2"], "main3": ["merge"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("base", "merge", "expected"),
    [
        ("main1", None, {"one", "two"}),
        ("main2", "merge", {"one", "two", "merge"}),
        (None, "merge", {"one", "two", "merge"}),
        ("main1", "squash", {"one", "two", "squash"}),
        (None, None, {"two"}),
        (None, "squash", {"two", "squash"}),
    ],
)
def test_commits_in_the_head_and_not_in_the_base_belong_to_it(
    base: str | None, merge: str | None, expected: set[str]
) -> None:
    assert list_pull_request_commits(GRAPH, "two", base, merge) == expected


def test_a_head_outside_of_the_range_leaves_the_merge() -> None:
    assert list_pull_request_commits(GRAPH, "deleted", "main1", "squash") == {"squash"}
    assert list_pull_request_commits({}, "deleted", "main1", None) == set()


def test_a_reviewer_is_listed_once_with_the_newest_name() -> None:
    known = [Reviewer("lea"), Reviewer("jo")]
    assert add_reviewers(known, [Reviewer("Lea", "Lea Brandt")]) == [Reviewer("Lea", "Lea Brandt"), Reviewer("jo")]
    assert len(add_reviewers([], [Reviewer(f"r{n}") for n in range(100)])) == 50
