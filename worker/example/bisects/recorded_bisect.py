"""Recording of a finished bisect from its rows, which the example team contains (`recorded.json.gz`)."""

import gzip
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]
FORMAT = 2
BISECT = ("title", "good_sha", "bad_sha", "state", "signature", "settings", "plan", "outcome")
PROBE = (
    "number", "build", "candidate", "purpose", "round", "state", "slot", "reason", "log_tail", "verified_candidate",
    "measurements_requested", "good_verdicts", "bad_verdicts",
)  # fmt: skip
MOMENTS = ("queued_at", "leased_at", "deployed_at", "ready_at", "ended_at")
MEASUREMENT = ("index", "round", "value", "verdict", "problem", "invalidated")
COMMIT = ("sha", "parents", "author_name", "author_email", "authored_at", "committed_at", "title", "files")


def recording(tables: Mapping[str, Sequence[Row]], culprits: Sequence[str]) -> dict[str, Any]:
    """Return a recording of the only bisect in rows of PostgreSQL's `row_to_json`."""
    [bisect] = tables["bisect"]
    began = _moment(bisect["created_at"])

    def after(row: Row, name: str) -> float | None:
        """Return the seconds since the start."""
        return None if row[name] is None else round((_moment(row[name]) - began).total_seconds(), 1)

    measurements: dict[str, list[dict[str, Any]]] = {one["id"]: [] for one in tables["probe"]}
    for one in sorted(tables["probe_measurement"], key=lambda row: int(row["index"])):
        times = {name: after(one, name) for name in ("started_at", "ended_at")}
        measurements[one["probe_id"]].append({**{name: one[name] for name in MEASUREMENT}, **times})
    probes = [
        {**{name: one[name] for name in PROBE},
         **{name: after(one, name) for name in MOMENTS}, "measurements": measurements[one["id"]]}
        for one in sorted(tables["probe"], key=lambda row: int(row["number"]))
    ]  # fmt: skip
    events = [
        {
            "occurred_at": after(one, "occurred_at"),
            "kind": one["kind"],
            "details": one["details"],
            "by_a_person": one["actor"] is not None,
        }
        for one in sorted(tables["bisect_event"], key=lambda row: str(row["created_at"]))
    ]
    [main] = [one for one in tables["repository"] if one["id"] == bisect["repository_id"]]
    nodes = bisect["plan"]["nodes"].values()
    recorded = {bisect["good_sha"], bisect["bad_sha"], *(one["sha"] for one in nodes if one["repository"] == "")}
    commits = [
        {name: one[name] for name in COMMIT}
        for one in tables["commit"]
        if one["repository_id"] == main["id"] and one["sha"] in recorded
    ]
    return {
        "format": FORMAT,
        "seconds": after(bisect, "finished_at"),
        "truth": list(culprits),
        "repository": main["label"],
        "commits": commits,
        "bisect": {**{name: bisect[name] for name in BISECT}, "started_at": after(bisect, "started_at")},
        "probes": probes,
        "events": events,
    }


def write(path: Path, document: Mapping[str, Any]) -> None:
    """Write a recording; the same rows give the same bytes."""
    path.write_bytes(gzip.compress(json.dumps(document, separators=(",", ":"), sort_keys=True).encode(), 9, mtime=0))


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
