"""Drop the exports of teams, which nothing could import.

The rows and their jobs are lost; a downgrade makes an empty table. The blobs are left to the storage check, which finds
that no row owns them and deletes them within half a day. Older code needs the table, so web and worker processes are
stopped for this version.
"""

from alembic import op

revision = "20261123_1000"
down_revision = "20261123_0910"
branch_labels = None
depends_on = None

TABLE = """
CREATE TABLE team_export (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    state varchar NOT NULL,
    problem jsonb,
    job_id uuid,
    blob_key varchar,
    size_bytes bigint,
    sha256 varchar,
    files integer,
    missing integer,
    expires_at timestamptz,
    created_by uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_team_export PRIMARY KEY (team_id, id),
    CONSTRAINT ck_team_export_state CHECK (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
    CONSTRAINT fk_team_export_team_id_job_id FOREIGN KEY (team_id, job_id)
        REFERENCES job (team_id, id) ON DELETE SET NULL (job_id),
    CONSTRAINT fk_team_export_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_team_export_newest ON team_export (team_id, created_at, id);
ALTER TABLE team_export ENABLE ROW LEVEL SECURITY;
ALTER TABLE team_export FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON team_export FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON team_export TO slowpath_app;
CREATE TRIGGER notify AFTER INSERT OR UPDATE OF state ON team_export
    FOR EACH ROW EXECUTE FUNCTION notify_subject('team-export');
"""

# The owner of the table sees the jobs of no team while row-level security is forced.
JOBS = """
ALTER TABLE job NO FORCE ROW LEVEL SECURITY;
DELETE FROM job WHERE name = 'retention.export-team';
ALTER TABLE job FORCE ROW LEVEL SECURITY;
"""


def upgrade() -> None:
    op.execute("-- squawk-ignore ban-drop-table\nDROP TABLE team_export")
    op.execute(JOBS)


def downgrade() -> None:
    op.execute(TABLE)
