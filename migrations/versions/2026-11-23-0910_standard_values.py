"""The words of the field for values: states, kinds, events, and keys inside JSON columns.

No row is lost, and a downgrade gives every value back. Each change names the table and column by their new names.
"""

import json
from collections.abc import Sequence

from alembic import op

revision = "20261123_0910"
down_revision = "20261123_0900"
branch_labels = None
depends_on = None

VALUES = (
    ("artifact", "state", (("refused", "invalid"),)),
    ("audit_event", "actor_kind", (("machine", "system"), ("person", "user"))),
    (
        "audit_event", "subject_kind",
        (("deploy", "deployment"), ("hook", "webhook"), ("channel", "notification_channel"), ("message", "notification"),
         ("trace_cut", "trace_excerpt")),
    ),
    ("bisect", "state", (("inseparable", "not-separable"),)),
    ("bisect_event", "kind", (("inseparable", "not-separable"),)),
    ("build_verdict", "state", (("waiting", "pending"), ("judging", "evaluating"))),
    ("comment", "author_kind", (("person", "user"),)),
    ("deployment_evaluation", "verdict", (("cannot-tell", "inconclusive"),)),
    ("diff_view", "state", (("uncut", "not-built"),)),
    ("job", "subject_kind", (("message", "notification"), ("trace_cut", "trace_excerpt"))),
    ("metric_change_point", "cause", (("deploy", "deployment"), ("follows", "dependency"))),
    ("notification", "state", (("given-up", "abandoned"),)),
    ("notification_channel", "state", (("dead", "disabled-after-failures"),)),
    ("probe", "state", (("asked", "queued"), ("closing", "stopping"), ("annulled", "invalidated"))),
    ("probe", "purpose", (("end", "boundary"), ("mark", "override"), ("known", "baseline"))),
    ("regression_event", "kind", (("still", "still-slower"), ("reached", "merged-to-branch"))),
    ("regression_evidence", "kind", (("proof", "fix-verification"),)),
)  # fmt: skip
CHECKS = (
    ("artifact", "state", ("received", "decoding", "decoded", "invalid", "failed")),
    (
        "bisect", "state",
        ("planned", "waiting-approval", "searching", "paused", "found", "not-in-range", "not-separable", "stopped",
         "cancelled", "failed"),
    ),
    ("build_verdict", "state", ("pending", "evaluating", "passed", "changed", "inconclusive", "skipped")),
    ("comment", "author_kind", ("token", "user")),
    ("deployment_evaluation", "verdict", ("slower", "not-slower", "inconclusive")),
    ("diff_view", "state", ("not-built", "waiting", "running", "done", "failed", "cancelled")),
    ("metric_change_point", "cause", ("deployment", "load", "dependency", "unexplained")),
    ("notification", "state", ("waiting", "sent", "abandoned")),
    ("notification_channel", "state", ("on", "off", "disabled-after-failures")),
    (
        "probe", "state",
        ("queued", "leased", "deploying", "warming", "soaking", "collecting", "idle", "stopping", "done", "unbuildable",
         "unhealthy", "failed", "invalidated", "lost"),
    ),
    ("probe", "purpose", ("boundary", "control", "probe", "verify", "override", "baseline")),
    ("regression_evidence", "kind", ("comparison", "fix-verification")),
)  # fmt: skip
"""Columns whose values are checked, with the values by their new names."""
EVENTS = (
    ("annotation.changed", "annotation.updated"), ("artifact.changed", "artifact.updated"),
    ("bisect.annulled", "bisect.probe-invalidated"), ("bisect.changed", "bisect.updated"),
    ("bisect.ended", "bisect.finished"), ("bisect.marked", "bisect.candidate-overridden"),
    ("bisect.moved", "bisect.action-applied"), ("bisect.remeasured", "bisect.probe-requested"),
    ("bisect.started", "bisect.created"), ("build.changed", "build.updated"), ("build.judged", "build.evaluated"),
    ("channel.changed", "notification-channel.updated"), ("channel.created", "notification-channel.created"),
    ("channel.deleted", "notification-channel.deleted"),
    ("channel.secret-renewed", "notification-channel.secret-rotated"), ("channel.tested", "notification-channel.tested"),
    ("comment.changed", "comment.updated"), ("comment.written", "comment.created"),
    ("comparison.changed", "comparison.updated"), ("deploy.changed", "deployment.updated"),
    ("deploy.deleted", "deployment.deleted"), ("deploy.known", "deployment.created"),
    ("environment.changed", "environment.updated"), ("explanation.created", "gap-explanation.created"),
    ("hook.changed", "webhook.updated"), ("hook.created", "webhook.created"), ("hook.deleted", "webhook.deleted"),
    ("hook.secret-renewed", "webhook.secret-rotated"), ("invitation.renewed", "invitation.link-rotated"),
    ("invitation.withdrawn", "invitation.revoked"), ("message.told-again", "notification.redelivered"),
    ("metric-rule.changed", "metric-rule.updated"), ("metric-source.changed", "metric-source.updated"),
    ("metric-source.read-through", "federated-service.created"),
    ("metric-source.read-through-ended", "federated-service.deleted"),
    ("metrics.settings-changed", "metric-settings.updated"), ("order.forgotten", "service-order.reset"),
    ("order.laid", "service-order.set"), ("probe.called-back", "probe.callback-received"),
    ("regression.changed", "regression.updated"), ("regression.claimed", "regression.created-manually"),
    ("regression.noted", "regression.note-added"), ("report.changed", "report.updated"),
    ("report.view-frozen", "report.snapshot-created"), ("repository.changed", "repository.updated"),
    ("retention.changed", "retention.updated"), ("runner.changed", "runner.registered"),
    ("runner.left", "runner.released"), ("service.changed", "service.updated"),
    ("service.watched", "mute-rule.updated"), ("sharing.changed", "share-settings.updated"),
    ("team-export.asked", "team-export.created"), ("team.reopened", "team.restored"),
    ("token.changed", "token.updated"), ("trace-cut.created", "trace-excerpt.created"),
)  # fmt: skip
NOTIFYING = (
    "artifact", "bisect", "build", "build_verdict", "comment", "comparison", "comparison_export", "diff_view",
    "gap_explanation", "job", "mention", "regression", "regression_event", "team_export", "trace_excerpt",
)  # fmt: skip
"""Tables with a trigger that sends changes to open pages."""
NOTIFYING_ACTIVITY = ("audit_event", "bisect_event", "deployment", "regression_event")
PROBLEM_KEYS = (("actual", "value"), ("remedy", "resolution"))
KEYS = (
    (
        "bisect", "settings",
        (("approval", "needs_approval"), ("belief", "stop_probability"), ("board", "dashboard_selector"),
         ("deploy_seconds", "deployment_seconds"), ("guard", "guardrail"), ("hours", "deployment_hours"),
         ("known_ends", "use_production_baselines"), ("lost_after_seconds", "lease_timeout_seconds"),
         ("max_deploys", "max_deployments"), ("most_windows", "max_measurements_per_probe"),
         ("window_seconds", "measurement_seconds")),
    ),
    ("commit", "dependency_updates", (("before", "old_version"), ("after", "new_version"))),
    ("commit", "files", (("added", "lines_added"), ("removed", "lines_removed"))),
    (
        "metric_source", "last_import",
        (("coarser", "downsampled"), ("left_out", "skipped"), ("what", "metric"), ("why", "reason")),
    ),
    ("metric_source", "last_check", (("usual", "recognized_names"),)),
    ("metric_source", "last_import", (("usual", "recognized_names"),)),
    ("pending_commit_metadata", "fields", (("facts", "run_metadata"), ("label", "display_name"))),
    ("report", "blocks", (("frozen_at", "captured_at"),)),
    ("report_version", "blocks", (("frozen_at", "captured_at"),)),
    *(
        (table, "problem", PROBLEM_KEYS)
        for table in ("artifact", "bisect", "commit_diff", "comparison", "comparison_export", "diff_view",
                      "gap_explanation", "job", "notification", "notification_channel", "repository", "trace_excerpt",
                      "webhook")
    ),
    ("invitation", "mail_error", PROBLEM_KEYS),
)  # fmt: skip
TEXTS = (
    ("notification_channel", "events", EVENTS),
    ("report", "blocks", (("prose", "text"), ("view", "snapshot"))),
    ("report_version", "blocks", (("prose", "text"), ("view", "snapshot"))),
)
"""JSON in which whole strings are renamed: elements of a list, and the values of the key `kind`."""
RENAME_IN_JSON = """
CREATE FUNCTION pg_temp.rename_in_json(document jsonb, keys jsonb, texts jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
    CASE jsonb_typeof(document)
    WHEN 'object' THEN
        RETURN coalesce((
            SELECT jsonb_object_agg(coalesce(keys ->> key, key),
                CASE WHEN key = 'kind' AND texts ? (value #>> '{}') THEN texts -> (value #>> '{}')
                     WHEN jsonb_typeof(value) = 'string' THEN value
                     ELSE pg_temp.rename_in_json(value, keys, texts) END)
            FROM jsonb_each(document)), '{}');
    WHEN 'array' THEN
        RETURN coalesce((
            SELECT jsonb_agg(
                CASE WHEN jsonb_typeof(value) = 'string' AND texts ? (value #>> '{}') THEN texts -> (value #>> '{}')
                     ELSE pg_temp.rename_in_json(value, keys, texts) END ORDER BY place)
            FROM jsonb_array_elements(document) WITH ORDINALITY AS listed(value, place)), '[]');
    ELSE
        RETURN document;
    END CASE;
END $$
"""


def upgrade() -> None:
    _rename(forward=True)


def downgrade() -> None:
    _rename(forward=False)


def _rename(*, forward: bool) -> None:
    def names(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        return [pair if forward else (pair[1], pair[0]) for pair in pairs]

    values = {(table, column): dict(names(pairs)) for table, column, pairs in VALUES}
    values["audit_event", "action"] = dict(names(EVENTS))
    values["notification", "event"] = dict(names(EVENTS))
    tables = {table for table, _ in values} | {table for table, _, _ in (*KEYS, *TEXTS)}
    # The owner of the tables sees no team's rows otherwise.
    for table in sorted(tables):
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    for table, column, _ in CHECKS:
        op.execute(f"-- squawk-ignore ban-drop-constraint\nALTER TABLE {table} DROP CONSTRAINT ck_{table}_{column}")
    for (table, column), renamed in values.items():
        cases = " ".join(f"WHEN '{old}' THEN '{new}'" for old, new in renamed.items())
        listed = ", ".join(f"'{old}'" for old in renamed)
        op.execute(
            f"UPDATE {table} SET {column} = CASE {column} {cases} END WHERE {column} IN ({listed})"  # noqa: S608 - names of this file
        )
    for table, column, allowed in CHECKS:
        back = {} if forward else {new: old for old, new in dict(_pairs(table, column)).items()}
        listed = ", ".join(f"'{back.get(value, value)}'" for value in allowed)
        constraint = f"ck_{table}_{column} CHECK ({column} in ({listed}))"
        op.execute(f"-- squawk-ignore constraint-missing-not-valid\nALTER TABLE {table} ADD CONSTRAINT {constraint}")
    op.execute(RENAME_IN_JSON)
    for table, column, pairs in KEYS:
        _rename_json(table, column, keys=names(pairs), texts=[])
    for table, column, pairs in TEXTS:
        _rename_json(table, column, keys=[], texts=names(pairs))
    for table in sorted(tables):
        op.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    _rename_queue_index(forward=forward)
    _rename_triggers(forward=forward)


def _pairs(table: str, column: str) -> Sequence[tuple[str, str]]:
    return next(pairs for of, name, pairs in VALUES if (of, name) == (table, column))


def _rename_json(table: str, column: str, *, keys: Sequence[tuple[str, str]], texts: Sequence[tuple[str, str]]) -> None:
    renamed = ", ".join(f"'{json.dumps(dict(each))}'::jsonb" for each in (keys, texts))
    call = f"pg_temp.rename_in_json({column}, {renamed})"
    op.execute(
        f"UPDATE {table} SET {column} = {call} WHERE {column} IS NOT NULL AND {column} <> {call}"  # noqa: S608 - names of this file
    )


def _rename_queue_index(*, forward: bool) -> None:
    old, new = ("asked", "queued") if forward else ("queued", "asked")
    op.execute(f"-- squawk-ignore require-concurrent-index-deletion\nDROP INDEX ix_probe_{old}")
    created = f"CREATE INDEX ix_probe_{new} ON probe (team_id, queued_at) WHERE state = '{new}'"
    op.execute(f"-- squawk-ignore require-concurrent-index-creation\n{created}")


def _rename_triggers(*, forward: bool) -> None:
    old, new = ("tell", "notify") if forward else ("notify", "tell")
    for table in NOTIFYING:
        op.execute(f"ALTER TRIGGER {old} ON {table} RENAME TO {new}")
    for table in NOTIFYING_ACTIVITY:
        op.execute(f"ALTER TRIGGER {old}_activity ON {table} RENAME TO {new}_activity")
    kind = "trace_excerpt" if forward else "trace_cut"
    op.execute(f"DROP TRIGGER {new} ON trace_excerpt")
    op.execute(
        f"CREATE TRIGGER {new} AFTER INSERT OR UPDATE OF state ON trace_excerpt "
        f"FOR EACH ROW EXECUTE FUNCTION notify_subject('{kind}')"
    )
