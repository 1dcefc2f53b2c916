"""Prometheus-compatible APIs from which history is imported.

Adds a table; older code does not see it.
"""

from alembic import op

revision = "20261121_1600"
down_revision = "20261121_1500"
branch_labels = None
depends_on = None

TABLE = """
CREATE TABLE metric_source (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    label varchar NOT NULL,
    url varchar NOT NULL,
    credentials varchar NOT NULL,
    sealed bytea,
    last_import jsonb,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_metric_source PRIMARY KEY (team_id, id),
    CONSTRAINT ck_metric_source_credentials CHECK (credentials in ('none', 'bearer', 'basic')),
    CONSTRAINT ck_metric_source_sealed CHECK ((credentials = 'none') = (sealed IS NULL)),
    CONSTRAINT fk_metric_source_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_metric_source_newest ON metric_source (team_id, created_at, id);

ALTER TABLE metric_source ENABLE ROW LEVEL SECURITY;
ALTER TABLE metric_source FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON metric_source FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON metric_source TO slowpath_app;
"""


def upgrade() -> None:
    op.execute(TABLE)


def downgrade() -> None:
    op.execute("DROP TABLE metric_source")
