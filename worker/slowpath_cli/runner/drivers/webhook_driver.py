"""Deploys by telling a receiver of yours, with messages signed as Standard Webhooks has it.

    [deploy]
    driver = "webhook"
    to = "https://deploys.example.com/slowpath"
    secret_env = "SLOWPATH_WEBHOOK_SECRET"          # whsec_…, known to the receiver
    url = "http://probe-{slot}.lab.example:8080"    # where what it deploys answers
    # ca_file, poll_seconds = 2, restore_seconds = 600

Messages are `{"type", "timestamp", "data"}`:

- `slowpath.ping`: answer 2xx.
- `slowpath.deploy`, data `{run_id, attempt, slot, service, commit, overrides, callback, seconds, runner}`: answer 2xx when it
  is begun, and tell how it goes by POST `{"state": "building|rolling|ready|unbuildable|failed", "detail"}` to `callback`; or
  answer with that object (and a `url`) at once. The message comes again, with the same `webhook-id`, until it was answered.
- `slowpath.restore`, data `{run_id, runner}`: 200 or 204 when nothing of the run is left, 202 while it is being taken down
  (it is asked again), 404 for a run you do not know. A `slowpath.deploy` that comes after it is to be refused with 410.
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
"""What Standard Webhooks asks of a secret."""
ACCEPTED, GONE_STATUSES = 202, frozenset({404, 410})
LONGEST_PAUSE: Final = 60.0
LOOK_SECONDS: Final = 2.0
TRIES: Final = 3


@dataclass
class WebhookDriver:
    """A driver that keeps `Driver`."""

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
        """Send a ping: the address, the certificate and the secret are found wrong now or never. Raises `DriverError`."""
        try:
            answer = self._send(f"ping-{uuid4()}", "slowpath.ping", {"runner": self.runner})
        except RequestFailed as error:
            raise DriverError(str(error)) from error
        if not answer.good:
            raise make_error_from_response(f"The receiver of pings {self.outside.address}", answer)

    def deploy(self, target: DeploymentTarget) -> Handle:
        """Tell the receiver; who does not listen is told again by `status`. Raises `DeploymentFailed` where it refuses."""
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
            self._told(target.run_id, note)
        return {"run_id": str(target.run_id), "attempt": target.attempt, "values": values}

    def status(self, handle: Handle, called_back: DeploymentStatus | None) -> DeploymentStatus:
        """Return what the deploy called back with last, else what the receiver answered. Raises `DeploymentFailed`."""
        note = self.notes.read(handle["run_id"])
        if note is not None and note["taken"] is None and self.now() >= float(note["next_at"]):
            note = self._told(UUID(handle["run_id"]), note)
        if called_back is not None:
            return called_back
        if note is None:
            return DeploymentStatus("building", "told to the receiver")
        if note["taken"] is None:
            return DeploymentStatus("building", f"not taken yet: {note.get('why', '')}")
        state = note["taken"].get("state")
        if state in get_args(State):
            return DeploymentStatus(cast("State", state), printable(str(note["taken"].get("detail") or ""), 300))
        return DeploymentStatus("building", "taken by the receiver")

    def endpoints(self, handle: Handle) -> Mapping[str, str]:
        """Return where the receiver said it answers, else what is configured for this slot."""
        taken = (self.notes.read(handle["run_id"]) or {}).get("taken") or {}
        url = taken.get("url") or (None if self.url is None else fill_placeholder(self.url, handle["values"]))
        if url is None:
            return {}
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        return {"url": url.rstrip("/"), "host": parts.hostname or "", "port": str(port)}

    def restore(self, run_id: UUID) -> None:
        """Have the receiver take it down, and ask until it has. Raises `DeploymentFailed`."""
        until, failures = self.now() + self.restore_seconds, 0
        while True:
            try:
                answer = self._send(
                    f"{run_id}-restore", "slowpath.restore", {"run_id": str(run_id), "runner": self.runner}
                )
            except RequestFailed as error:
                failed = DeploymentFailed(str(error), is_transient=True)
            else:
                if answer.status in GONE_STATUSES or (answer.good and answer.status != ACCEPTED):
                    self.notes.forget(run_id)
                    return
                failed = make_error_from_response(f"The receiver {self.outside.address}", answer)
                if answer.status == ACCEPTED:
                    failures = -1
                    failed = DeploymentFailed("The receiver still takes it down.", is_transient=True)
            failures += 1
            if not failed.is_transient or failures >= TRIES or self.now() > until:
                raise failed
            self.pause(LOOK_SECONDS)

    def _data(self, target: DeploymentTarget) -> Json:
        overrides = {module: override.to_json() for module, override in target.overrides.items()}
        for told in overrides.values():
            told.pop("dir", None)  # a folder here is none there
        return {
            "run_id": str(target.run_id), "attempt": target.attempt, "slot": target.slot, "service": target.service,
            "commit": target.commit, "overrides": overrides, "callback": target.callback.url if target.callback else None,
            "seconds": target.seconds, "runner": self.runner,
        }  # fmt: skip

    def _told(self, run_id: UUID, note: Json) -> Json:
        """Send the deploy's message once; write down how that went and return it. Raises `DeploymentFailed` where it is refused."""
        why = ""
        try:
            answer = self._send(f"{run_id}-{note['attempt']}", "slowpath.deploy", note["data"])
        except RequestFailed as error:
            why = str(error)
        else:
            if answer.good:
                note = note | {"taken": _kept(answer)}
                self.notes.write(run_id, note)
                return note
            failed = make_error_from_response(f"The receiver {self.outside.address}", answer)
            if not failed.is_transient:
                raise failed
            why = str(failed)
        tries = int(note["tries"]) + 1
        note = note | {
            "tries": tries,
            "next_at": self.now() + max(min(2.0**tries, LONGEST_PAUSE), self.outside.limits.left()),
            "why": printable(why, 300),
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
        return self.outside.ask("POST", "", body=body.encode(), headers=headers)


def _kept(answer: HttpResponse) -> dict[str, str]:
    """Return what is of use in a receiver's answer: a state, a detail, an address."""
    told = answer.told()
    kept = {key: told[key][:2000] for key in ("state", "detail", "url") if isinstance(told.get(key), str)}
    try:
        check_address(kept.get("url", "http://unsaid"))
    except InvalidDriverConfig:
        del kept["url"]
    return kept


def read(section: Mapping[str, Any], place: DriverEnvironment) -> WebhookDriver:
    """Read the driver's part of the configuration. Raises `InvalidDriverConfig`."""
    given = ConfigSection(section)
    to, url = given.text("to"), given.maybe("url")
    if urlsplit(to).query or urlsplit(to).fragment:
        raise InvalidDriverConfig(f"[deploy] to is {to!r}: an address without ? and #.")
    if url is not None:
        check_placeholders(url, PLACEHOLDERS, "[deploy] url")
        check_address(fill_placeholder(url, dict.fromkeys(PLACEHOLDERS, "0")))
    secret = given.secret("secret_env", "SLOWPATH_WEBHOOK_SECRET")()
    try:
        raw = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidDriverConfig(
            "[deploy] secret_env: the secret is whsec_ and base64, as Standard Webhooks has it."
        ) from error
    if len(raw) not in SECRET_BYTES:
        raise InvalidDriverConfig(
            f"[deploy] secret_env: the secret has {len(raw)} bytes; Standard Webhooks asks for 24 to 64."
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
