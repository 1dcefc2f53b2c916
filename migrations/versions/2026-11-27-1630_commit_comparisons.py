"""Runners measure pull requests against their merge base; channels of code hosts get the result.

Code before this version does not know the table and the column, so it can run with them.
"""

from alembic import op

revision = "20261127_1630"
down_revision = "20261127_1620"
branch_labels = None
depends_on = None

RULES = """
CREATE TABLE pull_request_rules (
    service_id uuid NOT NULL,
    enabled boolean NOT NULL,
    base_branches jsonb NOT NULL,
    runner_labels jsonb NOT NULL,
    minutes_per_day integer NOT NULL,
    minutes_per_pull_request integer NOT NULL,
    smallest_change double precision NOT NULL,
    measurement_seconds double precision NOT NULL,
    warm_up_seconds double precision NOT NULL,
    signature jsonb,
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_pull_request_rules PRIMARY KEY (team_id, id),
    CONSTRAINT uq_pull_request_rules_team_id_service_id UNIQUE (team_id, service_id),
    CONSTRAINT ck_pull_request_rules_minutes CHECK (minutes_per_day >= 1 AND minutes_per_pull_request >= 1),
    CONSTRAINT fk_pull_request_rules_team_id FOREIGN KEY (team_id) REFERENCES team (id) ON DELETE CASCADE,
    CONSTRAINT fk_pull_request_rules_team_id_service_id FOREIGN KEY (team_id, service_id)
        REFERENCES service (team_id, id) ON DELETE CASCADE
);
ALTER TABLE pull_request_rules ENABLE ROW LEVEL SECURITY;
ALTER TABLE pull_request_rules FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON pull_request_rules FOR ALL TO slowpath_app
    USING (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid)
    WITH CHECK (team_id = nullif(current_setting('slowpath.team_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON pull_request_rules TO slowpath_app;
"""
CHANNELS = "UPDATE notification_channel SET events = events {change} WHERE kind IN ('github', 'gitlab')"


def upgrade() -> None:
    op.execute(RULES)
    op.execute("ALTER TABLE bisect ADD COLUMN commit_comparison jsonb")
    _change("notification_channel", CHANNELS.format(change="""|| '["pull-request.measured"]'::jsonb"""))


def downgrade() -> None:
    _change("notification_channel", CHANNELS.format(change="- 'pull-request.measured'"))
    _change("bisect", "DELETE FROM bisect WHERE commit_comparison IS NOT NULL")
    op.execute("ALTER TABLE bisect DROP COLUMN commit_comparison")
    op.execute("DROP TABLE pull_request_rules")


def _change(table: str, statement: str) -> None:
    """Change the rows of all teams: the owner sees none while row-level security is forced."""
    op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    op.execute(statement)
    op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
