"""What a team stores beside its files is counted as it grows: the limit of a team is one of all its bytes.

Adds a table; older code does not see it, and counts files only.
"""

from alembic import op

revision = "20261122_0100"
down_revision = "20261122_0050"
branch_labels = None
depends_on = None

TEAM = "nullif(current_setting('slowpath.team_id', true), '')::uuid"
TABLE = f"""
CREATE TABLE derived_sum (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    size_bytes bigint NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_derived_sum PRIMARY KEY (team_id, id),
    CONSTRAINT uq_derived_sum_team_id UNIQUE (team_id),
    CONSTRAINT fk_derived_sum_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE
);
ALTER TABLE derived_sum ENABLE ROW LEVEL SECURITY;
ALTER TABLE derived_sum FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON derived_sum FOR ALL TO slowpath_app USING (team_id = {TEAM}) WITH CHECK (team_id = {TEAM});
GRANT SELECT, INSERT, UPDATE, DELETE ON derived_sum TO slowpath_app;
"""


def upgrade() -> None:
    op.execute(TABLE)


def downgrade() -> None:
    op.execute("DROP TABLE derived_sum")
