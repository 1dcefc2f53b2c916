"""Long time ranges are read from roll-ups, and compactions append pieces instead of writing the whole hour again.

Code before this version reads the samples, but its compactions fail until the workers are upgraded: samples remain in the WAL
meanwhile. Existing hours are added to roll-ups by jobs. The downgrade loses the pieces of hours that are not joined yet.
"""

from alembic import op

revision = "20261127_2040"
down_revision = "20261127_2010"
branch_labels = None
depends_on = None

CREATE = """
ALTER TABLE metric_settings ADD COLUMN roll_up_count bigint DEFAULT 0 NOT NULL;
ALTER TABLE metric_chunk ADD COLUMN piece bigint DEFAULT 1 NOT NULL;
-- A partitioned table cannot take its key from an index. It has a row per series group and hour, so this takes seconds.
-- squawk-ignore ban-drop-constraint
ALTER TABLE metric_chunk DROP CONSTRAINT pk_metric_chunk;
-- squawk-ignore constraint-missing-not-valid, adding-serial-primary-key-field
ALTER TABLE metric_chunk ADD CONSTRAINT pk_metric_chunk PRIMARY KEY (team_id, id, hour, piece);
CREATE INDEX ix_metric_chunk_open ON metric_chunk (team_id, id, hour) WHERE piece > 0;
CREATE TABLE metric_roll_up (
    team_id uuid NOT NULL,
    id bigint NOT NULL,
    resolution_ms integer NOT NULL,
    first_hour integer NOT NULL,
    interval_ms integer NOT NULL,
    samples integer NOT NULL,
    content bytea NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_metric_roll_up PRIMARY KEY (team_id, id, resolution_ms, first_hour),
    CONSTRAINT fk_metric_roll_up_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE
);
ALTER TABLE metric_roll_up ALTER COLUMN content SET STORAGE EXTERNAL;
ALTER TABLE metric_roll_up ENABLE ROW LEVEL SECURITY;
ALTER TABLE metric_roll_up FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON metric_roll_up FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON metric_roll_up TO slowpath_app;
"""
DROP = """
DROP TABLE metric_roll_up;
DROP INDEX ix_metric_chunk_open;
ALTER TABLE metric_chunk DROP CONSTRAINT pk_metric_chunk;
DO $$
DECLARE
    part regclass;
BEGIN
    FOR part IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'metric_chunk'::regclass LOOP
        EXECUTE format('ALTER TABLE %s NO FORCE ROW LEVEL SECURITY', part);  -- the owner sees no row while it is forced
        EXECUTE format('DELETE FROM %s WHERE piece > 1', part);
        EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', part);
    END LOOP;
END $$;
ALTER TABLE metric_chunk ADD CONSTRAINT pk_metric_chunk PRIMARY KEY (team_id, id, hour);
ALTER TABLE metric_chunk DROP COLUMN piece;
ALTER TABLE metric_settings DROP COLUMN roll_up_count;
"""


def upgrade() -> None:
    op.execute(CREATE)


def downgrade() -> None:
    op.execute(DROP)
