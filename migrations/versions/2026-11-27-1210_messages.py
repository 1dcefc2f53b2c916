"""Subscriptions name their events and a minimum severity, may include all services, and mails can be held back.

Code before this version does not know the new columns, which have defaults, nor subscriptions to all services, which only
later code creates: it can run with this schema until one exists.
"""

from alembic import op

revision = "20261127_1210"
down_revision = "20261127_1200"
branch_labels = None
depends_on = None

TABLES = ("mail_schedule", "subscriber_mail", "slack_interaction", "linked_issue")
FORMER_KINDS = "'slack', 'email', 'webhook', 'github', 'gitlab', 'pagerduty', 'opsgenie', 'teams'"
KINDS = "'slack', 'slack-app', 'email', 'webhook', 'github', 'gitlab', 'pagerduty', 'opsgenie', 'teams'"
DEFAULT_EVENTS = '["bisect.finished", "production-event.closed", "production-event.opened", "regression.opened"]'
SUBSCRIPTION = f"""
-- squawk-ignore ban-drop-not-null
ALTER TABLE service_subscription ALTER COLUMN service_id DROP NOT NULL;
ALTER TABLE service_subscription ADD COLUMN events jsonb DEFAULT '{DEFAULT_EVENTS}' NOT NULL;
ALTER TABLE service_subscription ADD COLUMN min_severity varchar DEFAULT 'low' NOT NULL;
"""
CREATE = """
CREATE TABLE mail_schedule (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    frequency varchar NOT NULL,
    digest_hour integer NOT NULL,
    digest_weekday integer NOT NULL,
    quiet_from varchar,
    quiet_to varchar,
    is_high_severity_immediate boolean NOT NULL,
    time_zone varchar NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_mail_schedule PRIMARY KEY (team_id, id),
    CONSTRAINT uq_mail_schedule_user UNIQUE (team_id, user_id),
    CONSTRAINT ck_mail_schedule_frequency CHECK (frequency in ('immediate', 'daily', 'weekly')),
    CONSTRAINT fk_mail_schedule_user_id FOREIGN KEY (user_id) REFERENCES app_user (id) ON DELETE CASCADE,
    CONSTRAINT fk_mail_schedule_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_mail_schedule_user_id ON mail_schedule (user_id);
CREATE TABLE subscriber_mail (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    subscription_id uuid NOT NULL,
    event_id uuid NOT NULL,
    is_held boolean NOT NULL,
    due_at timestamptz NOT NULL,
    job_id uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_subscriber_mail PRIMARY KEY (team_id, id),
    CONSTRAINT uq_subscriber_mail_once UNIQUE (team_id, subscription_id, event_id),
    CONSTRAINT fk_subscriber_mail_team_id_subscription_id FOREIGN KEY (team_id, subscription_id)
        REFERENCES service_subscription (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_subscriber_mail_team_id_event_id FOREIGN KEY (team_id, event_id)
        REFERENCES team_event (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_subscriber_mail_team_id_job_id FOREIGN KEY (team_id, job_id)
        REFERENCES job (team_id, id) ON DELETE SET NULL (job_id),
    CONSTRAINT fk_subscriber_mail_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_subscriber_mail_event ON subscriber_mail (team_id, event_id);
CREATE INDEX ix_subscriber_mail_job ON subscriber_mail (team_id, job_id);
CREATE TABLE slack_interaction (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    channel_id uuid NOT NULL,
    digest varchar NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_slack_interaction PRIMARY KEY (team_id, id),
    CONSTRAINT uq_slack_interaction_once UNIQUE (team_id, channel_id, digest),
    CONSTRAINT fk_slack_interaction_team_id_channel_id FOREIGN KEY (team_id, channel_id)
        REFERENCES notification_channel (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_slack_interaction_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_slack_interaction_newest ON slack_interaction (team_id, created_at, id);
CREATE TABLE linked_issue (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    kind varchar NOT NULL,
    subject_id uuid NOT NULL,
    channel_id uuid,
    state varchar NOT NULL,
    number bigint,
    url varchar,
    problem jsonb,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_linked_issue PRIMARY KEY (team_id, id),
    CONSTRAINT uq_linked_issue_subject UNIQUE (team_id, kind, subject_id),
    CONSTRAINT ck_linked_issue_kind CHECK (kind in ('production-event', 'regression')),
    CONSTRAINT ck_linked_issue_state CHECK (state in ('creating', 'created', 'failed')),
    CONSTRAINT fk_linked_issue_team_id_channel_id FOREIGN KEY (team_id, channel_id)
        REFERENCES notification_channel (team_id, id) ON DELETE SET NULL (channel_id),
    CONSTRAINT fk_linked_issue_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_linked_issue_channel ON linked_issue (team_id, channel_id);
"""
PROTECT = """
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON {table} FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO slowpath_app;
"""
FORMER_JOBS = "DELETE FROM job WHERE name = 'inbox.mail-subscriber' AND state IN ('waiting', 'running')"
JOBS = "DELETE FROM job WHERE starts_with(name, 'subscriptions.') AND state IN ('waiting', 'running')"


def upgrade() -> None:
    op.execute(SUBSCRIPTION)
    _replace(
        "service_subscription", "uq_service_subscription_once",
        "UNIQUE NULLS NOT DISTINCT (team_id, service_id, user_id)",
    )  # fmt: skip
    _replace("notification_channel", "ck_notification_channel_kind", f"CHECK (kind in ({KINDS}))")
    op.execute(
        "-- squawk-ignore constraint-missing-not-valid\nALTER TABLE service_subscription ADD CONSTRAINT "
        "ck_service_subscription_min_severity CHECK (min_severity in ('low', 'medium', 'high'))"
    )
    op.execute(CREATE)
    for table in TABLES:
        op.execute(PROTECT.format(table=table))
    _delete("job", FORMER_JOBS)


def downgrade() -> None:
    _delete("job", JOBS)
    for table in reversed(TABLES):
        op.execute(f"DROP TABLE {table}")
    _delete("service_subscription", "DELETE FROM service_subscription WHERE service_id IS NULL")
    _replace("service_subscription", "uq_service_subscription_once", "UNIQUE (team_id, service_id, user_id)")
    _delete("notification_channel", "DELETE FROM notification_channel WHERE kind = 'slack-app'")
    _replace("notification_channel", "ck_notification_channel_kind", f"CHECK (kind in ({FORMER_KINDS}))")
    op.execute("ALTER TABLE service_subscription ALTER COLUMN service_id SET NOT NULL")
    op.execute("ALTER TABLE service_subscription DROP COLUMN events, DROP COLUMN min_severity")


def _replace(table: str, constraint: str, definition: str) -> None:
    """Replace a constraint. A team has few subscriptions and channels: checking all rows takes no time."""
    op.execute(f"-- squawk-ignore ban-drop-constraint\nALTER TABLE {table} DROP CONSTRAINT {constraint}")
    op.execute(
        "-- squawk-ignore constraint-missing-not-valid, disallowed-unique-constraint\n"
        f"ALTER TABLE {table} ADD CONSTRAINT {constraint} {definition}"
    )


def _delete(table: str, statement: str) -> None:
    """Delete rows of all teams: the owner sees none while row-level security is forced."""
    op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    op.execute(statement)
    op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
