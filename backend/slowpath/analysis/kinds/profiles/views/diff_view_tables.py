"""Make the tables of a view: functions (or packages), and the lines of functions."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.formats.column_file import Array, pack_strings, write_columns
from slowpath.analysis.kinds.profiles.decoded.inlined_calls import unite_inlined_calls
from slowpath.analysis.kinds.profiles.sets.precomputed_totals import LineTotals, function_totals, line_totals
from slowpath.analysis.kinds.profiles.sets.stack_values import FunctionOccurrences, lay_out_stack_values, own_rows
from slowpath.analysis.kinds.profiles.stacks.stack_frames import StackFrames
from slowpath.analysis.kinds.profiles.views.attributed_costs import attribute_costs
from slowpath.analysis.kinds.profiles.views.diff_tree import DiffTree
from slowpath.analysis.kinds.profiles.views.diff_view_inputs import DiffViewInputs
from slowpath.analysis.kinds.profiles.views.line_attribution import attribute_lines
from slowpath.analysis.kinds.profiles.views.row_significance import row_changes

F64 = NDArray[np.float64]
U8 = NDArray[np.uint8]


def function_table(ground: DiffViewInputs, tree: DiffTree) -> bytes:
    """Write `slowpath.functions`: total, self and attributed values on both sides, intervals and states per basis.

    Columns `own_...` are of self plus attributed values. `mostly` is the category of most of these, `OWN_CODE` for the
    function itself.
    """
    labels, base = ground.stacks.labels, ground.sets.is_base
    total = _totals(ground)
    self_values = own_rows(ground.measured, ground.stacks.frames, len(labels))
    attributed = attribute_costs(ground, self_values)
    selected = np.flatnonzero(np.abs(total).sum(axis=1) > 0)
    selected = selected[selected > 0]
    total, self_values, of_runtime = total[selected], self_values[selected], attributed.rows[selected]
    strings, listed = [""], [labels[row] for row in selected.tolist()]
    arrays: dict[str, Array] = {
        "name": _intern(strings, [each.name for each in listed]),
        "file": _intern(strings, [each.file for each in listed]),
        "category": tree.label_categories()[selected],
        "mostly": attributed.mostly[selected],
        "base_self": self_values[:, base].sum(axis=1),
        "base_total": total[:, base].sum(axis=1),
        "base_attributed": of_runtime[:, base].sum(axis=1),
        "candidate_self": self_values[:, ~base].sum(axis=1),
        "candidate_total": total[:, ~base].sum(axis=1),
        "candidate_attributed": of_runtime[:, ~base].sum(axis=1),
    }
    for basis in ground.bases:
        of_total, of_self = row_changes(ground, total, basis), row_changes(ground, self_values, basis)
        of_own = row_changes(ground, self_values + of_runtime, basis)
        arrays |= {
            f"low_{basis.id}": of_total.low,
            f"high_{basis.id}": of_total.high,
            f"q_{basis.id}": of_total.q,
            f"state_{basis.id}": of_total.state,
            f"self_low_{basis.id}": of_self.low,
            f"self_high_{basis.id}": of_self.high,
            f"self_state_{basis.id}": of_self.state,
            f"own_low_{basis.id}": of_own.low,
            f"own_high_{basis.id}": of_own.high,
            f"own_state_{basis.id}": of_own.state,
        }
    return write_columns(ground.header, {**arrays, **pack_strings(strings)})


def _totals(ground: DiffViewInputs) -> F64:
    counted = function_totals(ground.stacks, ground.sets) if ground.granularity == "function" else None
    return ground.occurrences.rows(ground.measured) if counted is None else counted


def line_table(ground: DiffViewInputs) -> bytes:
    """Write `slowpath.lines`: self, attributed and total values per line of each function, sorted by function and line.

    Columns `inlined_...` list the calls that were inlined, in the same order: `inlined_sides` are bits of `inlined_calls`.
    """
    functions = ground.layouts.at("function")
    rows = line_totals(functions, ground.sets) or counted_lines(ground)
    texts = [functions.labels.names[row] for row in rows.label.tolist()]
    lines = rows.line.tolist()
    order = sorted(range(len(lines)), key=lambda i: (texts[i], lines[i]))
    is_base = ground.sets.is_base
    attributed = attribute_lines(ground, rows)[order]
    strings = [""]
    arrays: dict[str, Array] = {
        "function": _intern(strings, [texts[i] for i in order]),
        "line": rows.line[order].astype(np.int32),
        "base_self": rows.own[order][:, is_base].sum(axis=1),
        "base_attributed": attributed[:, is_base].sum(axis=1),
        "base_total": rows.total[order][:, is_base].sum(axis=1),
        "candidate_self": rows.own[order][:, ~is_base].sum(axis=1),
        "candidate_attributed": attributed[:, ~is_base].sum(axis=1),
        "candidate_total": rows.total[order][:, ~is_base].sum(axis=1),
        **_inlined_columns(ground, strings),
    }
    return write_columns(replace(ground.header, format="slowpath.lines"), {**arrays, **pack_strings(strings)})


def _inlined_columns(ground: DiffViewInputs, strings: list[str]) -> dict[str, Array]:
    functions = ground.layouts.at("function")
    read = [artifact.table.inlined_calls for artifact in ground.sets.artifacts]
    calls = unite_inlined_calls(read, functions.label_of_string, ground.sets.is_base)
    return {
        "inlined_function": _intern(strings, [functions.labels.names[row] for row in calls.caller.tolist()]),
        "inlined_line": calls.line.astype(np.int32),
        "inlined_callee": _intern(strings, [functions.labels.names[row] for row in calls.callee.tolist()]),
        "inlined_sides": calls.sides,
    }


def counted_lines(ground: DiffViewInputs) -> LineTotals:
    """Return the same from the stacks, if truncated stacks were restored or the decoder wrote no totals."""
    stacks = ground.layouts.at("line")
    measured = lay_out_stack_values(stacks, ground.sets)
    frames = stacks.frames
    lines = np.zeros(len(frames.label), dtype=np.int64) if frames.line is None else frames.line.astype(np.int64)
    room = int(lines.max(initial=0)) + 1
    unique, group = np.unique(frames.label.astype(np.int64) * room + lines, return_inverse=True)
    by_line = StackFrames(frames.start, group.astype(np.int32))
    return LineTotals(
        label=unique // room,
        line=unique % room,
        own=own_rows(measured, by_line, len(unique)),
        total=FunctionOccurrences.of(by_line, len(unique)).rows(measured),
    )


def _intern(strings: list[str], texts: list[str]) -> Array:
    known = {text: i for i, text in enumerate(strings)}
    numbers = []
    for text in texts:
        if text not in known:
            known[text] = len(strings)
            strings.append(text)
        numbers.append(known[text])
    return np.array(numbers, dtype=np.uint32)
