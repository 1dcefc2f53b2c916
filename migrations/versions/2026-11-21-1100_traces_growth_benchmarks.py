"""Execution traces, stack-growth logs and benchmark output can be decoded and compared.

Adds tables, and a column with a default; older code does not see them.
"""

from alembic import op

revision = "20261121_1100"
down_revision = "20261121_1000"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE trace (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    header_version varchar NOT NULL,
    duration_ns bigint NOT NULL,
    wall_start_ns bigint,
    events bigint NOT NULL,
    gomaxprocs integer NOT NULL,
    recording varchar NOT NULL,
    lost jsonb,
    warnings jsonb NOT NULL,
    columns_key varchar NOT NULL,
    columns_bytes bigint NOT NULL,
    page_key varchar NOT NULL,
    tiles_key varchar,
    tiles jsonb NOT NULL,
    cpu_key varchar,
    delays_key varchar,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_trace PRIMARY KEY (team_id, id),
    CONSTRAINT fk_trace_team_id_id FOREIGN KEY (team_id, id)
        REFERENCES artifact (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_trace_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_trace_columns ON trace (team_id, columns_key);

CREATE TABLE trace_cut (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    artifact_id uuid NOT NULL,
    from_ns bigint NOT NULL,
    to_ns bigint NOT NULL,
    state varchar NOT NULL,
    problem jsonb,
    job_id uuid,
    blob_key varchar,
    size_bytes bigint,
    file_name varchar,
    created_by uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_trace_cut PRIMARY KEY (team_id, id),
    CONSTRAINT fk_trace_cut_team_id_artifact_id FOREIGN KEY (team_id, artifact_id)
        REFERENCES trace (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_trace_cut_team_id_job_id FOREIGN KEY (team_id, job_id)
        REFERENCES job (team_id, id) ON DELETE SET NULL (job_id),
    CONSTRAINT ck_trace_cut_state CHECK (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
    CONSTRAINT fk_trace_cut_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_trace_cut_artifact ON trace_cut (team_id, artifact_id);

CREATE TABLE growth_log (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    dialect varchar NOT NULL,
    rate bigint NOT NULL,
    sampled bigint NOT NULL,
    total bigint,
    duration_ns bigint,
    columns_key varchar NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_growth_log PRIMARY KEY (team_id, id),
    CONSTRAINT fk_growth_log_team_id_id FOREIGN KEY (team_id, id)
        REFERENCES artifact (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_growth_log_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);

CREATE TABLE benchmark_output (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    results integer NOT NULL,
    benchmarks integer NOT NULL,
    units jsonb NOT NULL,
    warnings jsonb NOT NULL,
    columns_key varchar NOT NULL,
    columns_bytes bigint NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_benchmark_output PRIMARY KEY (team_id, id),
    CONSTRAINT fk_benchmark_output_team_id_id FOREIGN KEY (team_id, id)
        REFERENCES artifact (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_benchmark_output_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_benchmark_output_columns ON benchmark_output (team_id, columns_key);

ALTER TABLE comparison ADD COLUMN parts jsonb DEFAULT '{}' NOT NULL;
"""
TEAM_TABLES = ("trace", "trace_cut", "growth_log", "benchmark_output")

TEAM = "nullif(current_setting('slowpath.team_id', true), '')::uuid"
OF_TEAM = """
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON {table} FOR ALL TO slowpath_app USING (team_id = {team}) WITH CHECK (team_id = {team});
GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO slowpath_app;
"""

EVENTS = """
CREATE TRIGGER tell AFTER INSERT OR UPDATE OF state ON trace_cut
    FOR EACH ROW EXECUTE FUNCTION tell_subject('trace_cut');
"""


def upgrade() -> None:
    op.execute(TABLES)
    for table in TEAM_TABLES:
        op.execute(OF_TEAM.format(table=table, team=TEAM))
    op.execute(EVENTS)


def downgrade() -> None:
    for table in reversed(TEAM_TABLES):
        op.execute(f"DROP TABLE {table}")
    op.execute("ALTER TABLE comparison DROP COLUMN parts")
