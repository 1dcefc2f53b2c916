"""Open pull requests are recorded, so that they are measured when the rules of a service are turned on.

Code before this version does not know the table, so it can run with it.
"""

from alembic import op

revision = "20261128_0020"
down_revision = "20261128_0011"
branch_labels = None
depends_on = None

TABLE = """
CREATE TABLE open_pull_request (
    service_id uuid NOT NULL,
    number integer NOT NULL,
    url varchar,
    branch varchar NOT NULL,
    base_branch varchar NOT NULL,
    head_sha varchar NOT NULL,
    base_sha varchar,
    changed_at timestamptz NOT NULL,
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_open_pull_request PRIMARY KEY (team_id, id),
    CONSTRAINT uq_open_pull_request_team_id_service_id_number UNIQUE (team_id, service_id, number),
    CONSTRAINT fk_open_pull_request_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_open_pull_request_team_id_service_id FOREIGN KEY (team_id, service_id)
        REFERENCES service (team_id, id) ON DELETE CASCADE
);
ALTER TABLE open_pull_request ENABLE ROW LEVEL SECURITY;
ALTER TABLE open_pull_request FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON open_pull_request FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON open_pull_request TO slowpath_app;
"""


def upgrade() -> None:
    op.execute(TABLE)


def downgrade() -> None:
    op.execute("DROP TABLE open_pull_request")
