"""Files for Speedscope and the Firefox Profiler: as their formats are described, with the values of the profile."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable
from slowpath.analysis.kinds.profiles.exports.export_tree import ExportTree
from slowpath.analysis.kinds.profiles.exports.firefox_profiler_file import write_firefox_profile
from slowpath.analysis.kinds.profiles.exports.speedscope_file import write_speedscope
from slowpath.analysis.kinds.profiles.views.profile_set_views import list_set_kinds, measure_set
from tests.analysis.kinds.profiles.generated_profiles import TICK, artifact, stacks
from tests.analysis.kinds.profiles.test_profile_set_views import FILES

SCHEMAS = Path(__file__).parent / "export_schemas"
DRAWN = """
    main.main  main.main   main.main  other.Main  .
    a.Serve    a.Serve     a.Sort     .           .
    a.Work     .           .          .           .
    30         10          40         15          5
"""
HOSTILE = '</script>"\\\u2028'


def tree_of(profile: ProfileArtifact) -> ExportTree:
    (kind,) = list_set_kinds([profile])
    values = measure_set([profile], kind.kind, kind.default_sample_type, ())
    assert values is not None
    return ExportTree(values)


def validated(text: str, schema: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(text)
    validator = jsonschema_rs.validator_for(json.loads((SCHEMAS / f"{schema}.schema.json").read_text()))
    assert [str(error) for error in validator.iter_errors(document)] == []
    return document


def speedscope(tree: ExportTree) -> dict[str, Any]:
    return validated("".join(write_speedscope(tree, HOSTILE)), "speedscope")


def firefox(tree: ExportTree) -> dict[str, Any]:
    return validated("".join(write_firefox_profile(tree, HOSTILE, 1_000)), "firefox-profiler")


def self_values(profile: dict[str, Any], frames: list[str]) -> dict[str, float]:
    """Replay the events as Speedscope does; return the value of each stack without its callees."""
    found: dict[str, float] = {}
    is_open: list[str] = []
    before = 0.0
    for event in profile["events"]:
        assert event["at"] >= before
        path = " ".join(is_open)
        found[path] = found.get(path, 0.0) + event["at"] - before
        before = event["at"]
        if event["type"] == "O":
            is_open.append(frames[event["frame"]])
        else:
            assert is_open.pop() == frames[event["frame"]]
    assert not is_open
    found[""] = found.get("", 0.0) + profile["endValue"] - before
    return {path: value for path, value in found.items() if value}


def stack_values(thread: dict[str, Any]) -> dict[str, float]:
    """Sum the samples of a thread by their stack."""
    table, names = thread["stackTable"], thread["stringArray"]
    functions = [names[number] for number in thread["funcTable"]["name"]]
    paths: list[str] = []
    for frame, prefix in zip(table["frame"], table["prefix"], strict=True):
        name = functions[thread["frameTable"]["func"][frame]]
        assert prefix is None or prefix < len(paths)
        paths.append(name if prefix is None else f"{paths[prefix]} {name}")
    found: dict[str, float] = {}
    for stack, weight in zip(thread["samples"]["stack"], thread["samples"]["weight"], strict=True):
        path = "" if stack is None else paths[stack]
        found[path] = found.get(path, 0.0) + weight
    return found


EXPECTED = {"main.main a.Serve a.Work": 30, "main.main a.Serve": 10, "main.main a.Sort": 40, "other.Main": 15, "": 5}


def test_speedscope_has_the_values_of_every_sample_type() -> None:
    document = speedscope(tree_of(artifact(stacks(DRAWN))))
    frames = [frame["name"] for frame in document["shared"]["frames"]]
    by_name = {each["name"]: each for each in document["profiles"]}
    assert self_values(by_name["samples"], frames) == EXPECTED
    assert self_values(by_name["cpu"], frames) == {path: value * TICK for path, value in EXPECTED.items()}
    assert [each["unit"] for each in document["profiles"]] == ["nanoseconds", "none"]
    assert document["name"] == HOSTILE


def test_the_firefox_profiler_has_the_values_of_every_sample_type() -> None:
    document = firefox(tree_of(artifact(stacks(DRAWN))))
    cpu, samples = document["threads"]
    assert stack_values(samples) == EXPECTED
    assert stack_values(cpu) == {path: value * TICK / 1e6 for path, value in EXPECTED.items()}
    assert (cpu["samples"]["weightType"], samples["samples"]["weightType"]) == ("tracing-ms", "samples")
    times = cpu["samples"]["time"]
    assert times == sorted(times)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_real_profiles_have_the_same_values_in_both_files(path: Path) -> None:
    tree = tree_of(ProfileArtifact(path.name, ProfileTable.parse(path.read_bytes()), RunMetadata()))
    theirs, document = speedscope(tree), firefox(tree)
    frames = [frame["name"] for frame in theirs["shared"]["frames"]]
    categories = len(document["meta"]["categories"])
    for profile, thread in zip(theirs["profiles"], document["threads"], strict=True):
        factor = 1e6 if thread["samples"]["weightType"] == "tracing-ms" else 1.0
        if profile["unit"] != "nanoseconds" and factor != 1.0:
            factor = 1.0 / {"microseconds": 1e-3, "milliseconds": 1.0, "seconds": 1e3}[profile["unit"]]
        assert sum(stack_values(thread).values()) * factor == pytest.approx(profile["endValue"])
        assert sum(self_values(profile, frames).values()) == pytest.approx(profile["endValue"])
        assert max(thread["stackTable"]["category"], default=0) < categories
        for name in ("stackTable", "frameTable", "funcTable", "samples"):
            columns = [each for each in thread[name].values() if isinstance(each, list)]
            assert {len(each) for each in columns} == {thread[name]["length"]}


def test_both_files_have_the_lines_of_functions() -> None:
    tree = tree_of(artifact([(("main.main:1", f"a.Serve:{line}"), 3.0) for line in (7, 9)]))
    frames = speedscope(tree)["shared"]["frames"]
    assert sorted((each["name"], each["line"]) for each in frames) == [
        ("a.Serve", 7),
        ("a.Serve", 9),
        ("main.main", 1),
    ]
    (thread, *_) = firefox(tree)["threads"]
    names, functions = thread["stringArray"], thread["funcTable"]["name"]
    table = thread["frameTable"]
    assert len(functions) == 2
    assert sorted((names[functions[at]], line) for at, line in zip(table["func"], table["line"], strict=True)) == [
        ("a.Serve", 7),
        ("a.Serve", 9),
        ("main.main", 1),
    ]
