"""`npm run demo:compare`: from the example's profiles to the first finding, on a complete running Slowpath.

A new user uploads two sets like the CLI, compares them, and reads the findings; then a browser opens the comparison, which
must show the same first finding. The last line of the output is one JSON object:
`{"verdict", "first_finding", "attributed_caller", "seconds"}`; the seconds are from the first upload to the findings.

Only the content of the files distinguishes the sides: `--seed` determines a random order and random names.
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

EXAMPLE = Path(__file__).resolve().parents[2] / "worker" / "example"
MANIFEST = EXAMPLE / "investigation.json"
WAIT_SECONDS = 180.0
POLL_SECONDS = 0.2
UNFINISHED = frozenset({"waiting", "running"})


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo and return its exit code."""
    options = _options(arguments)
    url = options.url or os.environ.get("SLOWPATH_URL")
    if not url:
        print("demo: SLOWPATH_URL is not set. Run `npm run demo:compare`, which starts a server.", file=sys.stderr)
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
    person = sign_up(url)
    began = time.monotonic()
    sides = upload(person, {"base": options.base, "candidate": options.candidate}, rng)
    comparison = compare(person, sides, rng)
    seconds = time.monotonic() - began
    result = comparison["result"]
    _print(f"{result['verdict']}: {len(result['findings'])} findings after {seconds:.1f} s")
    for finding in result["findings"][:5]:
        _print(f"  {finding['sentence']}")
    if not options.no_page:
        _check_page(person, comparison)
    return {**first_of(result), "seconds": round(seconds, 2)}


def upload(person: DemoUser, variants: dict[str, str], rng: random.Random) -> dict[str, list[str]]:
    """Upload the sets of both sides in random order under random names; return the artifact IDs by side."""
    waiting = [
        (side, item)
        for side, variant in variants.items()
        for item in find_items([str(folder_of(variant))], RunMetadata())
    ]
    rng.shuffle(waiting)
    batch = str(uuid.UUID(int=rng.getrandbits(128), version=4))
    ids: dict[str, list[str]] = {side: [] for side in variants}
    with UploadClient(person.url, person.token) as server:
        for side, item in waiting:
            name = f"{rng.getrandbits(32):08x}-{item.name.split('.')[0]}.pb.gz"
            ids[side].append(server.put_file(item.path, name, _anonymize_run(item.facts), batch=batch))
    _print(f"{len(waiting)} files uploaded")
    return ids


def folder_of(variant: str) -> Path:
    """Return the folder of a variant's set, from the manifest. Raises `DemoFailed`."""
    sets = {each["id"]: each for each in json.loads(MANIFEST.read_text(encoding="utf-8"))["sets"]}
    if variant not in sets:
        raise DemoFailed(f"unknown set {variant!r}; choose from {', '.join(sorted(sets))}")
    return EXAMPLE / str(sets[variant]["folder"])


def _anonymize_run(facts: RunMetadata) -> dict[str, Any]:
    """Return run metadata whose `run` does not contain the variant."""
    metadata = facts.to_json()
    if facts.run is not None:
        metadata["run"] = str(uuid.uuid5(uuid.NAMESPACE_OID, facts.run))
    return metadata


def compare(person: DemoUser, sides: dict[str, list[str]], rng: random.Random) -> dict[str, Any]:
    """Create a comparison and wait for its result. Raises `DemoFailed`."""
    body: dict[str, Any] = {"name": f"Demo {rng.getrandbits(32):08x}"}
    for side, ids in sides.items():
        body[side] = {"artifact_ids": rng.sample(ids, len(ids)), "label": f"{rng.getrandbits(32):08x}"}
    comparison = person.call("POST", "/comparisons", json=body)
    deadline = time.monotonic() + WAIT_SECONDS
    while comparison["state"] in UNFINISHED:
        if time.monotonic() > deadline:
            raise DemoFailed(f"the comparison is still {comparison['state']} after {WAIT_SECONDS:.0f} s")
        time.sleep(POLL_SECONDS)
        comparison = person.call("GET", f"/comparisons/{comparison['id']}")
    if comparison["state"] != "done":
        raise DemoFailed(f"the comparison is {comparison['state']}: {comparison['problem']}")
    found: dict[str, Any] = comparison
    return found


def first_of(result: dict[str, Any]) -> dict[str, Any]:
    """Return the verdict, and subject and largest attributed caller of the first finding; None if there is none."""
    first = result["findings"][0] if result["findings"] else None
    callers = first["attributed_callers"] if first else []
    return {
        "verdict": result["verdict"],
        "first_finding": first["subject"] if first else None,
        "attributed_caller": callers[0]["function"] if callers else None,
    }


def _check_page(person: DemoUser, comparison: dict[str, Any]) -> None:
    """Open the comparison in a browser and check that it shows the first finding. Raises `DemoFailed`."""
    shown = look_at_page(person, str(comparison["id"]))
    if shown is None:
        _print("no browser: skipped the page")
        return
    first = first_of(comparison["result"])["first_finding"]
    if first is not None and not names(shown, first):
        raise DemoFailed(f"the page shows {shown!r} first, but the first finding is {first!r}")
    _print(f"first finding on the page: {shown}")


def names(shown: str, subject: str) -> bool:
    """Return whether a displayed text names a subject: categories are spelled out, functions have no module."""
    end = subject.rpartition("/")[2]
    return end in shown or end.replace("-", " ").lower() in shown.lower()


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="npm run demo:compare --", description="Compare the example's profiles.")
    parser.add_argument("--json", action="store_true", help="print the result as one line of JSON")
    parser.add_argument("--seed", type=int, default=1, help="seed of names and order of the files (default: 1)")
    parser.add_argument("--base", default="inlined", help="set of the base (default: inlined)")
    parser.add_argument("--candidate", default="helper", help="set of the candidate (default: helper)")
    parser.add_argument("--no-page", action="store_true", help="skip the page in a browser")
    parser.add_argument("--url", help="a running server (default: $SLOWPATH_URL)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
