"""Production events and the inbox: events with change points and history, triage, saved views, subscriptions.

Code before this version does not know the tables and the column, and creates no discussion of the new kind, so it can run
with them.
"""

from alembic import op

revision = "20261127_1000"
down_revision = "20261127_0100"
branch_labels = None
depends_on = None

TABLES = (
    "production_event",
    "production_event_change_point",
    "production_event_history",
    "inbox_triage",
    "inbox_view",
    "service_subscription",
)
CREATE = """
CREATE TABLE production_event (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    number integer,
    environment_id uuid NOT NULL,
    service_id uuid NOT NULL,
    state varchar NOT NULL,
    signal varchar NOT NULL,
    title varchar NOT NULL,
    sentence varchar NOT NULL,
    cause varchar NOT NULL,
    deployment_id uuid,
    commit varchar,
    former_commit varchar,
    before double precision NOT NULL,
    after double precision NOT NULL,
    ratio double precision NOT NULL,
    ratio_low double precision NOT NULL,
    ratio_high double precision NOT NULL,
    requests_per_second double precision,
    added_seconds_per_second double precision,
    severity varchar NOT NULL,
    sparkline jsonb,
    started_at timestamptz NOT NULL,
    earliest_at timestamptz NOT NULL,
    detected_at timestamptz NOT NULL,
    announced_at timestamptz,
    occurred_at timestamptz NOT NULL,
    checked_at timestamptz,
    assignee_id uuid,
    due_on date,
    comparison_id uuid,
    fixed_commit varchar,
    fixed_build_id uuid,
    fixed_deployment_id uuid,
    closed_at timestamptz,
    closed_reason varchar,
    proof jsonb,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_production_event PRIMARY KEY (team_id, id),
    CONSTRAINT uq_production_event_team_id_number UNIQUE (team_id, number),
    CONSTRAINT fk_production_event_team_id_service_id FOREIGN KEY (team_id, service_id)
        REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_production_event_team_id_environment_id FOREIGN KEY (team_id, environment_id)
        REFERENCES environment (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_production_event_team_id_deployment_id FOREIGN KEY (team_id, deployment_id)
        REFERENCES deployment (team_id, id) ON DELETE SET NULL (deployment_id),
    CONSTRAINT fk_production_event_team_id_comparison_id FOREIGN KEY (team_id, comparison_id)
        REFERENCES comparison (team_id, id) ON DELETE SET NULL (comparison_id),
    CONSTRAINT fk_production_event_team_id_fixed_build_id FOREIGN KEY (team_id, fixed_build_id)
        REFERENCES build (team_id, id) ON DELETE SET NULL (fixed_build_id),
    CONSTRAINT fk_production_event_team_id_fixed_deployment_id FOREIGN KEY (team_id, fixed_deployment_id)
        REFERENCES deployment (team_id, id) ON DELETE SET NULL (fixed_deployment_id),
    CONSTRAINT ck_production_event_state
        CHECK (state in ('new', 'investigating', 'acknowledged', 'closed', 'not-a-regression', 'ignored', 'withdrawn')),
    CONSTRAINT ck_production_event_signal CHECK (signal in ('p50', 'p90', 'p99', 'mean')),
    CONSTRAINT ck_production_event_severity CHECK (severity in ('high', 'medium', 'low')),
    CONSTRAINT ck_production_event_cause CHECK (cause in ('deployment', 'unexplained')),
    CONSTRAINT ck_production_event_closed_reason CHECK (closed_reason in ('recovered', 'rolled-back', 'fixed')),
    CONSTRAINT fk_production_event_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_production_event_closed ON production_event (team_id, closed_at, id);
CREATE INDEX ix_production_event_comparison ON production_event (team_id, comparison_id);
CREATE INDEX ix_production_event_deployment ON production_event (team_id, deployment_id);
CREATE INDEX ix_production_event_fixed_build ON production_event (team_id, fixed_build_id);
CREATE INDEX ix_production_event_fixed_deployment ON production_event (team_id, fixed_deployment_id);
CREATE INDEX ix_production_event_newest ON production_event (team_id, started_at, id);
CREATE INDEX ix_production_event_open ON production_event (team_id, environment_id) WHERE state in ('new', 'investigating', 'acknowledged');
CREATE INDEX ix_production_event_service ON production_event (team_id, service_id, started_at);
CREATE TABLE production_event_change_point (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    event_id uuid NOT NULL,
    change_point_id uuid NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_production_event_change_point PRIMARY KEY (team_id, id),
    CONSTRAINT uq_production_event_change_point_once UNIQUE (team_id, change_point_id),
    CONSTRAINT fk_production_event_change_point_team_id_event_id FOREIGN KEY (team_id, event_id)
        REFERENCES production_event (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_production_event_change_point_team_id_change_point_id FOREIGN KEY (team_id, change_point_id)
        REFERENCES metric_change_point (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_production_event_change_point_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_production_event_change_point_event ON production_event_change_point (team_id, event_id);
CREATE TABLE production_event_history (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    event_id uuid NOT NULL,
    kind varchar NOT NULL,
    user_id uuid,
    details jsonb DEFAULT '{}' NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_production_event_history PRIMARY KEY (team_id, id),
    CONSTRAINT fk_production_event_history_team_id_event_id FOREIGN KEY (team_id, event_id)
        REFERENCES production_event (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_production_event_history_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_production_event_history_newest ON production_event_history (team_id, event_id, created_at, id);
CREATE TABLE inbox_triage (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    kind varchar NOT NULL,
    subject_id uuid NOT NULL,
    snooze_rule varchar,
    snooze_until timestamptz,
    snoozed_at timestamptz,
    mute_reason varchar,
    merged_into_id uuid,
    assignee_id uuid,
    due_on date,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_inbox_triage PRIMARY KEY (team_id, id),
    CONSTRAINT uq_inbox_triage_subject UNIQUE (team_id, kind, subject_id),
    CONSTRAINT ck_inbox_triage_kind CHECK (kind in ('production-event', 'regression', 'bisect', 'channel', 'metric-source')),
    CONSTRAINT ck_inbox_triage_snooze_rule CHECK (snooze_rule in ('time', 'next-deployment', 'next-occurrence')),
    CONSTRAINT fk_inbox_triage_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_inbox_triage_merged ON inbox_triage (team_id, kind, merged_into_id);
CREATE TABLE inbox_view (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    name varchar NOT NULL,
    filters varchar NOT NULL,
    is_shared boolean NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_inbox_view PRIMARY KEY (team_id, id),
    CONSTRAINT uq_inbox_view_name UNIQUE (team_id, user_id, name),
    CONSTRAINT fk_inbox_view_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_inbox_view_user_id FOREIGN KEY (user_id)
        REFERENCES app_user (id) ON DELETE CASCADE
);
CREATE INDEX ix_inbox_view_newest ON inbox_view (team_id, created_at, id);
CREATE INDEX ix_inbox_view_user_id ON inbox_view (user_id);
CREATE TABLE service_subscription (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    user_id uuid NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_service_subscription PRIMARY KEY (team_id, id),
    CONSTRAINT uq_service_subscription_once UNIQUE (team_id, service_id, user_id),
    CONSTRAINT fk_service_subscription_team_id_service_id FOREIGN KEY (team_id, service_id)
        REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_service_subscription_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_service_subscription_user_id FOREIGN KEY (user_id)
        REFERENCES app_user (id) ON DELETE CASCADE
);
CREATE INDEX ix_service_subscription_user_id ON service_subscription (user_id);
"""
PROTECT = """
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON {table} FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO slowpath_app;
"""
QUICK = "-- squawk-ignore constraint-missing-not-valid, adding-foreign-key-constraint\n"
"""The column was just added without a value in any row: validating it reads the table once, within the lock of the column."""
KINDS = "'finding', 'comparison', 'build', 'report', 'trace', 'span-set'"


def upgrade() -> None:
    op.execute(CREATE)
    for table in TABLES:
        op.execute(PROTECT.format(table=table))
    op.execute("ALTER TABLE discussion ADD COLUMN production_event_id uuid")
    op.execute(
        f"{QUICK}ALTER TABLE discussion ADD CONSTRAINT fk_discussion_team_id_production_event_id "
        "FOREIGN KEY (team_id, production_event_id) REFERENCES production_event (team_id, id) ON DELETE CASCADE"
    )
    op.execute("CREATE INDEX ix_discussion_production_event ON discussion (team_id, production_event_id)")
    _allow(f"{KINDS}, 'production-event', 'regression'")


def downgrade() -> None:
    op.execute("DELETE FROM discussion WHERE subject_kind = 'production-event'")
    _allow(f"{KINDS}, 'regression'")
    op.execute("DROP INDEX ix_discussion_production_event")
    op.execute("ALTER TABLE discussion DROP COLUMN production_event_id")
    for table in reversed(TABLES):
        op.execute(f"DROP TABLE {table}")


def _allow(kinds: str) -> None:
    """Replace the allowed kinds of subjects. A team has hundreds of discussions: the check of all rows takes no time."""
    op.execute(
        "-- squawk-ignore ban-drop-constraint\nALTER TABLE discussion DROP CONSTRAINT ck_discussion_subject_kind"
    )
    constraint = f"ck_discussion_subject_kind CHECK (subject_kind in ({kinds}))"
    op.execute(f"-- squawk-ignore constraint-missing-not-valid\nALTER TABLE discussion ADD CONSTRAINT {constraint}")
