"""The registry of notification channels: how a target of each kind is validated, and how a notification is delivered.

A new kind is one `ChannelType` here, a member of `ChannelKind` with its default events in `rules`, and its form.
"""

import base64
import re
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlsplit

from email_validator import EmailNotValidError, validate_email
from standardwebhooks.webhooks import Webhook

from slowpath.core.github_app import (
    INSTALLATION_TOKENS,
    WRITE_ISSUES,
    WRITE_STATUSES,
    Permissions,
    check_app_credential,
    is_app_credential,
)
from slowpath.core.ports import EgressClient, EmailMessage, Mailer
from slowpath.sharing.notifications import wording
from slowpath.sharing.notifications.errors import InvalidChannel, PermanentDeliveryError, ReceiverGone
from slowpath.sharing.notifications.rules import (
    MAX_ANSWER_BYTES,
    MOST_RECIPIENTS,
    SEND_SECONDS,
    ChannelKind,
    ChannelTarget,
    NotificationContent,
)
from slowpath.sharing.notifications.service.alert_services import AlertService, Opsgenie, PagerDuty
from slowpath.sharing.notifications.service.code_hosts import CodeHost, GitHubStatuses, GitLabStatuses, check
from slowpath.sharing.notifications.service.grafana_annotations import GrafanaAnnotations, validate_grafana
from slowpath.sharing.notifications.service.slack_app import (
    SLACK_API_URL,
    SlackApi,
    SlackAppSecret,
    deliver_to_slack,
    validate_slack_app,
)
from slowpath.sharing.notifications.service.teams_messages import make_teams_message, split_workflow_url

SLACK_REJECTIONS: Final = frozenset({400, 403, 404})
REPOSITORY: Final = re.compile(r"[A-Za-z0-9_.-]{1,100}(?:/[A-Za-z0-9_.-]{1,100}){1,9}")
TOKEN: Final = re.compile(r"[\x21-\x7e]{1,1000}")
SECRET_BYTES: Final = 32


@dataclass(frozen=True)
class OutboundNotification:
    """A notification and its target, read from the database before anything is sent."""

    message_id: str
    kind: ChannelKind
    target: Mapping[str, Any]
    secret: str
    content: NotificationContent
    comment_id: str | None
    """The comment of the same pull request, or the Slack message or annotation of the same incident, if one was created before."""
    issue_number: int | None = None
    """The issue that the event closes."""

    def __repr__(self) -> str:
        """Return the id and the kind alone: logs must not hold secrets."""
        return f"OutboundNotification({self.message_id}, {self.kind})"


@dataclass(frozen=True)
class DeliveryPorts:
    """What a delivery may use, and its time."""

    egress: EgressClient
    mailer: Mailer
    at: datetime


ValidatedTarget = tuple[dict[str, Any], str | None]
"""The part of a target that pages may show, and the part that is encrypted."""


@dataclass(frozen=True)
class ChannelType:
    """One kind of channel.

    `validate` raises `InvalidChannel` or `AddressRefused`. `deliver` returns the receiver's id of the message if it
    names one, and raises `PermanentDeliveryError` and `ReceiverGone` (a retry cannot succeed), `Unavailable` (it may)
    or `AddressRefused`. `signs_messages`: the receiver gets a signing secret when the channel is created.
    """

    kind: ChannelKind
    validate: Callable[[ChannelTarget, EgressClient], ValidatedTarget]
    deliver: Callable[[OutboundNotification, DeliveryPorts], str | None]
    signs_messages: bool = False


def deliver_notification(
    outbound: OutboundNotification, egress: EgressClient, mailer: Mailer, at: datetime
) -> str | None:
    """Deliver a notification; return and raise as `ChannelType.deliver` does."""
    return CHANNEL_TYPES[outbound.kind].deliver(outbound, DeliveryPorts(egress, mailer, at))


@contextmanager
def open_code_host(
    egress: EgressClient,
    kind: ChannelKind,
    target: Mapping[str, Any],
    token: str,
    permissions: Permissions = WRITE_ISSUES,
    *,
    now: datetime,
) -> Iterator[CodeHost]:
    """Connect to the repository of a channel of a code host; a GitHub App gets these permissions only.

    Raises `AddressNotAllowed`, `UpstreamUnavailable`, `InvalidAppCredential`.
    """
    with (
        egress.opened(target["api_url"]) as peer,
        INSTALLATION_TOKENS.use(
            token, peer, api_url=target["api_url"], repository=target["repository"], permissions=permissions, now=now
        ) as usable,
    ):
        yield CODE_HOST_CLIENTS[kind](peer, target["repository"], usable)


def make_signing_secret() -> str:
    """Return a new secret in the format of Standard Webhooks."""
    return "whsec_" + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def _validate_email(target: ChannelTarget, _egress: EgressClient) -> ValidatedTarget:
    return {"to": _recipients(target.to)}, None


def _recipients(given: Sequence[str]) -> list[str]:
    if not 1 <= len(given) <= MOST_RECIPIENTS:
        raise InvalidChannel("Add at least one address.", limit=MOST_RECIPIENTS, actual=len(given), unit="addresses")
    try:
        return [validate_email(one, check_deliverability=False).normalized for one in given]
    except EmailNotValidError as error:
        raise InvalidChannel(f"An address is invalid: {str(error)[:200]}") from error


def _deliver_email(outbound: OutboundNotification, ports: DeliveryPorts) -> None:
    subject, text = wording.mail(outbound.content)
    for number, to in enumerate(outbound.target["to"]):  # one message each: recipients do not see each other
        message_id, thread_id = f"{outbound.message_id}.{number}", wording.mail_thread_id(outbound.content)
        ports.mailer.send(EmailMessage(to, subject, text, message_id, thread_id))


def _validate_slack(target: ChannelTarget, egress: EgressClient) -> ValidatedTarget:
    egress.check(target.url)
    return {"host": urlsplit(target.url).netloc}, target.url  # the path of a Slack webhook is its password


def _deliver_slack(outbound: OutboundNotification, ports: DeliveryPorts) -> None:
    with ports.egress.opened(outbound.secret) as peer:
        answer = peer.send(
            "POST", "", wording.slack(outbound.content), max_bytes=MAX_ANSWER_BYTES, seconds=SEND_SECONDS
        )
    if answer.status in SLACK_REJECTIONS:
        excerpt = answer.content[:200].decode(errors="replace")
        if answer.status == 404 or excerpt in {"no_service", "channel_is_archived", "action_prohibited"}:
            raise ReceiverGone(
                f"Slack answered {answer.status}: {excerpt}", remedy="Create a new channel with a new Slack webhook."
            )
        raise PermanentDeliveryError(f"Slack answered {answer.status}: {excerpt}")
    check(answer, "Slack")


def _validate_slack_app(target: ChannelTarget, egress: EgressClient) -> ValidatedTarget:
    secret = validate_slack_app(target)
    api_url = target.url or SLACK_API_URL
    egress.check(api_url)
    return {"api_url": api_url, "conversation": target.conversation}, secret.to_text()


def _deliver_slack_app(outbound: OutboundNotification, ports: DeliveryPorts) -> str:
    with ports.egress.opened(outbound.target["api_url"]) as peer:
        api = SlackApi(peer, SlackAppSecret.from_text(outbound.secret).token)
        return deliver_to_slack(api, outbound.target["conversation"], outbound.content, outbound.comment_id)


def _validate_webhook(target: ChannelTarget, egress: EgressClient) -> ValidatedTarget:
    egress.check(target.url)
    return {"url": target.url}, make_signing_secret()


def _deliver_webhook(outbound: OutboundNotification, ports: DeliveryPorts) -> None:
    body = wording.webhook(outbound.content, ports.at)
    headers = {
        "webhook-id": outbound.message_id,
        "webhook-timestamp": str(int(ports.at.timestamp())),
        "webhook-signature": Webhook(outbound.secret).sign(outbound.message_id, ports.at, body.decode()),
    }
    with ports.egress.opened(outbound.target["url"]) as peer:
        answer = peer.send("POST", "", body, headers, max_bytes=MAX_ANSWER_BYTES, seconds=SEND_SECONDS)
    check(answer, "The receiver")


def _code_host(kind: ChannelKind, default_api_url: str) -> ChannelType:
    """Return the type of a code host: the status of each commit, and one comment on the pull request of a change."""

    def validate(target: ChannelTarget, egress: EgressClient) -> ValidatedTarget:
        if not REPOSITORY.fullmatch(target.repository) or ".." in target.repository:
            raise InvalidChannel("The repository is missing.", remedy="Enter it as owner/name.")
        if is_app_credential(target.token) and kind is ChannelKind.GITHUB:
            check_app_credential(target.token)
        elif not TOKEN.fullmatch(target.token):
            raise InvalidChannel("The token is missing or invalid: use visible ASCII characters without spaces.")
        api_url = target.url or default_api_url
        egress.check(api_url)
        return {"api_url": api_url, "repository": target.repository}, target.token

    def deliver(outbound: OutboundNotification, ports: DeliveryPorts) -> str | None:
        content = outbound.content
        permissions = WRITE_STATUSES if outbound.issue_number is None else WRITE_ISSUES
        with open_code_host(ports.egress, kind, outbound.target, outbound.secret, permissions, now=ports.at) as host:
            if outbound.issue_number is not None:
                mark, text = wording.issue_end(content)
                return host.close_issue(outbound.issue_number, mark, text)
            if content.build is None:  # a test writes nothing: it only reads the repository with this token
                host.check_access()
                return None
            host.set_status(content.build.commit, wording.status(content))
            number = content.build.pull_request
            wants_comment = content.is_announced or content.build.warning or outbound.comment_id
            if number is None or not wants_comment or content.is_status_only:
                return None
            comment_id = outbound.comment_id or host.find_comment(number, wording.comment_marker(content))
            return host.write_comment(number, comment_id, wording.comment(content))

    return ChannelType(kind, validate, deliver)


def _alert_service(kind: ChannelKind, default_api_url: str, service: type[AlertService]) -> ChannelType:
    """Return the type of an alert service: one alert per incident, updated and ended under the same key."""

    def validate(target: ChannelTarget, egress: EgressClient) -> ValidatedTarget:
        if not service.KEY.fullmatch(target.token):
            raise InvalidChannel(f"The {service.KEY_NAME} is missing or invalid.", remedy=service.KEY_REMEDY)
        api_url = target.url or default_api_url
        egress.check(api_url)
        return {"api_url": api_url, "host": urlsplit(api_url).netloc}, target.token

    def deliver(outbound: OutboundNotification, ports: DeliveryPorts) -> None:
        with ports.egress.opened(outbound.target["api_url"]) as peer:
            service(peer, outbound.secret).send(outbound.content)

    return ChannelType(kind, validate, deliver)


def _validate_teams(target: ChannelTarget, egress: EgressClient) -> ValidatedTarget:
    address, _query = split_workflow_url(target.url)
    egress.check(address)
    return {"host": urlsplit(address).netloc}, target.url  # the signature in the query is its password


def _deliver_teams(outbound: OutboundNotification, ports: DeliveryPorts) -> None:
    address, query = split_workflow_url(outbound.secret)
    with ports.egress.opened(address) as peer:
        body = make_teams_message(outbound.content)
        answer = peer.send("POST", query, body, max_bytes=MAX_ANSWER_BYTES, seconds=SEND_SECONDS)
    if answer.status in {400, 404}:
        excerpt = answer.content[:200].decode(errors="replace")
        if answer.status == 404:
            raise ReceiverGone(
                f"Teams answered 404: {excerpt}", remedy="Create a new channel with the URL of another workflow."
            )
        raise PermanentDeliveryError(f"Teams answered 400: {excerpt}")
    check(answer, "Teams")


def _validate_grafana(target: ChannelTarget, egress: EgressClient) -> ValidatedTarget:
    validate_grafana(target)
    egress.check(target.url)
    return {"url": target.url}, target.token


def _deliver_grafana(outbound: OutboundNotification, ports: DeliveryPorts) -> str:
    with ports.egress.opened(outbound.target["url"]) as peer:
        return GrafanaAnnotations(peer, outbound.secret).write(outbound.content, outbound.comment_id, ports.at)


CODE_HOST_CLIENTS: Final[Mapping[ChannelKind, type[CodeHost]]] = {
    ChannelKind.GITHUB: GitHubStatuses,
    ChannelKind.GITLAB: GitLabStatuses,
}
CHANNEL_TYPES: Final[Mapping[ChannelKind, ChannelType]] = {
    each.kind: each
    for each in (
        ChannelType(ChannelKind.SLACK, _validate_slack, _deliver_slack),
        ChannelType(ChannelKind.SLACK_APP, _validate_slack_app, _deliver_slack_app),
        ChannelType(ChannelKind.EMAIL, _validate_email, _deliver_email),
        ChannelType(ChannelKind.WEBHOOK, _validate_webhook, _deliver_webhook, signs_messages=True),
        _code_host(ChannelKind.GITHUB, "https://api.github.com"),
        _code_host(ChannelKind.GITLAB, "https://gitlab.com/api/v4"),
        _alert_service(ChannelKind.PAGERDUTY, "https://events.pagerduty.com", PagerDuty),
        _alert_service(ChannelKind.OPSGENIE, "https://api.opsgenie.com", Opsgenie),
        ChannelType(ChannelKind.TEAMS, _validate_teams, _deliver_teams),
        ChannelType(ChannelKind.GRAFANA, _validate_grafana, _deliver_grafana),
    )
}
