"""Sets of spans can be decoded, and spans can be pushed.

Adds tables; older code does not see them.
"""

from alembic import op

revision = "20261121_1400"
down_revision = "20261121_1300"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE span_set (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    dialect varchar NOT NULL,
    spans bigint NOT NULL,
    traces bigint NOT NULL,
    environment_id uuid,
    began_at timestamptz NOT NULL,
    ended_at timestamptz NOT NULL,
    columns_key varchar NOT NULL,
    columns_bytes bigint NOT NULL,
    page_key varchar NOT NULL,
    critical_key varchar,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_span_set PRIMARY KEY (team_id, id),
    CONSTRAINT fk_span_set_team_id_id FOREIGN KEY (team_id, id)
        REFERENCES artifact (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_span_set_team_id_environment_id FOREIGN KEY (team_id, environment_id)
        REFERENCES environment (team_id, id) ON DELETE SET NULL (environment_id),
    CONSTRAINT fk_span_set_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_span_set_columns ON span_set (team_id, columns_key);
CREATE INDEX ix_span_set_when ON span_set (team_id, environment_id, ended_at);

CREATE TABLE span_push (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    dialect varchar NOT NULL,
    content bytea NOT NULL,
    size_bytes bigint NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_span_push PRIMARY KEY (team_id, id),
    CONSTRAINT ck_span_push_dialect CHECK (dialect in ('protobuf', 'json')),
    CONSTRAINT fk_span_push_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_span_push_oldest ON span_push (team_id, created_at, id);
"""
TEAM_TABLES = ("span_set", "span_push")

TEAM = "nullif(current_setting('slowpath.team_id', true), '')::uuid"
OF_TEAM = """
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON {table} FOR ALL TO slowpath_app USING (team_id = {team}) WITH CHECK (team_id = {team});
GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO slowpath_app;
"""


def upgrade() -> None:
    op.execute(TABLES)
    for table in TEAM_TABLES:
        op.execute(OF_TEAM.format(table=table, team=TEAM))


def downgrade() -> None:
    for table in reversed(TEAM_TABLES):
        op.execute(f"DROP TABLE {table}")
