"""Driver for a webhook receiver, with messages signed according to Standard Webhooks.

    [deploy]
    driver = "webhook"
    to = "https://deploys.example.com/slowpath"
    secret_env = "SLOWPATH_WEBHOOK_SECRET"          # whsec_…, shared with the receiver
    url = "http://probe-{slot}.lab.example:8080"    # address of the deployed service
    # ca_file, poll_seconds = 2, restore_seconds = 600

Messages are `{"type", "timestamp", "data"}`:

- `slowpath.ping`: respond with 2xx.
- `slowpath.deploy`, data `{run_id, attempt, slot, service, commit, overrides, callback, seconds, runner}`: respond with 2xx
  when the deployment has started, and report its status by POST `{"state": "building|rolling|ready|unbuildable|failed",
  "detail"}` to `callback`; or respond with that object (and a `url`). The message is repeated with the same `webhook-id`
  until it gets a response.
- `slowpath.restore`, data `{run_id, runner}`: respond with 200 or 204 when the deployment is gone, 202 while it is being
  removed (the message is repeated), 404 for an unknown run. Respond with 410 to a later `slowpath.deploy`.
"""

import base64
import binascii
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, cast, get_args
from urllib.parse import urlsplit
from uuid import UUID, uuid4

from standardwebhooks.webhooks import Webhook as Signer

from slowpath_cli.collect.pprof_client import printable
from slowpath_cli.runner.core.config_section import ConfigSection, check_placeholders
from slowpath_cli.runner.core.driver_interface import (
    DeploymentFailed,
    DeploymentStatus,
    DeploymentTarget,
    DriverEnvironment,
    DriverError,
    Handle,
    InvalidDriverConfig,
    State,
)
from slowpath_cli.runner.core.driver_state import DriverStateStore
from slowpath_cli.runner.core.http_client import (
    HttpClient,
    HttpResponse,
    RequestFailed,
    check_address,
    make_error_from_response,
)
from slowpath_cli.runner.core.placeholders import fill_placeholder
from slowpath_cli.runner.core.tls_trust import TlsTrust

Json = dict[str, Any]
PLACEHOLDERS: Final = ("slot", "run_id", "commit", "service")
SECRET_BYTES: Final = range(24, 65)
"""Lengths of a secret that Standard Webhooks allows."""
ACCEPTED, GONE_STATUSES = 202, frozenset({404, 410})
MAX_PAUSE_SECONDS: Final = 60.0
POLL_SECONDS: Final = 2.0
MAX_TRIES: Final = 3


@dataclass
class WebhookDriver:
    """Deploys builds by messages to a receiver; implements `DeploymentDriver`."""

    outside: HttpClient
    notes: DriverStateStore
    signer: Signer
    runner: str
    url: str | None
    poll_seconds: float = 2.0
    restore_seconds: float = 600.0
    now: Callable[[], float] = time.time
    pause: Callable[[float], None] = field(default=time.sleep)

    def prepare(self) -> None:
        """Send a ping to check the address, the certificate and the secret. Raises `DriverError`."""
        try:
            response = self._send(f"ping-{uuid4()}", "slowpath.ping", {"runner": self.runner})
        except RequestFailed as error:
            raise DriverError(str(error)) from error
        if not response.good:
            raise make_error_from_response(f"The receiver of pings {self.outside.address}", response)

    def deploy(self, target: DeploymentTarget) -> Handle:
        """Send the deploy message; `status` repeats it if it fails. Raises `DeploymentFailed` if it is rejected."""
        values = {
            "slot": str(target.slot),
            "run_id": str(target.run_id),
            "commit": target.commit,
            "service": target.service,
        }
        note = self.notes.read(target.run_id)
        if note is None or note.get("attempt") != target.attempt:
            note = {"attempt": target.attempt, "data": self._data(target), "tries": 0, "next_at": 0.0, "taken": None}
            self.notes.write(target.run_id, note)
        if note["taken"] is None:
            self._send_deploy(target.run_id, note)
        return {"run_id": str(target.run_id), "attempt": target.attempt, "values": values}

    def status(self, handle: Handle, called_back: DeploymentStatus | None) -> DeploymentStatus:
        """Return the last callback's status, else that of the receiver's response. Raises `DeploymentFailed`."""
        note = self.notes.read(handle["run_id"])
        if note is not None and note["taken"] is None and self.now() >= float(note["next_at"]):
            note = self._send_deploy(UUID(handle["run_id"]), note)
        if called_back is not None:
            return called_back
        if note is None:
            return DeploymentStatus("building", "message sent to the receiver")
        if note["taken"] is None:
            return DeploymentStatus("building", f"not accepted yet: {note.get('why', '')}")
        state = note["taken"].get("state")
        if state in get_args(State):
            return DeploymentStatus(cast("State", state), printable(str(note["taken"].get("detail") or ""), 300))
        return DeploymentStatus("building", "accepted by the receiver")

    def endpoints(self, handle: Handle) -> Mapping[str, str]:
        """Return the address in the receiver's response, else the configured one of this slot."""
        taken = (self.notes.read(handle["run_id"]) or {}).get("taken") or {}
        url = taken.get("url") or (None if self.url is None else fill_placeholder(self.url, handle["values"]))
        if url is None:
            return {}
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        return {"url": url.rstrip("/"), "host": parts.hostname or "", "port": str(port)}

    def restore(self, run_id: UUID) -> None:
        """Send restore messages until the deployment is gone. Raises `DeploymentFailed`."""
        until, failures = self.now() + self.restore_seconds, 0
        while True:
            try:
                response = self._send(
                    f"{run_id}-restore", "slowpath.restore", {"run_id": str(run_id), "runner": self.runner}
                )
            except RequestFailed as error:
                failed = DeploymentFailed(str(error), is_transient=True)
            else:
                if response.status in GONE_STATUSES or (response.good and response.status != ACCEPTED):
                    self.notes.forget(run_id)
                    return
                failed = make_error_from_response(f"The receiver {self.outside.address}", response)
                if response.status == ACCEPTED:
                    failures = -1
                    failed = DeploymentFailed("The receiver is still removing the deployment.", is_transient=True)
            failures += 1
            if not failed.is_transient or failures >= MAX_TRIES or self.now() > until:
                raise failed
            self.pause(POLL_SECONDS)

    def _data(self, target: DeploymentTarget) -> Json:
        overrides = {module: override.to_json() for module, override in target.overrides.items()}
        for override_fields in overrides.values():
            override_fields.pop("dir", None)  # the receiver has no access to the folder
        return {
            "run_id": str(target.run_id), "attempt": target.attempt, "slot": target.slot, "service": target.service,
            "commit": target.commit, "overrides": overrides, "callback": target.callback.url if target.callback else None,
            "seconds": target.seconds, "runner": self.runner,
        }  # fmt: skip

    def _send_deploy(self, run_id: UUID, note: Json) -> Json:
        """Send the deploy message once; store and return the result. Raises `DeploymentFailed` if it is rejected."""
        reason = ""
        try:
            response = self._send(f"{run_id}-{note['attempt']}", "slowpath.deploy", note["data"])
        except RequestFailed as error:
            reason = str(error)
        else:
            if response.good:
                note = note | {"taken": _parse_response(response)}
                self.notes.write(run_id, note)
                return note
            failed = make_error_from_response(f"The receiver {self.outside.address}", response)
            if not failed.is_transient:
                raise failed
            reason = str(failed)
        tries = int(note["tries"]) + 1
        note = note | {
            "tries": tries,
            "next_at": self.now() + max(min(2.0**tries, MAX_PAUSE_SECONDS), self.outside.limits.left()),
            "why": printable(reason, 300),
        }
        self.notes.write(run_id, note)
        return note

    def _send(self, message_id: str, kind: str, data: Mapping[str, Any]) -> HttpResponse:
        at = datetime.fromtimestamp(self.now(), UTC)
        message = {"type": kind, "timestamp": at.isoformat().replace("+00:00", "Z"), "data": data}
        body = json.dumps(message, separators=(",", ":"))
        headers = {
            "webhook-id": message_id,
            "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature": self.signer.sign(message_id, at, body),
        }
        return self.outside.send("POST", "", body=body.encode(), headers=headers)


def _parse_response(response: HttpResponse) -> dict[str, str]:
    """Return the known fields of a receiver's response: state, detail, url."""
    document = response.json_object()
    fields = {key: document[key][:2000] for key in ("state", "detail", "url") if isinstance(document.get(key), str)}
    try:
        check_address(fields.get("url", "http://unsaid"))
    except InvalidDriverConfig:
        del fields["url"]
    return fields


def read(section: Mapping[str, Any], place: DriverEnvironment) -> WebhookDriver:
    """Read the driver's part of the configuration. Raises `InvalidDriverConfig`."""
    given = ConfigSection(section)
    to, url = given.text("to"), given.find_string("url")
    if urlsplit(to).query or urlsplit(to).fragment:
        raise InvalidDriverConfig(f"[deploy] to must be an address without ? and #, not {to!r}.")
    if url is not None:
        check_placeholders(url, PLACEHOLDERS, "[deploy] url")
        check_address(fill_placeholder(url, dict.fromkeys(PLACEHOLDERS, "0")))
    secret = given.secret("secret_env", "SLOWPATH_WEBHOOK_SECRET")()
    try:
        raw = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidDriverConfig(
            "[deploy] secret_env: the secret must be whsec_ and base64, as in Standard Webhooks."
        ) from error
    if len(raw) not in SECRET_BYTES:
        raise InvalidDriverConfig(
            f"[deploy] secret_env: the secret has {len(raw)} bytes; Standard Webhooks requires 24 to 64."
        )
    trust = TlsTrust.of(given.file("ca_file"))
    driver = WebhookDriver(
        outside=HttpClient(to, dict, lambda: trust),
        notes=DriverStateStore(place.work),
        signer=Signer(raw),
        runner=place.runner,
        url=url,
        poll_seconds=given.number("poll_seconds", 2, 0.1, 600),
        restore_seconds=given.number("restore_seconds", 600, 1, 86_400),
    )
    given.done()
    return driver
