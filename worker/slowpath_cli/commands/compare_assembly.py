"""`slowpath compare --assembly FUNCTION`: the assembly of a function in the programs of both sides, side by side."""

import argparse
import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from slowpath.analysis.comparison.assembly_document import AssemblyDocument, AssemblyInstruction, AssemblyListing
from slowpath.analysis.findings.findings import CostShift
from slowpath_cli.core.input_files import InvalidInput, list_profiles, resolved, run_helper

LEAST_WIDTH, MOST_WIDTH = 100, 240
REASONS = {
    "no-profiles": "no profile was read for samples",
    "no-build-id": "the profiles name no build ID, so samples cannot be assigned to instructions",
    "other-build": "the profiles are of another build, so samples cannot be assigned to instructions",
    "no-addresses": "the profiles have no addresses, so samples cannot be assigned to instructions",
}


def disassemble_both(options: argparse.Namespace, helper: Path, shifts: Sequence[CostShift]) -> AssemblyDocument | None:
    """Return the assembly of the function that is asked for, if any; cost shifts name renamed ones. Raises `InvalidInput`."""
    if not options.assembly:
        return None
    if not options.base_binary or not options.candidate_binary:
        raise InvalidInput("--assembly needs --base-binary and --candidate-binary")
    arguments = ["assembly", f"--function={options.assembly}"]
    for side in ("base", "candidate"):
        arguments += [f"--{side}-binary", str(resolved(getattr(options, f"{side}_binary")))]
    for side in ("base", "candidate"):
        for path in list_profiles(getattr(options, side), helper):
            arguments += [f"--{side}", str(path)]
    for each in shifts:
        arguments += [f"--renamed-from={each.from_function}", f"--renamed-to={each.to_function}"]
    document: AssemblyDocument = json.loads(run_helper(helper, arguments))
    return document


def format_assembly(document: AssemblyDocument) -> str:
    """Format both sides in the width of the terminal: a mark for each row that differs, and the lines of the source."""
    base, candidate = document["base"], document["candidate"]
    assert base is not None
    width = (min(max(shutil.get_terminal_size((LEAST_WIDTH, 24)).columns, LEAST_WIDTH), MOST_WIDTH) - 5) // 2
    lines = [f"Assembly of {_printable(document['function'])}"]
    lines += [
        f"   {name}: {_describe(listing)}{_other_name(document, listing)}"
        for name, listing in (("base", base), ("candidate", candidate))
    ]
    for mark, left, right in _rows(document, base, candidate):
        lines.append(f"{left[:width]:<{width}} {mark} {right[:width]}".rstrip())
    return "\n".join(lines)


def _describe(listing: AssemblyListing) -> str:
    if listing["missing"] == "absent":
        return "the program has no such function"
    if listing["missing"] == "inlined":
        return f"every call is inlined, in {', '.join(map(_printable, listing['inlined_in']))}"
    samples = listing["samples"]
    sampled = (
        REASONS[samples["reason"]]
        if samples["reason"]
        else f"share of {samples['type']} in {samples['used']} of {samples['profiles']} profiles"
    )
    cut = f", the last {listing['omitted']:,} B are not shown" if listing["omitted"] else ""
    return f"frame {listing['frame']:,} B, code {listing['size']:,} B{cut}; {sampled}"


def _other_name(document: AssemblyDocument, listing: AssemblyListing) -> str:
    """Return the name of a listing that is not the one asked for: another instance, closure, or a renamed function."""
    is_other = listing["missing"] is None and listing["name"] != document["function"]
    return f"; {_printable(listing['name'])}" if is_other else ""


def _rows(
    document: AssemblyDocument, base: AssemblyListing, candidate: AssemblyListing
) -> Iterator[tuple[str, str, str]]:
    """Yield a mark and both sides of each row; a source line is repeated wherever its instructions begin again."""
    shown = ["", ""]
    for row in document["rows"]:
        pair = [
            (listing, None if index is None else listing["instructions"][index])
            for listing, index in ((base, row["base"]), (candidate, row["candidate"]))
        ]
        places = ["" if one is None else _place(listing, one) for listing, one in pair]
        fresh = [place if place and place != last else "" for place, last in zip(places, shown, strict=True)]
        shown = [place or last for place, last in zip(places, shown, strict=True)]
        if any(fresh):
            yield " ", fresh[0], fresh[1]
        mark = "-" if row["candidate"] is None else "+" if row["base"] is None else " " if row["same"] else "~"
        left, right = ("" if one is None else _code(listing, one) for listing, one in pair)
        yield mark, left, right


def _place(listing: AssemblyListing, one: AssemblyInstruction) -> str:
    file = listing["files"][one["file"]].rpartition("/")[2] or "?"
    origin = f" inlined {listing['functions'][one['function']]}" if one["function"] else ""
    return _printable(f"{file}:{one['line']}{origin}")


def _code(listing: AssemblyListing, one: AssemblyInstruction) -> str:
    total = listing["samples"]["total"]
    share = f"{one['self'] / total:6.1%}" if total and one["self"] else " " * 6
    return f"{share if total else ''}  {one['offset']:04x} {_printable(one['text'])}"


def _printable(text: str) -> str:
    return "".join(each if each.isprintable() else " " for each in text)
