"""Profiles can be opened without a comparison: profile sets, their views and exports.

Code before this version does not know the tables, so it can run with them.
"""

from alembic import op

revision = "20261126_1100"
down_revision = "20261126_1000"
branch_labels = None
depends_on = None

TABLES = ("profile_set", "profile_set_artifact", "profile_view", "profile_export")
NOTIFYING = ("profile_set", "profile_view", "profile_export")
CREATE = """
CREATE TABLE profile_set (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    digest varchar NOT NULL,
    artifact_count integer NOT NULL,
    state varchar NOT NULL,
    problem jsonb,
    job_id uuid,
    kinds jsonb,
    conditions jsonb,
    created_by uuid,
    finished_at timestamptz,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_profile_set PRIMARY KEY (team_id, id),
    CONSTRAINT fk_profile_set_team_id_job_id FOREIGN KEY (team_id, job_id)
        REFERENCES job (team_id, id) ON DELETE SET NULL (job_id),
    CONSTRAINT uq_profile_set_team_id_digest UNIQUE (team_id, digest),
    CONSTRAINT ck_profile_set_state CHECK (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
    CONSTRAINT fk_profile_set_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE profile_set_artifact (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    set_id uuid NOT NULL,
    artifact_id uuid NOT NULL,
    position integer NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_profile_set_artifact PRIMARY KEY (team_id, id),
    CONSTRAINT fk_profile_set_artifact_team_id_set_id FOREIGN KEY (team_id, set_id)
        REFERENCES profile_set (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_profile_set_artifact_team_id_artifact_id FOREIGN KEY (team_id, artifact_id)
        REFERENCES artifact (team_id, id) ON DELETE CASCADE,
    CONSTRAINT uq_profile_set_artifact_team_id_set_id_artifact_id UNIQUE (team_id, set_id, artifact_id),
    CONSTRAINT fk_profile_set_artifact_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_profile_set_artifact_artifact ON profile_set_artifact (team_id, artifact_id);
CREATE TABLE profile_view (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    set_id uuid NOT NULL,
    kind varchar NOT NULL,
    sample_type varchar NOT NULL,
    unit varchar NOT NULL,
    granularity varchar NOT NULL,
    position integer NOT NULL,
    state varchar NOT NULL,
    problem jsonb,
    job_id uuid,
    normalizations jsonb,
    default_normalization varchar,
    nodes integer,
    functions integer,
    full_blob_key varchar,
    head_blob_key varchar,
    tail_blob_key varchar,
    functions_key varchar,
    lines_key varchar,
    labels jsonb NOT NULL,
    labels_digest varchar NOT NULL,
    summary_key varchar,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_profile_view PRIMARY KEY (team_id, id),
    CONSTRAINT fk_profile_view_team_id_set_id FOREIGN KEY (team_id, set_id)
        REFERENCES profile_set (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_profile_view_team_id_job_id FOREIGN KEY (team_id, job_id)
        REFERENCES job (team_id, id) ON DELETE SET NULL (job_id),
    CONSTRAINT uq_profile_view_once UNIQUE (team_id, set_id, kind, sample_type, granularity, labels_digest),
    CONSTRAINT ck_profile_view_state CHECK (state in ('not-built', 'waiting', 'running', 'done', 'failed', 'cancelled')),
    CONSTRAINT fk_profile_view_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE TABLE profile_export (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    set_id uuid NOT NULL,
    format varchar NOT NULL,
    kind varchar NOT NULL,
    labels jsonb NOT NULL,
    state varchar NOT NULL,
    problem jsonb,
    job_id uuid,
    blob_key varchar,
    file_name varchar,
    media_type varchar,
    size_bytes bigint,
    created_by uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_profile_export PRIMARY KEY (team_id, id),
    CONSTRAINT fk_profile_export_team_id_set_id FOREIGN KEY (team_id, set_id)
        REFERENCES profile_set (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_profile_export_team_id_job_id FOREIGN KEY (team_id, job_id)
        REFERENCES job (team_id, id) ON DELETE SET NULL (job_id),
    CONSTRAINT ck_profile_export_state CHECK (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
    CONSTRAINT fk_profile_export_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE
);
"""
PROTECT = """
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON {table} FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO slowpath_app;
"""
NOTIFY = """
CREATE TRIGGER notify AFTER INSERT OR UPDATE OF state ON {table}
    FOR EACH ROW EXECUTE FUNCTION notify_subject('{table}');
"""


def upgrade() -> None:
    op.execute(CREATE)
    for table in TABLES:
        op.execute(PROTECT.format(table=table))
    for table in NOTIFYING:
        op.execute(NOTIFY.format(table=table))


def downgrade() -> None:
    for table in reversed(TABLES):
        op.execute(f"DROP TABLE {table}")
