"""The words of the field for tables, columns, functions and jobs.

Renames only: no row is lost, and a downgrade gives every name back. Older code cannot run on the new names, so all web
and worker processes are stopped for this version. Indexes, constraints and the functions of the schema follow: they are
read from the database, so a script written offline (`--sql`) renames tables, columns and jobs only.
"""

import re
from collections.abc import Sequence

from alembic import op
from sqlalchemy import text

revision = "20261123_0900"
down_revision = "20261122_0500"
branch_labels = None
depends_on = None

TABLES = (
    ("deploy", "deployment"),
    ("commit_word", "pending_commit_metadata"),
    ("board_order", "manual_service_order"),
    ("hook", "webhook"),
    ("hook_delivery", "webhook_delivery"),
    ("channel", "notification_channel"),
    ("message", "notification"),
    ("sharing", "share_settings"),
    ("derived_sum", "derived_storage_total"),
    ("upload", "multipart_upload"),
    ("upload_part", "multipart_upload_part"),
    ("read_through", "federated_service"),
    ("storage_count", "storage_snapshot"),
    ("usage_day", "daily_usage"),
    ("user_sign_in", "user_identity"),
    ("probe_window", "probe_measurement"),
    ("comparison_view", "diff_view"),
    ("export", "comparison_export"),
    ("explanation", "gap_explanation"),
    ("trace", "execution_trace"),
    ("trace_cut", "trace_excerpt"),
    ("metric_tail", "metric_wal_record"),
    ("latency_change", "metric_change_point"),
    ("deploy_check", "deployment_evaluation"),
    ("metric_watch", "detection_cursor"),
    ("build_measure", "build_measurement"),
    ("build_judgement", "build_verdict"),
    ("watched_series", "series_mute_rule"),
    ("change_point", "build_change_point"),
    ("commit_closure", "package_closure"),
)
COLUMNS = (  # of the table by its old name
    ("app_user", "mention_mails", "email_on_mention"),
    ("artifact", "facts", "run_metadata"),
    ("audit_event", "facts", "details"),
    ("bisect", "seen", "summary"),
    ("bisect", "opening", "expanding_candidate"),
    ("bisect", "approved", "approved_through_round"),
    ("bisect_event", "who", "actor"),
    ("bisect_event", "at", "occurred_at"),
    ("bisect_event", "facts", "details"),
    ("build_measure", "made_of", "artifact_hashes"),
    ("channel", "sealed", "encrypted_secret"),
    ("commit_word", "told", "fields"),
    ("comparison", "parts", "artifact_kinds"),
    ("comparison", "windows", "time_ranges"),
    ("comparison_view", "bases", "normalizations"),
    ("comparison_view", "default_basis", "default_normalization"),
    ("comparison_view", "all_key", "full_blob_key"),
    ("comparison_view", "first_key", "head_blob_key"),
    ("comparison_view", "rest_key", "tail_blob_key"),
    ("deploy_check", "deploy_id", "deployment_id"),
    ("deploy_check", "said", "statement"),
    ("deploy_check", "equal_build", "is_same_build"),
    ("explanation", "content", "document"),
    ("hook", "sealed", "encrypted_secret"),
    ("hook", "api_sealed", "encrypted_api_token"),
    ("hook", "target", "provider_target"),
    ("hook", "missed", "missed_count"),
    ("hook_delivery", "sentence", "outcome"),
    ("hook_delivery", "taken_at", "processed_at"),
    ("job", "sends", "send_count"),
    ("job", "fence", "fencing_token"),
    ("job", "cancel_asked", "cancel_requested"),
    ("job", "lease_until", "lease_expires_at"),
    ("latency_change", "low_ms", "earliest_ms"),
    ("latency_change", "high_ms", "latest_ms"),
    ("latency_change", "seen_ms", "detected_ms"),
    ("latency_change", "deploy_id", "deployment_id"),
    ("latency_change", "follows_service_id", "upstream_cause_service_id"),
    ("message", "outside_id", "receiver_message_id"),
    ("message", "next_at", "next_attempt_at"),
    ("metric_series", "bundle", "group_key"),
    ("metric_series", "block_id", "series_group_id"),
    ("metric_series", "why", "classification_reason"),
    ("metric_settings", "epoch", "series_epoch"),
    ("metric_settings", "folds", "compaction_count"),
    ("metric_source", "sealed", "encrypted_credentials"),
    ("metric_watch", "watched_ms", "scanned_until_ms"),
    ("password_reset", "letter_due_at", "mail_due_at"),
    ("probe", "about", "verified_candidate"),
    ("probe", "good", "good_verdicts"),
    ("probe", "bad", "bad_verdicts"),
    ("probe", "windows_wanted", "measurements_requested"),
    ("probe", "asked_at", "queued_at"),
    ("probe", "lease_until", "lease_expires_at"),
    ("probe_window", "annulled", "invalidated"),
    ("read_through", "equal", "label_matchers"),
    ("regression", "members", "related_series"),
    ("regression", "spark", "sparkline"),
    ("regression", "needs", "required_evidence"),
    ("regression_event", "what", "kind"),
    ("regression_event", "facts", "details"),
    ("repository", "sealed", "encrypted_credentials"),
    ("repository", "heads", "branch_heads"),
    ("storage_count", "swept", "deleted_blobs"),
    ("trace", "lost", "unreadable_range"),
    ("upload", "facts", "run_metadata"),
    ("user_session", "issuer_token", "encrypted_id_token"),
    ("annotation", "at", "started_at"),
    ("annotation", "until", "ended_at"),
    ("build", "label", "display_name"),
    ("build", "facts", "run_metadata"),
    ("build_judgement", "needs", "required_evidence"),
    ("build_judgement", "judged_at", "evaluated_at"),
    ("commit", "added", "lines_added"),
    ("commit", "removed", "lines_removed"),
    ("commit", "bumps", "dependency_updates"),
    ("hook_delivery", "hook_id", "webhook_id"),
    ("invitation", "mail_problem", "mail_error"),
    ("metric_rule", "equal", "label_matchers"),
    ("metric_rule", "scale", "seconds_per_unit"),
    ("regression_evidence", "what", "kind"),
    ("regression_evidence", "facts", "details"),
    ("sharing", "links_allowed", "are_links_allowed"),
)
JOBS = (
    ("accounts.erase_team", "accounts.erase-team"),
    ("accounts.mail-reset", "accounts.mail-password-reset"),
    ("bisects.open", "bisects.expand-candidate"),
    ("bisects.step", "bisects.advance"),
    ("bisects.read-window", "bisects.read-measurement"),
    ("bisects.watch", "bisects.monitor"),
    ("bisects.ended", "bisects.notify-finished"),
    ("catalog.build-changed", "catalog.reevaluate-build"),
    ("commits.fetch", "repositories.fetch"),
    ("commits.look", "repositories.poll"),
    ("commits.diff", "repositories.read-diff"),
    ("commits.closures", "repositories.compute-closures"),
    ("commits.forget", "repositories.delete-mirror"),
    ("comparisons.compare", "comparisons.compute"),
    ("comparisons.view", "comparisons.build-view"),
    ("explanations.explain", "gap-explanations.compute"),
    ("hooks.take", "webhooks.process-delivery"),
    ("hooks.reconcile", "webhooks.reconcile"),
    ("keeping.house", "retention.enforce"),
    ("keeping.export", "retention.export-team"),
    ("metrics.fold", "metrics.compact"),
    ("metrics.forget-old", "metrics.delete-expired"),
    ("metrics.watch", "metrics.detect-change-points"),
    ("notifications.forget", "notifications.delete-old"),
    ("regressions.measure", "regressions.evaluate-build"),
    ("regressions.build-judged", "regressions.notify-build-evaluated"),
    ("regressions.opened", "regressions.notify-opened"),
    ("regressions.changed", "regressions.notify-changed"),
    ("reports.tidy", "reports.delete-unused-blobs"),
    ("sources.import", "metric-sources.import"),
    ("spans.fold", "spans.merge-pushes"),
    ("traces.cut", "execution-traces.extract-excerpt"),
    ("uploads.decode", "artifacts.decode"),
    ("uploads.expire", "artifacts.expire-upload"),
    ("uploads.forget", "artifacts.delete-blobs"),
)
FUNCTIONS = (
    ("ask_password_reset", "create_password_reset"),
    ("beat_job", "renew_lease"),
    ("charge_team", "record_work_seconds"),
    ("closed_teams_of", "list_deleted_teams"),
    ("delete_person", "delete_user"),
    ("draw_password_reset", "issue_password_reset"),
    ("find_hook", "find_webhook"),
    ("find_person", "find_user"),
    ("find_sign_in", "find_identity"),
    ("first_metric_hour", "first_metric_hour"),
    ("forget_audit", "delete_audit_events"),
    ("hurry_jobs", "expedite_jobs"),
    ("jobs_to_nudge", "select_due_jobs"),
    ("keep_house", "enqueue_maintenance"),
    ("reset_letter_sent", "record_reset_mail"),
    ("take_reset_letter", "claim_reset_mail"),
    ("teams_of", "list_teams"),
    ("tidy_metric_parts", "maintain_metric_partitions"),
    ("tidy", "delete_expired_rows"),
    ("unsent_job", "record_failed_send"),
)
TRIGGER_FUNCTIONS = (
    ("tell_bisect", "notify_bisect"),
    ("tell_job", "notify_job"),
    ("tell_news", "notify_team"),
    ("tell_subject", "notify_subject"),
)
IN_BODIES = (  # words inside functions that name a column
    ("fence", "fencing_token"),
    ("sends", "send_count"),
    ("cancel_asked", "cancel_requested"),
    ("lease_until", "lease_expires_at"),
    ("letter_due_at", "mail_due_at"),
    ("facts", "details"),
    ("sealed", "encrypted_secret"),
    ("links_allowed", "are_links_allowed"),
)
LIST_FUNCTIONS = text(
    "SELECT p.oid, p.proname, pg_get_functiondef(p.oid) AS body, p.oid::regprocedure::text AS signature, "
    "owner.rolname AS owner, ARRAY(SELECT grantee::regrole::text FROM aclexplode(p.proacl) "
    "WHERE grantee <> 0 AND grantee <> p.proowner) AS callers "
    "FROM pg_proc p JOIN pg_roles owner ON owner.oid = p.proowner WHERE p.pronamespace = to_regnamespace(:schema)"
)
LIST_CONSTRAINTS = text("SELECT conname FROM pg_constraint WHERE conrelid = to_regclass(:table)")
LIST_INDEXES = text(
    "SELECT relname FROM pg_class JOIN pg_index ON indexrelid = pg_class.oid WHERE indrelid = to_regclass(:table)"
)


def upgrade() -> None:
    op.execute("ALTER SCHEMA door RENAME TO cross_team")
    _rename_tables(TABLES, COLUMNS)
    _rename_functions("cross_team", _renames("door", "cross_team", forward=True))
    _rename_jobs(JOBS)


def downgrade() -> None:
    tables = dict(TABLES)
    op.execute("ALTER SCHEMA cross_team RENAME TO door")
    _rename_tables(
        [(new, old) for old, new in TABLES], [(tables.get(table, table), new, old) for table, old, new in COLUMNS]
    )
    _rename_functions("door", _renames("cross_team", "door", forward=False))
    _rename_jobs([(new, old) for old, new in JOBS])


def _rename_tables(tables: Sequence[tuple[str, str]], columns: Sequence[tuple[str, str, str]]) -> None:
    """Rename tables, their columns, and the indexes and constraints named after either."""
    new_names = dict(tables)
    for table in dict.fromkeys([*new_names, *(table for table, _, _ in columns)]):
        new = new_names.get(table, table)
        inside = [(old, name) for of, old, name in columns if of == table]
        if table != new:
            op.execute(f"ALTER TABLE {table} RENAME TO {new}")
        for old, name in inside:
            op.execute(f'ALTER TABLE {new} RENAME COLUMN "{old}" TO "{name}"')
        if op.get_context().as_sql:
            continue  # names of constraints and indexes are read from the database
        connection = op.get_bind()
        for name in connection.execute(LIST_CONSTRAINTS, {"table": new}).scalars().all():
            if (renamed := _named_after(name, table, new, inside)) != name:
                op.execute(f'ALTER TABLE {new} RENAME CONSTRAINT "{name}" TO "{renamed}"')
        for name in connection.execute(LIST_INDEXES, {"table": new}).scalars().all():
            if (renamed := _named_after(name, table, new, inside)) != name:
                op.execute(f'ALTER INDEX "{name}" RENAME TO "{renamed}"')


def _named_after(name: str, table: str, new: str, columns: Sequence[tuple[str, str]]) -> str:
    kind, _, rest = name.partition("_")
    if kind not in {"ix", "uq", "ck", "fk", "pk"} or not (rest + "_").startswith(table + "_"):
        return name
    ending = rest[len(table) :]
    for old, column in columns:
        ending = re.sub(rf"_{old}(?=_|$)", f"_{column}", ending)
    return f"{kind}_{new}{ending}"


def _renames(schema: str, new_schema: str, *, forward: bool) -> list[tuple[str, str]]:
    """Return patterns and replacements for the text of a function."""

    def pair(old: str, new: str) -> tuple[str, str]:
        return (old, new) if forward else (new, old)

    of_jobs = [(rf"'{re.escape(old)}'", f"'{new}'") for old, new in (pair(*each) for each in JOBS)]
    of_functions = [
        (rf"\b{new_schema}\.{old}\(", f"{new_schema}.{new}(") for old, new in (pair(*each) for each in FUNCTIONS)
    ]
    of_tables = [(rf"\bpublic\.{old}\b", f"public.{new}") for old, new in (pair(*each) for each in TABLES)]
    of_columns = [(rf"\b{old}\b", new) for old, new in (pair(*each) for each in IN_BODIES)]
    upload, new_upload = pair("upload", "multipart_upload")
    person, user = pair("'person'", "'user'")  # what the log calls the actor
    return [
        (rf"\b{schema}\.", f"{new_schema}."), *of_jobs, *of_functions, *of_tables, *of_columns,
        (rf"\b{upload}\.(?=team_id|id\b)", f"{new_upload}."), (person, user),
    ]  # fmt: skip


def _rename_functions(schema: str, renames: Sequence[tuple[str, str]]) -> None:
    """Make each function of the schema anew under its new name, with its owner and those who may call it."""
    if op.get_context().as_sql:
        return  # functions are read from the database
    connection = op.get_bind()
    op.execute("SET LOCAL check_function_bodies = off")
    op.execute(f"GRANT CREATE ON SCHEMA {schema} TO slowpath_keeper")
    for found in connection.execute(LIST_FUNCTIONS, {"schema": schema}).all():
        body = found.body
        for pattern, replacement in renames:
            body = re.sub(pattern, replacement, body)
        op.execute(f"SET LOCAL ROLE {found.owner}")
        op.execute(f"DROP FUNCTION {found.signature}")
        made = connection.exec_driver_sql(body.replace("%", "%%"))
        made.close()
        name = body.split("FUNCTION ", 1)[1].split("(", 1)[0]
        op.execute(f"REVOKE ALL ON FUNCTION {name} FROM PUBLIC")
        for caller in found.callers:
            op.execute(f"GRANT EXECUTE ON FUNCTION {name} TO {caller}")
        op.execute("RESET ROLE")
    op.execute(f"REVOKE CREATE ON SCHEMA {schema} FROM slowpath_keeper")
    op.execute("SET LOCAL check_function_bodies = on")
    forward = schema == "cross_team"
    for old, new in TRIGGER_FUNCTIONS:
        op.execute(f"ALTER FUNCTION public.{old if forward else new}() RENAME TO {new if forward else old}")


def _rename_jobs(jobs: Sequence[tuple[str, str]]) -> None:
    """Rename the jobs of all teams, which the owner of the table does not see otherwise."""
    op.execute("ALTER TABLE job NO FORCE ROW LEVEL SECURITY")
    for old, new in jobs:
        op.execute(f"UPDATE job SET name = '{new}' WHERE name = '{old}'")  # noqa: S608 - names of this file
    op.execute("ALTER TABLE job FORCE ROW LEVEL SECURITY")
