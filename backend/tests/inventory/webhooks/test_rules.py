"""Signatures, contents of deliveries, and missed deliveries: pure decisions."""

import base64
import hmac
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook

from slowpath.inventory.catalog.rules import parse_deployment_event
from slowpath.inventory.repositories.rules.pull_requests import PullRequestFacts, Reviewer
from slowpath.inventory.webhooks.rules.github_missed_deliveries import missed, next_cursor
from slowpath.inventory.webhooks.rules.github_payloads import parse_github_event
from slowpath.inventory.webhooks.rules.gitlab_payloads import parse_gitlab_event as parse_gitlab_payload
from slowpath.inventory.webhooks.rules.payload_fields import Message
from slowpath.inventory.webhooks.rules.webhook_events import (
    CiRunEvent,
    DeploymentStatusEvent,
    IgnoredEvent,
    PullRequestEvent,
    PushEvent,
    WebhookEvent,
)
from slowpath.inventory.webhooks.rules.webhook_signatures import verify_body_signature, verify_gitlab_signature
from slowpath.inventory.webhooks.service.webhooks import new_secret
from tests.inventory.webhooks.webhook_senders import EXAMPLES, GITLAB_DEPLOYMENT, GITLAB_PIPELINE, GITLAB_PUSH

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
SECRET = "It's a Secret to Everybody"
BODY = b"Hello, World!"
OF_GITHUB = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
"""GitHub's own example of its documentation."""

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from(
    ["ref", "commits", "id", "message", "author", "timestamp", "workflow_run", "head_sha", "pull_requests", "project",
     "deployment_status", "deployment", "payload", "object_kind", "object_attributes", "sha", "repository", "added",
     "action", "pull_request", "review", "reviewers", "user", "login", "username", "state", "sender", "merged", "head", "base", "repo", "number", "iid", "last_commit"]
)  # fmt: skip
MESSAGES = st.dictionaries(
    KEYS, JSON | st.dictionaries(KEYS, JSON | st.dictionaries(KEYS, JSON, max_size=3), max_size=5), max_size=8
)


def parse_gitlab_event(message: Message) -> WebhookEvent:
    return parse_gitlab_payload("", message)


# --- signatures


def test_the_example_signature_of_github_is_verified() -> None:
    assert verify_body_signature(
        "x-hub-signature-256", SECRET, {"x-hub-signature-256": OF_GITHUB}, [BODY[:5], BODY[5:]]
    )


@pytest.mark.parametrize(
    ("secret", "given_", "body"),
    [
        (SECRET, "", BODY), (SECRET, OF_GITHUB[:-1], BODY), (SECRET, OF_GITHUB.removeprefix("sha256="), BODY),
        (SECRET, OF_GITHUB.replace("7", "8", 1), BODY), (SECRET, OF_GITHUB, BODY + b" "), (SECRET[1:], OF_GITHUB, BODY),
        (SECRET, OF_GITHUB.upper(), BODY), (SECRET, "sha1=" + "0" * 40, BODY), (SECRET, OF_GITHUB + "é", BODY),
        (SECRET, "sha256=" + hmac.new(b"", BODY, "sha256").hexdigest(), BODY),
    ],
)  # fmt: skip
def test_nothing_else_is(secret: str, given_: str, body: bytes) -> None:
    assert not verify_body_signature("x-hub-signature-256", secret, {"x-hub-signature-256": given_}, [body])


def test_gitlab_deliveries_are_verified_by_token_or_signature() -> None:
    secret = new_secret()
    signature = Webhook(secret).sign("1", NOW, BODY.decode())
    signed = {"webhook-id": "1", "webhook-timestamp": str(int(NOW.timestamp())), "webhook-signature": signature}

    assert verify_gitlab_signature(secret, {"x-gitlab-token": secret}, [BODY], NOW)
    assert verify_gitlab_signature(secret, signed, [BODY], NOW + timedelta(minutes=4))
    assert verify_gitlab_signature(secret, signed | {"webhook-signature": f"v1a,x v1,x {signature}"}, [BODY], NOW)
    for wrong in (
        {}, {"x-gitlab-token": ""}, {"x-gitlab-token": secret[:-1]}, {"x-gitlab-token": "é"},
        signed | {"webhook-signature": ""}, signed | {"webhook-id": "2"}, signed | {"webhook-timestamp": "1"},
        signed | {"webhook-timestamp": "x"}, signed | {"webhook-timestamp": "9" * 30}, signed | {"webhook-id": ""},
        {"webhook-signature": "v1,", "x-gitlab-token": secret},
    ):  # fmt: skip
        assert not verify_gitlab_signature(secret, wrong, [BODY], NOW), wrong
    assert not verify_gitlab_signature(secret, signed, [BODY + b" "], NOW)
    assert not verify_gitlab_signature(secret, signed, [BODY], NOW + timedelta(minutes=6)), (
        "what was recorded is too old"
    )
    assert not verify_gitlab_signature(secret, signed, [BODY], NOW - timedelta(minutes=6)), (
        "a signature of the future is invalid"
    )
    assert not verify_gitlab_signature("no base64 at all", signed, [BODY], NOW)


def test_an_empty_key_signs_nothing() -> None:
    digest = hmac.new(b"", f"1.{int(NOW.timestamp())}.".encode() + BODY, "sha256").digest()
    signed = {
        "webhook-id": "1", "webhook-timestamp": str(int(NOW.timestamp())),
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }  # fmt: skip
    assert not verify_gitlab_signature(new_secret(), signed, [BODY], NOW)


# --- messages


def test_a_push_brings_commits() -> None:
    pushed, tag, deleted = (parse_github_event("push", each) for each in EXAMPLES["push"])

    assert isinstance(pushed, PushEvent)
    [branch] = pushed.branches
    [commit] = branch.commits
    assert (branch.name, pushed.repository) == ("master", "Codertocat/Hello-World")
    assert (commit.sha, commit.title) == ("6113728f27ae82c7b1a177c8d03f9e96e0adf246", "Initial commit")
    assert commit.parents is None, "the branch is new: its parents are unknown"
    assert [(file.path, file.status) for file in commit.files or ()] == [("README.md", "added")]
    assert isinstance(tag, IgnoredEvent)
    assert isinstance(deleted, IgnoredEvent)


def test_a_commit_without_parents_follows_the_old_head() -> None:
    one = {**EXAMPLES["push"][0], "created": False, "before": "a" * 40}
    two = {**one, "commits": [one["commits"][0], {**one["commits"][0], "id": "c" * 40}]}

    def parents(message: dict[str, Any]) -> list[Any]:
        event = parse_github_event("push", message)
        assert isinstance(event, PushEvent)
        return [commit.parents for commit in event.branches[0].commits]

    assert parents(one) == [("a" * 40,)]
    assert parents({**one, "forced": True}) == [None]
    assert parents(two) == [None, None]


def test_ci_run_event_holds_build_metadata() -> None:
    run, early = (parse_github_event("workflow_run", each) for each in EXAMPLES["workflow_run"])

    assert isinstance(run, CiRunEvent)
    assert run.commit == "3484a3fb816e0859fd6e1cea078d76385ff50625"
    assert run.metadata["ci_url"] == "https://github.com/octo-org/octo-repo/actions/runs/289782451"
    assert run.metadata["pull_request"]["number"] == 2
    assert run.metadata["branch"] == "master"
    assert isinstance(early, CiRunEvent)
    assert "pull_request" not in early.metadata


def test_a_deployment_counts_when_it_is_a_success() -> None:
    success, going_on = (parse_github_event("deployment_status", each) for each in EXAMPLES["deployment_status"])

    assert isinstance(success, DeploymentStatusEvent)
    assert isinstance(going_on, IgnoredEvent)
    assert parse_github_event("ping", EXAMPLES["ping"][0]) == IgnoredEvent(
        "Ping from GitHub: the webhook is set up.", EXAMPLES["ping"][0]["repository"]["full_name"], is_ping=True
    )
    assert isinstance(parse_github_event("star", EXAMPLES["star"][0]), IgnoredEvent)


def test_gitlab_events_are_parsed_like_those_of_github() -> None:
    pushed, ran, deployed = (parse_gitlab_event(each) for each in (GITLAB_PUSH, GITLAB_PIPELINE, GITLAB_DEPLOYMENT))

    assert isinstance(pushed, PushEvent)
    [commit] = pushed.branches[0].commits
    assert commit.parents == ("a" * 40,)
    assert {(file.path, file.status) for file in commit.files or ()} == {
        ("a.go", "added"),
        ("b.go", "removed"),
    }
    assert isinstance(ran, CiRunEvent)
    assert ran.metadata == {
        "branch": "fast", "ci_url": "https://gitlab.example/team/app/-/pipelines/31", "title": "Faster", "author": "A",
        "pull_request": {"number": 7, "url": "https://gitlab.example/team/app/-/merge_requests/7"},
        "committed_at": datetime(2026, 4, 28, 19, 40, tzinfo=UTC),
    }  # fmt: skip
    assert isinstance(deployed, DeploymentStatusEvent)
    event = parse_deployment_event(GITLAB_DEPLOYMENT)
    assert (event.service, event.environment, event.commit) == (
        "app",
        "staging",
        "279484c09fbe69ededfced8c1bb6e6d24616b468",
    )
    assert (event.started_at, event.external_id) == (datetime(2026, 4, 28, 19, 50, tzinfo=UTC), "gitlab team/app 15")
    assert isinstance(parse_gitlab_event({**GITLAB_DEPLOYMENT, "status": "running"}), IgnoredEvent)


@given(st.sampled_from(["push", "deployment_status", "workflow_run", "pull_request", "ping", "\x00"]), MESSAGES)
def test_any_input_is_parsed_or_rejected(event: str, message: dict[str, Any]) -> None:
    parse_github_event(event, message)
    parse_gitlab_event(message)


def test_hostile_texts_are_cut_and_have_no_nul() -> None:
    commit = {"id": "c" * 40, "message": "a\x00b\ud800" + "x" * 10**6, "author": {"name": "\x00" * 500, "email": 7}}
    event = parse_github_event("push", {"ref": "refs/heads/\x00x", "commits": [commit, 7, {"id": "--upload-pack=id"}]})

    assert isinstance(event, PushEvent)
    [branch] = event.branches
    assert len(branch.commits) == 1
    assert "\x00" not in branch.name + branch.commits[0].author_name


# --- what did not arrive


def listed(number: int, guid: str, minutes: float, status: object = 502) -> dict[str, Any]:
    at = (NOW - timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")
    return {"id": number, "guid": guid, "delivered_at": at, "status_code": status}


def test_missed_deliveries_are_listed_once_oldest_first() -> None:
    values = [
        listed(9, "young", 1), listed(8, "lost", 10), listed(7, "again", 20, 200), listed(6, "again", 30),
        listed(5, "taken", 40), listed(4, "lost", 50), listed(3, "older", 60, 0), listed(2, "old", 6 * 24 * 60),
    ]  # fmt: skip

    found = missed(values, {"taken"}, NOW)

    assert [each.delivery_id for each in found] == ["older", "lost"]


@pytest.mark.parametrize("response", [None, {}, "x", 7, [None, 7, {}, {"guid": 7}, {"guid": "a"}, listed(-1, "a", 10)]])
def test_an_invalid_list_of_deliveries_misses_nothing(response: object) -> None:
    assert missed(response, (), NOW) == []


def test_no_more_are_asked_for_than_are_good() -> None:
    assert len(missed([listed(number + 1, str(number), 10) for number in range(100)], (), NOW)) == 50


@pytest.mark.parametrize(
    ("link", "cursor"),
    [
        ('<https://api.example/x?per_page=100&cursor=v1_17>; rel="next"', "v1_17"),
        ('<https://api.example/x?cursor=a>; rel="prev", <https://api.example/x?cursor=b>; rel="next"', "b"),
        ('<https://api.example/x?cursor=a>; rel="prev"', None),
        ('<https://api.example/x?page=2>; rel="next"', None),
        ('<https://api.example/x?cursor=a%0d%0ab>; rel="next"', None),
        ("", None),
    ],
)
def test_the_next_page_is_asked_for_by_the_cursor_alone(link: str, cursor: str | None) -> None:
    assert next_cursor(link) == cursor


# --- pull requests

HEAD_SHA, BASE_SHA = "b" * 40, "a" * 40


def pull_request(action: str, *, head_repository: int | None = 1, sha: str = HEAD_SHA) -> dict[str, Any]:
    """Return the parts of GitHub's payload that are read."""
    head_repo = None if head_repository is None else {"id": head_repository}
    return {
        "action": action,
        "repository": {"full_name": "shop/mono"},
        "pull_request": {
            "number": 7, "html_url": "https://github.example/shop/mono/pull/7",
            "head": {"sha": sha, "ref": "feature", "repo": head_repo},
            "base": {"sha": BASE_SHA, "ref": "main", "repo": {"id": 1}},
        },
    }  # fmt: skip


@pytest.mark.parametrize(("action", "is_open"), [("opened", True), ("synchronize", True), ("closed", False)])
def test_a_pull_request_of_github(action: str, is_open: bool) -> None:
    url = "https://github.example/shop/mono/pull/7"
    facts = PullRequestFacts(7, url, HEAD_SHA, BASE_SHA).with_branches("feature", "main", is_open=is_open)
    assert parse_github_event("pull_request", pull_request(action)) == PullRequestEvent(facts, "shop/mono")


@pytest.mark.parametrize("message", [
    pull_request("opened", head_repository=2), pull_request("opened", head_repository=None), pull_request("labeled"),
    pull_request("opened", sha="main"), {"action": "opened"}, {"action": ["opened"], "pull_request": 1},
])  # fmt: skip
def test_forks_and_other_pull_requests_are_ignored(message: dict[str, Any]) -> None:
    """A deleted fork has no repository."""
    assert isinstance(parse_github_event("pull_request", message), IgnoredEvent)


def merge_request(action: str, *, source: int = 1, **fields: object) -> dict[str, Any]:
    """Return the parts of GitLab's payload that are read."""
    attributes = {
        "iid": 7, "url": "https://gitlab.example/shop/mono/-/merge_requests/7", "action": action, "source_branch": "feature",
        "target_branch": "main", "source_project_id": source, "target_project_id": 1, "last_commit": {"id": HEAD_SHA},
    }  # fmt: skip
    return {
        "object_kind": "merge_request",
        "project": {"path_with_namespace": "shop/mono"},
        "object_attributes": {**attributes, **fields},
    }


def test_a_merge_request_of_gitlab() -> None:
    url = "https://gitlab.example/shop/mono/-/merge_requests/7"
    facts = PullRequestFacts(7, url, HEAD_SHA, None).with_branches("feature", "main", is_open=True)
    opened = PullRequestEvent(facts, "shop/mono")
    assert parse_gitlab_event(merge_request("open")) == opened
    assert parse_gitlab_event(merge_request("update", oldrev="c" * 40)) == opened
    assert parse_gitlab_event(merge_request("merge")) == replace(opened, facts=replace(facts, is_open=False))
    for other in (merge_request("update"), merge_request("open", source=2), merge_request("approved")):
        assert isinstance(parse_gitlab_event(other), IgnoredEvent)


# --- reviews


REVIEWS, [CLOSED] = EXAMPLES["pull_request_review"], EXAMPLES["pull_request"]
REVIEWED_HEAD, REVIEWED_BASE = (REVIEWS[0]["pull_request"][side]["sha"] for side in ("head", "base"))


def review(of: dict[str, Any], **user: str) -> dict[str, Any]:
    """Return an example of a review by another user than the author of the pull request."""
    return {**of, "review": {**of["review"], "user": {**of["review"]["user"], **user}}}


@pytest.mark.parametrize("example", REVIEWS)
def test_who_submitted_a_review_at_github_is_a_reviewer(example: dict[str, Any]) -> None:
    url = example["pull_request"]["html_url"]
    facts = PullRequestFacts(2, url, REVIEWED_HEAD, REVIEWED_BASE, None, (Reviewer("octo-lea"),))
    found = parse_github_event("pull_request_review", review(example, login="octo-lea"))
    assert found == PullRequestEvent(facts, "Codertocat/Hello-World")


def test_authors_bots_and_requests_are_no_reviews() -> None:
    for message in (
        REVIEWS[0], review(REVIEWS[0], login="lint[bot]", type="Bot"), {**REVIEWS[0], "review": None},
        {**review(REVIEWS[0], login="octo-lea"), "action": "unknown"}, {"action": "submitted"},
    ):  # fmt: skip
        assert isinstance(parse_github_event("pull_request_review", message), IgnoredEvent)
    requested = {**CLOSED, "action": "review_requested"}
    assert isinstance(parse_github_event("pull_request", requested), IgnoredEvent)


def test_the_merge_commit_counts_if_github_merged() -> None:
    """Before the merge the field has the commit of a trial merge."""
    pull = {**CLOSED["pull_request"], "merge_commit_sha": "e" * 40}
    for merged, expected in ((True, "e" * 40), (False, None)):
        found = parse_github_event("pull_request", {**CLOSED, "pull_request": {**pull, "merged": merged}})
        assert isinstance(found, PullRequestEvent)
        assert (found.facts.merge, found.facts.is_open) == (expected, False)
    fork = pull_request("closed", head_repository=2)
    fork["pull_request"] |= {"merged": True, "merge_commit_sha": "e" * 40}
    found = parse_github_event("pull_request", fork)
    assert isinstance(found, PullRequestEvent)
    assert found.facts.branch is None, "it is recorded, but never measured"
    assert found.facts.merge == "e" * 40


@pytest.mark.parametrize("event", ["pull_request_approved", "pull_request_rejected", "pull_request_comment"])
def test_reviews_of_gitea_arrive_with_the_headers_of_github(event: str) -> None:
    sender = {"id": 3, "login": "lea", "full_name": "Lea Brandt", "email": "lea@example.org", "username": "lea"}
    message = {
        **pull_request("reviewed"), "sender": sender,
        "review": {"type": "pull_request_review_approved", "content": "good"},
    }  # fmt: skip
    found = parse_github_event(event, message)
    assert isinstance(found, PullRequestEvent)
    assert found.facts.reviewers == (Reviewer("lea", "Lea Brandt", "lea@example.org"),)


LEA = {
    "id": 6,
    "name": "Lea Brandt",
    "username": "lea",
    "avatar_url": "https://gitlab.example/a",
    "email": "[REDACTED]",
}


@pytest.mark.parametrize("action", ["approved", "approval"])
def test_who_approves_at_gitlab_is_a_reviewer(action: str) -> None:
    found = parse_gitlab_event({**merge_request(action, source=2), "user": LEA})
    assert isinstance(found, PullRequestEvent)
    assert found.facts.reviewers == (Reviewer("lea", "Lea Brandt", ""),)


def test_assigned_reviewers_of_gitlab_reviewed_if_their_state_says_so() -> None:
    states = ["unreviewed", "reviewed", "requested_changes", "approved", "review_started", None]
    listed = [{**LEA, "username": f"u{at}", "state": state} for at, state in enumerate(states)]
    [*_, without] = listed
    del without["state"]
    update = parse_gitlab_event({**merge_request("update"), "reviewers": listed})
    assert isinstance(update, PullRequestEvent)
    assert [one.login for one in update.facts.reviewers] == ["u1", "u2", "u3"]
    merged = parse_gitlab_event({**merge_request("merge", merge_commit_sha="e" * 40), "reviewers": listed})
    assert isinstance(merged, PullRequestEvent)
    assert (merged.facts.merge, len(merged.facts.reviewers)) == ("e" * 40, 3)
