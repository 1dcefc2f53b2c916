"""GitHub Actions for tests: its published example responses; the test starts, lists, cancels and ends runs."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from tests.collect.pprof_servers import Asked, Reply
from tests.drivers.cluster_double import json_reply
from tests.drivers.published_schemas import examples

Json = dict[str, Any]
TOKEN: Final = "github-token"
REPOSITORY: Final = "/repos/acme/checkout"
WORKFLOW: Final = f"{REPOSITORY}/actions/workflows/slowpath.yml"


@dataclass
class GitHubDouble:
    """One repository with one workflow."""

    runs: list[Json] = field(default_factory=list)
    inputs: list[Json] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)
    state: str = "active"
    unlisted: int = 0
    """How many lists do not show a new run yet."""
    stubborn: int = 0
    """How often a run is still seen as going on after it was cancelled."""
    first: Callable[[Asked], Reply | None] = lambda _: None
    lose: bool = False
    """Whether the answer to the next dispatch breaks off."""
    ending: str | None = None
    """How runs end as soon as they are made."""
    _leaving: dict[int, int] = field(default_factory=dict)
    _hidden: int = 0

    def __call__(self, asked: Asked) -> Reply:
        early = self.first(asked)
        if early is not None:
            return early
        if asked.headers.get("authorization") != f"Bearer {TOKEN}":
            return json_reply(
                401,
                {"message": "Bad credentials", "documentation_url": "https://docs.github.com/rest", "status": "401"},
            )
        url = urlsplit(asked.path)
        if url.path == WORKFLOW:
            return json_reply(200, examples("github")["workflow"] | {"state": self.state})
        if url.path == f"{WORKFLOW}/dispatches":
            return self._dispatch(json.loads(asked.body))
        if url.path == f"{WORKFLOW}/runs":
            return self._list({key: values[0] for key, values in parse_qs(url.query).items()})
        return self._of_run(url.path)

    def _of_run(self, path: str) -> Reply:
        found = re.fullmatch(rf"{REPOSITORY}/actions/runs/(\d+)(/(?:force-)?cancel)?", path)
        run = next((each for each in self.runs if found and each["id"] == int(found[1])), None)
        if found is None or run is None:
            return json_reply(404, {"message": "Not Found"})
        return self._one(run) if found[2] is None else self._cancel(run, found[2])

    def _dispatch(self, body: Json) -> Reply:
        self.inputs.append(body["inputs"])
        given = body["inputs"]
        run = json.loads(json.dumps(examples("github")["workflow-run-paginated"]["workflow_runs"][0]))
        number = 1000 + len(self.runs)
        title = f"slowpath {given['action']} {given['run_id']} {given['attempt']}"
        run |= {
            "id": number,
            "display_title": title,
            "event": "workflow_dispatch",
            "status": "queued",
            "conclusion": None,
        }
        run |= {
            "html_url": f"https://github.com/acme/checkout/actions/runs/{number}",
            "created_at": "2126-01-01T00:00:00Z",
        }
        if self.ending is not None:
            run |= {"status": "completed", "conclusion": self.ending}
        self.runs.append(run)
        self._hidden = self.unlisted
        if self.lose:
            self.lose = False
            return Reply(200, b"{", cut=True)
        if not body.get("return_run_details"):
            return Reply(204)
        return json_reply(200, examples("github")["workflow-dispatch-response"] | {"workflow_run_id": number})

    def _list(self, query: dict[str, str]) -> Reply:
        shown = self.runs[:-1] if self._hidden > 0 else self.runs
        self._hidden -= 1
        size, page = int(query["per_page"]), int(query["page"])
        newest = shown[::-1][size * (page - 1) : size * page]
        return json_reply(200, {"total_count": len(shown), "workflow_runs": newest})

    def _one(self, run: Json) -> Reply:
        if run["id"] in self._leaving:
            self._leaving[run["id"]] -= 1
            if self._leaving[run["id"]] < 0:
                run |= {"status": "completed", "conclusion": "cancelled"}
        return json_reply(200, run)

    def _cancel(self, run: Json, how: str) -> Reply:
        self.cancelled.append(f"{run['id']}{how}")
        if run["status"] == "completed":
            return json_reply(409, {"message": "Cannot cancel a workflow run that is completed."})
        self._leaving[run["id"]] = 0 if how == "/force-cancel" else self.stubborn
        return json_reply(202, {})
