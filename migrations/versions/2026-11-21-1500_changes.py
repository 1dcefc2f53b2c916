"""Changes of latency are found and kept, and deploys are judged.

Adds tables; older code does not see them.
"""

from alembic import op

revision = "20261121_1500"
down_revision = "20261121_1400"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE latency_change (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    environment_id uuid NOT NULL,
    service_id uuid NOT NULL,
    signal varchar NOT NULL,
    at_ms bigint NOT NULL,
    low_ms bigint NOT NULL,
    high_ms bigint NOT NULL,
    seen_ms bigint NOT NULL,
    before double precision NOT NULL,
    after double precision NOT NULL,
    ratio double precision NOT NULL,
    ratio_low double precision NOT NULL,
    ratio_high double precision NOT NULL,
    cause varchar NOT NULL,
    deploy_id uuid,
    follows_service_id uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_latency_change PRIMARY KEY (team_id, id),
    CONSTRAINT fk_latency_change_team_id_service_id FOREIGN KEY (team_id, service_id)
        REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_latency_change_team_id_environment_id FOREIGN KEY (team_id, environment_id)
        REFERENCES environment (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_latency_change_team_id_deploy_id FOREIGN KEY (team_id, deploy_id)
        REFERENCES deploy (team_id, id) ON DELETE SET NULL (deploy_id),
    CONSTRAINT fk_latency_change_team_id_follows_service_id FOREIGN KEY (team_id, follows_service_id)
        REFERENCES service (team_id, id) ON DELETE SET NULL (follows_service_id),
    CONSTRAINT ck_latency_change_signal CHECK (signal in ('p50', 'p90', 'p99', 'mean', 'qps')),
    CONSTRAINT ck_latency_change_cause CHECK (cause in ('deploy', 'load', 'follows', 'unexplained')),
    CONSTRAINT uq_latency_change_place UNIQUE (team_id, environment_id, service_id, signal, at_ms),
    CONSTRAINT fk_latency_change_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_latency_change_when ON latency_change (team_id, environment_id, at_ms);

CREATE TABLE deploy_check (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    deploy_id uuid NOT NULL,
    service_id uuid NOT NULL,
    minutes integer NOT NULL,
    verdict varchar NOT NULL,
    basis varchar NOT NULL,
    equal_build boolean NOT NULL,
    log_ratio double precision,
    said jsonb NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_deploy_check PRIMARY KEY (team_id, id),
    CONSTRAINT fk_deploy_check_team_id_deploy_id FOREIGN KEY (team_id, deploy_id)
        REFERENCES deploy (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_deploy_check_team_id_service_id FOREIGN KEY (team_id, service_id)
        REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT ck_deploy_check_verdict CHECK (verdict in ('slower', 'not-slower', 'cannot-tell')),
    CONSTRAINT ck_deploy_check_basis CHECK (basis in ('concurrent', 'before-after')),
    CONSTRAINT uq_deploy_check_look UNIQUE (team_id, deploy_id, minutes),
    CONSTRAINT fk_deploy_check_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_deploy_check_service ON deploy_check (team_id, service_id, equal_build, basis);

CREATE TABLE metric_watch (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    environment_id uuid NOT NULL,
    watched_ms bigint NOT NULL,
    minutes_ms bigint NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_metric_watch PRIMARY KEY (team_id, id),
    CONSTRAINT uq_metric_watch_team_id_environment_id UNIQUE (team_id, environment_id),
    CONSTRAINT fk_metric_watch_team_id_environment_id FOREIGN KEY (team_id, environment_id)
        REFERENCES environment (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_metric_watch_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
"""
TEAM_TABLES = ("latency_change", "deploy_check", "metric_watch")

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
