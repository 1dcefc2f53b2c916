"""Deliveries of Bitbucket Cloud and Data Center: the same facts as those of other code hosts."""

import copy
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowpath.inventory.repositories.rules.pull_requests import PullRequestFacts, Reviewer
from slowpath.inventory.webhooks.rules.bitbucket_payloads import parse_bitbucket_event
from slowpath.inventory.webhooks.rules.webhook_events import IgnoredEvent, PullRequestEvent, PushEvent, WebhookEvent
from slowpath.inventory.webhooks.rules.webhook_senders import SENDERS
from tests.inventory.webhooks.test_rules import MESSAGES
from tests.inventory.webhooks.webhook_senders import BITBUCKET

HEAD, BASE, MERGE = "d" * 40, "b" * 40, "e" * 40
CLOUD_URL = "https://bitbucket.org/shop/api/pull-requests/7"
SERVER_URL = "https://git.example.org/projects/SHOP/repos/api/pull-requests/7"
LEA = Reviewer("lea", "Lea Brandt")


def parse(event: str, **changes: Any) -> WebhookEvent:  # noqa: ANN401 - any JSON value
    return parse_bitbucket_event(event, copy.deepcopy(BITBUCKET[event]) | changes)


def test_a_push_to_several_branches_brings_the_commits_of_each() -> None:
    found = parse("repo:push")
    assert isinstance(found, PushEvent)
    assert found.repository == "shop/api"
    fast, main = found.branches
    assert [(one.sha, one.parents, one.title) for one in fast.commits] == [
        ("c" * 40, ("a" * 40,), "Prepare"),
        (HEAD, ("c" * 40,), "Faster"),
    ]
    author = fast.commits[1]
    assert (author.author_name, author.author_email, author.message) == ("Ann Ek", "ann@example.org", "much")
    assert author.committed_at == datetime(2026, 5, 6, 3, 34, 49, tzinfo=UTC)
    assert (main.name, [one.sha for one in main.commits]) == ("main", [BASE]), "a new branch of a known commit"


def test_a_push_to_data_center_names_the_heads() -> None:
    found = parse("repo:refs_changed")
    assert isinstance(found, PushEvent)
    assert found.repository == "SHOP/api"
    assert [(one.name, [each.sha for each in one.commits]) for one in found.branches] == [("main", [BASE])]


@pytest.mark.parametrize(
    ("event", "facts"),
    [
        ("pullrequest:created", PullRequestFacts(7, CLOUD_URL, HEAD[:12], BASE[:12], branch="fast", base_branch="main", is_open=True)),
        ("pullrequest:approved", PullRequestFacts(7, CLOUD_URL, HEAD[:12], BASE[:12], reviewers=(LEA,))),
        ("pullrequest:fulfilled", PullRequestFacts(7, CLOUD_URL, HEAD[:12], BASE[:12], MERGE[:12], (LEA,), "fast", "main")),
        ("pr:opened", PullRequestFacts(7, SERVER_URL, HEAD, BASE, branch="fast", base_branch="main", is_open=True)),
        ("pr:reviewer:approved", PullRequestFacts(7, SERVER_URL, HEAD, BASE, reviewers=(Reviewer("lea", "Lea Brandt", "lea@example.org"),))),
        ("pr:merged", PullRequestFacts(7, SERVER_URL, HEAD, BASE, MERGE, (Reviewer("lea", "Lea Brandt", "lea@example.org"),), "fast", "main")),
    ],
)  # fmt: skip
def test_pull_requests(event: str, facts: PullRequestFacts) -> None:
    found = parse(event)
    assert found == PullRequestEvent(facts, "SHOP/api" if event.startswith("pr:") else "shop/api")


def test_who_comments_is_a_reviewer_unless_it_is_the_author() -> None:
    message = BITBUCKET["pullrequest:created"]
    commented = parse_bitbucket_event(
        "pullrequest:comment_created", message | {"actor": BITBUCKET["pullrequest:approved"]["actor"]}
    )
    assert isinstance(commented, PullRequestEvent)
    assert commented.facts.reviewers == (LEA,)
    assert isinstance(parse_bitbucket_event("pullrequest:comment_created", message), IgnoredEvent)
    opened = BITBUCKET["pr:opened"]
    assert isinstance(parse_bitbucket_event("pr:comment:added", opened), IgnoredEvent)


def test_forks_are_recorded_and_never_measured() -> None:
    for event, merged, side in (
        ("pullrequest:created", "pullrequest:fulfilled", "source"),
        ("pr:opened", "pr:merged", "fromRef"),
    ):
        for name, is_recorded in ((event, False), (merged, True)):
            message = copy.deepcopy(BITBUCKET[name])
            pull = message.get("pullrequest") or message["pullRequest"]
            pull[side]["repository"] = {"uuid": "{other}", "id": 9} if is_recorded else None
            found = parse_bitbucket_event(name, message)
            assert isinstance(found, PullRequestEvent if is_recorded else IgnoredEvent)
            assert not isinstance(found, PullRequestEvent) or found.facts.branch is None


def test_pings_and_other_events() -> None:
    ping = parse_bitbucket_event("diagnostics:ping", {"test": True})
    assert isinstance(ping, IgnoredEvent)
    assert ping.is_ping
    for event in ("issue:created", "pullrequest:comment_deleted", "pr:modified", "repo:fork", "x"):
        assert isinstance(parse_bitbucket_event(event, BITBUCKET["pullrequest:created"]), IgnoredEvent)


def test_a_delivery_is_signed_with_the_secret() -> None:
    """The example of Atlassian's page "Manage webhooks"."""
    body = b"Hello World!"
    given_ = "sha256=a4771c39fbe90f317c7824e83ddef3caae9cb3d976c214ace1f2937e133263c9"
    verify = SENDERS["bitbucket"].verify
    now = datetime(2026, 11, 28, tzinfo=UTC)
    assert verify("It's a Secret to Everybody", {"x-hub-signature": given_}, [body], now)
    for headers in (
        {},
        {"x-hub-signature": given_[:-1]},
        {"x-hub-signature-256": given_},
        {"x-hub-signature": "sha256="},
    ):
        assert not verify("It's a Secret to Everybody", headers, [body], now)


@given(st.sampled_from([*BITBUCKET, "pullrequest:comment_created", "\x00"]), MESSAGES, st.data())
def test_any_input_is_parsed_or_rejected(event: str, message: dict[str, Any], data: st.DataObject) -> None:
    parse_bitbucket_event(event, message)
    whole = copy.deepcopy(BITBUCKET.get(event, {}))
    for key in data.draw(st.sets(st.sampled_from(sorted(whole)))) if whole else ():
        whole[key] = data.draw(st.one_of(st.none(), st.just([message]), st.just(message)))
    parse_bitbucket_event(event, whole)
