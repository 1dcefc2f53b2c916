"""`npm run demo:traces`: from execution traces dropped on the page to the cause of scheduler latency.

A new user drops two traces of the timestamp client on the page, reads the first finding, and opens the timeline of the
waiter's longest wait; the page must match the data. The last line of the output is one JSON object:
`{"waiter", "culprit", "p99_before_ns", "p99_after_ns", "seconds"}`: the waiting goroutine group, the main occupant of the
Ps meanwhile, the p99 of the wait on both sides, and the seconds from the drop to the findings. Without a browser, the
traces are uploaded like by the CLI.

Only the content of the files distinguishes the sides: `--seed` determines a random order and random names.
"""

import argparse
import json
import os
import random
import sys
import tempfile
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from demos.browser import in_browser
from demos.compare import compare, names
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath_cli.collect.upload_client import UploadClient
from slowpath_cli.collect.upload_items import UploadItem, find_items
from slowpath_cli.core.collect_errors import CollectError
from support.demo_user import DemoFailed, DemoUser, sign_up

TRACES = Path(__file__).resolve().parents[2] / "worker" / "example" / "traces"
MANIFEST = TRACES / "investigation.json"
SIDES = ("base", "candidate")
WAITING = frozenset({"trace.sched_delay", "trace.blame"})
"""Kinds of findings whose subject is `group|reason` of a waiter."""


@dataclass(frozen=True)
class TraceDemoOutcome:
    """One trace to upload, with a random name and run metadata that do not contain the variant."""

    side: str
    path: Path
    name: str
    facts: dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo and return its exit code."""
    options = _options(arguments)
    url = options.url or os.environ.get("SLOWPATH_URL")
    if not url:
        print("demo: SLOWPATH_URL is not set. Run `npm run demo:traces`, which starts a server.", file=sys.stderr)
        return 2
    try:
        outcome = play(url, options)
    except (DemoFailed, CollectError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    print(json.dumps(outcome) if options.json else "\n".join(f"{name}: {value}" for name, value in outcome.items()))
    return 0


def play(url: str, options: argparse.Namespace) -> dict[str, Any]:
    """Run the whole demo and return its result."""
    rng = random.Random(options.seed)  # noqa: S311 - reproducible; no secret
    files = drawn({"base": options.base, "candidate": options.candidate}, options.traces, rng)
    person = sign_up(url)
    seen = None if options.no_page else _drop_on_page(person, files)
    if seen is None:
        _print("no browser: uploading the traces by the API")
        began = time.monotonic()
        comparison = compare(person, _upload(person, files, rng), rng)
        seconds = time.monotonic() - began
    else:
        comparison = person.call("GET", f"/comparisons/{seen['comparison']}")
        seconds = float(seen["seconds"])
    findings = comparison["result"]["findings"]
    _print(f"{comparison['verdict']}: {len(findings)} findings after {seconds:.1f} s")
    for finding in findings[:5]:
        _print(f"  {finding['sentence']}")
    outcome = first_of(findings, person.call("GET", f"/comparisons/{comparison['id']}/results/traces"))
    if seen is not None:
        _check_page(seen, outcome)
    return {**outcome, "seconds": round(seconds, 2)}


def drawn(variants: dict[str, str], traces: int, rng: random.Random) -> list[TraceDemoOutcome]:
    """Return randomly chosen traces of each side, shuffled, with random names. Raises `DemoFailed`."""
    files = []
    for side in SIDES:
        items = find_items([str(place_of(variants[side]))], RunMetadata())
        files += [_anonymize(side, item, rng) for item in rng.sample(items, min(traces, len(items)))]
    rng.shuffle(files)
    return files


def place_of(variant: str) -> Path:
    """Return the path of a variant: a set of the example, or a file or folder. Raises `DemoFailed`."""
    sets = {each["id"]: each for each in json.loads(MANIFEST.read_text(encoding="utf-8"))["sets"]}
    if variant in sets:
        return TRACES / str(sets[variant]["folder"])
    if Path(variant).exists():
        return Path(variant)
    raise DemoFailed(f"{variant!r} is neither a file nor a set of the example; sets are {', '.join(sorted(sets))}")


def _anonymize(side: str, item: UploadItem, rng: random.Random) -> TraceDemoOutcome:
    facts = {name: fact for name, fact in item.facts.to_json().items() if name != "commit"}
    if "run" in facts:
        facts["run"] = str(uuid.UUID(int=rng.getrandbits(128), version=4))
    packed = ".gz" if item.path.suffix == ".gz" else ""
    return TraceDemoOutcome(side, item.path, f"{rng.getrandbits(32):08x}.trace{packed}", facts)


def _drop_on_page(person: DemoUser, files: Sequence[TraceDemoOutcome]) -> dict[str, Any] | None:
    """Drop the files on the page and return what it shows; None without a browser."""
    with tempfile.TemporaryDirectory(prefix="slowpath-demo-") as folder:
        outcome = []
        for each in files:
            sidecar = Path(folder, f"{each.name}.facts.json")
            sidecar.write_text(json.dumps(each.facts), encoding="utf-8")
            outcome.append({"side": each.side, "name": each.name, "path": str(each.path), "facts": str(sidecar)})
        return in_browser(
            person,
            "traces.spec.ts",
            {"DEMO_PATH": f"/t/{person.team_slug}/comparisons", "DEMO_FILES": json.dumps(outcome)},
        )


def _upload(person: DemoUser, files: Sequence[TraceDemoOutcome], rng: random.Random) -> dict[str, list[str]]:
    batch = str(uuid.UUID(int=rng.getrandbits(128), version=4))
    ids: dict[str, list[str]] = {side: [] for side in SIDES}
    with UploadClient(person.url, person.token) as server:
        for each in files:
            ids[each.side].append(server.put_file(each.path, each.name, each.facts, batch=batch))
    return ids


def first_of(findings: Sequence[dict[str, Any]], part: dict[str, Any]) -> dict[str, Any]:
    """Return the first finding's waiter, its main occupant, and the waiter's p99 (ns) on both sides; None if missing."""
    outcome: dict[str, Any] = dict.fromkeys(("waiter", "culprit", "p99_before_ns", "p99_after_ns"))
    if not findings:
        return outcome
    first = findings[0]
    if first["kind"] in WAITING:
        outcome["waiter"] = first["subject"].rpartition("|")[0]
        outcome["culprit"] = first["contributions"][0]["subject"] if first["contributions"] else None
    elif first["kind"] == "trace.gc":
        outcome["culprit"] = "gc"
    for group in part["groups"]:
        if group["waiter"] == first["subject"]:
            for name, side in (("p99_before_ns", group["base"]), ("p99_after_ns", group["candidate"])):
                outcome[name] = side["p99_ns"] if side else None
    return outcome


def _check_page(seen: dict[str, Any], outcome: dict[str, Any]) -> None:
    """Check that the page shows the waiter, its longest wait and the main occupant. Raises `DemoFailed`."""
    _print(f"first finding on the page: {seen['first']}")
    _print(f"its longest wait: {seen['wait']}; P occupancy: {seen['held_by']}")
    if outcome["waiter"] is None:
        return
    if not names(seen["first"], outcome["waiter"]) or not names(seen["wait"], outcome["waiter"]):
        raise DemoFailed(f"the page does not show the waiter {outcome['waiter']}")
    grew = (outcome["p99_after_ns"] or 0) > (outcome["p99_before_ns"] or 0)  # an occupant that disappeared is not shown
    if grew and outcome["culprit"] is not None and not names(f"{seen['first']} {seen['held_by']}", outcome["culprit"]):
        raise DemoFailed(f"the page does not show the occupant {outcome['culprit']}")


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="npm run demo:traces --", description="Compare the example's execution traces."
    )
    parser.add_argument("--json", action="store_true", help="print the result as one line of JSON")
    parser.add_argument("--seed", type=int, default=1, help="seed of the traces, their names and order (default: 1)")
    parser.add_argument("--base", default="base", help="set of the example, or a file or folder (default: base)")
    parser.add_argument("--candidate", default="hogs", help="set of the example, or a file or folder (default: hogs)")
    parser.add_argument("--traces", type=int, default=1, help="number of traces per set (default: 1)")
    parser.add_argument("--no-page", action="store_true", help="skip the page in a browser")
    parser.add_argument("--url", help="a running server (default: $SLOWPATH_URL)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
