"""Builds are measured and judged, and what got slower is kept as a regression.

Adds tables; older code does not see them.
"""

from alembic import op

revision = "20261121_1850"
down_revision = "20261121_1800"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE build_measure (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    build_id uuid NOT NULL,
    kind varchar NOT NULL,
    made_of varchar NOT NULL,
    artifacts integer NOT NULL,
    conditions varchar NOT NULL,
    content bytea NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_build_measure PRIMARY KEY (team_id, id),
    CONSTRAINT uq_build_measure_kind UNIQUE (team_id, build_id, kind),
    CONSTRAINT fk_build_measure_team_id_build_id FOREIGN KEY (team_id, build_id)
        REFERENCES build (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_build_measure_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);

CREATE TABLE build_judgement (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    build_id uuid NOT NULL,
    service_id uuid NOT NULL,
    branch varchar NOT NULL,
    ordered_at timestamptz NOT NULL,
    state varchar NOT NULL,
    sentence varchar NOT NULL,
    needs jsonb,
    regression_ids jsonb DEFAULT '[]' NOT NULL,
    judged_at timestamptz,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_build_judgement PRIMARY KEY (team_id, id),
    CONSTRAINT uq_build_judgement_team_id_build_id UNIQUE (team_id, build_id),
    CONSTRAINT ck_build_judgement_state
        CHECK (state in ('waiting', 'judging', 'passed', 'changed', 'inconclusive', 'skipped')),
    CONSTRAINT fk_build_judgement_team_id_build_id FOREIGN KEY (team_id, build_id)
        REFERENCES build (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_build_judgement_team_id_service_id FOREIGN KEY (team_id, service_id)
        REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_build_judgement_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_build_judgement_line ON build_judgement (team_id, service_id, branch, ordered_at);

CREATE TABLE watched_series (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    kind varchar NOT NULL,
    subject varchar NOT NULL,
    muted boolean NOT NULL,
    created_by uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_watched_series PRIMARY KEY (team_id, id),
    CONSTRAINT uq_watched_series_subject UNIQUE (team_id, service_id, kind, subject),
    CONSTRAINT fk_watched_series_team_id_service_id FOREIGN KEY (team_id, service_id)
        REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_watched_series_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);

CREATE TABLE regression (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    number integer,
    service_id uuid NOT NULL,
    branch varchar NOT NULL,
    state varchar NOT NULL,
    confirmed boolean NOT NULL,
    title varchar NOT NULL,
    sentence varchar NOT NULL,
    kind varchar NOT NULL,
    subject varchar NOT NULL,
    unit varchar NOT NULL,
    direction varchar NOT NULL,
    before double precision,
    after double precision,
    ratio double precision,
    ratio_low double precision,
    ratio_high double precision,
    since_build_id uuid,
    since_commit varchar,
    since_at timestamptz,
    good_build_id uuid,
    good_commit varchar,
    first_commit varchar,
    last_commit varchar,
    fixed_build_id uuid,
    fixed_commit varchar,
    assignee_id uuid,
    due_on date,
    members jsonb DEFAULT '[]' NOT NULL,
    spark jsonb,
    needs jsonb,
    comparison_id uuid,
    created_by uuid,
    closed_at timestamptz,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_regression PRIMARY KEY (team_id, id),
    CONSTRAINT uq_regression_team_id_number UNIQUE (team_id, number),
    CONSTRAINT ck_regression_state CHECK (state in
        ('new', 'investigating', 'acknowledged', 'fixed', 'improved', 'not-a-regression', 'ignored')),
    CONSTRAINT ck_regression_direction CHECK (direction in ('worse', 'better')),
    CONSTRAINT ck_regression_numbered CHECK (confirmed = (number IS NOT NULL)),
    CONSTRAINT fk_regression_team_id_service_id FOREIGN KEY (team_id, service_id)
        REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_regression_team_id_since_build_id FOREIGN KEY (team_id, since_build_id)
        REFERENCES build (team_id, id) ON DELETE SET NULL (since_build_id),
    CONSTRAINT fk_regression_team_id_good_build_id FOREIGN KEY (team_id, good_build_id)
        REFERENCES build (team_id, id) ON DELETE SET NULL (good_build_id),
    CONSTRAINT fk_regression_team_id_fixed_build_id FOREIGN KEY (team_id, fixed_build_id)
        REFERENCES build (team_id, id) ON DELETE SET NULL (fixed_build_id),
    CONSTRAINT fk_regression_team_id_comparison_id FOREIGN KEY (team_id, comparison_id)
        REFERENCES comparison (team_id, id) ON DELETE SET NULL (comparison_id),
    CONSTRAINT fk_regression_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_regression_newest ON regression (team_id, created_at, id);
CREATE INDEX ix_regression_line ON regression (team_id, service_id, branch);
CREATE INDEX ix_regression_since ON regression (team_id, since_build_id);
CREATE INDEX ix_regression_good ON regression (team_id, good_build_id);
CREATE INDEX ix_regression_fixed ON regression (team_id, fixed_build_id);
CREATE INDEX ix_regression_comparison ON regression (team_id, comparison_id);

CREATE TABLE change_point (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    branch varchar NOT NULL,
    kind varchar NOT NULL,
    subject varchar NOT NULL,
    build_id uuid NOT NULL,
    good_build_id uuid,
    confirmed boolean NOT NULL,
    cause varchar NOT NULL,
    before double precision NOT NULL,
    after double precision NOT NULL,
    ratio double precision,
    ratio_low double precision,
    ratio_high double precision,
    score double precision NOT NULL,
    regression_id uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_change_point PRIMARY KEY (team_id, id),
    CONSTRAINT uq_change_point_place UNIQUE (team_id, service_id, branch, kind, subject, build_id),
    CONSTRAINT fk_change_point_team_id_service_id FOREIGN KEY (team_id, service_id)
        REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_change_point_team_id_build_id FOREIGN KEY (team_id, build_id)
        REFERENCES build (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_change_point_team_id_good_build_id FOREIGN KEY (team_id, good_build_id)
        REFERENCES build (team_id, id) ON DELETE SET NULL (good_build_id),
    CONSTRAINT fk_change_point_team_id_regression_id FOREIGN KEY (team_id, regression_id)
        REFERENCES regression (team_id, id) ON DELETE SET NULL (regression_id),
    CONSTRAINT fk_change_point_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_change_point_build ON change_point (team_id, build_id);
CREATE INDEX ix_change_point_good ON change_point (team_id, good_build_id);
CREATE INDEX ix_change_point_regression ON change_point (team_id, regression_id);

CREATE TABLE regression_event (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    regression_id uuid NOT NULL,
    what varchar NOT NULL,
    user_id uuid,
    facts jsonb DEFAULT '{}' NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_regression_event PRIMARY KEY (team_id, id),
    CONSTRAINT fk_regression_event_team_id_regression_id FOREIGN KEY (team_id, regression_id)
        REFERENCES regression (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_regression_event_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_regression_event_newest ON regression_event (team_id, regression_id, created_at, id);

CREATE TABLE regression_evidence (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    regression_id uuid NOT NULL,
    what varchar NOT NULL,
    comparison_id uuid,
    build_id uuid,
    facts jsonb DEFAULT '{}' NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_regression_evidence PRIMARY KEY (team_id, id),
    CONSTRAINT ck_regression_evidence_what CHECK (what in ('comparison', 'proof')),
    CONSTRAINT fk_regression_evidence_team_id_regression_id FOREIGN KEY (team_id, regression_id)
        REFERENCES regression (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_regression_evidence_team_id_comparison_id FOREIGN KEY (team_id, comparison_id)
        REFERENCES comparison (team_id, id) ON DELETE SET NULL (comparison_id),
    CONSTRAINT fk_regression_evidence_team_id_build_id FOREIGN KEY (team_id, build_id)
        REFERENCES build (team_id, id) ON DELETE SET NULL (build_id),
    CONSTRAINT fk_regression_evidence_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_regression_evidence_regression ON regression_evidence (team_id, regression_id);
CREATE INDEX ix_regression_evidence_comparison ON regression_evidence (team_id, comparison_id);
CREATE INDEX ix_regression_evidence_build ON regression_evidence (team_id, build_id);
"""
TEAM_TABLES = (
    "build_measure", "build_judgement", "watched_series", "regression", "change_point", "regression_event",
    "regression_evidence",
)  # fmt: skip

TEAM = "nullif(current_setting('slowpath.team_id', true), '')::uuid"
OF_TEAM = """
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON {table} FOR ALL TO slowpath_app USING (team_id = {team}) WITH CHECK (team_id = {team});
GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO slowpath_app;
"""


def upgrade() -> None:
    op.execute(TABLES)
    for table in TEAM_TABLES:
        op.execute(OF_TEAM.format(table=table, team=TEAM))


def downgrade() -> None:
    for table in reversed(TEAM_TABLES):
        op.execute(f"DROP TABLE {table}")
