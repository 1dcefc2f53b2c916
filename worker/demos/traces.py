"""`npm run demo:traces`: story 2, from execution traces dropped in the browser to who was in the way.

Somebody new signs up and drops two traces of the timestamp client on the page, waits, reads the first finding, and opens
the timeline of the victim's worst wait; what the page says must be what the data says. The last line of the output is one
JSON object: `{"victim", "culprit", "p99_before_ns", "p99_after_ns", "seconds"}`: the goroutines that wait for a processor,
whoever held the processors meanwhile, the 99th percentile of that wait on both sides, and the seconds from the drop to
the findings. Without a browser the traces are uploaded as the command line does.

Nothing tells the sides apart but what is inside the files: they come in an order and under names drawn by `--seed`.
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

TRACES = Path(__file__).resolve().parents[1] / "example" / "traces"
MANIFEST = TRACES / "investigation.json"
SIDES = ("base", "candidate")
WAITING = frozenset({"trace.sched_delay", "trace.blame"})
"""Kinds of findings whose subject is `group|reason` of goroutines that wait."""


@dataclass(frozen=True)
class TraceDemoOutcome:
    """One trace as it is handed over: under a name that says nothing, with facts that say nothing of the variant."""

    side: str
    path: Path
    name: str
    facts: dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the story; returns the exit code."""
    options = _options(arguments)
    url = options.url or os.environ.get("SLOWPATH_URL")
    if not url:
        print("demo: SLOWPATH_URL is not set: run `npm run demo:traces`, which brings a server up", file=sys.stderr)
        return 2
    try:
        told = play(url, options)
    except (DemoFailed, CollectError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    print(json.dumps(told) if options.json else "\n".join(f"{name}: {value}" for name, value in told.items()))
    return 0


def play(url: str, options: argparse.Namespace) -> dict[str, Any]:
    """The whole story; returns what the last line says."""
    dice = random.Random(options.seed)  # noqa: S311 - the same seed plays the same story; no secret
    files = drawn({"base": options.base, "candidate": options.candidate}, options.traces, dice)
    person = sign_up(url)
    seen = None if options.no_page else _through_the_page(person, files)
    if seen is None:
        _tell("no browser: the traces are uploaded as the command line does")
        began = time.monotonic()
        comparison = compare(person, _upload(person, files, dice), dice)
        seconds = time.monotonic() - began
    else:
        comparison = person.call("GET", f"/comparisons/{seen['comparison']}")
        seconds = float(seen["seconds"])
    findings = comparison["result"]["findings"]
    _tell(f"{comparison['verdict']}: {len(findings)} findings after {seconds:.1f} s")
    for finding in findings[:5]:
        _tell(f"  {finding['sentence']}")
    told = first_of(findings, person.call("GET", f"/comparisons/{comparison['id']}/parts/traces"))
    if seen is not None:
        _check(seen, told)
    return {**told, "seconds": round(seconds, 2)}


def drawn(variants: dict[str, str], traces: int, dice: random.Random) -> list[TraceDemoOutcome]:
    """So many traces of each side, mixed, under names that say nothing. Raises `DemoFailed`."""
    files = []
    for side in SIDES:
        items = find_items([str(place_of(variants[side]))], RunMetadata())
        files += [_dropped(side, item, dice) for item in dice.sample(items, min(traces, len(items)))]
    dice.shuffle(files)
    return files


def place_of(variant: str) -> Path:
    """Where the traces of a variant are: a set of the example, else a file or folder of that name. Raises `DemoFailed`."""
    sets = {each["id"]: each for each in json.loads(MANIFEST.read_text(encoding="utf-8"))["sets"]}
    if variant in sets:
        return TRACES / str(sets[variant]["folder"])
    if Path(variant).exists():
        return Path(variant)
    raise DemoFailed(f"the example has no set {variant!r} and there is no such file; it has {', '.join(sorted(sets))}")


def _dropped(side: str, item: UploadItem, dice: random.Random) -> TraceDemoOutcome:
    facts = {name: fact for name, fact in item.facts.to_json().items() if name != "commit"}
    if "run" in facts:
        facts["run"] = str(uuid.UUID(int=dice.getrandbits(128), version=4))
    packed = ".gz" if item.path.suffix == ".gz" else ""
    return TraceDemoOutcome(side, item.path, f"{dice.getrandbits(32):08x}.trace{packed}", facts)


def _through_the_page(person: DemoUser, files: Sequence[TraceDemoOutcome]) -> dict[str, Any] | None:
    """Drop the files on the page and look at what comes; None without a browser."""
    with tempfile.TemporaryDirectory(prefix="slowpath-demo-") as folder:
        told = []
        for each in files:
            sidecar = Path(folder, f"{each.name}.facts.json")
            sidecar.write_text(json.dumps(each.facts), encoding="utf-8")
            told.append({"side": each.side, "name": each.name, "path": str(each.path), "facts": str(sidecar)})
        return in_browser(
            person,
            "traces.spec.ts",
            {"DEMO_PATH": f"/t/{person.team_slug}/comparisons", "DEMO_FILES": json.dumps(told)},
        )


def _upload(person: DemoUser, files: Sequence[TraceDemoOutcome], dice: random.Random) -> dict[str, list[str]]:
    batch = str(uuid.UUID(int=dice.getrandbits(128), version=4))
    ids: dict[str, list[str]] = {side: [] for side in SIDES}
    with UploadClient(person.url, person.token) as server:
        for each in files:
            ids[each.side].append(server.put_file(each.path, each.name, each.facts, batch=batch))
    return ids


def first_of(findings: Sequence[dict[str, Any]], part: dict[str, Any]) -> dict[str, Any]:
    """The first finding's victim, whoever is most to blame for it, the victim's p99 (ns) on both sides; nulls without."""
    told: dict[str, Any] = dict.fromkeys(("victim", "culprit", "p99_before_ns", "p99_after_ns"))
    if not findings:
        return told
    first = findings[0]
    if first["kind"] in WAITING:
        told["victim"] = first["subject"].rpartition("|")[0]
        told["culprit"] = first["contributions"][0]["subject"] if first["contributions"] else None
    elif first["kind"] == "trace.gc":
        told["culprit"] = "gc"
    for group in part["groups"]:
        if group["victim"] == first["subject"]:
            for name, side in (("p99_before_ns", group["base"]), ("p99_after_ns", group["candidate"])):
                told[name] = side["p99_ns"] if side else None
    return told


def _check(seen: dict[str, Any], told: dict[str, Any]) -> None:
    """What the page says must be what the data says: the victim first, its worst wait's timeline open, the culprit told."""
    _tell(f"the page says first: {seen['first']}")
    _tell(f"its worst wait: {seen['wait']}; held by {seen['held_by']}")
    if told["victim"] is None:
        return
    if not names(seen["first"], told["victim"]) or not names(seen["wait"], told["victim"]):
        raise DemoFailed(f"the page does not say that {told['victim']} waits")
    grew = (told["p99_after_ns"] or 0) > (told["p99_before_ns"] or 0)  # who has gone is not told where they were missed
    if grew and told["culprit"] is not None and not names(f"{seen['first']} {seen['held_by']}", told["culprit"]):
        raise DemoFailed(f"the page does not say that {told['culprit']} held the processors")


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="npm run demo:traces --", description="From traces to who was in the way.")
    parser.add_argument("--json", action="store_true", help="end with one line of JSON")
    parser.add_argument("--seed", type=int, default=1, help="draws the traces, their names and order (default 1)")
    parser.add_argument("--base", default="base", help="set of the example, or a file or folder (default base)")
    parser.add_argument("--candidate", default="hogs", help="set of the example, or a file or folder (default hogs)")
    parser.add_argument("--traces", type=int, default=1, help="how many of a set (default 1)")
    parser.add_argument("--no-page", action="store_true", help="do not go through the page in a browser")
    parser.add_argument("--url", help="a running server (default SLOWPATH_URL)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
