"""`npm run demo:compare`: the example's profiles, from files to the first finding, through a whole running Slowpath.

Somebody new signs up, uploads two sets as the command line does, compares them, waits, and reads what was found; then a
browser opens the same comparison and must show the same first. The last line of the output is one JSON object:
`{"verdict", "first_finding", "payer", "seconds"}`; seconds are from the first upload to the findings.

Nothing tells the sides apart but what is inside the files: they are uploaded in an order and under names drawn by `--seed`.
"""

import argparse
import json
import os
import random
import sys
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from demos.browser import look_at_page
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath_cli.collect.upload_client import UploadClient
from slowpath_cli.collect.upload_items import find_items
from slowpath_cli.core.collect_errors import CollectError
from support.demo_user import DemoFailed, DemoUser, sign_up

EXAMPLE = Path(__file__).resolve().parents[1] / "example"
MANIFEST = EXAMPLE / "investigation.json"
WAIT_SECONDS = 180.0
POLL_SECONDS = 0.2
UNFINISHED = frozenset({"waiting", "running"})


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the story; returns the exit code."""
    options = _options(arguments)
    url = options.url or os.environ.get("SLOWPATH_URL")
    if not url:
        print("demo: SLOWPATH_URL is not set: run `npm run demo:compare`, which brings a server up", file=sys.stderr)
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
    person = sign_up(url)
    began = time.monotonic()
    sides = upload(person, {"base": options.base, "candidate": options.candidate}, dice)
    comparison = compare(person, sides, dice)
    seconds = time.monotonic() - began
    result = comparison["result"]
    _tell(f"{result['verdict']}: {len(result['findings'])} findings after {seconds:.1f} s")
    for finding in result["findings"][:5]:
        _tell(f"  {finding['sentence']}")
    if not options.no_page:
        _look(person, comparison)
    return {**first_of(result), "seconds": round(seconds, 2)}


def upload(person: DemoUser, variants: dict[str, str], dice: random.Random) -> dict[str, list[str]]:
    """Upload the sets of both sides, mixed, under names that say nothing. Returns artifact ids by side."""
    waiting = [
        (side, item)
        for side, variant in variants.items()
        for item in find_items([str(folder_of(variant))], RunMetadata())
    ]
    dice.shuffle(waiting)
    batch = str(uuid.UUID(int=dice.getrandbits(128), version=4))
    ids: dict[str, list[str]] = {side: [] for side in variants}
    with UploadClient(person.url, person.token) as server:
        for side, item in waiting:
            name = f"{dice.getrandbits(32):08x}-{item.name.split('.')[0]}.pb.gz"
            ids[side].append(server.put_file(item.path, name, _without_names(item.facts), batch=batch))
    _tell(f"{len(waiting)} files uploaded")
    return ids


def folder_of(variant: str) -> Path:
    """Where the set of a variant lies, as the manifest says."""
    sets = {each["id"]: each for each in json.loads(MANIFEST.read_text(encoding="utf-8"))["sets"]}
    if variant not in sets:
        raise DemoFailed(f"the example has no set {variant!r}; it has {', '.join(sorted(sets))}")
    return EXAMPLE / str(sets[variant]["folder"])


def _without_names(facts: RunMetadata) -> dict[str, Any]:
    """Facts whose run tells processes apart without telling the variant."""
    told = facts.to_json()
    if facts.run is not None:
        told["run"] = str(uuid.uuid5(uuid.NAMESPACE_OID, facts.run))
    return told


def compare(person: DemoUser, sides: dict[str, list[str]], dice: random.Random) -> dict[str, Any]:
    """Compare the sides and wait until there is a result."""
    asked: dict[str, Any] = {"name": f"Demo {dice.getrandbits(32):08x}"}
    for side, ids in sides.items():
        asked[side] = {"artifact_ids": dice.sample(ids, len(ids)), "label": f"{dice.getrandbits(32):08x}"}
    comparison = person.call("POST", "/comparisons", json=asked)
    deadline = time.monotonic() + WAIT_SECONDS
    while comparison["state"] in UNFINISHED:
        if time.monotonic() > deadline:
            raise DemoFailed(f"the comparison is still {comparison['state']} after {WAIT_SECONDS:.0f} s")
        time.sleep(POLL_SECONDS)
        comparison = person.call("GET", f"/comparisons/{comparison['id']}")
    if comparison["state"] != "done":
        raise DemoFailed(f"the comparison has {comparison['state']}: {comparison['problem']}")
    found: dict[str, Any] = comparison
    return found


def first_of(result: dict[str, Any]) -> dict[str, Any]:
    """The verdict, the first finding's subject and who pays most of it; nulls when there is none."""
    first = result["findings"][0] if result["findings"] else None
    callers = first["attributed_callers"] if first else []
    return {
        "verdict": result["verdict"],
        "first_finding": first["subject"] if first else None,
        "payer": callers[0]["function"] if callers else None,
    }


def _look(person: DemoUser, comparison: dict[str, Any]) -> None:
    """Open the comparison in a browser: what the page says first must be what the data says first."""
    shown = look_at_page(person, str(comparison["id"]))
    if shown is None:
        _tell("no browser here: the page was not looked at")
        return
    first = first_of(comparison["result"])["first_finding"]
    if first is not None and not names(shown, first):
        raise DemoFailed(f"the page says first {shown!r}, the data {first!r}")
    _tell(f"the page says first: {shown}")


def names(shown: str, subject: str) -> bool:
    """Tells whether a text for people names a subject: categories are written out, functions without their module."""
    end = subject.rpartition("/")[2]
    return end in shown or end.replace("-", " ").lower() in shown.lower()


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="npm run demo:compare --", description="From files to the first finding.")
    parser.add_argument("--json", action="store_true", help="end with one line of JSON")
    parser.add_argument("--seed", type=int, default=1, help="draws names and the order of files (default 1)")
    parser.add_argument("--base", default="inlined", help="set of the base (default inlined)")
    parser.add_argument("--candidate", default="helper", help="set of the candidate (default helper)")
    parser.add_argument("--no-page", action="store_true", help="do not open the page in a browser")
    parser.add_argument("--url", help="a running server (default SLOWPATH_URL)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
