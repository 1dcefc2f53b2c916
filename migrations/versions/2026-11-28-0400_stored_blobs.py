"""Blobs that nothing needs are found in a table of all blobs, without listing the store.

Blobs that exist already get their rows from one listing per team, by the next maintenance. Code before this version
stores blobs without rows: if it ran after that listing, `slowpath admin list-blobs` records them.
"""

from alembic import op

revision = "20261128_0400"
down_revision = "20261128_0340"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE stored_blob (
    team_id uuid NOT NULL, id uuid NOT NULL, key text COLLATE "C" NOT NULL, size_bytes bigint NOT NULL,
    check_at timestamptz, is_unused boolean DEFAULT false NOT NULL,
    recorded_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_stored_blob PRIMARY KEY (team_id, id),
    CONSTRAINT uq_stored_blob_team_id_key UNIQUE (team_id, key),
    CONSTRAINT fk_stored_blob_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE
);
CREATE INDEX ix_stored_blob_check ON stored_blob (team_id, check_at) WHERE check_at IS NOT NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON stored_blob TO slowpath_app;
ALTER TABLE stored_blob ENABLE ROW LEVEL SECURITY;
ALTER TABLE stored_blob FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON stored_blob FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
ALTER TABLE derived_storage_total ADD COLUMN listed_at timestamptz;
"""


def upgrade() -> None:
    op.execute(TABLES)


def downgrade() -> None:
    op.execute("-- squawk-ignore ban-drop-column\nALTER TABLE derived_storage_total DROP COLUMN listed_at")
    op.execute("-- squawk-ignore ban-drop-table\nDROP TABLE stored_blob")
