"""Members see which items of the inbox they have not read.

Every open item is unread for every member at first. Code before this version does not read the table.
"""

from alembic import op

revision = "20261128_0700"
down_revision = "20261128_0520"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE inbox_read_mark (
    team_id uuid NOT NULL, id uuid NOT NULL, user_id uuid NOT NULL, kind varchar NOT NULL, subject_id uuid NOT NULL,
    state varchar NOT NULL, severity varchar NOT NULL, occurred_at timestamptz NOT NULL, read_at timestamptz NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_inbox_read_mark PRIMARY KEY (team_id, id),
    CONSTRAINT uq_inbox_read_mark_subject UNIQUE (team_id, user_id, kind, subject_id),
    CONSTRAINT ck_inbox_read_mark_kind
        CHECK (kind in ('production-event', 'regression', 'bisect', 'channel', 'metric-source')),
    CONSTRAINT fk_inbox_read_mark_team_id FOREIGN KEY (team_id) REFERENCES team(id) ON DELETE CASCADE,
    CONSTRAINT fk_inbox_read_mark_team_id_user_id FOREIGN KEY (team_id, user_id)
        REFERENCES membership(team_id, user_id) ON DELETE CASCADE
);
GRANT SELECT, INSERT, UPDATE, DELETE ON inbox_read_mark TO slowpath_app;
ALTER TABLE inbox_read_mark ENABLE ROW LEVEL SECURITY;
ALTER TABLE inbox_read_mark FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON inbox_read_mark FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
"""


def upgrade() -> None:
    op.execute(TABLES)


def downgrade() -> None:
    op.execute("-- squawk-ignore ban-drop-table\nDROP TABLE inbox_read_mark")
