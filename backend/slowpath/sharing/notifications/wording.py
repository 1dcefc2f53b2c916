"""Format events for Slack, email, webhooks, pull requests and commits. Pure.

External values (titles, commits, function names) are put on one line and escaped for their destination.
"""

import hashlib
import json
from bisect import bisect_right
from datetime import datetime
from itertools import accumulate
from typing import Any, Final

from slowpath.sharing.notifications.rules import NotificationContent, NotificationEvent, RegressionContent, plain

SHORT_COMMIT: Final = 12
STATUS_LENGTH: Final = 140
"""GitHub's limit for the description of a status."""
SLACK_HEADER: Final = 150
SLACK_TEXT: Final = 3_000
"""Slack's limits for the text of a header and of a section."""
MARK: Final = "<!-- slowpath: {thread} -->"
"""This marker finds a comment whose ID was lost with the response."""
_MARKDOWN: Final = {
    **{ord(letter): f"\\{letter}" for letter in "\\`*_{}[]()#+!|~"},
    ord("<"): "&lt;",
    ord(">"): "&gt;",
    ord("@"): "@\u200b",
}
"""An `@name` within a function's name must not notify a user of the code host."""


def format_headline(told: NotificationContent) -> str:
    """Return the event in one line."""
    if told.event is NotificationEvent.TEST:
        return "Test notification from Slowpath: this channel works."
    if told.event is NotificationEvent.JUDGED and told.build is not None:
        return plain(f"{told.build.service} {_short(told.build.commit)}: {told.build.sentence}", 300)
    if told.bisect is not None:
        return plain(f"Bisect {told.bisect.number} of {told.bisect.service}: {told.bisect.sentence}", 300)
    (one, *_) = told.regressions
    if told.event is NotificationEvent.CHANGED:
        return plain(f"Regression {one.number} of {one.service} is {told.what}: {one.title}", 300)
    return plain(f"{one.service} got slower: {one.title}", 300)


def describe_event(told: NotificationContent) -> list[str]:
    """Return the details of the event, one line each."""
    lines = [] if told.bisect is None else [plain(told.bisect.title, 1_000)]
    for one in told.regressions:
        lines.append(plain(one.sentence, 1_000))
        lines.append(f"Since {_short(one.commit)}{_change(one)}; {_assigned(one)}.")
    return lines


def slack(told: NotificationContent) -> bytes:
    """Return the body for an incoming webhook of Slack.

    External names are plain text: in mrkdwn, a pointer method like `(*Cart).Total` would turn the rest of its line bold.
    """
    text = format_headline(told)
    blocks: list[dict[str, Any]] = [_header(text)]
    if len(_for_slack(text)) > SLACK_HEADER:
        blocks.append(_section(text))
    if said := "\n".join(describe_event(told)):
        blocks.append(_section(said))
    blocks.append({"type": "section", "text": {"type": "mrkdwn", "text": f"<{told.url}|Open in Slowpath>"}})
    return json.dumps({"text": _for_slack(text), "mrkdwn": False, "blocks": blocks, "unfurl_links": False}).encode()


def _header(text: str) -> dict[str, Any]:
    return {"type": "header", "text": {"type": "plain_text", "text": _fitting(text, SLACK_HEADER), "emoji": False}}


def _section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "plain_text", "text": _fitting(text, SLACK_TEXT), "emoji": False}}


def _fitting(text: str, most: int) -> str:
    """Return as much of a text as fits Slack's limit, counted after escaping."""
    said = _for_slack(text)
    if len(said) <= most:
        return said
    kept = bisect_right([*accumulate(len(_for_slack(letter)) for letter in text)], most - 1)
    return _for_slack(text[:kept]) + "…"


def mail(told: NotificationContent) -> tuple[str, str]:
    """Return subject and text of an email."""
    said = format_headline(told)
    return f"[Slowpath] {plain(said, 150)}", "\n\n".join([said, *describe_event(told), told.url]) + "\n"


def webhook(told: NotificationContent, at: datetime) -> bytes:
    """Return the payload of an outgoing webhook: `{"type", "timestamp", "data"}` as in Standard Webhooks."""
    kept = told.to_json()
    data = {
        "sentence": format_headline(told),
        "url": told.url,
        "build": kept["build"],
        "regressions": kept["regressions"],
    }
    if told.what:
        data["what"] = told.what
    if told.bisect is not None:
        data["bisect"] = kept["bisect"]
    return json.dumps({"type": told.event, "timestamp": at.isoformat(), "data": data}).encode()


def status(told: NotificationContent) -> dict[str, Any]:
    """Return a commit status: `{"state", "description", "target_url", "context"}` in GitHub's terms.

    Only a confirmed change for the worse is a failure; a build without a verdict passes.
    """
    assert told.build is not None
    return {
        "state": "failure" if told.build.verdict == "changed" else "success",
        "description": plain(told.build.sentence, STATUS_LENGTH),
        "target_url": told.url,
        "context": plain(f"slowpath/{told.build.service}", 100),
    }


def comment_marker(told: NotificationContent) -> str:
    """Return the marker line of a pull request's comment."""
    return MARK.format(thread=hashlib.sha256((told.thread() or "").encode(errors="replace")).hexdigest()[:32])


def comment(told: NotificationContent) -> str:
    """Return the comment of a pull request, in Markdown."""
    assert told.build is not None
    said = format_headline(told)
    sentences = (plain(one.sentence, 1_000) for one in told.regressions)
    lines = [
        comment_marker(told),
        f"**{_markdown(said)}**",
        *(_markdown(each) for each in sentences if each not in said),
    ]
    lines.append(f"[Open in Slowpath]({told.url})")
    return "\n\n".join(lines)


def _short(commit: str) -> str:
    return plain(commit, 64)[:SHORT_COMMIT] or "an unknown commit"


def _change(one: RegressionContent) -> str:
    if one.ratio is None:
        return ""
    between = f" ({one.ratio_low:.3g} to {one.ratio_high:.3g})" if one.ratio_low and one.ratio_high else ""
    return f", ×{one.ratio:.3g}{between}"


def _assigned(one: RegressionContent) -> str:
    return f"assigned to {plain(one.assignee, 100)}" if one.assignee else "unassigned"


def _for_slack(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _markdown(text: str) -> str:
    return text.translate(_MARKDOWN)
