"""The driver of GitHub Actions, against a code host on loopback that is held to GitHub's published interface, as we are."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from slowpath_cli.runner.core.driver_interface import (
    DeploymentFailed,
    DeploymentStatus,
    DriverEnvironment,
    DriverError,
    InvalidDriverConfig,
)
from slowpath_cli.runner.drivers import github_actions
from tests.collect.pprof_servers import Answering, Asked, Reply
from tests.drivers.cluster_double import json_reply
from tests.drivers.deploy_targets import COMMIT, LIBRARY, OTHER_RUN, OVERRIDES, RUN, target
from tests.drivers.github_double import TOKEN, WORKFLOW, GitHubDouble
from tests.drivers.published_schemas import Published

EXAMPLE = Path(github_actions.__file__).with_name("github_workflow.yml")


class Watch:
    """A clock that goes on by being waited for."""

    def __init__(self) -> None:
        self.at = 1_800_000_000.0

    def __call__(self) -> float:
        return self.at

    def pause(self, seconds: float) -> None:
        self.at += seconds


@pytest.fixture
def host() -> GitHubDouble:
    return GitHubDouble()


@pytest.fixture
def api(host: GitHubDouble) -> Iterator[str]:
    published = Published.of("github")
    with Answering(published.checked(host)) as server:
        yield f"http://{server.address}"
    assert published.faults == []


@pytest.fixture(autouse=True)
def token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)


@pytest.fixture
def watch() -> Watch:
    return Watch()


def section(api: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - as TOML has it
    return {"driver": "github", "api": api, "repository": "acme/checkout", "workflow": "slowpath.yml"} | more


def driver_at(api: str, place: DriverEnvironment, watch: Watch, **more: Any) -> github_actions.GitHubActionsDriver:  # noqa: ANN401 - as TOML has it
    made = github_actions.read(section(api, **more), place)
    made.now, made.pause, made.returns_run_details = watch, watch.pause, True
    made.outside._pause = watch.pause
    made.last_status.clock = made.outside.limits.clock = made.outside.limits.wall = watch
    return made


@pytest.fixture
def driver(api: str, place: DriverEnvironment, watch: Watch) -> github_actions.GitHubActionsDriver:
    return driver_at(api, place, watch, url="http://probe-{slot}.lab.example:8080/", inputs={"environment": "lab"})


def test_a_workflow_is_started_with_all_it_must_know(
    driver: github_actions.GitHubActionsDriver, host: GitHubDouble
) -> None:
    driver.prepare()
    handle = json.loads(json.dumps(driver.deploy(target(overrides=OVERRIDES))))
    assert host.inputs == [
        {
            "environment": "lab", "action": "deploy", "run_id": str(RUN), "attempt": "1", "slot": "0", "service": "ingester",
            "commit": COMMIT, "overrides": json.dumps(
                {"example.com/libx": {"commit": LIBRARY}, "example.com/liby": {"version": "v1.2.3"}}, separators=(",", ":")
            ),
            "callback": "https://slowpath.example/api/v1/probe-callbacks/secret",
        }
    ]  # fmt: skip
    assert driver.endpoints(handle) == {
        "url": "http://probe-0.lab.example:8080", "host": "probe-0.lab.example", "port": "8080",
    }  # fmt: skip


def test_the_example_workflow_names_its_runs_and_takes_what_we_send(
    driver: github_actions.GitHubActionsDriver, host: GitHubDouble
) -> None:
    driver.deploy(target())
    workflow = yaml.load(EXAMPLE.read_text(encoding="utf-8"), yaml.BaseLoader)
    taken = set(workflow["on"]["workflow_dispatch"]["inputs"])
    assert set(host.inputs[0]) - {"environment"} == taken
    name = workflow["run-name"]
    for key in taken:
        name = name.replace(f"${{{{ inputs.{key} }}}}", host.inputs[0][key])
    assert name == host.runs[0]["display_title"]
    done = subprocess.run(
        [Path(sys.executable).with_name("check-jsonschema"), "--builtin-schema", "vendor.github-workflows", EXAMPLE],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_a_persistent_job_is_ready_when_it_reports_ready(
    driver: github_actions.GitHubActionsDriver, host: GitHubDouble
) -> None:
    handle = driver.deploy(target())
    assert driver.status(handle, None).state == "building"
    assert "queued" in driver.status(handle, None).detail
    host.runs[0]["status"] = "waiting"
    assert "for approval: https://github.com/acme" in driver.status(handle, None).detail
    host.runs[0]["status"] = "in_progress"
    assert driver.status(handle, DeploymentStatus("rolling", "starting")) == DeploymentStatus("rolling", "starting")
    assert driver.status(handle, DeploymentStatus("ready")).state == "ready"
    host.runs[0] |= {"status": "completed", "conclusion": "success"}
    gone = driver.status(handle, DeploymentStatus("ready"))
    assert gone.state == "failed"
    assert "the deployment with it" in gone.detail


@pytest.mark.parametrize(
    "conclusion", ["failure", "cancelled", "timed_out", "startup_failure", "action_required", "stale"]
)
@pytest.mark.parametrize("stays", [True, False])
def test_a_job_that_ends_otherwise_has_failed(
    api: str, place: DriverEnvironment, watch: Watch, host: GitHubDouble, conclusion: str, stays: bool
) -> None:
    driver = driver_at(api, place, watch, stays=stays)
    handle = driver.deploy(target())
    host.runs[0] |= {"status": "completed", "conclusion": conclusion}
    found = driver.status(handle, DeploymentStatus("ready"))
    assert found.state == "failed"
    assert conclusion in found.detail


def test_its_callback_reports_an_unbuildable_commit(
    driver: github_actions.GitHubActionsDriver, host: GitHubDouble
) -> None:
    handle = driver.deploy(target())
    host.runs[0] |= {"status": "completed", "conclusion": "failure"}
    assert driver.status(handle, DeploymentStatus("unbuildable", "does not compile")) == DeploymentStatus(
        "unbuildable", "does not compile"
    )


def test_a_run_is_never_dispatched_twice(
    driver: github_actions.GitHubActionsDriver, host: GitHubDouble, watch: Watch
) -> None:
    host.lose, host.unlisted = True, 3
    handle = driver.deploy(target())
    assert driver.deploy(target()) == handle  # as after being killed
    assert [driver.status(handle, None).detail for _ in range(3)] == ["requested from GitHub"] * 3
    assert "queued" in driver.status(handle, None).detail
    watch.pause(1000)
    assert "queued" in driver.status(handle, None).detail
    assert len(host.runs) == 1


def test_a_runner_that_lost_its_disk_finds_what_it_started(
    driver: github_actions.GitHubActionsDriver, host: GitHubDouble, api: str, watch: Watch, tmp_path: Path
) -> None:
    driver.deploy(target())
    for _ in range(150):
        driver._dispatch({"action": "deploy", "run_id": str(OTHER_RUN), "attempt": "1"})
    other = driver_at(api, DriverEnvironment("lab", tmp_path / "new"), watch)
    handle = other.deploy(target())
    assert other.status(handle, None).detail.endswith("/runs/1000")
    assert len(host.runs) == 151
    other.restore(RUN)
    assert host.cancelled == ["1000/cancel"]


def test_a_request_that_never_arrived_is_made_anew_by_the_next_attempt(
    driver: github_actions.GitHubActionsDriver, host: GitHubDouble, watch: Watch
) -> None:
    def failing(asked: Asked) -> Reply | None:
        return json_reply(502, {"message": "Server Error"}) if asked.method == "POST" else None

    host.first = failing
    handle = driver.deploy(target())
    watch.pause(89)
    assert driver.status(handle, None).state == "building"
    watch.pause(2)
    with pytest.raises(DeploymentFailed, match=r"slowpath\.yml sets run-name") as found:
        driver.status(handle, None)
    assert found.value.is_transient
    host.first = lambda _: None
    driver.restore(RUN)
    driver.deploy(target(attempt=2))
    assert [each["display_title"] for each in host.runs] == [f"slowpath deploy {RUN} 2"]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (json_reply(422, {"message": "Unexpected inputs provided"}), "Unexpected inputs"),
        (json_reply(404, {"message": "Not Found"}), "404"),
        (json_reply(403, {"message": "Resource not accessible by personal access token"}), "not accessible"),
    ],
)
def test_a_refusal_leaves_nothing_behind(
    driver: github_actions.GitHubActionsDriver, host: GitHubDouble, reply: Reply, expected: str
) -> None:
    host.first = lambda asked: reply if asked.method == "POST" else None
    with pytest.raises(DeploymentFailed, match=expected) as found:
        driver.deploy(target())
    assert not found.value.is_transient
    host.first = lambda _: None
    driver.deploy(target())
    assert len(host.runs) == 1


LIMIT = b'{"message": "API rate limit exceeded for installation ID 7."}'
SECONDARY = b'{"message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}'


@pytest.mark.parametrize(
    ("reply", "seconds"),
    [
        (Reply(403, LIMIT, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800001234"}), 1234),
        (Reply(429, LIMIT, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800001234"}), 1234),
        (Reply(403, SECONDARY, {"retry-after": "120"}), 120),
        (Reply(403, SECONDARY), 60),
        (Reply(429, SECONDARY), 60),
        (Reply(429, SECONDARY, {"retry-after": "Fri, 15 Jan 2027 08:10:00 GMT"}), 600),
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_rate_limit_is_respected_without_requests_meanwhile(
    driver: github_actions.GitHubActionsDriver,
    host: GitHubDouble,
    watch: Watch,
    reply: Reply,
    seconds: int,
    method: str,
) -> None:
    asked: list[str] = []

    def limited(one: Asked) -> Reply | None:
        asked.append(one.method)
        return reply if one.method == method else None

    host.first = limited
    handle = json.loads(json.dumps(driver.deploy(target())))
    assert asked.count(method) == 1
    asked.clear()
    watch.pause(seconds - 6)
    assert driver.deploy(target()) == handle  # as after being killed
    assert "The rate limit of" in driver.status(handle, None).detail
    assert asked == []
    host.first = lambda _: None
    watch.pause(7)
    assert "queued" in driver.status(handle, None).detail
    assert len(host.runs) == 1
    host.first = limited
    driver.outside.limits.record_response(429, {"retry-after": str(seconds)}, "")
    with pytest.raises(DeploymentFailed, match="The rate limit of") as found:
        driver.restore(RUN)
    assert found.value.is_transient
    host.first = lambda _: None
    watch.pause(seconds)
    driver.restore(RUN)
    assert host.cancelled == ["1000/cancel"]


def test_a_limit_is_no_outage_of_what_runs(
    driver: github_actions.GitHubActionsDriver, host: GitHubDouble, watch: Watch
) -> None:
    handle = driver.deploy(target())
    assert driver.status(handle, DeploymentStatus("ready")).state == "ready"
    host.first = lambda _: Reply(
        403, LIMIT, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(watch.at) + 3000)}
    )
    assert driver.status(handle, DeploymentStatus("ready")).state == "ready"
    for _ in range(10):
        watch.pause(290)
        assert driver.status(handle, DeploymentStatus("ready")).state == "ready"
    host.first = lambda _: json_reply(503, {"message": "unicorn"})
    watch.pause(401)
    with pytest.raises(DeploymentFailed, match="unicorn"):
        driver.status(handle, DeploymentStatus("ready"))


def test_a_queued_deployment_is_cancelled_without_searching_for_it(
    driver: github_actions.GitHubActionsDriver, host: GitHubDouble, watch: Watch
) -> None:
    host.first = lambda asked: Reply(403, SECONDARY, {"retry-after": "30"}) if asked.method == "POST" else None
    driver.deploy(target())
    watch.pause(31)
    began = watch.at
    driver.restore(RUN)
    assert watch.at == began
    assert host.runs == []


def test_cancellation_waits_for_the_end(driver: github_actions.GitHubActionsDriver, host: GitHubDouble) -> None:
    host.stubborn = 3
    driver.deploy(target())
    driver.restore(RUN)
    assert host.runs[0]["conclusion"] == "cancelled"
    driver.restore(RUN)
    driver.restore(OTHER_RUN)
    assert host.cancelled == ["1000/cancel"]
    assert len(host.runs) == 1


def test_a_job_that_does_not_listen_is_forced(driver: github_actions.GitHubActionsDriver, host: GitHubDouble) -> None:
    host.stubborn = 10**6
    driver.deploy(target())
    driver.restore(RUN)
    assert host.cancelled == ["1000/cancel", "1000/force-cancel"]


def test_a_job_that_cannot_be_cancelled_by_force_is_reported(
    driver: github_actions.GitHubActionsDriver, host: GitHubDouble
) -> None:
    driver.deploy(target())
    host.first = lambda asked: json_reply(409, {"message": "no"}) if asked.method == "POST" else None
    with pytest.raises(DeploymentFailed, match="was cancelled, but has not ended") as found:
        driver.restore(RUN)
    assert found.value.is_transient


def test_a_deploy_asked_for_a_moment_ago_is_not_left_to_run(
    driver: github_actions.GitHubActionsDriver, host: GitHubDouble
) -> None:
    host.lose, host.unlisted = True, 5
    driver.deploy(target())
    driver.restore(RUN)
    assert host.runs[0]["conclusion"] == "cancelled"


def test_a_deployment_that_outlives_its_job_is_stopped_by_another_job(
    api: str, place: DriverEnvironment, watch: Watch, host: GitHubDouble
) -> None:
    driver = driver_at(api, place, watch, stays=False)
    host.ending = "success"
    handle = driver.deploy(target())
    assert driver.status(handle, None).state == "ready"
    driver.restore(RUN)
    driver.restore(RUN)
    assert [each["action"] for each in host.inputs] == ["deploy", "restore"]
    assert (host.inputs[1]["slot"], host.inputs[1]["commit"]) == ("0", COMMIT)
    assert host.cancelled == []
    driver.restore(OTHER_RUN)
    assert len(host.runs) == 2


def test_taking_down_is_tried_until_it_succeeds_and_never_twice_at_once(
    api: str, place: DriverEnvironment, watch: Watch, host: GitHubDouble
) -> None:
    driver = driver_at(api, place, watch, stays=False)
    driver.deploy(target())
    host.ending = "failure"
    with pytest.raises(DeploymentFailed, match=r"Removing the deployment failed: .*/runs/1001") as found:
        driver.restore(RUN)
    assert found.value.is_transient
    host.ending, host.lose, host.unlisted = "success", True, 3
    driver.restore(RUN)
    assert [(each["action"], each["attempt"]) for each in host.inputs] == [
        ("deploy", "1"),
        ("restore", "1"),
        ("restore", "2"),
    ]


def test_a_hanging_teardown_is_reported_and_continued(
    api: str, place: DriverEnvironment, watch: Watch, host: GitHubDouble
) -> None:
    driver = driver_at(api, place, watch, stays=False)
    host.ending = "success"
    driver.deploy(target())
    host.ending = None
    driver.pause = lambda seconds: watch.pause(seconds * 20)
    with pytest.raises(DeploymentFailed, match="took longer than the limit"):
        driver.restore(RUN)
    host.runs[1] |= {"status": "completed", "conclusion": "success"}
    driver.restore(RUN)
    assert len(host.runs) == 2


def test_an_outage_is_no_failure_of_the_build(
    driver: github_actions.GitHubActionsDriver, host: GitHubDouble, watch: Watch
) -> None:
    handle = driver.deploy(target())
    assert driver.status(handle, DeploymentStatus("ready")).state == "ready"
    host.first = lambda _: json_reply(503, {"message": "unicorn"})
    assert driver.status(handle, DeploymentStatus("ready")).state == "ready"
    watch.pause(301)
    with pytest.raises(DeploymentFailed, match="unicorn"):
        driver.status(handle, DeploymentStatus("ready"))


def test_a_run_that_a_person_deleted_is_gone(driver: github_actions.GitHubActionsDriver, host: GitHubDouble) -> None:
    handle = driver.deploy(target())
    host.runs.clear()
    assert driver.status(handle, DeploymentStatus("ready")).state == "failed"


def test_problems_of_every_deployment_are_reported_before_the_first(
    driver: github_actions.GitHubActionsDriver,
    host: GitHubDouble,
    api: str,
    place: DriverEnvironment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    host.state = "disabled_manually"
    with pytest.raises(DriverError, match="is disabled_manually: enable it"):
        driver.prepare()
    monkeypatch.setenv("GITHUB_TOKEN", "stale")
    with pytest.raises(DeploymentFailed, match="Bad credentials"):
        github_actions.read(section(api), place).prepare()


def test_a_token_in_a_file_is_read_anew(
    api: str, place: DriverEnvironment, host: GitHubDouble, watch: Watch, tmp_path: Path
) -> None:
    file = tmp_path / "token"
    file.write_text("an-hour-old\n", encoding="ascii")
    driver = driver_at(api, place, watch, token_file=str(file))
    with pytest.raises(DeploymentFailed, match="Bad credentials"):
        driver.prepare()
    file.write_text(f"{TOKEN}\n", encoding="ascii")
    handle = driver.deploy(target())
    file.unlink()
    assert "has no valid token" in driver.status(handle, None).detail
    file.write_text(f"{TOKEN}\n", encoding="ascii")
    driver.restore(RUN)
    assert host.cancelled == ["1000/cancel"]


def test_credentials_are_not_sent_to_another_host(api: str, place: DriverEnvironment, host: GitHubDouble) -> None:
    driver = github_actions.read(section(api), place)  # GitHub Enterprise: a dispatch has no answer
    handle = driver.deploy(target())
    assert "queued" in driver.status(handle, None).detail
    assert driver.outside._headers()["X-GitHub-Api-Version"] == "2022-11-28"


@pytest.mark.parametrize(
    "body", [b"[]", b"{", b'{"workflow_runs": [3, {"id": "x", "display_title": null}], "status": 7}']
)
def test_nonsense_from_a_host_is_no_crash(place: DriverEnvironment, watch: Watch, body: bytes) -> None:
    with Answering(lambda _: Reply(200, body)) as server:
        driver = driver_at(f"http://{server.address}", place, watch)
        with pytest.raises(DriverError):
            driver.prepare()
        handle = driver.deploy(target())
        assert driver.status(handle, None).state == "building"
        driver.restore(RUN)


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"repository": "checkout"}, "owner/name"),
        ({"repository": "acme/../x"}, "owner/name"),
        ({"repository": "acme/x?y"}, "owner/name"),
        ({"workflow": None}, "workflow"),
        ({"api": "http://github.example"}, "requires https"),
        ({"token_env": "NOT_SET"}, "NOT_SET"),
        ({"inputs": {"commit": "x"}}, "none named"),
        ({"inputs": {f"i{number}": "x" for number in range(18)}}, "at most 17"),
        ({"inputs": {"x": 1}}, "inputs.x"),
        ({"url": "http://{host}"}, "host"),
        ({"url": "probe"}, "not an address"),
        ({"stays": "yes"}, "true or false"),
        ({"poll": 3}, "unknown key 'poll'"),
    ],
)
def test_an_invalid_section_is_refused(place: DriverEnvironment, more: dict[str, Any], expected: str) -> None:
    given = {key: value for key, value in (section("https://api.github.com") | more).items() if value is not None}
    with pytest.raises(InvalidDriverConfig, match=expected):
        github_actions.read(given, place)


def test_unpublished_reports_are_found_by_members() -> None:
    published = Published.of("github")
    body = json.dumps({"ref": "main", "input": {}}).encode()
    headers = {"content-type": "application/json"}
    assert "input" in published.of_request(Asked("POST", f"{WORKFLOW}/dispatches", headers, body))[0]
    assert "ref" in published.of_request(Asked("POST", f"{WORKFLOW}/dispatches", headers, b"{}"))[0]
    assert "not published" in published.of_request(Asked("PUT", f"{WORKFLOW}/dispatches", headers, body))[0]
    assert published.of_reply(Asked("GET", WORKFLOW, {}, b""), json_reply(200, {"id": "x"})) != []
