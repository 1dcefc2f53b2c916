"""Snapshots of earlier versions: requests and JSON responses that were recorded under former names of the API.

Bytes in the blob store never change, so former names are replaced when a snapshot is read. A name is replaced by the
response's path; `events.at` means `at` inside `events` only. A response under present names stays as it is.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

_ID: Final = "([^/?]+)"
FORMER_PATHS: Final = tuple(
    (re.compile(rf"{pattern}(?=[/?]|$)"), path)
    for pattern, path in (
        ("/board", "/dashboard"),
        (f"/builds/{_ID}/judgement", r"/builds/\1/verdict"),
        ("/changes", "/metric-change-points"),
        (f"/comparisons/{_ID}/parts", r"/comparisons/\1/results"),
        (f"/comparisons/{_ID}/views/{_ID}/(all|first|rest|functions)", r"/comparisons/\1/views/\2/chunks/\3"),
        ("/deploys", "/deployments"),
        (f"/environments/{_ID}/order", r"/environments/\1/service-order"),
        ("/explanations", "/gap-explanations"),
        ("/growth", "/growth-log-sets"),
        (f"/regressions/{_ID}/history", r"/regressions/\1/events"),
        (f"/services/{_ID}/watched-series", r"/services/\1/mute-rules"),
        (f"/spans/{_ID}/traces/{_ID}/explanations", r"/span-sets/\1/traces/\2/gap-explanations"),
        ("/spans", "/span-sets"),
        ("/traces", "/execution-traces"),
    )
)
FORMER_QUERY: Final = {"/dashboard": {"against": "time_shift", "seen_ms": "known_until_ms"}}

Names = Mapping[str, str]
_ARTIFACT: Final = {
    "facts": "run_metadata", "lost": "unreadable_range", "rate": "sampling_rate", "cycles": "cut_cycles",
    "negative": "negative_durations", "skewed": "clock_skewed_spans", "cut_samples": "truncated_samples",
}  # fmt: skip
_BUILD: Final = {"label": "display_name", "facts": "run_metadata"}
_COMMIT: Final = {
    "added": "lines_added", "removed": "lines_removed", "bumps": "dependency_updates", "before": "old_version",
    "after": "new_version", "related": "is_ancestor", "closures": "closure_state", "share": "probability",
}  # fmt: skip
_REGRESSION: Final = {
    "is_move": "is_cost_shift", "needs": "required_evidence", "spark": "sparkline", "by_hand": "is_manual",
    "since": "first_bad_build", "confirmed": "is_confirmed", "members": "related_series", "what": "kind",
    "facts": "details", "first_bad_build.at": "ordered_at", "new_unassigned": "new_unassigned_count", "by": "actor",
}  # fmt: skip
_SERIES: Final = {
    "muted": "is_muted", "detectable": "minimum_detectable_effect", "judgement": "verdict", "builds.at": "ordered_at",
}  # fmt: skip
_COMPARISON: Final = {
    "headline": "verdict_sentence", "window": "time_range", "parts": "artifact_kinds", "bases": "normalizations",
    "default_basis": "default_normalization", "has_rest": "has_more_chunks", "cancel_asked": "cancel_requested",
}  # fmt: skip
_BISECT: Final = {
    "git_bisect_best_of_3": "git_bisect_best_of_3_probes", "git_bisect_best_of_5": "git_bisect_best_of_5_probes",
    "cost.expected": "expected_probes", "deploys": "deployments", "expected_deploys": "expected_deployments",
    "windows": "measurements", "would": "posterior_preview", "asked_at": "queued_at",
    "windows_wanted": "measurements_requested", "cancel_asked": "cancel_requested", "settings.belief": "stop_probability",
    "belief": "posterior", "dependency_update.before": "old_version", "dependency_update.after": "new_version",
    "bars.before": "prior", "bars.marks": "probes", "approval_wanted": "needs_approval", "approval": "needs_approval",
    "known_ends": "use_production_baselines", "board": "dashboard_selector", "why": "reason", "who": "actor",
    "events.at": "occurred_at", "facts": "details", "weight_share": "prior", "classes": "candidate_count",
    "bump": "dependency_update", "known_good": "baseline_good", "known_bad": "baseline_bad", "slower": "if_slower",
    "not_slower": "if_not_slower", "annulled": "invalidated", "max_deploys": "max_deployments",
    "most_windows": "max_measurements_per_probe", "window_seconds": "measurement_seconds",
    "deploy_seconds": "deployment_seconds", "lost_after_seconds": "lease_timeout_seconds", "hours": "deployment_hours",
    "guard": "guardrail",
}  # fmt: skip
_CHECK: Final = {"looks": "evaluations", "deploy_id": "deployment_id", "minutes": "minutes_after_deployment"}
FORMER_FIELDS: Final[tuple[tuple[re.Pattern[str], Names], ...]] = tuple(
    (re.compile(pattern), names)
    for pattern, names in (
        ("/annotations", {"at": "started_at", "until": "ended_at"}),
        (f"/artifacts(/{_ID})?", _ARTIFACT),
        (f"/bisects(/{_ID})?", _BISECT),
        (f"/builds(/{_ID})?", _BUILD),
        (f"/builds/{_ID}/verdict", {"judged_at": "evaluated_at", "needs": "required_evidence"}),
        (f"/comparisons(/{_ID})?", _COMPARISON),
        (f"/deployments/{_ID}/check", _CHECK),
        (f"/gap-explanations/{_ID}|/span-sets/{_ID}/traces/{_ID}/gap-explanations", {"content": "document"}),
        ("/growth-log-sets", {"payer": "attributed_caller", "estimate": "estimated_growths"}),
        (
            "/metric-change-points",
            {"deploy_id": "deployment_id", "follows_service_id": "upstream_cause_service_id", "low_ms": "earliest_ms",
             "high_ms": "latest_ms"},
        ),
        (f"/regressions(/{_ID}(/events)?)?|/regression-summary", _REGRESSION),
        (f"/(regressions|services)/{_ID}/series", _SERIES),
        (f"/repositories(/{_ID})?", {"fetching": "is_fetching"}),
        (f"/repositories/{_ID}/commits/{_ID}|/services/{_ID}/commits", _COMMIT),
        (f"/repositories/{_ID}/commits/{_ID}/diff", {"cut": "is_truncated"}),
        (f"/services/{_ID}/mute-rules", {"muted": "is_muted", "by": "muted_by"}),
    )
)  # fmt: skip
FORMER_VALUES: Final = {
    "artifacts.state": {"refused": "invalid"},
    "bisects.state": {
        "inseparable": "not-separable",
        "asked": "queued",
        "closing": "stopping",
        "annulled": "invalidated",
    },
    "bisects.purpose": {"end": "boundary", "mark": "override", "known": "baseline"},
    "bisects.verdict": {"cannot-tell": "inconclusive", "probing": "measuring"},
    "builds.state": {"waiting": "pending", "judging": "evaluating"},
    "comparisons.state": {"uncut": "not-built"},
    "deployments.verdict": {"cannot-tell": "inconclusive"},
    "environments.source": {"hand": "manual"},
    "metric-change-points.cause": {"deploy": "deployment", "follows": "dependency"},
    "regressions.kind": {"still": "still-slower", "reached": "merged-to-branch", "proof": "fix-verification"},
    "regressions.verdict": {"waiting": "pending", "judging": "evaluating"},
    "services.verdict": {"waiting": "pending", "judging": "evaluating"},
}
"""By the first part of the path, and the field."""
DOCUMENTS: Final = frozenset({"result", "document"})
"""Documents with a version of their own: they are upgraded by that."""


def present_request(request: str) -> str:
    """Return a recorded request (path below /api/v1 and sorted query) under the present names."""
    path, mark, query = request.partition("?")
    for pattern, present in FORMER_PATHS:
        if former := pattern.match(path):
            path = former.expand(present) + path[former.end() :]
            break
    names = FORMER_QUERY.get(path, {})
    parts = [part.partition("=") for part in query.split("&")] if query else []
    return path + mark + "&".join(sorted(names.get(name, name) + equals + value for name, equals, value in parts))


def present_response(request: str, media_type: str, content: bytes) -> bytes:
    """Return a recorded JSON response under the present names of fields and values; any other content as it is.

    `request` is under its present name. Content that is not valid JSON is returned as it is.
    """
    path = request.partition("?")[0]
    names = next((each for pattern, each in FORMER_FIELDS if pattern.fullmatch(path)), {})
    kind = path.split("/")[1] if path.startswith("/") else ""
    if "json" not in media_type or not (names or any(key.startswith(f"{kind}.") for key in FORMER_VALUES)):
        return content
    try:
        document = json.loads(content)
    except ValueError:
        return content
    renamed = _renamed(document, names, kind, "")
    if renamed == document:
        return content
    return json.dumps(renamed, ensure_ascii=False, separators=(",", ":")).encode()


def _renamed(value: Any, names: Names, kind: str, parent: str) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(value, list):
        return [_renamed(each, names, kind, parent) for each in value]
    if not isinstance(value, dict):
        return value
    out = {}
    for former, inner in value.items():
        name = names.get(f"{parent}.{former}", names.get(former, former))
        if name in DOCUMENTS:
            out[name] = inner
            continue
        values = FORMER_VALUES.get(f"{kind}.{name}", {})
        out[name] = values.get(inner, inner) if isinstance(inner, str) else _renamed(inner, names, kind, name)
    return out
