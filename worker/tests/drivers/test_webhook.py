"""The driver of webhooks, against receivers that check signatures by the library of Standard Webhooks, and fail, hang, repeat."""

import base64
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from slowpath_cli.runner.core.driver_interface import (
    DeploymentFailed,
    DeploymentStatus,
    DriverEnvironment,
    DriverError,
    InvalidDriverConfig,
)
from slowpath_cli.runner.drivers import github_actions, webhook_driver
from tests.collect.pprof_servers import Answering, Asked, Reply
from tests.drivers.cluster_double import json_reply
from tests.drivers.deploy_targets import COMMIT, LIBRARY, OTHER_RUN, OVERRIDES, RUN, target
from tests.support.endpoints import schema_app

SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
Json = dict[str, Any]


@dataclass
class Receiver:
    """A receiver as documented; a request repeated with the same ID is processed once."""

    deployed: list[Json] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    running: set[str] = field(default_factory=set)
    restored: set[str] = field(default_factory=set)
    leaving: int = 0
    """How often a restore is answered with 202."""
    answer: Json | None = None
    first: Callable[[Json], Reply | None] = lambda _: None
    lose: bool = False

    def __call__(self, asked: Asked) -> Reply:
        try:
            message = Webhook(SECRET).verify(asked.body, asked.headers)
        except WebhookVerificationError:
            return Reply(401)
        early = self.first(message)
        if early is not None:
            return early
        data = message["data"]
        if message["type"] == "slowpath.restore":
            return self._restore(data["run_id"])
        if message["type"] == "slowpath.deploy":
            return self._deploy(asked.headers["webhook-id"], data)
        return Reply(204)

    def _deploy(self, message_id: str, data: Json) -> Reply:
        if data["run_id"] in self.restored:
            return Reply(410)
        if message_id not in self.seen:
            self.deployed.append(data)
            self.running.add(data["run_id"])
        self.seen.append(message_id)
        if self.lose:
            self.lose = False
            return Reply(200, b"{", cut=True)
        return json_reply(200, self.answer) if self.answer is not None else Reply(202)

    def _restore(self, run_id: str) -> Reply:
        self.restored.add(run_id)
        if run_id not in self.running:
            return Reply(404)
        self.leaving -= 1
        if self.leaving >= 0:
            return Reply(202)
        self.running.discard(run_id)
        return Reply(204)


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def address(receiver: Receiver) -> Iterator[str]:
    with Answering(receiver) as server:
        yield f"http://{server.address}/slowpath"


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLOWPATH_WEBHOOK_SECRET", SECRET)


class Watch:
    """The real clock, which goes on faster by being waited for: signatures are checked by the receiver's clock."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead

    def pause(self, seconds: float) -> None:
        self.ahead += seconds


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def driver(address: str, place: DriverEnvironment, watch: Watch) -> webhook_driver.WebhookDriver:
    made = webhook_driver.read({"driver": "webhook", "to": address, "url": "http://probe-{slot}.lab.example/"}, place)
    made.now, made.pause = watch, watch.pause
    return made


def test_a_receiver_gets_all_fields(driver: webhook_driver.WebhookDriver, receiver: Receiver) -> None:
    driver.prepare()
    handle = json.loads(json.dumps(driver.deploy(target(overrides=OVERRIDES, slot=3))))
    assert receiver.deployed == [
        {
            "run_id": str(RUN), "attempt": 1, "slot": 3, "service": "ingester", "commit": COMMIT, "seconds": 900.0, "runner": "lab",
            "overrides": {"example.com/libx": {"commit": LIBRARY}, "example.com/liby": {"version": "v1.2.3"}},
            "callback": "https://slowpath.example/api/v1/probe-callbacks/secret",
        }
    ]  # fmt: skip
    assert receiver.seen == [f"{RUN}-1"]
    assert driver.endpoints(handle) == {
        "url": "http://probe-3.lab.example",
        "host": "probe-3.lab.example",
        "port": "80",
    }
    assert driver.status(handle, None) == DeploymentStatus("building", "accepted by the receiver")
    assert driver.status(handle, DeploymentStatus("rolling", "3 of 4")) == DeploymentStatus("rolling", "3 of 4")
    assert driver.status(handle, DeploymentStatus("unbuildable")).state == "unbuildable"


def test_a_receiver_may_be_created_with_its_channel(driver: webhook_driver.WebhookDriver, receiver: Receiver) -> None:
    receiver.answer = {"state": "ready", "detail": "was\x1b there", "url": "http://10.0.0.7:6060/x/"}
    handle = driver.deploy(target())
    assert driver.status(handle, None) == DeploymentStatus("ready", "was\N{REPLACEMENT CHARACTER} there")
    assert driver.endpoints(handle) == {"url": "http://10.0.0.7:6060/x", "host": "10.0.0.7", "port": "6060"}
    assert driver.status(handle, DeploymentStatus("failed", "gone")).state == "failed"


@pytest.mark.parametrize("answer", [{"state": "done"}, {"state": 7, "url": 3}, {"url": "file:///etc/passwd"}])
def test_invalid_responses_of_a_receiver_are_rejected(
    driver: webhook_driver.WebhookDriver, receiver: Receiver, answer: Json
) -> None:
    receiver.answer = answer
    handle = driver.deploy(target())
    assert driver.status(handle, None).state == "building"
    assert driver.endpoints(handle)["host"] == "probe-0.lab.example"


def test_a_message_that_was_not_answered_comes_again_and_is_done_once(
    driver: webhook_driver.WebhookDriver, receiver: Receiver, watch: Watch
) -> None:
    receiver.lose = True
    handle = driver.deploy(target())
    assert "not accepted yet" in driver.status(handle, None).detail
    watch.pause(2.1)
    assert driver.status(handle, None).detail == "accepted by the receiver"
    assert driver.deploy(target()) == handle
    assert driver.status(handle, None).detail == "accepted by the receiver"
    assert receiver.seen == [f"{RUN}-1"] * 2
    assert len(receiver.deployed) == 1


def test_pauses_between_messages_grow(driver: webhook_driver.WebhookDriver, receiver: Receiver, watch: Watch) -> None:
    sent: list[float] = []

    def failing(_: Json) -> Reply:
        sent.append(watch.ahead)
        return Reply(503, b"starting")

    receiver.first = failing
    handle = driver.deploy(target())
    while watch.ahead < 200:
        assert driver.status(handle, None).state == "building"
        watch.pause(1)
    waits = [later - earlier for earlier, later in pairwise(sent)]
    assert [round(wait) for wait in waits] == [2, 4, 8, 16, 32, 60, 60]
    receiver.first = lambda _: None
    watch.pause(60)
    assert driver.status(handle, None).detail == "accepted by the receiver"


def test_a_receiver_may_set_the_retry_delay(
    driver: webhook_driver.WebhookDriver, receiver: Receiver, watch: Watch
) -> None:
    driver.outside.limits.clock = watch
    sent: list[Json] = []

    def busy(one: Json) -> Reply:
        sent.append(one)
        return Reply(429, b"busy", {"retry-after": "50"})

    receiver.first = busy
    handle = driver.deploy(target())
    watch.pause(45)
    assert (
        driver.status(handle, None).detail
        == "not accepted yet: The receiver " + driver.outside.address + " responded with 429: busy"
    )
    assert len(sent) == 1
    receiver.first = lambda _: None
    watch.pause(6)
    assert driver.status(handle, None).detail == "accepted by the receiver"


def test_a_killed_runner_resumes_its_reports(
    driver: webhook_driver.WebhookDriver, receiver: Receiver, address: str, place: DriverEnvironment, watch: Watch
) -> None:
    receiver.lose = True
    handle = json.loads(json.dumps(driver.deploy(target())))
    again = webhook_driver.read({"driver": "webhook", "to": address}, place)
    again.now, again.pause = watch, watch.pause
    watch.pause(3)
    assert again.status(handle, None).detail == "accepted by the receiver"
    assert len(receiver.deployed) == 1


def test_another_attempt_is_another_message(driver: webhook_driver.WebhookDriver, receiver: Receiver) -> None:
    driver.deploy(target())
    driver.restore(RUN)
    receiver.restored.clear()
    driver.deploy(target(attempt=2))
    assert receiver.seen == [f"{RUN}-1", f"{RUN}-2"]


@pytest.mark.parametrize(
    ("status", "is_transient"), [(400, False), (401, False), (404, False), (410, False), (307, False)]
)
def test_a_refusal_ends_it(
    driver: webhook_driver.WebhookDriver, receiver: Receiver, status: int, is_transient: bool
) -> None:
    receiver.first = lambda _: Reply(status, b"no such slot")
    with pytest.raises(DeploymentFailed, match=f"{status}: no such slot") as found:
        driver.deploy(target())
    assert found.value.is_transient is is_transient


def test_a_hanging_receiver_blocks_nothing_else(driver: webhook_driver.WebhookDriver, receiver: Receiver) -> None:
    driver.outside._seconds = 0.3
    dripping = Reply(200, (b" " for _ in iter(lambda: time.sleep(0.05), 1)))
    receiver.first = lambda _: dripping
    began = time.monotonic()
    handle = driver.deploy(target())
    assert "longer than the limit of 0.3 s" in driver.status(handle, None).detail
    assert time.monotonic() - began < 5


def test_stopping_waits_for_the_end(driver: webhook_driver.WebhookDriver, receiver: Receiver) -> None:
    receiver.leaving = 5
    driver.deploy(target())
    driver.restore(RUN)
    assert receiver.running == set()
    driver.restore(RUN)
    driver.restore(OTHER_RUN)


def test_a_failed_teardown_is_reported(driver: webhook_driver.WebhookDriver, receiver: Receiver) -> None:
    driver.deploy(target())
    asked: list[str] = []

    def failing(message: Json) -> Reply:
        asked.append(message["type"])
        return Reply(500, b"broken")

    receiver.first = failing
    with pytest.raises(DeploymentFailed, match="500: broken") as found:
        driver.restore(RUN)
    assert (found.value.is_transient, len(asked)) == (True, 3)
    receiver.first, receiver.leaving, driver.restore_seconds = lambda _: None, 10**6, 60.0
    with pytest.raises(DeploymentFailed, match="still removing the deployment") as found:
        driver.restore(RUN)
    assert found.value.is_transient
    receiver.leaving = 0
    driver.restore(RUN)
    assert receiver.running == set()


def test_a_wrong_secret_is_found_before_the_first_deploy(
    address: str, place: DriverEnvironment, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLOWPATH_WEBHOOK_SECRET", "whsec_" + base64.b64encode(bytes(32)).decode())
    with pytest.raises(DeploymentFailed, match="401"):
        webhook_driver.read({"driver": "webhook", "to": address}, place).prepare()
    with pytest.raises(DriverError, match="cannot be reached"):
        webhook_driver.read({"driver": "webhook", "to": "http://127.0.0.1:9"}, place).prepare()


def test_stored_state_is_readable_only_by_its_owner(
    driver: webhook_driver.WebhookDriver, place: DriverEnvironment
) -> None:
    driver.deploy(target())
    (folder,) = place.work.iterdir()
    assert folder.stat().st_mode & 0o077 == 0
    assert "whsec" not in (folder / "note.json").read_text(encoding="utf-8")
    driver.restore(RUN)
    assert list(place.work.iterdir()) == []


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"to": None}, "needs to"),
        ({"to": "ftp://x"}, "not an address"),
        ({"to": "https://x/?a=b"}, "without"),
        ({"url": "http://{port}"}, "port"),
        ({"secret_env": "NOT_SET"}, "NOT_SET"),
        ({"restore_seconds": -1}, "restore_seconds"),
        ({"secret": "whsec_x"}, "unknown key"),
    ],
)
def test_an_invalid_section_is_refused(place: DriverEnvironment, more: Json, expected: str) -> None:
    given: Json = {"driver": "webhook", "to": "https://deploys.example"} | more
    with pytest.raises(InvalidDriverConfig, match=expected):
        webhook_driver.read({key: value for key, value in given.items() if value is not None}, place)


@pytest.mark.parametrize("secret", ["hunter2", "whsec_short", "whsec_" + "A" * 100, "whsec_?"])
def test_an_invalid_secret_is_rejected(place: DriverEnvironment, monkeypatch: pytest.MonkeyPatch, secret: str) -> None:
    monkeypatch.setenv("SLOWPATH_WEBHOOK_SECRET", secret)
    with pytest.raises(InvalidDriverConfig, match="Standard Webhooks") as found:
        webhook_driver.read({"driver": "webhook", "to": "https://deploys.example"}, place)
    assert secret not in str(found.value)


def test_the_callback_contract_matches_the_server() -> None:
    description = schema_app().openapi()
    operation = description["paths"]["/api/v1/probe-callbacks/{secret}"]["post"]
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    validator = jsonschema_rs.Draft202012Validator({**schema, "components": description["components"]})
    workflow = Path(github_actions.__file__).with_name("github_workflow.yml").read_text(encoding="utf-8")
    sent = [line.split("--json '")[1].split("'")[0] for line in workflow.splitlines() if "--json '" in line]
    assert [json.loads(one)["state"] for one in sent] == ["unbuildable", "ready"]
    assert yaml.safe_load(workflow)["jobs"].keys() == {"deploy", "restore"}
    for one in sent:
        validator.validate(json.loads(one))
    for state in ("building", "rolling", "ready", "unbuildable", "failed"):
        validator.validate({"state": state, "detail": "x"})
    assert not validator.is_valid({"state": "done"})
