"""A service has budgets of its latency and of its CPU per request; production events and builds show the exceeded ones.

Code before this version does not know the tables and the column, and reads no cause of an event from the database, so it
can run with them.
"""

from alembic import op

revision = "20261127_1200"
down_revision = "20261127_1100"
branch_labels = None
depends_on = None

TABLES = ("budget", "budget_evaluation", "production_event_budget")
CREATE = """
CREATE TABLE budget (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    environment_id uuid,
    route varchar,
    signal varchar NOT NULL,
    limit_seconds double precision,
    limit_increase double precision,
    created_by uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_budget PRIMARY KEY (team_id, id),
    CONSTRAINT fk_budget_team_id_service_id FOREIGN KEY (team_id, service_id)
        REFERENCES service (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_budget_team_id_environment_id FOREIGN KEY (team_id, environment_id)
        REFERENCES environment (team_id, id) ON DELETE CASCADE,
    CONSTRAINT ck_budget_signal CHECK (signal in ('p50', 'p90', 'p99', 'cpu')),
    CONSTRAINT ck_budget_one_limit CHECK ((limit_seconds IS NULL) <> (limit_increase IS NULL)),
    CONSTRAINT fk_budget_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_budget_service ON budget (team_id, service_id, created_at, id);
CREATE INDEX ix_budget_environment ON budget (team_id, environment_id);
CREATE TABLE budget_evaluation (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    budget_id uuid NOT NULL,
    environment_id uuid,
    build_id uuid,
    deployment_id uuid,
    state varchar NOT NULL,
    is_announced boolean NOT NULL,
    sentence varchar NOT NULL,
    value double precision,
    low double precision,
    high double precision,
    requests_per_second double precision,
    evaluated_at timestamptz NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_budget_evaluation PRIMARY KEY (team_id, id),
    CONSTRAINT uq_budget_evaluation_place UNIQUE NULLS NOT DISTINCT (team_id, budget_id, environment_id),
    CONSTRAINT fk_budget_evaluation_team_id_budget_id FOREIGN KEY (team_id, budget_id)
        REFERENCES budget (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_budget_evaluation_team_id_environment_id FOREIGN KEY (team_id, environment_id)
        REFERENCES environment (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_budget_evaluation_team_id_build_id FOREIGN KEY (team_id, build_id)
        REFERENCES build (team_id, id) ON DELETE SET NULL (build_id),
    CONSTRAINT fk_budget_evaluation_team_id_deployment_id FOREIGN KEY (team_id, deployment_id)
        REFERENCES deployment (team_id, id) ON DELETE SET NULL (deployment_id),
    CONSTRAINT ck_budget_evaluation_state CHECK (state in ('exceeded', 'within', 'inconclusive')),
    CONSTRAINT fk_budget_evaluation_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_budget_evaluation_environment ON budget_evaluation (team_id, environment_id);
CREATE INDEX ix_budget_evaluation_build ON budget_evaluation (team_id, build_id);
CREATE INDEX ix_budget_evaluation_deployment ON budget_evaluation (team_id, deployment_id);
CREATE TABLE production_event_budget (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    event_id uuid NOT NULL,
    budget_id uuid NOT NULL,
    state varchar NOT NULL,
    sentence varchar NOT NULL,
    limit_increase double precision,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_production_event_budget PRIMARY KEY (team_id, id),
    CONSTRAINT uq_production_event_budget_once UNIQUE (team_id, event_id, budget_id),
    CONSTRAINT fk_production_event_budget_team_id_event_id FOREIGN KEY (team_id, event_id)
        REFERENCES production_event (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_production_event_budget_team_id_budget_id FOREIGN KEY (team_id, budget_id)
        REFERENCES budget (team_id, id) ON DELETE CASCADE,
    CONSTRAINT ck_production_event_budget_state CHECK (state in ('exceeded', 'within', 'inconclusive')),
    CONSTRAINT fk_production_event_budget_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE
);
CREATE INDEX ix_production_event_budget_budget ON production_event_budget (team_id, budget_id);
"""
PROTECT = """
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON {table} FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO slowpath_app;
"""


def upgrade() -> None:
    op.execute(CREATE)
    for table in TABLES:
        op.execute(PROTECT.format(table=table))
    op.execute("ALTER TABLE build_verdict ADD COLUMN exceeded_budgets jsonb DEFAULT '[]' NOT NULL")
    _allow("'deployment', 'unexplained', 'budget'")


def downgrade() -> None:
    op.execute("ALTER TABLE production_event NO FORCE ROW LEVEL SECURITY")  # the owner sees no row otherwise
    op.execute("UPDATE production_event SET cause = 'unexplained' WHERE cause = 'budget'")
    op.execute("ALTER TABLE production_event FORCE ROW LEVEL SECURITY")
    _allow("'deployment', 'unexplained'")
    op.execute("ALTER TABLE build_verdict DROP COLUMN exceeded_budgets")
    for table in reversed(TABLES):
        op.execute(f"DROP TABLE {table}")


def _allow(causes: str) -> None:
    """Replace the allowed causes. A team has a few thousand events: the check of all rows takes no time."""
    table = "production_event"
    op.execute(f"-- squawk-ignore ban-drop-constraint\nALTER TABLE {table} DROP CONSTRAINT ck_{table}_cause")
    constraint = f"ck_{table}_cause CHECK (cause in ({causes}))"
    op.execute(f"-- squawk-ignore constraint-missing-not-valid\nALTER TABLE {table} ADD CONSTRAINT {constraint}")
