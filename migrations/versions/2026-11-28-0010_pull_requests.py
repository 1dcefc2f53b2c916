"""Pull requests that webhooks report are stored with their reviewers.

Code before this version does not know the table, so it can run with it.
"""

from alembic import op

revision = "20261128_0010"
down_revision = "20261127_2110"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
    CREATE TABLE pull_request (
        team_id uuid NOT NULL,
        id uuid NOT NULL,
        repository_id uuid NOT NULL,
        number bigint NOT NULL,
        url varchar,
        head_sha varchar NOT NULL,
        base_sha varchar,
        merge_sha varchar,
        reviewers jsonb DEFAULT '[]' NOT NULL,
        created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        CONSTRAINT pk_pull_request PRIMARY KEY (team_id, id),
        CONSTRAINT uq_pull_request_number UNIQUE (team_id, repository_id, number),
        CONSTRAINT fk_pull_request_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
        CONSTRAINT fk_pull_request_team_id_repository_id FOREIGN KEY (team_id, repository_id)
            REFERENCES repository (team_id, id) ON DELETE CASCADE
    )
    """)
    op.execute("CREATE INDEX ix_pull_request_head ON pull_request (team_id, repository_id, head_sha)")
    op.execute("CREATE INDEX ix_pull_request_merge ON pull_request (team_id, repository_id, merge_sha)")
    op.execute("""
    ALTER TABLE pull_request ENABLE ROW LEVEL SECURITY;
    ALTER TABLE pull_request FORCE ROW LEVEL SECURITY;
    CREATE POLICY team ON pull_request FOR ALL TO slowpath_app
        USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
        WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
    GRANT SELECT, INSERT, UPDATE, DELETE ON pull_request TO slowpath_app
    """)


def downgrade() -> None:
    op.execute("DROP TABLE pull_request")
