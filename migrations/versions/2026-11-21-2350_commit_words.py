"""What is said of a commit before it has a build; tags of repositories.

Adds a table and a column with a default; older code does not see them.
"""

from alembic import op

revision = "20261121_2350"
down_revision = "20261121_2300"
branch_labels = None
depends_on = None

TABLE = """
CREATE TABLE commit_word (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    commit varchar NOT NULL,
    told jsonb DEFAULT '{}' NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_commit_word PRIMARY KEY (team_id, id),
    CONSTRAINT uq_commit_word UNIQUE (team_id, service_id, commit),
    CONSTRAINT fk_commit_word_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_commit_word_team_id_service_id FOREIGN KEY (team_id, service_id)
        REFERENCES service (team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_commit_word_oldest ON commit_word (team_id, service_id, created_at);
ALTER TABLE commit_word ENABLE ROW LEVEL SECURITY;
ALTER TABLE commit_word FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON commit_word FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON commit_word TO slowpath_app;
"""


def upgrade() -> None:
    op.execute(TABLE)
    op.execute("ALTER TABLE repository ADD COLUMN tags jsonb DEFAULT '{}' NOT NULL")


def downgrade() -> None:
    op.execute("ALTER TABLE repository DROP COLUMN tags")
    op.execute("DROP TABLE commit_word")
