"""Read stored results of comparisons of every version of the format."""

from collections.abc import Mapping
from typing import Final

from slowpath.analysis.comparison.comparison_document import FORMAT

FORMER_FORMAT: Final = "slowpath.comparison/1"
_EFFECT: Final = {"low": "ci_low", "high": "ci_high", "of": "ci_of", "confidence": "confidence_level"}
FORMER_NAMES: Final[Mapping[str, Mapping[str, str]]] = {
    "": {
        "doubts": "caveats",
        "moves": "cost_shifts",
        "detectable": "minimum_detectable_effects",
        "kinds": "profile_kinds",
        "parts": "artifact_kinds",
    },
    "headline": {"overall": "total", "detectable": "minimum_detectable_effect"},
    "headline.overall": {"profile": "profile_kind", "basis": "normalization", **_EFFECT},
    "findings": {
        "profile": "profile_kind",
        "basis": "normalization",
        "payers": "attributed_callers",
        "by": "contributions",
        "certain": "is_significant",
        "more_profiles": "profiles_needed",
        "cost": "cost_s_per_s",
        "exclusive": "exclusive_difference",
    },
    "findings.change": _EFFECT,
    "moves": {"profile": "profile_kind", "under": "common_caller"},
    "sides.base": {"artifacts": "artifact_names", "runs": "run_count", "facts": "run_metadata", "window": "time_range"},
    "sides.base.window": {"known_ms": "covered_ms", "requests": "request_count", "instances": "instance_count"},
    "kinds": {"default_basis": "default_normalization"},
    "parts": {"part": "kind"},
    "views": {"bases": "normalizations", "default_basis": "default_normalization"},
}
"""Members of version 1 and their names in version 2, by the path of their object in version 1."""
_MISSING: Final[Mapping[str, Mapping[str, object]]] = {
    "": {"artifact_kinds": [], "views": []},
    "headline": {"total": None, "conditions": [], "minimum_detectable_effect": None},
    "sides.base": {"time_range": None},
}
"""Members that the first documents of version 1 do not have, by the path of their object."""


def upgrade_comparison(document: Mapping[str, object]) -> Mapping[str, object]:
    """Return a result in the current version, from one of any version; an unknown format is returned unchanged."""
    if document.get("format") != FORMER_FORMAT:
        return document
    renamed = _rename_members(document, "")
    return {**renamed, "format": FORMAT}


def _rename_members(members: Mapping[str, object], path: str) -> dict[str, object]:
    place = path.replace("sides.candidate", "sides.base")
    names = FORMER_NAMES.get(place, {})
    renamed = {
        names.get(name, name): _rename(value, f"{path}.{name}" if path else name) for name, value in members.items()
    }
    return {**_MISSING.get(place, {}), **renamed}


def _rename(value: object, path: str) -> object:
    if isinstance(value, list):
        return [_rename(each, path) for each in value]
    return _rename_members(value, path) if isinstance(value, dict) else value
