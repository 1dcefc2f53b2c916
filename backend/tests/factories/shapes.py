"""Values of columns that only the features understand, for rows that are made up from the tables.

A feature whose endpoints read a JSON column, or a text with a meaning, says here what may stand in it.
"""

from typing import Any
from uuid import UUID

import numpy as np

from slowpath.analysis.findings.build_measurements import KindMeasurement, SubjectValues
from slowpath.analysis.kinds.metrics.samples.sample_columns import NOTHING, pack_tail
from slowpath.analysis.kinds.metrics.samples.series_chunks import SeriesChunk, encode_block
from slowpath.sharing.notifications.rules import NotificationContent, NotificationEvent

GROWTH_LOG = "growth-log"
"""The key of a decoded stack-growth log."""
EXECUTABLE = "executable"
"""The key of a decoded Go executable."""
SPANS = "spans"
"""The key of a decoded set of spans."""
PACKED = "packed"
"""The key of a blob that is sent as stored: gzip."""

ONE_VALUE = SubjectValues("us/request", np.array([2.0]), np.array([0.1]))
MEASURED = KindMeasurement("profile.category", 1, ("total",), {"per_request": ONE_VALUE})

SHAPES: dict[str, dict[str, Any]] = {
    "api_token": {"scopes": ["read"]},
    "artifact": {"archive_id": None, "kind": "profile.cpu", "summary": None},
    "benchmark_output": {"units": [], "warnings": []},
    "ci_trust": {"scopes": ["upload"]},
    "commit": {"sha": 40 * "c", "parents": [], "files": [], "dependency_updates": []},
    "package_closure": {"problem": None},
    "commit_diff": {"content": None, "problem": None},
    "service_subscription": {"events": ["bisect.finished"], "min_severity": "low"},
    "linked_issue": {"kind": "regression", "state": "creating", "problem": None},
    "mail_schedule": {
        "frequency": "daily",
        "digest_hour": 9,
        "digest_weekday": 0,
        "quiet_from": None,
        "quiet_to": None,
        "time_zone": "UTC",
    },
    "notification_channel": {
        "kind": "slack",
        "target": {},
        "events": ["regression.opened"],
        "service_ids": None,
        "state": "on",
    },
    "provisioned_member": {"emails": [], "group_roles": ["viewer"], "role": "viewer", "is_active": True},
    "comparison": {
        "verdict": "regressed",
        "result": None,
        "artifact_kinds": {"traces": PACKED},
        "time_ranges": {},
        "sources": {},
        "origin": "manual",
        "side_labels": {},
    },
    "diff_view": {
        "kind": "asked",
        "sample_type": "asked",
        "granularity": "package",
        "normalizations": [],
        "state": "waiting",  # so that no blob of it is read
    },
    "profile_set": {
        "state": "done",
        "artifact_count": 1,
        "kinds": [
            {
                "kind": "asked",
                "sample_types": [{"type": "asked", "unit": "asked"}],
                "default_sample_type": "asked",
                "artifacts": 1,
            }
        ],
        "conditions": None,
    },
    "profile_view": {
        "kind": "asked",
        "sample_type": "asked",
        "granularity": "package",
        "normalizations": [],
        "labels": [],
        "labels_digest": "",
        "state": "waiting",  # so that no blob of it is read
    },
    "profile_export": {"format": "csv", "kind": "cpu", "labels": [], "media_type": "text/csv", "state": "done"},
    "bisect": {
        "good_sha": 40 * "a",
        "bad_sha": 40 * "b",
        "state": "paused",
        "signature": {"kind": "custom", "subject": "", "label": "Time", "unit": "s", "larger_is_worse": True},
        "settings": {},
        "plan": None,
        "compile_report": None,
        "commit_comparison": {"smallest_change": 0.05, "pairs": 40, "minutes": 60, "pull_request": None},
        "expanding_candidate": None,
        "outcome": None,
        "problem": None,
        "summary": None,
        "finished_at": None,
        "experiment_of": None,
        "experiment": None,
    },
    "bisect_preflight": {
        "good_sha": 40 * "a",
        "bad_sha": 40 * "b",
        "request": {
            "service_id": None,
            "regression_id": None,
            "event_id": None,
            "comparison_id": None,
            "repository_id": None,
            "good_sha": None,
            "bad_sha": None,
            "signature": None,
            "settings": {},
        },
        "report": None,
        "problem": None,
    },
    "automatic_bisect": {"deployments_per_day": 10, "deployment_hours": None},
    "pull_request_rules": {
        "base_branches": [],
        "runner_labels": {},
        "minutes_per_day": 60,
        "minutes_per_pull_request": 30,
        "smallest_change": 0.05,
        "measurement_seconds": 10.0,
        "warm_up_seconds": 5.0,
        "signature": None,
    },
    "probe": {
        "build": {"commit": 40 * "c", "modules": {}, "versions": {}},
        "purpose": "variant",
        "candidate": "good",
        "callback": None,
        "ended_at": None,
    },
    "probe_measurement": {"artifact_ids": [], "measures": None, "problem": None},
    "runner": {"name": "asked", "instance": "", "variants": []},
    "build_verdict": {
        "state": "passed",
        "required_evidence": None,
        "regression_ids": [],
        "series_answer": {"state": "passed", "sentence": "canary"},
        "ancestor_answer": None,
        "exceeded_budgets": [],
        "stack_check": None,
    },
    "build_measurement": {"kind": "profile.category", "content": MEASURED.pack()},
    "build_change_point": {"kind": "profile.category", "cause": "code"},
    "manual_service_order": {"service_ids": []},
    "build": {"pull_request": {"number": 1, "url": None}, "run_metadata": {}},
    "comment": {"author_kind": "user", "parent_id": None, "deleted_at": None},
    "deployment": {"commits": [], "ended_at": None},
    "deployment_evaluation": {
        "statement": {
            "verdict": "slower",
            "sentence": "p99 of canary is 2 times as high.",
            "basis": "before-after",
            "minutes": 15,
            "signal": "p99",
            "ratio": 2.0,
            "low": 1.5,
            "high": 2.5,
            "changes": [],
            "caveats": [],
        }
    },
    "discussion": {"subject_kind": "regression", "part": ""},
    "assembly": {"document": None},
    "profile": {"mappings": []},
    "compile_report": {"document": {"reasons": []}},
    "gap_explanation": {"span_number": 0, "gap_number": 0, "document": None},
    "comparison_export": {"format": "csv", "kind": None, "media_type": "text/csv", "state": "done"},
    "executable": {"columns_key": EXECUTABLE},
    "growth_log": {"columns_key": GROWTH_LOG},
    "notification": {
        "event": "channel.test",
        "state": "sent",
        "content": NotificationContent(NotificationEvent.TEST, UUID(int=0), None, "https://slowpath.example").to_json(),
    },
    "team_event": {
        "event": "channel.test",
        "content": NotificationContent(NotificationEvent.TEST, UUID(int=0), None, "https://slowpath.example").to_json(),
    },
    "webhook": {
        "kind": "github",
        "service_ids": [],
        "api_url": "https://api.github.com",
        "provider_target": "asked/asked",
        "external_id": "7",
    },
    "webhook_delivery": {"state": "done"},
    "metric_chunk": {"content": encode_block(SeriesChunk())},
    "metric_roll_up": {"content": encode_block(SeriesChunk())},
    "metric_series": {"role": "gauge"},
    "metric_settings": {"retention_days": 30, "retained_at": None},
    "metric_source": {"last_import": None, "last_check": None},
    "metric_wal_record": {"content": pack_tail(NOTHING), "samples": 1},
    "repository": {"kind": "other", "problem": None, "branch_heads": {}},
    "regression": {
        "confirmed": True,
        "number": 1,
        "direction": "worse",
        "due_on": None,
        "related_series": [],
        "sparkline": None,
        "required_evidence": None,
    },
    "regression_event": {"kind": "note"},
    "regression_evidence": {"kind": "comparison"},
    "budget": {"signal": "p99", "environment_id": None, "limit_seconds": 0.3, "limit_increase": None},
    "budget_evaluation": {"state": "within", "environment_id": None, "is_announced": False},
    "production_event_budget": {"state": "within", "limit_increase": None},
    "production_event": {
        "number": 1,
        "state": "new",
        "signal": "p99",
        "sparkline": None,
        "due_on": None,
        "closed_reason": None,
        "proof": None,
    },
    "production_event_history": {"kind": "opened", "details": {}},
    "inbox_triage": {
        "kind": "regression",
        "snooze_rule": None,
        "snooze_until": None,
        "merged_into_id": None,
        "mute_reason": None,
        "due_on": None,
    },
    "inbox_view": {"is_shared": True},
    "inbox_read_mark": {"kind": "regression"},
    "report": {"blocks": [], "version": 1},
    "report_version": {"blocks": [], "version": 1},
    "share_link": {"scrub": {"labels": True, "paths": True, "hosts": True, "users": True}, "version": None},
    "share_settings": {"are_links_allowed": True, "embedding_origins": [], "dashboard_url": ""},
    "embedded_panel": {"panel": "latency", "split_label": None, "length_ms": 3_600_000, "until_ms": None},
    "federated_service": {"label_matchers": {"service": "api"}},
    "span_push": {"dialect": "json"},
    "span_set": {"columns_key": SPANS, "page_key": PACKED},
    "execution_trace": {"page_key": PACKED, "tiles_key": PACKED, "tiles": {"1/1/1": [0, 1000]}, "duration_ns": 10**9},
    "retention_rule": {"kind": "trace", "days": 90},
    "storage_snapshot": {"folders": {"originals": [1, 10]}, "deleted_blobs": 0},
    "derived_storage_total": {"size_bytes": 10},
    "daily_usage": {"day": "2026-11-20"},
    "multipart_upload": {"artifact_id": None, "build_id": None},
}


def problem(canary: str) -> dict[str, Any]:
    """Return what a column called `problem` holds."""
    return {"type": "urn:slowpath:refused", "title": canary, "detail": canary, "status": 422}
