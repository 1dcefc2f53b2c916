"""One message goes out. What comes back is an id of the other side, or an error that says whether trying again may help."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from standardwebhooks.webhooks import Webhook

from slowpath.core.ports import Mail, Mailer, Outside
from slowpath.notifications import wording
from slowpath.notifications.errors import Gone, NeverTaken
from slowpath.notifications.rules import MAX_ANSWER_BYTES, SEND_SECONDS, ChannelKind, Told
from slowpath.notifications.service.code_hosts import CodeHost, GitHub, GitLab, check

SLACK_REFUSES: Final = frozenset({400, 403, 404})


@dataclass(frozen=True)
class Parcel:
    """A message and where it goes, read from the database before anything is sent."""

    message_id: str
    kind: ChannelKind
    target: Mapping[str, Any]
    secret: str
    told: Told
    comment_id: str | None
    """The comment of the same pull request, if one was made before."""

    def __repr__(self) -> str:
        """Return the message alone: what is printed somewhere shows no secrets."""
        return f"Parcel({self.message_id}, {self.kind})"


def deliver(parcel: Parcel, outside: Outside, mailer: Mailer, at: datetime) -> str | None:
    """Bring a message to where it goes; returns what the other side calls it, if it says.

    Raises `NeverTaken` and `Gone` (trying again does not help), `Unavailable` (it may), `AddressRefused`.
    """
    match parcel.kind:
        case ChannelKind.EMAIL:
            _mail(parcel, mailer)
        case ChannelKind.SLACK:
            _slack(parcel, outside)
        case ChannelKind.WEBHOOK:
            _webhook(parcel, outside, at)
        case ChannelKind.GITHUB | ChannelKind.GITLAB:
            return _code_host(parcel, outside)
    return None


def _mail(parcel: Parcel, mailer: Mailer) -> None:
    subject, text = wording.mail(parcel.told)
    for number, to in enumerate(parcel.target["to"]):  # each alone: nobody reads who else is told
        mailer.send(Mail(to, subject, text, f"{parcel.message_id}.{number}"))


def _slack(parcel: Parcel, outside: Outside) -> None:
    with outside.opened(parcel.secret) as peer:
        answer = peer.send("POST", "", wording.slack(parcel.told), max_bytes=MAX_ANSWER_BYTES, seconds=SEND_SECONDS)
    if answer.status in SLACK_REFUSES:
        said = answer.content[:200].decode(errors="replace")
        if answer.status == 404 or said in {"no_service", "channel_is_archived", "action_prohibited"}:
            raise Gone(f"Slack answered {answer.status}: {said}", remedy="Add the channel anew with another hook.")
        raise NeverTaken(f"Slack answered {answer.status}: {said}")
    check(answer, "Slack")


def _webhook(parcel: Parcel, outside: Outside, at: datetime) -> None:
    body = wording.webhook(parcel.told, at)
    headers = {
        "webhook-id": parcel.message_id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": Webhook(parcel.secret).sign(parcel.message_id, at, body.decode()),
    }
    with outside.opened(parcel.target["url"]) as peer:
        answer = peer.send("POST", "", body, headers, max_bytes=MAX_ANSWER_BYTES, seconds=SEND_SECONDS)
    check(answer, "The receiver")


def _code_host(parcel: Parcel, outside: Outside) -> str | None:
    """Set the status of the commit; on a change, write the one comment of its pull request or bring it up to date.

    A trial says nothing there: it only asks whether the repository is there for this token.
    """
    told = parcel.told
    host_of: type[CodeHost] = GitHub if parcel.kind is ChannelKind.GITHUB else GitLab
    with outside.opened(parcel.target["api_url"]) as peer:
        host = host_of(peer, parcel.target["repository"], parcel.secret)
        if told.build is None:
            host.look()
            return None
        host.set_status(told.build.commit, wording.status(told))
        number = told.build.pull_request
        if number is None or not (told.regressions or parcel.comment_id):
            return None
        comment_id = parcel.comment_id or host.find_comment(number, wording.mark(told))
        return host.write_comment(number, comment_id, wording.comment(told))
