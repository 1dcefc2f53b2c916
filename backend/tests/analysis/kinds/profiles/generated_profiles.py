"""Test inputs that are drawn: a profile from columns of names, one column a stack, root on top."""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.formats.column_file import Array, pack_strings, write_columns
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable
from slowpath.analysis.kinds.profiles.decoded.profile_trees import NO_NODE
from slowpath.units import Nanoseconds

SECOND = 1_000_000_000
TICK = 10_000_000
LabelSet = tuple[tuple[str, str], ...]


def stacks(drawing: str) -> list[tuple[tuple[str, ...], int]]:
    """Columns of names, separated by spaces, root on top, `.` for "ended above"; a last row of numbers counts."""
    rows = [line.split() for line in drawing.splitlines() if line.strip()]
    counts = [1] * len(rows[0])
    if all(cell.isdigit() for cell in rows[-1]):
        counts = [int(cell) for cell in rows.pop()]
    columns = [tuple(row[i] for row in rows if i < len(row) and row[i] != ".") for i in range(len(counts))]
    return list(zip(columns, counts, strict=True))


def labelled_stacks(drawing: str) -> tuple[list[tuple[tuple[str, ...], int]], list[dict[str, str]]]:
    """The same with labels: a row of `key=value` (several separated by commas, `.` for none) above the counts."""
    rows = drawing.splitlines()
    at = next(number for number, row in enumerate(rows) if "=" in row)
    cells = rows.pop(at).split()
    labels = [dict(pair.split("=", 1) for pair in cell.split(",")) if cell != "." else {} for cell in cells]
    return stacks("\n".join(rows)), labels


def normalised(name: str) -> str:
    """The key of a name, as the decoder makes it (closure numbers only)."""
    return re.sub(r"(\.func)\d+(\.\d+)*", r"\1", re.sub(r"\.(gowrap|deferwrap)\d+", "", name))


def table(
    samples: Sequence[tuple[Sequence[str], float]],
    *,
    kind: str = "cpu",
    duration_ns: int = 10 * SECOND,
    types: Sequence[tuple[str, str]] = (("samples", "count"), ("cpu", "nanoseconds")),
    ticks: Sequence[float] = (1, TICK),
    labels: Sequence[Mapping[str, str]] = (),
    **header: Any,  # noqa: ANN401 - header fields of any kind
) -> ProfileTable:
    """A decoded profile of these stacks (root first). `name:12` gives a frame's line; `labels` are those of each sample."""
    return ProfileTable.parse(
        file_of(samples, kind=kind, duration_ns=duration_ns, types=types, ticks=ticks, labels=labels, **header)
    )


def file_of(
    samples: Sequence[tuple[Sequence[str], float]],
    *,
    kind: str = "cpu",
    duration_ns: int = 10 * SECOND,
    types: Sequence[tuple[str, str]] = (("samples", "count"), ("cpu", "nanoseconds")),
    ticks: Sequence[float] = (1, TICK),
    labels: Sequence[Mapping[str, str]] = (),
    **header: Any,  # noqa: ANN401 - header fields of any kind
) -> bytes:
    """The bytes that the decoder would write for these stacks."""
    strings = [""]
    number: dict[str, int] = {"": 0}

    def string(text: str) -> int:
        if text not in number:
            number[text] = len(strings)
            strings.append(text)
        return number[text]

    functions: dict[str, int] = {}
    lined: dict[tuple[tuple[tuple[str, int], ...], LabelSet], float] = {}
    for (stack, count), labelled in zip(samples, labels or [{}] * len(samples), strict=True):
        path = tuple(_frame(frame) for frame in stack)
        for name, _ in path:
            functions.setdefault(name, len(functions))
        sample = path, tuple(sorted(labelled.items()))
        lined[sample] = lined.get(sample, 0) + count
    line_paths = sorted({(), *(path[:depth] for path, _ in lined for depth in range(len(path) + 1))})
    keys_of = {path: tuple(normalised(name) for name, _ in path) for path in line_paths}
    key_paths = sorted(set(keys_of.values()))
    key_index = {path: i for i, path in enumerate(key_paths)}
    line_index = {path: i for i, path in enumerate(line_paths)}
    sizes = [sum(other[: len(path)] == path for other in key_paths) for path in key_paths]
    arrays: dict[str, Array] = {
        "function_name": np.array([string(name) for name in functions], dtype=np.uint32),
        "function_key": np.array([string(normalised(name)) for name in functions], dtype=np.uint32),
        "function_file": np.array([string(f"{name}.go") for name in functions], dtype=np.uint32),
        "function_start_line": np.zeros(len(functions), dtype=np.int32),
        "node_parent": np.array([key_index[p[:-1]] if p else NO_NODE for p in key_paths], dtype=np.uint32),
        "node_key": np.array([string(p[-1]) if p else 0 for p in key_paths], dtype=np.uint32),
        "node_hash": np.array([_hash(p) for p in key_paths], dtype=np.uint64),
        "node_size": np.array(sizes, dtype=np.uint32),
        "line_node_parent": np.array([line_index[p[:-1]] if p else NO_NODE for p in line_paths], dtype=np.uint32),
        "line_node_function": np.array([functions[p[-1][0]] if p else NO_NODE for p in line_paths], dtype=np.uint32),
        "line_node_line": np.array([p[-1][1] if p else 0 for p in line_paths], dtype=np.int32),
        "line_node_node": np.array([key_index[keys_of[p]] for p in line_paths], dtype=np.uint32),
        "sample_line_node": np.array([line_index[p] for p, _ in lined], dtype=np.uint32),
        **{f"value_{i}": np.array([round(c * t) for c in lined.values()], dtype=np.int64) for i, t in enumerate(ticks)},
        **(_label_columns([labelled for _, labelled in lined], string) if labels else {}),
    }
    described = {
        "format": "slowpath.profile",
        "format_version": 1,
        "sample_types": [{"type": a, "unit": b} for a, b in types],
        "default_sample_type": len(types) - 1,
        "period": TICK,
        "period_type": {"type": "cpu", "unit": "nanoseconds"},
        "time_ns": 0,
        "duration_ns": duration_ns,
        "kind": kind,
        "mappings": [],
        "warnings": [],
        **header,
    }
    return write_columns(described, {**pack_strings(strings), **arrays})


def _label_columns(of_sample: Sequence[LabelSet], string: Callable[[str], int]) -> dict[str, Array]:
    """The sets of labels, as the decoder numbers them: by key and value; set 0 is often the empty one."""
    sets = sorted(set(of_sample))
    labels = sorted({label for each in sets for label in each})
    return {
        "sample_labelset": np.array([sets.index(each) for each in of_sample], dtype=np.uint32),
        "labelset_offset": np.cumsum([0, *(len(each) for each in sets)]).astype(np.uint32),
        "labelset_label": np.array([labels.index(label) for each in sets for label in each], dtype=np.uint32),
        "label_key": np.array([string(key) for key, _ in labels], dtype=np.uint32),
        "label_value": np.array([string(value) for _, value in labels], dtype=np.uint32),
    }


def _frame(text: str) -> tuple[str, int]:
    name, _, line = text.partition(":")
    return name, int(line or 0)


def _hash(path: tuple[str, ...]) -> int:
    return int.from_bytes(hashlib.blake2b("\0".join(path).encode(), digest_size=8).digest(), "little") if path else 0


def artifact(
    samples: Sequence[tuple[Sequence[str], float]],
    name: str = "cpu.pb.gz",
    facts: RunMetadata | None = None,
    **options: Any,  # noqa: ANN401 - header fields of any kind are passed on to the file
) -> ProfileArtifact:
    """A drawn profile with its facts."""
    return ProfileArtifact(name=name, table=table(samples, **options), facts=facts or RunMetadata())


def runs(
    drawing: str,
    count: int = 8,
    *,
    seed: int = 1,
    requests: int | None = 1_000,
    **options: Any,  # noqa: ANN401 - header fields of any kind are passed on to the file
) -> list[ProfileArtifact]:
    """As many profiles as `count`, each of a run of its own; counts are drawn Poisson about those of the drawing."""
    rng = np.random.default_rng(seed)
    made = []
    for number in range(count):
        samples = [(stack, float(rng.poisson(mean))) for stack, mean in stacks(drawing)]
        facts = RunMetadata(run=f"{seed}/{number}", requests=requests, wall_ns=Nanoseconds(10 * SECOND))
        made.append(artifact(samples, f"cpu.{number:02}.pb.gz", facts, **options))
    return made


def with_cpu(profiles: Sequence[ProfileArtifact], samples: float = 0.0) -> list[ProfileArtifact]:
    """With the process's own CPU time: that of the samples, or of so many samples in each profile."""
    made = []
    for each in profiles:
        cpu = Nanoseconds(round((samples or float(each.table.total(0))) * TICK))
        made.append(replace(each, facts=replace(each.facts, cpu_ns=cpu)))
    return made


def at_times(profiles: Sequence[ProfileArtifact], begin: float, every: float = 20.0) -> list[ProfileArtifact]:
    """Captured at that second, and every so many seconds from then on."""
    times = [Nanoseconds(round((begin + number * every) * SECOND)) for number in range(len(profiles))]
    return [replace(each, table=replace(each.table, time_ns=when)) for each, when in zip(profiles, times, strict=True)]
