"""Requests for a bisect are checked before the first deployment, and confirmed regressions can start one by themselves.

Code before this version does not know the tables and the column, so it can run with them.
"""

from alembic import op

revision = "20261127_1240"
down_revision = "20261127_1230"
branch_labels = None
depends_on = None

TEAM = """
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON {table} FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO slowpath_app;
"""
PREFLIGHT = """
CREATE TABLE bisect_preflight (
    service_id uuid,
    repository_id uuid,
    good_sha varchar,
    bad_sha varchar,
    request jsonb NOT NULL,
    report jsonb,
    problem jsonb,
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_bisect_preflight PRIMARY KEY (team_id, id),
    CONSTRAINT fk_bisect_preflight_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_bisect_preflight_team_id_service_id FOREIGN KEY (team_id, service_id)
        REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_bisect_preflight_team_id_repository_id FOREIGN KEY (team_id, repository_id)
        REFERENCES repository (team_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_bisect_preflight_newest ON bisect_preflight (team_id, created_at, id);
CREATE INDEX ix_bisect_preflight_service ON bisect_preflight (team_id, service_id);
CREATE INDEX ix_bisect_preflight_repository ON bisect_preflight (team_id, repository_id);
"""
AUTOMATIC = """
CREATE TABLE automatic_bisect (
    service_id uuid NOT NULL,
    enabled boolean NOT NULL,
    deployments_per_day integer NOT NULL,
    needs_approval boolean NOT NULL,
    deployment_hours jsonb,
    runner_labels jsonb DEFAULT '{}' NOT NULL,
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_automatic_bisect PRIMARY KEY (team_id, id),
    CONSTRAINT uq_automatic_bisect_team_id_service_id UNIQUE (team_id, service_id),
    CONSTRAINT ck_automatic_bisect_deployments_per_day CHECK (deployments_per_day >= 1),
    CONSTRAINT fk_automatic_bisect_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_automatic_bisect_team_id_service_id FOREIGN KEY (team_id, service_id)
        REFERENCES service (team_id, id) ON DELETE CASCADE
);
"""


def upgrade() -> None:
    op.execute(PREFLIGHT)
    op.execute(TEAM.format(table="bisect_preflight"))
    op.execute(AUTOMATIC)
    op.execute(TEAM.format(table="automatic_bisect"))
    op.execute("ALTER TABLE bisect ADD COLUMN is_automatic boolean DEFAULT false NOT NULL")


def downgrade() -> None:
    op.execute("ALTER TABLE bisect DROP COLUMN is_automatic")
    op.execute("DROP TABLE automatic_bisect")
    op.execute("DROP TABLE bisect_preflight")
