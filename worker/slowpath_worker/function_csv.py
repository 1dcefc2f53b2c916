"""Format the table of functions of a view as CSV."""

import csv
import io
import math

from slowpath.analysis.formats.column_file import ColumnFile, read_columns
from slowpath.analysis.formats.header_members import HeaderMembers
from slowpath.analysis.kinds.profiles.views.diff_header import FORMER_DIFF_NAMES
from slowpath.analysis.kinds.profiles.views.stored_view import strings_of


def format_functions_csv(content: bytes) -> str:
    """Format the table of functions as CSV; cells that a spreadsheet would run as formulas are escaped."""
    columns = read_columns(content, "slowpath.functions", former=FORMER_DIFF_NAMES)
    names = strings_of(columns)
    header = HeaderMembers(columns.header)
    categories = header.texts("categories")
    numbers = ("base_self", "base_total", "candidate_self", "candidate_total")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    unit, basis = header.inner("sample_type").text("unit"), header.text("default_normalization")
    statistics = {"low": "ratio low", "high": "ratio high", "q": "q"}
    headings = [*(f"{name} ({unit})" for name in numbers), *(f"{name} ({basis})" for name in statistics.values())]
    writer.writerow(["function", "file", "category", *headings])
    values = [columns.column(name, "f64").tolist() for name in numbers]
    values += [[_number(each) for each in columns.column(f"{name}_{basis}", "f32").tolist()] for name in statistics]
    rows = zip(
        columns.column("name", "u32").tolist(),
        columns.column("file", "u32").tolist(),
        columns.column("category", "u8").tolist(),
        *values,
        strict=True,
    )
    for name, file, category, *costs in rows:
        writer.writerow([_plain(names[name]), _plain(names[file]), categories[category], *costs])
    return text.getvalue()


def _number(value: float) -> float | str:
    """Round to four significant digits; an empty string if the value is not finite."""
    return float(f"{value:.4g}") if math.isfinite(value) else ""


def _plain(cell: str) -> str:
    cleaned = cell.replace("\x00", "�")
    return f"'{cleaned}" if cleaned[:1] in {"=", "+", "-", "@", "\t", "\r"} else cleaned


def format_profile_csv(content: bytes) -> str:
    """Format the table of functions of one side as CSV: self, attributed and total values, largest first."""
    columns = read_columns(content, "slowpath.functions")
    unit, text = HeaderMembers(columns.header).inner("sample_type").text("unit"), io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(
        [
            "function",
            "file",
            "category",
            *(f"{name} ({unit})" for name in ("self", "attributed", "self + attributed", "total")),
        ]
    )
    for row in _own_values(columns):
        writer.writerow(row)
    return text.getvalue()


def _own_values(columns: ColumnFile) -> list[list[str | float]]:
    names, categories = strings_of(columns), HeaderMembers(columns.header).texts("categories")
    own, attributed, total = (columns.column(f"candidate_{each}", "f64") for each in ("self", "attributed", "total"))
    order = (-(own + attributed)).argsort(kind="stable").tolist()
    name, file, category = (
        columns.column("name", "u32"),
        columns.column("file", "u32"),
        columns.column("category", "u8"),
    )
    return [
        [
            _plain(names[int(name[row])]),
            _plain(names[int(file[row])]),
            categories[int(category[row])],
            float(own[row]),
            float(attributed[row]),
            float(own[row] + attributed[row]),
            float(total[row]),
        ]
        for row in order
    ]
