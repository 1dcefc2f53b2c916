"""A team can add and remove example data, and each user has a time zone.

Code before this version does not know the columns and the table, so it can run with them.
"""

from alembic import op

revision = "20261127_1220"
down_revision = "20261127_1210"
branch_labels = None
depends_on = None

CREATE = """
CREATE TABLE example_data (
    state varchar NOT NULL,
    job_id uuid,
    problem jsonb,
    environment_id uuid,
    repository_ids uuid[] DEFAULT '{}' NOT NULL,
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_example_data PRIMARY KEY (team_id, id),
    CONSTRAINT uq_example_data_team_id UNIQUE (team_id),
    CONSTRAINT ck_example_data_state CHECK (state in ('adding', 'added', 'removing', 'failed')),
    CONSTRAINT fk_example_data_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_example_data_team_id_job_id FOREIGN KEY (team_id, job_id) REFERENCES job (team_id, id)
        ON DELETE SET NULL (job_id)
);
ALTER TABLE example_data ENABLE ROW LEVEL SECURITY;
ALTER TABLE example_data FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON example_data FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON example_data TO slowpath_app;
"""


def upgrade() -> None:
    op.execute("ALTER TABLE app_user ADD COLUMN time_zone varchar")
    op.execute("ALTER TABLE service ADD COLUMN is_example boolean DEFAULT false NOT NULL")
    op.execute(CREATE)


def downgrade() -> None:
    op.execute("DROP TABLE example_data")
    op.execute("ALTER TABLE service DROP COLUMN is_example")
    op.execute("ALTER TABLE app_user DROP COLUMN time_zone")
