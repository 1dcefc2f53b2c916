"""The example data of a team has a report, and its removal also removes what happened to it from the activity feed.

Code before this version ignores the column, and shows the activities and events that are hidden.
"""

from alembic import op

revision = "20261128_0840"
down_revision = "20261128_0821"
branch_labels = None
depends_on = None

TABLES = """
ALTER TABLE example_data ADD COLUMN report_id uuid;
ALTER TABLE team_event ADD COLUMN is_hidden boolean DEFAULT false NOT NULL;
CREATE TABLE hidden_activity (
    team_id uuid NOT NULL, id uuid NOT NULL, created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_hidden_activity PRIMARY KEY (team_id, id),
    CONSTRAINT fk_hidden_activity_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE
);
GRANT SELECT, INSERT, UPDATE, DELETE ON hidden_activity TO slowpath_app;
ALTER TABLE hidden_activity ENABLE ROW LEVEL SECURITY;
ALTER TABLE hidden_activity FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON hidden_activity FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
"""


def upgrade() -> None:
    op.execute(TABLES)


def downgrade() -> None:
    op.execute(
        "-- squawk-ignore ban-drop-table, ban-drop-column\nDROP TABLE hidden_activity;"
        " ALTER TABLE team_event DROP COLUMN is_hidden; ALTER TABLE example_data DROP COLUMN report_id"
    )
