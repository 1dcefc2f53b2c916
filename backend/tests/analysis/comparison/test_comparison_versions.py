"""Results that were stored in former versions of the format are read in the current one."""

import json
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from slowpath.analysis.comparison.comparison_document import FORMAT, ComparisonDocument
from slowpath.analysis.comparison.comparison_versions import FORMER_FORMAT, FORMER_NAMES, upgrade_comparison
from slowpath.analysis.formats.document_json import dump_document
from tests.factories.findings import FINDING, make_result

DOCUMENTS = TypeAdapter(ComparisonDocument)
STORED: dict[str, Any] = json.loads((Path(__file__).parent / "testdata" / "comparison-1.json").read_text("utf-8"))
TIME_RANGE = {
    "service": "checkout", "environment": "production", "from_ms": 0, "to_ms": 60_000, "known_ms": 30_000,
    "requests": 900, "instances": 2,
}  # fmt: skip


def test_a_stored_document_of_version_1_has_the_names_of_version_2() -> None:
    assert STORED["format"] == FORMER_FORMAT
    document = DOCUMENTS.validate_python(upgrade_comparison(STORED))

    assert (document.format, document.verdict) == (FORMAT, "regressed")
    first, stored = document.findings[0], STORED["findings"][0]
    assert (first.profile_kind, first.normalization) == (stored["profile"], stored["basis"])
    assert first.attributed_callers[0].function == stored["payers"][0]["function"]
    assert (first.change.ci_low, first.change.ci_high) == (stored["change"]["low"], stored["change"]["high"])
    assert (first.is_significant, first.cost_s_per_s) == (stored["certain"], stored["cost"])
    assert any(finding.contributions for finding in document.findings)
    assert document.headline.total is not None
    assert document.headline.total.ci_high == STORED["headline"]["overall"]["high"]
    assert document.cost_shifts[0].common_caller == STORED["moves"][0]["under"]
    assert [each.id for each in document.caveats] == [each["id"] for each in STORED["doubts"]]
    assert document.sides.candidate.run_count == STORED["sides"]["candidate"]["runs"]
    assert document.views[0].default_normalization == STORED["views"][0]["default_basis"]


def test_no_value_is_lost() -> None:
    document = json.loads(dump_document(DOCUMENTS.validate_python(upgrade_comparison(STORED))))
    assert sorted(map(str, _leaves(document, FORMAT))) == sorted(map(str, _leaves(STORED, FORMER_FORMAT)))


def _leaves(value: object, format_name: str) -> list[object]:
    """Return all values but nulls and the format."""
    if isinstance(value, dict):
        return [leaf for each in value.values() for leaf in _leaves(each, format_name)]
    if isinstance(value, list):
        return [leaf for each in value for leaf in _leaves(each, format_name)]
    return [] if value is None or value == format_name else [value]


def test_a_time_range_of_either_side_is_read() -> None:
    for side in ("base", "candidate"):
        sides = {**STORED["sides"], side: {**STORED["sides"][side], "window": TIME_RANGE}}
        document = DOCUMENTS.validate_python(upgrade_comparison({**STORED, "sides": sides}))
        time_range = getattr(document.sides, side).time_range
        assert (time_range.covered_ms, time_range.request_count, time_range.instance_count) == (30_000, 900, 2)


def test_the_verdict_of_another_kind_is_read() -> None:
    document = DOCUMENTS.validate_python(
        upgrade_comparison({**STORED, "parts": [{"part": "traces", "verdict": "improved"}]})
    )
    assert (document.artifact_kinds[0].kind, document.artifact_kinds[0].verdict) == ("traces", "improved")


def test_the_current_version_is_not_touched() -> None:
    document = make_result(FINDING)
    stored = json.loads(dump_document(document))
    assert upgrade_comparison(stored) is stored
    assert DOCUMENTS.validate_python(stored) == document


def test_no_former_name_is_a_name_of_version_2() -> None:
    former = {(path, name) for path, names in FORMER_NAMES.items() for name in names}
    assert not former & set(_names(make_result(FINDING), ""))


def _names(value: object, path: str) -> list[tuple[str, str]]:
    if isinstance(value, tuple):
        return [name for each in value for name in _names(each, path)]
    if not is_dataclass(value):
        return []
    own = [(path, field.name) for field in fields(value)]
    return own + [
        name
        for field in fields(value)
        for name in _names(getattr(value, field.name), f"{path}.{field.name}" if path else field.name)
    ]


def test_members_that_the_first_documents_lack_are_empty() -> None:
    old = {name: value for name, value in STORED.items() if name not in {"parts", "views"}}
    old["headline"] = {"sentence": "Regressed."}
    old["sides"] = {
        side: {name: value for name, value in members.items() if name != "window"}
        for side, members in STORED["sides"].items()
    }
    document = DOCUMENTS.validate_python(upgrade_comparison(old))
    assert (document.views, document.artifact_kinds, document.headline.total) == ((), (), None)
    assert document.sides.base.time_range is None
