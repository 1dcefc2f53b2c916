"""Deploys by a workflow of GitHub Actions, started by `workflow_dispatch`.

    [deploy]
    driver = "github-actions"
    repository = "acme/checkout"
    workflow = "slowpath.yml"        # github_workflow.yml beside this file is one to begin with
    ref = "main"                     # where the workflow is taken from, not what is deployed
    token_env = "GITHUB_TOKEN"       # may run workflows ("Actions: read and write"); or token_file
    stays = true                     # the job stays while it is deployed, and is cancelled; false: it ends when it has
                                     # deployed, and the workflow is started again with action = "restore"
    url = "http://probe-{slot}.lab.example:8080"
    # inputs = { environment = "lab" }, api, poll_seconds = 10

A run of a workflow is known by its name, `slowpath deploy RUN ATTEMPT`, which the workflow must give itself: before
anything is started we look whether it was, and what has no answer is looked for before it is started again.
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
    PASSING,
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
"""A run that was started is listed after some seconds; so long we look for it."""
CANCEL_SECONDS: Final = 300.0
FORCE_AFTER_SECONDS: Final = 60.0
RESTORE_SECONDS: Final = 1800.0
LOOK_SECONDS: Final = 3.0
TOO_MANY: Final = 429
PAGE: Final = 100
PAGES: Final = 5
OLD_SECONDS: Final = 7 * 86_400.0
MOST_INPUTS: Final = 25
OWN_INPUTS: Final = ("action", "run_id", "attempt", "slot", "service", "commit", "overrides", "callback")
PLACEHOLDERS: Final = ("slot", "run_id", "commit", "service")


@dataclass
class GitHubActionsDriver:
    """A driver that keeps `Driver`."""

    outside: HttpClient
    notes: DriverStateStore
    repository: str
    workflow: str
    ref: str
    stays: bool
    inputs: Mapping[str, str]
    url: str | None
    poll_seconds: float = 10.0
    told_at_once: bool = True
    """Whether this GitHub answers a dispatch with the run it made."""
    now: Callable[[], float] = time.time
    pause: Callable[[float], None] = time.sleep
    last_status: LastKnownStatus = field(default_factory=LastKnownStatus)

    def prepare(self) -> None:
        """Look whether the workflow is there and may be started. Raises `DriverError`."""
        found = self.outside.wanted("GET", self._of_workflow())
        assert found is not None
        state = found.told().get("state")
        if state != "active":
            raise DriverError(f"The workflow {self.workflow} of {self.repository} is {state}: enable it.")

    def deploy(self, target: DeploymentTarget) -> Handle:
        """Start the workflow, unless this attempt was started before. Raises `DeploymentFailed`."""
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
        note = self._started_once(target.run_id, note)
        return {"run_id": str(target.run_id), "attempt": target.attempt, "asked_at": note["began_at"], "values": values}

    def status(self, handle: Handle, called_back: DeploymentStatus | None) -> DeploymentStatus:
        """Return how the workflow's run stands. Raises `DeploymentFailed`."""
        return self.last_status.get_status(str(handle["run_id"]), lambda: self._status(handle, called_back))

    def endpoints(self, handle: Handle) -> Mapping[str, str]:
        """Return what the configured address is for this slot."""
        if self.url is None:
            return {}
        url = fill_placeholder(self.url, handle["values"])
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        return {"url": url.rstrip("/"), "host": parts.hostname or "", "port": str(port)}

    def restore(self, run_id: UUID) -> None:
        """Cancel what runs, and where the deploy outlives its job have it taken down; wait for both. Raises `DeploymentFailed`."""
        started = self._started(run_id)
        for each in started:
            self._cancelled(each)
        if started and not self.stays:
            self._taken_down(run_id)
        self.notes.forget(run_id)
        self.last_status.forget(str(run_id))

    # -- starting

    def _inputs(self, target: DeploymentTarget, values: Mapping[str, str]) -> dict[str, str]:
        overrides = {module: override.to_json() for module, override in target.overrides.items()}
        for told in overrides.values():
            told.pop("dir", None)  # a folder here is none there
        return {
            **self.inputs,
            **values,
            "action": "deploy",
            "attempt": str(target.attempt),
            "overrides": json.dumps(overrides, separators=(",", ":"), sort_keys=True),
            "callback": target.callback.url if target.callback else "",
        }

    def _started_once(self, run_id: UUID, note: Json) -> Json:
        """Start what was never asked for, and return the note of it; who is to wait is left to be asked later.

        Raises `DeploymentFailed` where GitHub refuses it.
        """
        if note.get("asked", True):
            return note
        try:
            found = self._listed(f"deploy {run_id} {note['attempt']}")
            note = note | {"asked": True, "asked_at": self.now(), "run": found[0]["id"] if found else None}
            self.notes.write(run_id, note)
            if not found and (made := self._dispatched(note["inputs"])) is not None:
                note = note | {"run": made}
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

    def _dispatched(self, inputs: Mapping[str, str]) -> int | None:
        """Ask for a run; returns its id where that is told. Raises `DeploymentFailed` only where surely none was made."""
        body: Json = {"ref": self.ref, "inputs": dict(inputs)} | (
            {"return_run_details": True} if self.told_at_once else {}
        )
        path = f"{self._of_workflow()}/dispatches"
        try:
            answer = self.outside.ask("POST", path, body=body)
        except RequestFailed as error:
            if error.arrived:
                return None
            raise StatusUnknown(str(error), seconds=self.outside.limits.left()) from error
        if answer.good:
            made = answer.told().get("workflow_run_id")
            return made if isinstance(made, int) else None
        if answer.status in PASSING and answer.status != TOO_MANY:
            return None
        failed = make_error_from_response(f"GitHub's {path}", answer)
        raise StatusUnknown(str(failed), seconds=self.outside.limits.left()) if failed.is_transient else failed

    # -- looking

    def _status(self, handle: Handle, called_back: DeploymentStatus | None) -> DeploymentStatus:
        if called_back is not None and called_back.state in {"unbuildable", "failed"}:
            return called_back
        note = self._started_once(UUID(handle["run_id"]), self.notes.read(handle["run_id"]) or {})
        if not note.get("asked", True):
            return DeploymentStatus("building", f"GitHub is not to be asked just now: {note.get('why')}")
        run = self._run_of(handle)
        if run is None:
            if called_back is not None:
                return called_back
            if self.now() - float(note.get("asked_at") or handle["asked_at"]) > LISTED_SECONDS:
                name = f"slowpath deploy {handle['run_id']} {handle['attempt']}"
                raise DeploymentFailed(
                    f"GitHub lists no run named {name!r}: does {self.workflow} set run-name?", is_transient=True
                )
            return DeploymentStatus("building", "asked of GitHub")
        return self._told(run, called_back)

    def _told(self, run: Json, called_back: DeploymentStatus | None) -> DeploymentStatus:
        """Return how a run of the workflow stands."""
        state, conclusion, page = (str(run.get(name)) for name in ("status", "conclusion", "html_url"))
        if state != "completed":
            waits = " for a person's approval" if state == "waiting" else ""
            return called_back or DeploymentStatus("building", printable(f"{state}{waits}: {page}", 300))
        if conclusion == "success" and not self.stays:
            return DeploymentStatus("ready", printable(page, 300))
        ended = (
            "the job ended, and the deploy with it" if conclusion == "success" else f"the job ended with {conclusion}"
        )
        return DeploymentStatus("failed", printable(f"{ended}: {page}", 300))

    def _run_of(self, handle: Handle) -> Json | None:
        note = self.notes.read(handle["run_id"]) or {}
        if note.get("attempt") == handle["attempt"] and isinstance(note.get("run"), int):
            return self._run(note["run"]) or {"status": "completed", "conclusion": "its deletion", "html_url": ""}
        found = self._listed(f"deploy {handle['run_id']} {handle['attempt']}")
        if found:
            self.notes.write(handle["run_id"], note | {"attempt": handle["attempt"], "run": found[0]["id"]})
        return found[0] if found else None

    def _run(self, number: int) -> Json | None:
        answer = self.outside.wanted("GET", f"{self._of_repository()}/actions/runs/{number}", missing=True)
        return None if answer is None else answer.told()

    def _listed(self, named: str) -> list[Json]:
        """Return the runs of this name, the first made first: the title's words `deploy RUN ATTEMPT` (or without attempt)."""
        found: list[Json] = []
        for page in range(1, PAGES + 1):
            query = {"event": "workflow_dispatch", "per_page": str(PAGE), "page": str(page)}
            answer = self.outside.wanted("GET", f"{self._of_workflow()}/runs", query=query)
            assert answer is not None
            runs = [each for each in objects(answer.told(), "workflow_runs") if isinstance(each.get("id"), int)]
            found += [each for each in runs if f" {named} " in f" {each.get('display_title')} "]
            if len(runs) < PAGE or self.now() - _made_at(runs[-1]) > OLD_SECONDS:
                break
        return sorted(found, key=lambda each: int(each["id"]))

    # -- taking down

    def _started(self, run_id: UUID) -> list[Json]:
        """Return all runs that deploy this run; one that was asked for a moment ago is waited for until it is listed."""
        note = self.notes.read(run_id)
        while True:
            found = self._listed(f"deploy {run_id}")
            known = note.get("run") if note else None
            if isinstance(known, int) and all(each["id"] != known for each in found):
                made = self._run(known)
                found += [made] if made else []
            late = note is None or not note.get("asked", True) or self.now() - float(note["asked_at"]) > LISTED_SECONDS
            if found or known is not None or late:
                return found
            self.pause(LOOK_SECONDS)

    def _cancelled(self, run: Json) -> None:
        path = f"{self._of_repository()}/actions/runs/{run['id']}"
        began, asked = self.now(), ""
        while run.get("status") != "completed":
            waited = self.now() - began
            wanted = "force-cancel" if waited > FORCE_AFTER_SECONDS else "cancel"
            if wanted != asked:
                self._tell(f"{path}/{wanted}")
                asked = wanted
            if waited > CANCEL_SECONDS:
                raise DeploymentFailed(
                    f"The run {run.get('html_url')} does not end, though cancelled.", is_transient=True
                )
            self.pause(LOOK_SECONDS)
            found = self.outside.wanted("GET", path, missing=True)
            run = {"status": "completed"} if found is None else run | found.told()

    def _tell(self, path: str) -> None:
        """Ask for a cancellation; that it has ended meanwhile (409) or is gone is as good."""
        try:
            answer = self.outside.ask("POST", path)
        except RequestFailed:
            return  # it is asked for again when it goes on
        if not answer.good and answer.status not in {404, 409, *PASSING}:
            raise make_error_from_response(f"POST {path}", answer)

    def _taken_down(self, run_id: UUID) -> None:
        """Have the workflow run with action = "restore" until that succeeded once; each try is told when it fails."""
        began, failed_before = self.now(), -1
        while True:
            found = self._listed(f"restore {run_id}")
            if any(each.get("conclusion") == "success" for each in found):
                return
            if all(each.get("status") == "completed" for each in found):
                failed_before = len(found) if failed_before < 0 else failed_before
                if len(found) > failed_before:
                    raise DeploymentFailed(f"Taking it down failed: {found[-1].get('html_url')}", is_transient=True)
                self._ask_restore(run_id, len(found) + 1)
            elif failed_before < 0:
                failed_before = sum(each.get("status") == "completed" for each in found)
            if self.now() - began > RESTORE_SECONDS:
                raise DeploymentFailed(f"Taking it down does not end within {RESTORE_SECONDS:g} s.", is_transient=True)
            self.pause(LOOK_SECONDS)

    def _ask_restore(self, run_id: UUID, number: int) -> None:
        """Start the workflow to take it down for the nth time, unless that was asked a moment ago and is not listed yet."""
        note = self.notes.read(run_id) or {}
        if note.get("restores") == number and self.now() - float(note["restore_at"]) <= LISTED_SECONDS:
            return
        self.notes.write(run_id, note | {"asked_at": 0.0, "restores": number, "restore_at": self.now()})
        known = {name: str(note.get(name, "")) for name in ("slot", "commit", "service")}
        own = {"action": "restore", "run_id": str(run_id), "attempt": str(number), "overrides": "{}", "callback": ""}
        try:
            self._dispatched({**self.inputs, **known, **own})
        except DeploymentFailed:
            self.notes.write(run_id, note | {"asked_at": 0.0})
            raise

    def _of_repository(self) -> str:
        return f"/repos/{self.repository}"

    def _of_workflow(self) -> str:
        return f"{self._of_repository()}/actions/workflows/{quote(self.workflow, safe='')}"


def _made_at(run: Json) -> float:
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
        raise InvalidDriverConfig(f"[deploy] repository is {repository!r}: give owner/name.")
    inputs, url = given.texts("inputs"), given.maybe("url")
    if set(inputs) & set(OWN_INPUTS) or len(inputs) + len(OWN_INPUTS) > MOST_INPUTS:
        raise InvalidDriverConfig(
            f"[deploy] inputs: at most {MOST_INPUTS - len(OWN_INPUTS)} of yours, none named {', '.join(OWN_INPUTS)}."
        )
    if url is not None:
        check_placeholders(url, PLACEHOLDERS, "[deploy] url")
        check_address(fill_placeholder(url, dict.fromkeys(PLACEHOLDERS, "0")))
    api = given.text("api", API).rstrip("/")
    if urlsplit(api).scheme != "https" and not on_loopback(api):
        raise InvalidDriverConfig(f"[deploy] api is {api}: a token goes over https only.")
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
        told_at_once=api == API,
    )  # fmt: skip
    given.done()
    return driver
