"""Driver for GitHub Actions: a workflow, started by `workflow_dispatch`.

    [deploy]
    driver = "github-actions"
    repository = "acme/checkout"
    workflow = "slowpath.yml"        # github_workflow.yml beside this file is a template
    ref = "main"                     # ref of the workflow file, not of the deployed build
    token_env = "GITHUB_TOKEN"       # needs "Actions: read and write"; or token_file
    stays = true                     # the job runs as long as the deployment, and is cancelled to remove it; false: it ends
                                     # after deploying, and the workflow runs again with action = "restore"
    url = "http://probe-{slot}.lab.example:8080"
    # inputs = { environment = "lab" }, api, poll_seconds = 10

A workflow run is identified by its name, `slowpath deploy RUN ATTEMPT`, which the workflow must set (`run-name`). The driver
looks for the run before it starts one, also after a request without a response.
"""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlsplit
from uuid import UUID

from slowpath_cli.collect.pprof_client import printable
from slowpath_cli.runner.core.config_section import ConfigSection, check_placeholders, read_file
from slowpath_cli.runner.core.driver_interface import (
    DeploymentFailed,
    DeploymentStatus,
    DeploymentTarget,
    DriverEnvironment,
    DriverError,
    Handle,
    InvalidDriverConfig,
    Json,
)
from slowpath_cli.runner.core.driver_state import DriverStateStore
from slowpath_cli.runner.core.http_client import (
    TRANSIENT_STATUSES,
    HttpClient,
    RequestFailed,
    check_address,
    make_error_from_response,
    on_loopback,
)
from slowpath_cli.runner.core.placeholders import fill_placeholder
from slowpath_cli.runner.core.rate_limits import StatusUnknown
from slowpath_cli.runner.core.status_cache import LastKnownStatus
from slowpath_cli.runner.kube.kube_cluster import objects

API: Final = "https://api.github.com"
VERSION: Final = "2022-11-28"
LISTED_SECONDS: Final = 90.0
"""Time in which a started run must appear in the list of runs."""
CANCEL_SECONDS: Final = 300.0
FORCE_AFTER_SECONDS: Final = 60.0
RESTORE_SECONDS: Final = 1800.0
POLL_SECONDS: Final = 3.0
TOO_MANY_REQUESTS: Final = 429
PAGE: Final = 100
PAGES: Final = 5
OLD_SECONDS: Final = 7 * 86_400.0
MAX_INPUTS: Final = 25
OWN_INPUTS: Final = ("action", "run_id", "attempt", "slot", "service", "commit", "overrides", "callback")
PLACEHOLDERS: Final = ("slot", "run_id", "commit", "service")


@dataclass
class GitHubActionsDriver:
    """Deploys builds by workflow runs; implements `DeploymentDriver`."""

    outside: HttpClient
    notes: DriverStateStore
    repository: str
    workflow: str
    ref: str
    stays: bool
    inputs: Mapping[str, str]
    url: str | None
    poll_seconds: float = 10.0
    returns_run_details: bool = True
    """Whether this GitHub returns the created run in its response to a dispatch."""
    now: Callable[[], float] = time.time
    pause: Callable[[float], None] = time.sleep
    last_status: LastKnownStatus = field(default_factory=LastKnownStatus)

    def prepare(self) -> None:
        """Check that the workflow exists and is enabled. Raises `DriverError`."""
        found = self.outside.send_idempotent("GET", self._workflow_path())
        assert found is not None
        state = found.json_object().get("state")
        if state != "active":
            raise DriverError(f"The workflow {self.workflow} of {self.repository} is {state}: enable it.")

    def deploy(self, target: DeploymentTarget) -> Handle:
        """Start the workflow, unless this attempt was already started. Raises `DeploymentFailed`."""
        values = {
            "slot": str(target.slot),
            "run_id": str(target.run_id),
            "commit": target.commit,
            "service": target.service,
        }
        note = self.notes.read(target.run_id)
        if note is None or note.get("attempt") != target.attempt:
            began = {"asked": False, "began_at": self.now(), "asked_at": self.now(), "run": None}
            note = {"attempt": target.attempt, **began, **values, "inputs": self._inputs(target, values)}
            self.notes.write(target.run_id, note)
        note = self._start_once(target.run_id, note)
        return {"run_id": str(target.run_id), "attempt": target.attempt, "asked_at": note["began_at"], "values": values}

    def status(self, handle: Handle, called_back: DeploymentStatus | None) -> DeploymentStatus:
        """Return the status of the workflow run. Raises `DeploymentFailed`."""
        return self.last_status.get_status(str(handle["run_id"]), lambda: self._status(handle, called_back))

    def endpoints(self, handle: Handle) -> Mapping[str, str]:
        """Return the configured address of this slot."""
        if self.url is None:
            return {}
        url = fill_placeholder(self.url, handle["values"])
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        return {"url": url.rstrip("/"), "host": parts.hostname or "", "port": str(port)}

    def restore(self, run_id: UUID) -> None:
        """Cancel the runs, remove a deployment that outlives its job, and wait for both. Raises `DeploymentFailed`."""
        started = self._find_started(run_id)
        for each in started:
            self._cancel(each)
        if started and not self.stays:
            self._remove(run_id)
        self.notes.forget(run_id)
        self.last_status.forget(str(run_id))

    # -- starting

    def _inputs(self, target: DeploymentTarget, values: Mapping[str, str]) -> dict[str, str]:
        overrides = {module: override.to_json() for module, override in target.overrides.items()}
        for override_fields in overrides.values():
            override_fields.pop("dir", None)  # the workflow has no access to the folder
        return {
            **self.inputs,
            **values,
            "action": "deploy",
            "attempt": str(target.attempt),
            "overrides": json.dumps(overrides, separators=(",", ":"), sort_keys=True),
            "callback": target.callback.url if target.callback else "",
        }

    def _start_once(self, run_id: UUID, note: Json) -> Json:
        """Start the workflow if it was not yet requested, and return the updated note; a rate limit postpones it.

        Raises `DeploymentFailed` if GitHub rejects the request.
        """
        if note.get("asked", True):
            return note
        try:
            found = self._list_runs(f"deploy {run_id} {note['attempt']}")
            note = note | {"asked": True, "asked_at": self.now(), "run": found[0]["id"] if found else None}
            self.notes.write(run_id, note)
            if not found and (created := self._dispatch(note["inputs"])) is not None:
                note = note | {"run": created}
        except StatusUnknown as error:
            note = note | {"asked": False, "why": printable(str(error), 200)}
            if not error.seconds:
                self.notes.write(run_id, note)
                raise
        except DeploymentFailed:
            self.notes.forget(run_id)
            raise
        self.notes.write(run_id, note)
        return note

    def _dispatch(self, inputs: Mapping[str, str]) -> int | None:
        """Dispatch the workflow; return the run's ID if known. Raises `DeploymentFailed` only if no run was created."""
        body: Json = {"ref": self.ref, "inputs": dict(inputs)} | (
            {"return_run_details": True} if self.returns_run_details else {}
        )
        path = f"{self._workflow_path()}/dispatches"
        try:
            response = self.outside.send("POST", path, body=body)
        except RequestFailed as error:
            if error.arrived:
                return None
            raise StatusUnknown(str(error), seconds=self.outside.limits.left()) from error
        if response.good:
            created = response.json_object().get("workflow_run_id")
            return created if isinstance(created, int) else None
        if response.status in TRANSIENT_STATUSES and response.status != TOO_MANY_REQUESTS:
            return None
        failed = make_error_from_response(f"GitHub's {path}", response)
        raise StatusUnknown(str(failed), seconds=self.outside.limits.left()) if failed.is_transient else failed

    # -- looking

    def _status(self, handle: Handle, called_back: DeploymentStatus | None) -> DeploymentStatus:
        if called_back is not None and called_back.state in {"unbuildable", "failed"}:
            return called_back
        note = self._start_once(UUID(handle["run_id"]), self.notes.read(handle["run_id"]) or {})
        if not note.get("asked", True):
            return DeploymentStatus("building", f"waiting for GitHub: {note.get('why')}")
        run = self._run_of(handle)
        if run is None:
            if called_back is not None:
                return called_back
            if self.now() - float(note.get("asked_at") or handle["asked_at"]) > LISTED_SECONDS:
                name = f"slowpath deploy {handle['run_id']} {handle['attempt']}"
                raise DeploymentFailed(
                    f"GitHub has no run named {name!r}. Check that {self.workflow} sets run-name.", is_transient=True
                )
            return DeploymentStatus("building", "requested from GitHub")
        return self._make_status(run, called_back)

    def _make_status(self, run: Json, called_back: DeploymentStatus | None) -> DeploymentStatus:
        """Map the state of a workflow run to a status."""
        state, conclusion, page = (str(run.get(name)) for name in ("status", "conclusion", "html_url"))
        if state != "completed":
            waits = " for approval" if state == "waiting" else ""
            return called_back or DeploymentStatus("building", printable(f"{state}{waits}: {page}", 300))
        if conclusion == "success" and not self.stays:
            return DeploymentStatus("ready", printable(page, 300))
        ended = (
            "the job ended, and the deployment with it"
            if conclusion == "success"
            else f"the job ended with {conclusion}"
        )
        return DeploymentStatus("failed", printable(f"{ended}: {page}", 300))

    def _run_of(self, handle: Handle) -> Json | None:
        note = self.notes.read(handle["run_id"]) or {}
        if note.get("attempt") == handle["attempt"] and isinstance(note.get("run"), int):
            return self._run(note["run"]) or {"status": "completed", "conclusion": "its deletion", "html_url": ""}
        found = self._list_runs(f"deploy {handle['run_id']} {handle['attempt']}")
        if found:
            self.notes.write(handle["run_id"], note | {"attempt": handle["attempt"], "run": found[0]["id"]})
        return found[0] if found else None

    def _run(self, number: int) -> Json | None:
        response = self.outside.send_idempotent("GET", f"{self._repository_path()}/actions/runs/{number}", missing=True)
        return None if response is None else response.json_object()

    def _list_runs(self, named: str) -> list[Json]:
        """Return the runs with this name in their title (`deploy RUN ATTEMPT`, or without attempt), oldest first."""
        found: list[Json] = []
        for page in range(1, PAGES + 1):
            query = {"event": "workflow_dispatch", "per_page": str(PAGE), "page": str(page)}
            response = self.outside.send_idempotent("GET", f"{self._workflow_path()}/runs", query=query)
            assert response is not None
            runs = [
                each for each in objects(response.json_object(), "workflow_runs") if isinstance(each.get("id"), int)
            ]
            found += [each for each in runs if f" {named} " in f" {each.get('display_title')} "]
            if len(runs) < PAGE or self.now() - _created_at(runs[-1]) > OLD_SECONDS:
                break
        return sorted(found, key=lambda each: int(each["id"]))

    # -- taking down

    def _find_started(self, run_id: UUID) -> list[Json]:
        """Return all workflow runs of this run; wait until a recently requested one is listed."""
        note = self.notes.read(run_id)
        while True:
            found = self._list_runs(f"deploy {run_id}")
            known = note.get("run") if note else None
            if isinstance(known, int) and all(each["id"] != known for each in found):
                created = self._run(known)
                found += [created] if created else []
            late = note is None or not note.get("asked", True) or self.now() - float(note["asked_at"]) > LISTED_SECONDS
            if found or known is not None or late:
                return found
            self.pause(POLL_SECONDS)

    def _cancel(self, run: Json) -> None:
        path = f"{self._repository_path()}/actions/runs/{run['id']}"
        began, asked = self.now(), ""
        while run.get("status") != "completed":
            waited = self.now() - began
            action = "force-cancel" if waited > FORCE_AFTER_SECONDS else "cancel"
            if action != asked:
                self._request_cancel(f"{path}/{action}")
                asked = action
            if waited > CANCEL_SECONDS:
                raise DeploymentFailed(
                    f"The run {run.get('html_url')} was cancelled, but has not ended within {CANCEL_SECONDS:g} s.",
                    is_transient=True,
                )
            self.pause(POLL_SECONDS)
            found = self.outside.send_idempotent("GET", path, missing=True)
            run = {"status": "completed"} if found is None else run | found.json_object()

    def _request_cancel(self, path: str) -> None:
        """Request a cancellation; a run that has ended (409) or is gone (404) is no error."""
        try:
            response = self.outside.send("POST", path)
        except RequestFailed:
            return  # requested again if the run continues
        if not response.good and response.status not in {404, 409, *TRANSIENT_STATUSES}:
            raise make_error_from_response(f"POST {path}", response)

    def _remove(self, run_id: UUID) -> None:
        """Run the workflow with action = "restore" until it succeeds. Raises `DeploymentFailed` after a failed run."""
        began, failed_before = self.now(), -1
        while True:
            found = self._list_runs(f"restore {run_id}")
            if any(each.get("conclusion") == "success" for each in found):
                return
            if all(each.get("status") == "completed" for each in found):
                failed_before = len(found) if failed_before < 0 else failed_before
                if len(found) > failed_before:
                    raise DeploymentFailed(
                        f"Removing the deployment failed: {found[-1].get('html_url')}", is_transient=True
                    )
                self._request_restore(run_id, len(found) + 1)
            elif failed_before < 0:
                failed_before = sum(each.get("status") == "completed" for each in found)
            if self.now() - began > RESTORE_SECONDS:
                raise DeploymentFailed(
                    f"Removing the deployment took longer than the limit of {RESTORE_SECONDS:g} s.", is_transient=True
                )
            self.pause(POLL_SECONDS)

    def _request_restore(self, run_id: UUID, number: int) -> None:
        """Start the workflow to take it down for the nth time, unless that was asked a moment ago and is not listed yet."""
        note = self.notes.read(run_id) or {}
        if note.get("restores") == number and self.now() - float(note["restore_at"]) <= LISTED_SECONDS:
            return
        self.notes.write(run_id, note | {"asked_at": 0.0, "restores": number, "restore_at": self.now()})
        known = {name: str(note.get(name, "")) for name in ("slot", "commit", "service")}
        own = {"action": "restore", "run_id": str(run_id), "attempt": str(number), "overrides": "{}", "callback": ""}
        try:
            self._dispatch({**self.inputs, **known, **own})
        except DeploymentFailed:
            self.notes.write(run_id, note | {"asked_at": 0.0})
            raise

    def _repository_path(self) -> str:
        return f"/repos/{self.repository}"

    def _workflow_path(self) -> str:
        return f"{self._repository_path()}/actions/workflows/{quote(self.workflow, safe='')}"


def _created_at(run: Json) -> float:
    try:
        return datetime.fromisoformat(str(run.get("created_at"))).timestamp()
    except ValueError:
        return 0.0


def read(section: Mapping[str, Any], place: DriverEnvironment) -> GitHubActionsDriver:
    """Read the driver's part of the configuration. Raises `InvalidDriverConfig`."""
    given = ConfigSection(section)
    repository = given.text("repository")
    owner, slash, name = repository.partition("/")
    if (
        not slash
        or not owner
        or not name
        or quote(repository, safe="/") != repository
        or "/" in name
        or ".." in repository
    ):
        raise InvalidDriverConfig(f"[deploy] repository must be owner/name, not {repository!r}.")
    inputs, url = given.texts("inputs"), given.find_string("url")
    if set(inputs) & set(OWN_INPUTS) or len(inputs) + len(OWN_INPUTS) > MAX_INPUTS:
        raise InvalidDriverConfig(
            f"[deploy] inputs must have at most {MAX_INPUTS - len(OWN_INPUTS)} entries, none named {', '.join(OWN_INPUTS)}."
        )
    if url is not None:
        check_placeholders(url, PLACEHOLDERS, "[deploy] url")
        check_address(fill_placeholder(url, dict.fromkeys(PLACEHOLDERS, "0")))
    api = given.text("api", API).rstrip("/")
    if urlsplit(api).scheme != "https" and not on_loopback(api):
        raise InvalidDriverConfig(f"[deploy] api is {api}, but a token requires https.")
    token_file: Path | None = given.file("token_file")
    token = given.secret("token_env", "GITHUB_TOKEN") if token_file is None else lambda: read_file(token_file)
    driver = GitHubActionsDriver(
        outside=HttpClient(api, lambda: {"Authorization": f"Bearer {token()}", "X-GitHub-Api-Version": VERSION, "Accept": "application/vnd.github+json"}),
        notes=DriverStateStore(place.work),
        repository=repository,
        workflow=given.text("workflow"),
        ref=given.text("ref", "main"),
        stays=given.flag("stays", default=True),
        inputs=inputs,
        url=url,
        poll_seconds=given.number("poll_seconds", 10, 1, 600),
        returns_run_details=api == API,
    )  # fmt: skip
    given.done()
    return driver
