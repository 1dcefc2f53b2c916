"""Gaps between spans are explained from execution traces.

Adds a table; older code does not see it.
"""

from alembic import op

revision = "20261121_2050"
down_revision = "20261121_2000"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE explanation (
    team_id uuid NOT NULL,
    id uuid NOT NULL,
    artifact_id uuid NOT NULL,
    trace_id varchar NOT NULL,
    span_number integer NOT NULL,
    gap_number integer NOT NULL,
    state varchar NOT NULL,
    problem jsonb,
    job_id uuid,
    content jsonb,
    created_by uuid,
    created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT pk_explanation PRIMARY KEY (team_id, id),
    CONSTRAINT uq_explanation_gap UNIQUE (team_id, artifact_id, trace_id, span_number, gap_number),
    CONSTRAINT fk_explanation_team_id_artifact_id FOREIGN KEY (team_id, artifact_id)
        REFERENCES span_set (team_id, id) ON DELETE CASCADE,
    CONSTRAINT fk_explanation_team_id_job_id FOREIGN KEY (team_id, job_id)
        REFERENCES job (team_id, id) ON DELETE SET NULL (job_id),
    CONSTRAINT ck_explanation_state CHECK (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
    CONSTRAINT fk_explanation_team_id FOREIGN KEY (team_id)
        REFERENCES team (id) ON DELETE CASCADE
);
"""

TEAM = "nullif(current_setting('slowpath.team_id', true), '')::uuid"
OF_TEAM = """
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
CREATE POLICY team ON {table} FOR ALL TO slowpath_app USING (team_id = {team}) WITH CHECK (team_id = {team});
GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO slowpath_app;
"""

EVENTS = """
CREATE TRIGGER tell AFTER INSERT OR UPDATE OF state ON explanation
    FOR EACH ROW EXECUTE FUNCTION tell_subject('explanation');
"""


def upgrade() -> None:
    op.execute(TABLES)
    op.execute(OF_TEAM.format(table="explanation", team=TEAM))
    op.execute(EVENTS)


def downgrade() -> None:
    op.execute("DROP TABLE explanation")
