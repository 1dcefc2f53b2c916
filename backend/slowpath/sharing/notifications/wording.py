"""Format events for Slack, email, webhooks, pull requests and commits. Pure.

External values (titles, commits, function names) are put on one line and escaped for their destination.
"""

import hashlib
import json
from bisect import bisect_right
from dataclasses import replace
from datetime import datetime
from itertools import accumulate
from typing import Any, Final

from slowpath.analysis.findings.wording import describe_interval, format_ratio, format_seconds
from slowpath.commit_names import short_commit
from slowpath.sharing.notifications.rules import (
    BUILD_EVENTS,
    ENDED_STATES,
    INCIDENT_EVENTS,
    NotificationContent,
    NotificationEvent,
    ProductionEventContent,
    RegressionContent,
    plain,
)

STATUS_LENGTH: Final = 140
"""GitHub's limit for the description of a status."""
SLACK_HEADER: Final = 150
SLACK_TEXT: Final = 3_000
"""Slack's limits for the text of a header and of a section."""
SLACK_BUTTONS: Final = {"slowpath-assign": "Assign to me", "slowpath-snooze": "Snooze until tomorrow"}
"""Texts of the buttons, by the ID of their action."""
HEADLINES: Final = {"load": "", "gauge": "", "slow-deployment": " has a slow deployment"}
"""What a new production event of a kind is about; others: the service got slower."""
MARK: Final = "<!-- slowpath: {thread} -->"
"""This marker finds a comment whose ID was lost with the response."""
OPENINGS: Final = {
    NotificationEvent.CHANGED: NotificationEvent.OPENED,
    NotificationEvent.PRODUCTION_UPDATED: NotificationEvent.PRODUCTION_OPENED,
    NotificationEvent.PRODUCTION_CLOSED: NotificationEvent.PRODUCTION_OPENED,
}
"""The event that began the incident of a later one."""
_MARKDOWN: Final = {
    **{ord(char): f"\\{char}" for char in "\\`*_{}[]()#+!|~$%^&"},
    ord("<"): "&lt;",
    ord(">"): "&gt;",
    ord("@"): "@\u200b",
}
"""An `@name` within a function's name must not notify a user of the code host, and `%1` or `&2` refers to nothing."""


def format_headline(content: NotificationContent) -> str:
    """Return the event in one line."""
    if content.event is NotificationEvent.TEST:
        return "Test notification from Slowpath: this channel works."
    if content.event in BUILD_EVENTS and content.build is not None:
        return plain(f"{content.build.service} {_short(content.build.commit)}: {content.build.sentence}", 300)
    if content.bisect is not None:
        return plain(f"Bisect {content.bisect.number} of {content.bisect.service}: {content.bisect.sentence}", 300)
    if content.production_event is not None:
        return _production_headline(content, content.production_event)
    (one, *_) = content.regressions
    if content.event is NotificationEvent.CHANGED:
        return plain(f"Regression {one.number} of {one.service} is {content.what}: {one.title}", 300)
    return plain(f"{one.service} got slower: {one.title}", 300)


def describe_event(content: NotificationContent) -> list[str]:
    """Return the details of the event, one line each."""
    lines = [] if content.bisect is None else [plain(content.bisect.title, 1_000)]
    for one in content.regressions:
        lines.append(plain(one.sentence, 1_000))
        lines.append(f"Since {_short(one.commit)}{_change(one)}; {_assigned(one.assignee)}.")
    if content.production_event is not None:
        lines += _production_lines(content.production_event)
    return lines


def _production_headline(content: NotificationContent, event: ProductionEventContent) -> str:
    """Return what happened and where; a change of state names the event, a new one its change."""
    place = f"{event.service} in {event.environment}"
    is_closed = content.event is NotificationEvent.PRODUCTION_CLOSED or content.what == "closed"
    if not content.what and not is_closed:
        return plain(f"{place}{HEADLINES.get(event.kind, ' got slower')}: {event.title}", 300)
    if is_closed:
        return plain(f"Event {event.number} of {place} is closed: {event.sentence}", 300)
    return plain(f"Event {event.number} of {place} is {content.what}: {event.title}", 300)


def _production_lines(event: ProductionEventContent) -> list[str]:
    name, (before, after) = event.gauge or event.signal, (f"{each:.3g}" for each in (event.before, event.after))
    if event.kind == "load":
        name, after = "load", f"{after} requests/s"
    elif event.kind != "gauge":
        before, after = format_seconds(event.before), format_seconds(event.after)
    certainty = describe_interval(event.ratio_low, event.ratio_high)
    change = f"{name}: {before} to {after}, {format_ratio(event.ratio)}, {certainty}"
    cost = event.added_seconds_per_second
    severity = f"Severity: {event.severity}"
    if cost is not None:
        severity += f", {cost:.3g} s of latency added per second"
    since = f"Since {_short(event.commit)}; " if event.commit else ""
    assigned = _assigned(event.assignee)
    last = f"{since}{assigned}." if since else f"{assigned[0].upper()}{assigned[1:]}."
    return [plain(event.sentence, 1_000), f"{change}.", f"{severity}.", last]


def slack(content: NotificationContent) -> bytes:
    """Return the body for an incoming webhook of Slack."""
    return json.dumps(_slack_message(content)).encode()


def slack_app(content: NotificationContent) -> dict[str, Any]:
    """Return the message of a Slack app: with buttons as long as the incident has not ended."""
    message = _slack_message(content)
    incident = content.production_event or next(iter(content.regressions), None)
    if content.event not in INCIDENT_EVENTS or incident is None or incident.state in ENDED_STATES:
        return message
    kind = "production-event" if content.production_event is not None else "regression"
    value = f"{kind}:{content.subject_id}"
    buttons = [_button(action, text, value) for action, text in SLACK_BUTTONS.items()]
    return {**message, "blocks": [*message["blocks"], {"type": "actions", "elements": buttons}]}


def slack_reply(content: NotificationContent) -> dict[str, Any]:
    """Return the reply in the thread of an incident: what changed."""
    text = format_headline(content)
    return {"text": _for_slack(text), "mrkdwn": False, "parse": "none", "link_names": False, "blocks": [_section(text)]}


def _button(action: str, text: str, value: str) -> dict[str, Any]:
    label = {"type": "plain_text", "text": text, "emoji": False}
    return {"type": "button", "text": label, "action_id": action, "value": value}


def _slack_message(content: NotificationContent) -> dict[str, Any]:
    """Return a message of Slack.

    External names are plain text: in mrkdwn, a pointer method like `(*Cart).Total` would turn the rest of its line bold.
    """
    text = format_headline(content)
    blocks: list[dict[str, Any]] = [_header(text)]
    if len(_for_slack(text)) > SLACK_HEADER:
        blocks.append(_section(text))
    if details := "\n".join(describe_event(content)):
        blocks.append(_section(details))
    blocks.append({"type": "section", "text": {"type": "mrkdwn", "text": f"<{content.url}|Open in Slowpath>"}})
    return {
        "text": _for_slack(text),
        "mrkdwn": False,
        "parse": "none",
        "link_names": False,
        "blocks": blocks,
        "unfurl_links": False,
    }


def _header(text: str) -> dict[str, Any]:
    return {"type": "header", "text": {"type": "plain_text", "text": _fitting(text, SLACK_HEADER), "emoji": False}}


def _section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "plain_text", "text": _fitting(text, SLACK_TEXT), "emoji": False}}


def _fitting(text: str, most: int) -> str:
    """Return as much of a text as fits Slack's limit, counted after escaping."""
    escaped = _for_slack(text)
    if len(escaped) <= most:
        return escaped
    fitting = bisect_right([*accumulate(len(_for_slack(char)) for char in text)], most - 1)
    return _for_slack(text[:fitting]) + "…"


def mail(content: NotificationContent) -> tuple[str, str]:
    """Return subject and text of an email. The mails of one incident share a subject, as their thread requires."""
    text = "\n\n".join([format_headline(content), *describe_event(content), content.url]) + "\n"
    opening = OPENINGS.get(content.event, content.event if content.what else None)
    if opening is None:
        return f"[Slowpath] {plain(format_headline(content), 150)}", text
    return f"Re: [Slowpath] {plain(format_headline(replace(content, event=opening, what='')), 150)}", text


def mail_thread_id(content: NotificationContent) -> str:
    """Return the ID that the mails of one incident share, in characters that a header allows; empty: no thread."""
    thread = content.thread()
    return f"incident-{hashlib.sha256(thread.encode(errors='replace')).hexdigest()[:32]}" if thread else ""


def webhook(content: NotificationContent, at: datetime) -> bytes:
    """Return the payload of an outgoing webhook: `{"type", "timestamp", "data"}` as in Standard Webhooks."""
    stored = content.to_json()
    data = {
        "sentence": format_headline(content),
        "url": content.url,
        "build": stored["build"],
        "regressions": stored["regressions"],
    }
    if content.what:
        data["what"] = content.what
    if content.bisect is not None:
        data["bisect"] = stored["bisect"]
    if content.production_event is not None:
        data["production_event"] = stored["production_event"]
    return json.dumps({"type": content.event, "timestamp": at.isoformat(), "data": data}).encode()


def status(content: NotificationContent) -> dict[str, Any]:
    """Return a commit status: `{"state", "description", "target_url", "context"}` in GitHub's terms.

    Only a change for the worse that is announced is a failure; a build without a verdict passes.
    """
    assert content.build is not None
    states = {"changed": "failure", "pending": "pending"}
    return {
        "state": states.get(content.build.verdict, "success"),
        "description": plain(f"{content.build.sentence} {content.build.warning}".rstrip(), STATUS_LENGTH),
        "target_url": content.url,
        "context": plain(f"slowpath/{content.build.service}{_context_of(content)}", 100),
    }


def _context_of(content: NotificationContent) -> str:
    """Return the end of a status's context: a measured pull request has another status than its build."""
    return "/measured" if content.event is NotificationEvent.MEASURED else ""


def comment_marker(content: NotificationContent) -> str:
    """Return the marker line of a pull request's comment."""
    return MARK.format(thread=hashlib.sha256((content.thread() or "").encode(errors="replace")).hexdigest()[:32])


def comment(content: NotificationContent) -> str:
    """Return the comment of a pull request, in Markdown."""
    assert content.build is not None
    headline = format_headline(content)
    sentences = (plain(one.sentence, 1_000) for one in content.regressions)
    lines = [
        comment_marker(content),
        f"**{_markdown(headline)}**",
        *(_markdown(each) for each in sentences if each not in headline),
        *([_markdown(plain(content.build.warning, 2_000))] if content.build.warning else []),
    ]
    links = [f"[Open in Slowpath]({content.url})"]
    links += [f"[Comparison]({content.build.comparison_url})"] if content.build.comparison_url else []
    lines.append(" · ".join(links))
    return "\n\n".join(lines)


def issue(content: NotificationContent) -> tuple[str, str]:
    """Return title and body of an issue at a code host, in Markdown.

    Each line of external text is an item of a list, so that none begins with a command such as `/close`.
    """
    headline = format_headline(content)
    lines = "\n".join(f"- {_markdown(line)}" for line in describe_event(content))
    title = plain(headline, 200).translate({ord("@"): _MARKDOWN[ord("@")]}).lstrip("/ ")
    return title, "\n\n".join([comment_marker(content), lines, f"[Open in Slowpath]({content.url})"]) + "\n"


def issue_end(content: NotificationContent) -> tuple[str, str]:
    """Return the marker and the text of the comment with which an issue is closed, in Markdown."""
    mark = MARK.format(thread=hashlib.sha256(content.dedupe_key().encode(errors="replace")).hexdigest()[:32])
    lines = "\n".join(f"- {_markdown(line)}" for line in describe_event(content))
    return mark, "\n\n".join([mark, lines, f"[Open in Slowpath]({content.url})"])


def _short(commit: str) -> str:
    return short_commit(plain(commit, 64)) or "an unknown commit"


def _change(one: RegressionContent) -> str:
    if one.ratio is None:
        return ""
    if not (one.ratio_low and one.ratio_high):
        return f", {format_ratio(one.ratio)}"
    return f", {format_ratio(one.ratio)}, {describe_interval(one.ratio_low, one.ratio_high)}"


def _assigned(assignee: str | None) -> str:
    return f"assigned to {plain(assignee, 100)}" if assignee else "unassigned"


def _for_slack(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _markdown(text: str) -> str:
    """Return an external text as Markdown of one line that is no command: code hosts and bots read `/approve`."""
    escaped = text.lstrip().translate(_MARKDOWN)
    return f"\\{escaped}" if escaped.startswith("/") else escaped
