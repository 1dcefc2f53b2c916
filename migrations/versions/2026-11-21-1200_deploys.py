"""Deploys, annotations, who calls whom, and the order of services on the board.

Adds tables; older code does not see them.
"""

from alembic import op

revision = "20261121_1200"
down_revision = "20261121_1150"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE deploy (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    environment_id uuid NOT NULL,
    build_id uuid,
    commit varchar NOT NULL,
    label varchar,
    started_at timestamptz NOT NULL,
    ended_at timestamptz,
    source varchar NOT NULL,
    external_id varchar,
    url varchar,
    commits jsonb NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_deploy PRIMARY KEY (team_id, id),
    CONSTRAINT fk_deploy_team_id_service_id FOREIGN KEY (team_id, service_id)
        REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_deploy_team_id_environment_id FOREIGN KEY (team_id, environment_id)
        REFERENCES environment (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_deploy_team_id_build_id FOREIGN KEY (team_id, build_id)
        REFERENCES build (team_id, id) ON DELETE SET NULL (build_id),
    CONSTRAINT uq_deploy_team_id_external_id UNIQUE (team_id, external_id),
    CONSTRAINT ck_deploy_source CHECK (source in ('api', 'webhook', 'seen')),
    CONSTRAINT fk_deploy_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_deploy_when ON deploy (team_id, environment_id, started_at);
CREATE INDEX ix_deploy_service ON deploy (team_id, service_id, environment_id, started_at);
CREATE INDEX ix_deploy_newest ON deploy (team_id, created_at, id);

CREATE TABLE annotation (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    environment_id uuid NOT NULL,
    service_id uuid,
    at timestamptz NOT NULL,
    until timestamptz,
    text varchar NOT NULL,
    created_by uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_annotation PRIMARY KEY (team_id, id),
    CONSTRAINT fk_annotation_team_id_service_id FOREIGN KEY (team_id, service_id)
        REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_annotation_team_id_environment_id FOREIGN KEY (team_id, environment_id)
        REFERENCES environment (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_annotation_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_annotation_when ON annotation (team_id, environment_id, at);

CREATE TABLE service_edge (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    environment_id uuid NOT NULL,
    caller_id uuid NOT NULL,
    callee_id uuid NOT NULL,
    calls bigint NOT NULL,
    requests bigint NOT NULL,
    seen_at timestamptz NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_service_edge PRIMARY KEY (team_id, id),
    CONSTRAINT fk_service_edge_team_id_environment_id FOREIGN KEY (team_id, environment_id)
        REFERENCES environment (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_service_edge_team_id_caller_id FOREIGN KEY (team_id, caller_id)
        REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_service_edge_team_id_callee_id FOREIGN KEY (team_id, callee_id)
        REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT uq_service_edge_ends UNIQUE (team_id, environment_id, caller_id, callee_id),
    CONSTRAINT fk_service_edge_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);

CREATE TABLE board_order (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    environment_id uuid NOT NULL,
    service_ids jsonb NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_board_order PRIMARY KEY (team_id, id),
    CONSTRAINT fk_board_order_team_id_environment_id FOREIGN KEY (team_id, environment_id)
        REFERENCES environment (team_id, id) ON DELETE CASCADE,
    CONSTRAINT uq_board_order_environment UNIQUE (team_id, environment_id),
    CONSTRAINT fk_board_order_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
"""
TEAM_TABLES = ("deploy", "annotation", "service_edge", "board_order")

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
